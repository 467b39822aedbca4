//! An operator that does not commute, one that the library has too, a predicate with a bound, and a
//! folding: the library's kernels for them.

use lanewise_algorithms_generic::{Folding, Monoid, Predicate, by_keys, folds, reductions, scans, selections};
use lanewise_macros::Value;
use lanewise_std::collective::Operator;

/// What follows each other: `x -> a x + b` modulo 2^16, with `a` in the upper half of the bits.
#[derive(Clone, Copy, Debug, Default)]
pub struct Compose;

impl Operator<u32> for Compose {
    #[inline(always)]
    fn combine(&self, first: u32, then: u32) -> u32 {
        let (a, b) = (then >> 16, then & 0xFFFF);
        a.wrapping_mul(first >> 16) << 16 | (a.wrapping_mul(first & 0xFFFF).wrapping_add(b)) & 0xFFFF
    }
}

impl Monoid<u32> for Compose {
    const NEUTRAL: u32 = 1 << 16;
}

/// The sum, as the library's.
#[derive(Clone, Copy, Debug, Default)]
pub struct Plus;

impl Operator<f32> for Plus {
    const COMMUTATIVE: bool = true;

    #[inline(always)]
    fn combine(&self, a: f32, b: f32) -> f32 {
        a + b
    }
}

impl Monoid<f32> for Plus {
    const NEUTRAL: f32 = 0.0;
}

/// Keeps what is above a bound.
#[derive(Clone, Copy, Debug, Value)]
#[repr(C)]
pub struct Above(pub u32);

impl Predicate<u32> for Above {
    #[inline(always)]
    fn keeps(&self, element: u32) -> bool {
        element > self.0
    }
}

/// The place that is the nearest to [`Nearest::TARGET`].
#[derive(Clone, Copy, Debug, Default)]
pub struct FindNearest;

/// The first of the elements that are the nearest to a target.
#[derive(Clone, Copy, Debug, PartialEq, Value)]
#[repr(C)]
pub struct Nearest {
    /// How far it is.
    pub distance: u64,
    /// Where it is.
    pub index: u64,
}

impl Nearest {
    /// The number that is looked for.
    pub const TARGET: u32 = 1 << 30;
}

impl Folding<u32> for FindNearest {
    type Part = (u64, u64);
    type Result = Nearest;
    const NOTHING: (u64, u64) = (u64::MAX, u64::MAX);

    #[inline(always)]
    fn add<V: AsRef<[u32]>>(part: &mut (u64, u64), values: &[V], first: u64, step: u64) {
        for (run, values) in (0..).zip(values) {
            for (i, value) in (0..).zip(values.as_ref()) {
                let distance = u64::from(value.abs_diff(Nearest::TARGET));
                *part = Self::join(*part, (distance, first + run * step + i));
            }
        }
    }

    #[inline(always)]
    fn join(a: (u64, u64), b: (u64, u64)) -> (u64, u64) {
        if b < a { b } else { a }
    }

    fn result((distance, index): (u64, u64)) -> Nearest {
        Nearest { distance, index }
    }

    fn part(nearest: Nearest) -> (u64, u64) {
        (nearest.distance, nearest.index)
    }
}

reductions!(reduced: Compose for u32, Plus for f32);
scans!(scanned: Compose for u32, Plus for f32);
by_keys!(by_key: Compose for u32);
selections!(selected: Above for u32);
folds!(folded: FindNearest -> Nearest for u32);
