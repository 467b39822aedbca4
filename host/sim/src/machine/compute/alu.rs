//! Operations on registers: one to four operands, lane by lane.
//!
//! What an operation computes is a function on values (in `semantics`, or a closure in the decoder
//! where that is simpler). This file only applies it to rows. A function that captures nothing has
//! size zero, so the handler's type contains all of it. If all lanes are active, a row is written
//! completely. Otherwise results are blended with the old values, which costs less than to visit
//! the lanes one by one.

use crate::machine::core::Core;
use crate::machine::lane::{CHUNK, FULL, LANES, Lane, Repr, lanes};
use crate::machine::level::{Level, Portable, levels};
use crate::machine::op::{Handler, Op};

/// Returns a function that captures nothing. Its type determines which function it is.
#[inline(always)]
pub(in crate::machine) fn conjure<F: Copy>() -> F {
    const {
        assert!(
            size_of::<F>() == 0,
            "an operation's function captures nothing"
        )
    };
    // SAFETY: a type of size zero has one value and needs no bytes for it. The type is inhabited,
    // because the decoder passes the function by value to select the handler.
    unsafe { std::mem::zeroed() }
}

/// Makes a family of operations with the same number of operands: the bodies, their levels, and the
/// functions that the decoder calls.
macro_rules! lanewise {
    ($(#[$doc:meta])* $name:ident, $rare:ident, $body:ident, $lanes:ident, $levels:ident; $($x:ident: $X:ident),*) => {
        /// # Safety
        /// As for every handler: `op` is an operation whose operands are rows of the frame of the
        /// types named here.
        #[inline(always)]
        unsafe fn $body<L: Level, $($X: Lane,)* D: Lane, F: Fn($($X),*) -> D + Copy>(
            core: &mut Core<'_>,
            op: *const Op,
        ) -> *const Op {
            // SAFETY: the decoder gave this operation rows of the frame, of the types it was built
            // for. A destination is the same row as an operand or does not overlap it, and each
            // chunk is read before it is written.
            unsafe {
                if !L::VECTOR {
                    return $lanes::<$($X,)* D, F>(core, op);
                }
                let o = &*op;
                let f = conjure::<F>();
                let mask = core.mask(o);
                $(let $x = core.row::<$X>(o.$x);)*
                let d = core.row::<D>(o.d);
                if mask == FULL {
                    for k in 0..LANES / CHUNK {
                        $(let $x = *$x.add(k);)*
                        let mut to = [D::Repr::default(); CHUNK];
                        for i in 0..CHUNK {
                            to[i] = f($($X::of($x[i])),*).repr();
                        }
                        *d.add(k) = to;
                    }
                } else {
                    for k in 0..LANES / CHUNK {
                        $(let $x = *$x.add(k);)*
                        let mut to = *d.add(k);
                        let bits = mask >> (k * CHUNK);
                        for i in 0..CHUNK {
                            to[i] = f($($X::of($x[i])),*).repr().blend(to[i], bits & (1 << i) != 0);
                        }
                        *d.add(k) = to;
                    }
                }
                op.wrapping_add(1)
            }
        }

        /// Does the same, lane by lane.
        ///
        /// # Safety
        /// As for the body above.
        unsafe fn $lanes<$($X: Lane,)* D: Lane, F: Fn($($X),*) -> D + Copy>(
            core: &mut Core<'_>,
            op: *const Op,
        ) -> *const Op {
            // SAFETY: as above; a lane is read before it is written.
            unsafe {
                let o = &*op;
                let mut left = core.mask(o);
                $(let $x = core.row::<$X>(o.$x).cast::<$X::Repr>();)*
                let d = core.row::<D>(o.d).cast::<D::Repr>();
                while left != 0 {
                    let lane = left.trailing_zeros() as usize;
                    left &= left - 1;
                    *d.add(lane) = conjure::<F>()($($X::of(*$x.add(lane))),*).repr();
                }
                op.wrapping_add(1)
            }
        }

        levels!(fn $levels = $body<$($X,)* D, F> where $($X: Lane,)* D: Lane, F: Fn($($X),*) -> D + Copy);

        $(#[$doc])*
        pub(crate) fn $name<$($X: Lane,)* D: Lane, F: Fn($($X),*) -> D + Copy>(_: F) -> Handler {
            $levels::<$($X,)* D, F>()
        }

        $(#[$doc])* /// For what is rare: small code, lane by lane.
        pub(crate) fn $rare<$($X: Lane,)* D: Lane, F: Fn($($X),*) -> D + Copy>(_: F) -> Handler {
            $lanes::<$($X,)* D, F>
        }
    };
}

lanewise!(
    /// `d = f(a)`.
    unary, unary_rare, unary_body, unary_lanes, unary_levels; a: A
);
lanewise!(
    /// `d = f(a, b)`.
    binary, binary_rare, binary_body, binary_lanes, binary_levels; a: A, b: B
);
lanewise!(
    /// `d = f(a, b, c)`.
    ternary, ternary_rare, ternary_body, ternary_lanes, ternary_levels; a: A, b: B, c: C
);

lanewise!(
    /// `d = f(a, b, c, aux)`: the fourth operand's offset is in `aux`.
    quaternary, quaternary_rare, quaternary_body, quaternary_lanes, quaternary_levels; a: A, b: B, c: C, aux: E
);

/// How a comparison's result is combined with a predicate, in the low bits of `aux`.
pub(crate) mod combine {
    /// The result is not combined.
    pub(crate) const NONE: u32 = 0;
    /// The result is combined with a predicate by `and`.
    pub(crate) const AND: u32 = 1;
    /// The result is combined with a predicate by `or`.
    pub(crate) const OR: u32 = 2;
    /// The result is combined with a predicate by `xor`.
    pub(crate) const XOR: u32 = 3;
    /// The bit in `aux` at which the offset of the second destination starts. It gets the opposite
    /// result; 0 means that there is none.
    pub(crate) const SECOND: u32 = 8;
}

/// Returns the lanes for which `f(a, b)` holds.
///
/// # Safety
/// `a` and `b` must be rows of types `A` and `B`.
#[inline(always)]
unsafe fn compare_rows<L: Level, A: Lane, B: Lane, F: Fn(A, B) -> bool + Copy>(
    f: F,
    a: *const [A::Repr; CHUNK],
    b: *const [B::Repr; CHUNK],
) -> u32 {
    let mut holds = 0;
    if !L::VECTOR {
        for lane in 0..LANES {
            // SAFETY: a row has this many lanes.
            let (a, b) = unsafe {
                (
                    *a.cast::<A::Repr>().add(lane),
                    *b.cast::<B::Repr>().add(lane),
                )
            };
            holds |= u32::from(f(A::of(a), B::of(b))) << lane;
        }
        return holds;
    }
    for k in 0..LANES / CHUNK {
        // SAFETY: a row has this many chunks.
        let (a, b) = unsafe { (*a.add(k), *b.add(k)) };
        let mut lanes = [0u32; CHUNK];
        for i in 0..CHUNK {
            lanes[i] = if f(A::of(a[i]), B::of(b[i])) {
                u32::MAX
            } else {
                0
            };
        }
        holds |= L::top_bits(lanes) << (k * CHUNK);
    }
    holds
}

/// # Safety
/// As for every handler.
#[inline(always)]
unsafe fn compare_body<L: Level, A: Lane, B: Lane, F: Fn(A, B) -> bool + Copy>(
    core: &mut Core<'_>,
    op: *const Op,
) -> *const Op {
    // SAFETY: as for `lanewise!`; `d`, `c` and the second destination are predicates of the frame.
    unsafe {
        let o = &*op;
        let mask = core.mask(o);
        let mut holds =
            compare_rows::<L, A, B, F>(conjure::<F>(), core.row::<A>(o.a), core.row::<B>(o.b));
        if o.aux != combine::NONE {
            let mut opposite = !holds;
            let with = core.predicate(o.c);
            for result in [&mut holds, &mut opposite] {
                match o.aux & 3 {
                    combine::AND => *result &= with,
                    combine::OR => *result |= with,
                    combine::XOR => *result ^= with,
                    _ => {}
                }
            }
            if o.aux >> combine::SECOND != 0 {
                core.set_predicate(o.aux >> combine::SECOND, opposite, mask);
            }
        }
        core.set_predicate(o.d, holds, mask);
        op.wrapping_add(1)
    }
}

levels!(fn compare_levels = compare_body<A, B, F> where A: Lane, B: Lane, F: Fn(A, B) -> bool + Copy);

/// Returns the handler of a rare [`compare`]: small code, lane by lane.
pub(crate) fn compare_rare<A: Lane, B: Lane, F: Fn(A, B) -> bool + Copy>(_: F) -> Handler {
    compare_body::<Portable, A, B, F>
}

/// `setp`: predicate `d` is `f(a, b)`, combined with predicate `c` as `aux` selects.
pub(crate) fn compare<A: Lane, B: Lane, F: Fn(A, B) -> bool + Copy>(_: F) -> Handler {
    compare_levels::<A, B, F>()
}

/// # Safety
/// As for every handler.
#[inline(always)]
unsafe fn choose_body<L: Level, A: Lane>(core: &mut Core<'_>, op: *const Op) -> *const Op {
    // SAFETY: as for `lanewise!`; `c` is a predicate.
    unsafe {
        let o = &*op;
        let (mask, which) = (core.mask(o), core.predicate(o.c));
        let (a, b, d) = (core.row::<A>(o.a), core.row::<A>(o.b), core.row::<A>(o.d));
        for k in 0..LANES / CHUNK {
            let (a, b, old) = (*a.add(k), *b.add(k), *d.add(k));
            let (which, mask) = (which >> (k * CHUNK), mask >> (k * CHUNK));
            let mut to = old;
            for i in 0..CHUNK {
                to[i] = a[i]
                    .blend(b[i], which & (1 << i) != 0)
                    .blend(old[i], mask & (1 << i) != 0);
            }
            *d.add(k) = to;
        }
        op.wrapping_add(1)
    }
}

levels!(
    /// `selp`: `d = c ? a : b` for a predicate `c`.
    pub(crate) fn choose = choose_body<A> where A: Lane
);

/// # Safety
/// As for every handler.
#[inline(always)]
unsafe fn predicate_body<L: Level, F: Fn(u32, u32) -> u32 + Copy>(
    core: &mut Core<'_>,
    op: *const Op,
) -> *const Op {
    // SAFETY: the decoder gave this operation predicates of the frame.
    unsafe {
        let o = &*op;
        let mask = core.mask(o);
        let result = conjure::<F>()(core.predicate(o.a), core.predicate(o.b));
        core.set_predicate(o.d, result, mask);
        op.wrapping_add(1)
    }
}

levels!(fn predicate_levels = predicate_body<F> where F: Fn(u32, u32) -> u32 + Copy);

/// Returns the handler of logic on predicates, for all lanes at once: `d = f(a, b)`.
pub(crate) fn predicate<F: Fn(u32, u32) -> u32 + Copy>(_: F) -> Handler {
    predicate_levels::<F>()
}

/// Copies two predicates, `a` to `d` and `b` to the one at `aux`, under one mask. Either
/// destination may be the operation's guard.
///
/// # Safety
/// As for every handler.
pub(crate) unsafe fn two_predicates(core: &mut Core<'_>, op: *const Op) -> *const Op {
    // SAFETY: the decoder gave this operation predicates of the frame.
    unsafe {
        let o = &*op;
        let mask = core.mask(o);
        let (first, second) = (core.predicate(o.a), core.predicate(o.b));
        core.set_predicate(o.d, first, mask);
        core.set_predicate(o.aux, second, mask);
        op.wrapping_add(1)
    }
}

/// The offset of the carry flag, `CC.CF`, in a frame: a predicate next to the one that
/// is always true.
pub(crate) const CARRY: u32 = 4;

/// # Safety
/// As for every handler.
unsafe fn carry_handler<A: Lane, F: Fn(A, A, A, bool) -> (A, bool) + Copy>(
    core: &mut Core<'_>,
    op: *const Op,
) -> *const Op {
    // SAFETY: the decoder gave this operation rows of `A`; the carry is a predicate of the frame.
    unsafe {
        let o = &*op;
        let mask = core.mask(o);
        let (carry_in, mut carry_out) = (core.predicate(CARRY), 0);
        for lane in lanes(mask) {
            let (a, b, c) = (
                core.lanes::<A>(o.a)[lane],
                core.lanes::<A>(o.b)[lane],
                core.lanes::<A>(o.c)[lane],
            );
            let carry = carry_in >> lane & 1 != 0;
            let (value, carry) = conjure::<F>()(A::of(a), A::of(b), A::of(c), carry);
            core.lanes::<A>(o.d)[lane] = value.repr();
            carry_out |= u32::from(carry) << lane;
        }
        if o.aux != 0 {
            core.set_predicate(CARRY, carry_out, mask);
        }
        op.wrapping_add(1)
    }
}

/// `add.cc`, `addc`, `madc`, ...: `f(a, b, c, carry)` returns the result and the carry, which is
/// stored if `aux` is not 0.
pub(crate) fn carry<A: Lane, F: Fn(A, A, A, bool) -> (A, bool) + Copy>(_: F) -> Handler {
    carry_handler::<A, F>
}
