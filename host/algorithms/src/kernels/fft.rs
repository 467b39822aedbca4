//! The Fourier transform of lengths that are powers of two, in Stockham's order.
//!
//! A thread has sixteen elements in registers. It transforms them by a pass of radix 16, and
//! between two passes the elements of a transform are exchanged through shared memory. The last
//! pass has a radix of 2, 4, 8 or 16. So a transform of 4096 elements has three passes, and is read
//! and written once. The roots are in tables in the order in which the lanes of a warp load them,
//! by twos. A pass of radix 16 loads six of them: the others are products of two.
//!
//! A longer transform is a matrix, row after row. One kernel transforms its columns, multiplies
//! each element by the root to the power of its row times its column, and writes the matrix
//! transposed. The second kernel transforms the columns of that: its results are in order. A block
//! has so many neighbouring columns that it reads and writes at least 64 bytes at a time.
//!
//! A transform of reals is half as long: even elements are real parts and odd ones imaginary parts.
//! What belongs to the even and to the odd ones is parted from its results, of which each needs the
//! one that is as far from the end. An inverse one joins them before.
//!
//! The length, the radices and all distances are constants, so the addresses of a thread's elements
//! are one register and constants.
//!
//! Source: Van Loan, "Computational Frameworks for the Fast Fourier Transform", 1.7, 3.2.

use core::array::from_fn;
use core::ops::{Add, Mul, RangeInclusive, Sub};

use lanewise_macros::{Value, kernel};
use lanewise_std::kernel::Value;
use lanewise_std::math::Float;
use lanewise_std::thread::{block_dim_x, block_idx_x, global_idx_x, sync_threads, thread_idx_x};
use lanewise_std::unroll::unroll;
use lanewise_std::vector::{Double2, Float2};
use lanewise_std::{DisjointSlice, DynamicSharedArray, cache};

/// The number of elements of a thread.
pub const LANES: usize = 16;
/// The logarithm of the longest transform of [`fft_rows`].
pub const LOG_ROWS: u32 = 12;
/// The logarithms of the transforms of [`fft_reals`].
pub const LOG_REALS: RangeInclusive<u32> = 9..=12;
/// The logarithm of the longest transform of [`fft_columns_f32`].
pub const LOG_COLUMNS: u32 = 10;
/// The logarithm of the longest transform of [`fft_tall_f32`].
pub const LOG_TALL: u32 = 12;
/// For [`fft_columns_f32`]: the columns of the input, whose results are multiplied by roots and
/// written as rows.
pub const FIRST: u32 = 0;
/// For [`fft_columns_f32`]: the columns of what the first pass has written. The results stay in
/// their columns.
pub const SECOND: u32 = 1;

/// A complex number: `Float2` or `Double2`, of which `x` is the real part and `y` the imaginary
/// one.
pub trait Complex: Value + Default + Into<[Self::Part; 2]> + From<[Self::Part; 2]> {
    /// The type of its parts.
    type Part: Float;
    /// The cosine of a quarter, an eighth of pi, and the sine of an eighth.
    #[doc(hidden)]
    const COSINES: [Self::Part; 3];
    /// The powers of e^(-pi i / 16), up to the fifteenth.
    #[doc(hidden)]
    const TURNS: [[Self::Part; 2]; LANES];
    /// Returns the nearest number to this one.
    #[doc(hidden)]
    fn nearest(parts: [f64; 2]) -> Self;
}

/// The cosines of the first multiples of pi / 16, up to pi / 2.
const COSINES: [f64; LANES / 2 + 1] = [
    1.0,
    0.980_785_280_403_230_4,
    0.923_879_532_511_286_7,
    0.831_469_612_302_545_2,
    core::f64::consts::FRAC_1_SQRT_2,
    0.555_570_233_019_602_2,
    0.382_683_432_365_089_8,
    0.195_090_322_016_128_27,
    0.0,
];

macro_rules! complex {
    ($($ty:ident $part:ident;)*) => {$(
        impl Complex for $ty {
            type Part = $part;
            const COSINES: [$part; 3] = [
                COSINES[4] as $part,
                COSINES[2] as $part,
                COSINES[6] as $part,
            ];
            const TURNS: [[$part; 2]; LANES] = {
                let mut turns = [[0.0; 2]; LANES];
                let mut j = 0;
                while j < LANES {
                    turns[j] = if j <= 8 {
                        [COSINES[j] as $part, -COSINES[8 - j] as $part]
                    } else {
                        [-COSINES[16 - j] as $part, -COSINES[j - 8] as $part]
                    };
                    j += 1;
                }
                turns
            };

            fn nearest([re, im]: [f64; 2]) -> Self {
                Self::new(re as $part, im as $part)
            }
        }
    )*};
}
complex! {
    Float2 f32;
    Double2 f64;
}

/// A number of a computation, with its real part first.
#[derive(Clone, Copy)]
struct Number<T>([T; 2]);

impl<T: Float> Add for Number<T> {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Number([self.0[0] + other.0[0], self.0[1] + other.0[1]])
    }
}

impl<T: Float> Sub for Number<T> {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Number([self.0[0] - other.0[0], self.0[1] - other.0[1]])
    }
}

impl<T: Float> Mul for Number<T> {
    type Output = Self;

    #[inline(always)]
    fn mul(self, Number([re, im]): Self) -> Self {
        let Number([a, b]) = self;
        Number([a * re - b * im, a * im + b * re])
    }
}

impl<T: Float> Number<T> {
    /// Returns the number with the opposite imaginary part.
    #[inline(always)]
    fn conjugate(self) -> Self {
        let [re, im] = self.0;
        Number([re, -im])
    }

    #[inline(always)]
    fn of<C: Complex<Part = T>>(number: C) -> Self {
        Number(number.into())
    }

    /// Returns the number multiplied by -i.
    #[inline(always)]
    fn quarter_turn(self) -> Self {
        Number([self.0[1], -self.0[0]])
    }

    /// Returns the number multiplied by (1 - i) / sqrt(2).
    #[inline(always)]
    fn eighth_turn(self, half_root: T) -> Self {
        let [a, b] = self.0;
        Number([(a + b) * half_root, (b - a) * half_root])
    }
}

/// The transform of two numbers.
#[inline(always)]
fn two<T: Float>([a, b]: [Number<T>; 2]) -> [Number<T>; 2] {
    [a + b, a - b]
}

/// The transform of four numbers.
#[inline(always)]
fn four<T: Float>(x: [Number<T>; 4]) -> [Number<T>; 4] {
    let [even, even_less] = two([x[0], x[2]]);
    let [odd, odd_less] = two([x[1], x[3]]);
    let odd_less = odd_less.quarter_turn();
    [
        even + odd,
        even_less + odd_less,
        even - odd,
        even_less - odd_less,
    ]
}

/// The transform of eight numbers, from those of the even and the odd ones.
#[inline(always)]
fn eight<C: Complex>(x: [Number<C::Part>; 8]) -> [Number<C::Part>; 8] {
    let [half_root, ..] = C::COSINES;
    let even = four([x[0], x[2], x[4], x[6]]);
    let [a, b, c, d] = four([x[1], x[3], x[5], x[7]]);
    let odd = [
        a,
        b.eighth_turn(half_root),
        c.quarter_turn(),
        d.eighth_turn(half_root).quarter_turn(),
    ];
    from_fn(|m| {
        if m < 4 {
            even[m] + odd[m]
        } else {
            even[m - 4] - odd[m - 4]
        }
    })
}

/// The transform of sixteen numbers, as a matrix of four rows.
#[inline(always)]
fn sixteen<C: Complex>(x: [Number<C::Part>; 16]) -> [Number<C::Part>; 16] {
    let [half_root, cosine, sine] = C::COSINES;
    // The root to the first and third power; its ninth is the first, turned by a half.
    let (one, three) = (Number([cosine, -sine]), Number([sine, -cosine]));
    let columns: [[Number<C::Part>; 4]; 4] =
        from_fn(|c| four([x[c], x[c + 4], x[c + 8], x[c + 12]]));
    let [a, b, c, d] = columns;
    let rows = [
        [a[0], b[0], c[0], d[0]],
        [a[1], b[1] * one, c[1].eighth_turn(half_root), d[1] * three],
        [
            a[2],
            b[2].eighth_turn(half_root),
            c[2].quarter_turn(),
            d[2].eighth_turn(half_root).quarter_turn(),
        ],
        [
            a[3],
            b[3] * three,
            c[3].eighth_turn(half_root).quarter_turn(),
            // Minus one.
            d[3] * Number([-cosine, sine]),
        ],
    ]
    .map(four);
    from_fn(|m| rows[m % 4][m / 4])
}

/// Parts or joins what belongs to even and odd elements of a sequence of reals: from two results of
/// which one is as far from the start as the other from the end, and the root of the whole length
/// to the power of the first one's number. Returns both.
#[inline(always)]
fn of_reals<C: Complex>(
    result: Number<C::Part>,
    mirrored: Number<C::Part>,
    root: Number<C::Part>,
) -> [Number<C::Part>; 2] {
    let mirrored = mirrored.conjugate();
    let half = |x: Number<C::Part>| Number(x.0.map(|part| part * C::Part::from(0.5)));
    let (even, odd) = (result + mirrored, (result - mirrored) * root);
    let odd = odd.quarter_turn();
    [half(even + odd), half(even - odd).conjugate()]
}

/// Returns the number of threads of a transform of `2^log` elements.
#[must_use]
pub const fn threads(log: u32) -> usize {
    (1 << log) / LANES
}

/// Returns how many transforms of `2^log` elements a block of [`fft_rows`] has.
#[must_use]
pub const fn rows(log: u32) -> usize {
    if threads(log) < 64 {
        64 / threads(log)
    } else {
        1
    }
}

/// Returns how many transforms of `2^log` elements a block of [`fft_columns_f32`] has.
#[must_use]
pub const fn columns<C>(log: u32) -> usize {
    // As many as have 64 bytes, or 32 where shared memory has room for no more.
    if log > LOG_COLUMNS {
        (128 / size_of::<C>()) >> (log - LOG_COLUMNS)
    } else {
        (64 / size_of::<C>()) << (LOG_COLUMNS - log)
    }
}

/// Returns the number of elements of shared memory for such transforms, side by side.
#[must_use]
pub const fn room<C>(log: u32, side_by_side: usize) -> usize {
    let padded = ((1 << log) + (1 << log) / LANES) * side_by_side;
    let rows = pitch::<C>(log, side_by_side) * side_by_side;
    if padded > rows { padded } else { rows }
}

/// Returns how far apart columns are in shared memory that lie there one after another. The lanes
/// that are served together have neighbouring columns, and neighbouring elements of each: they are
/// in different banks.
const fn pitch<C>(log: u32, columns: usize) -> usize {
    let together = 128 / size_of::<C>();
    let neighbours = together / columns;
    (1 << log) + if neighbours > 1 { neighbours } else { 1 }
}

/// Returns the radix of the pass after passes whose radices multiply to `2^log_p`.
const fn radix(log: u32, log_p: u32) -> usize {
    if log - log_p < 4 {
        1 << (log - log_p)
    } else {
        LANES
    }
}

/// The roots of a pass of this radix that are in its table, as powers of the first one: an even
/// number of them. Each other one is a product of two.
const fn tabled(radix: usize) -> &'static [usize] {
    match radix {
        16 => &[1, 2, 3, 4, 8, 12],
        8 => &[1, 2, 3, 4],
        4 => &[1, 2],
        _ => &[1, 0],
    }
}

/// Returns where the roots of a pass begin in a table of [`powers`]: after those of the passes
/// before, whose radix is 16.
const fn roots_of(log_p: u32) -> usize {
    ((1 << log_p) - LANES) / (LANES - 1) * tabled(LANES).len()
}

/// Returns the roots of the passes after the first, as powers of the root of `2^log`. A pass has
/// the first two of those that are [`tabled`] for all butterflies, then the next two.
#[cfg(not(target_arch = "nvptx64"))]
pub(crate) fn powers(log: u32) -> impl Iterator<Item = usize> {
    (4..log).step_by(4).flat_map(move |log_p| {
        let radix = radix(log, log_p);
        let of_pass = (1 << (log - log_p)) / radix;
        let (pairs, _) = tabled(radix).as_chunks::<2>();
        let of_pair = move |pair: &'static [usize; 2]| {
            (0..1 << log_p).flat_map(move |k| pair.map(|r| k * r * of_pass))
        };
        pairs.iter().flat_map(of_pair)
    })
}

/// Two roots, which one instruction loads if they are of `f32`.
#[repr(C, align(16))]
#[derive(Clone, Copy)]
struct Pair<C>([C; 2]);

/// Returns the roots of a pass of radix `R` for one butterfly. `pairs` is where its first two are
/// in the table, and the next two are `apart` pairs from there.
///
/// # Safety
/// They are there, and aligned.
#[inline(always)]
unsafe fn roots_at<C: Complex, const R: usize>(
    pairs: *const Pair<C>,
    apart: usize,
) -> [Number<C::Part>; LANES] {
    let tabled = const { tabled(R) };
    let mut roots = [Number([C::Part::default(); 2]); LANES];
    for i in 0..tabled.len() / 2 {
        // SAFETY: the caller promises it.
        let Pair(pair) = unsafe { pairs.add(i * apart).read() };
        let [a, b] = pair.map(Number::of);
        (roots[tabled[2 * i]], roots[tabled[2 * i + 1]]) = (a, b);
    }
    if R == 4 {
        roots[3] = roots[1] * roots[2];
    }
    for r in 5..R {
        if r % 4 != 0 {
            roots[r] = roots[r - r % 4] * roots[r % 4];
        }
    }
    roots
}

/// The elements of a thread.
type Elements<C> = [Number<<C as Complex>::Part>; LANES];

/// The pass of thread `t` of a transform of `2^LOG` elements after passes whose radices multiply to
/// `2^LOG_P`.
///
/// # Safety
/// `roots` has the roots of [`powers`].
#[inline(always)]
unsafe fn pass<C: Complex, const LOG: u32, const LOG_P: u32>(
    x: &mut Elements<C>,
    roots: &[C],
    t: usize,
) {
    let radix = const { radix(LOG, LOG_P) };
    let apart = LANES / radix;
    if LOG_P > 0 {
        let pairs = roots
            .as_ptr()
            .wrapping_add(roots_of(LOG_P))
            .cast::<Pair<C>>();
        for j in 0..apart {
            let k = (t + j * threads(LOG)) % (1 << LOG_P);
            // SAFETY: the roots of this pass are there. A buffer is aligned, and each table before
            // has pairs.
            let roots = unsafe {
                let at = pairs.wrapping_add(k);
                match radix {
                    16 => roots_at::<C, 16>(at, 1 << LOG_P),
                    8 => roots_at::<C, 8>(at, 1 << LOG_P),
                    4 => roots_at::<C, 4>(at, 1 << LOG_P),
                    _ => roots_at::<C, 2>(at, 1 << LOG_P),
                }
            };
            for r in 1..radix {
                x[j + r * apart] = x[j + r * apart] * roots[r];
            }
        }
    }
    match radix {
        16 => *x = sixteen::<C>(*x),
        8 => unroll::<2>(|j| {
            let of = eight::<C>(from_fn(|r| x[j + 2 * r]));
            unroll::<8>(|r| x[j + 2 * r] = of[r]);
        }),
        4 => unroll::<4>(|j| {
            let of = four(from_fn(|r| x[j + 4 * r]));
            unroll::<4>(|r| x[j + 4 * r] = of[r]);
        }),
        _ => unroll::<8>(|j| [x[j], x[j + 8]] = two([x[j], x[j + 8]])),
    }
}

/// Returns the index of the first result of a pass of radix 16 after `2^log_p`. The others are
/// `2^log_p` apart.
#[inline(always)]
const fn first_result(t: usize, log_p: u32) -> usize {
    let k = t % (1 << log_p);
    (t - k) * LANES + k
}

/// Returns the place in shared memory of an element's index. After sixteen elements there is room
/// for one, so that neighbouring threads, whose results are sixteen elements apart after the first
/// pass, write to different banks.
#[inline(always)]
const fn padded(index: usize) -> usize {
    index + index / LANES
}

/// Exchanges the elements after a pass of radix 16, so that a thread has elements that are a
/// sixteenth of the transform apart. `SIDE` transforms lie side by side, of which the thread has
/// number `c`.
///
/// # Safety
/// All threads of the block call it, and the memory has [`room`] for its transforms.
#[inline(always)]
unsafe fn exchange<C: Complex, const LOG: u32, const LOG_P: u32>(
    x: &mut Elements<C>,
    memory: *mut C,
    t: usize,
    side: usize,
    c: usize,
) {
    if LOG_P > 0 {
        sync_threads(); // all have read what was exchanged before
    }
    let to = memory.wrapping_add(padded(first_result(t, LOG_P)) * side + c);
    let from = memory.wrapping_add(padded(t) * side + c);
    // An index is the sum of a thread's and of a constant, which have no sixteens in common.
    unroll::<LANES>(|r| {
        // SAFETY: the places are those of the transform's elements, each of which is one thread's.
        unsafe { to.add(padded(r << LOG_P) * side).write(x[r].0.into()) }
    });
    sync_threads(); // the elements are there
    unroll::<LANES>(|m| {
        // SAFETY: they were written before the barrier.
        x[m] = Number::of(unsafe { from.add(padded(m * threads(LOG)) * side).read() });
    });
}

/// Returns the number of the first of a thread's elements in a piece of `2^log` elements that
/// begins with number `start`, and the distance to the next one. An inverse transform is that of
/// the elements in reverse order, in which the first element stays where it is, or is the one after
/// the last if the transform `is_closed`. Loads of columns go past L1, which has better use for the
/// roots.
#[inline(always)]
fn load<C: Complex, const PAST_L1: bool>(
    input: &[C],
    start: usize,
    t: usize,
    log: u32,
    (is_inverse, is_closed): (bool, bool),
) -> Elements<C> {
    let (len, step) = (1usize << log, (1usize << log) / LANES);
    let (first, step) = if is_inverse {
        (len - t, step.wrapping_neg())
    } else {
        (t, step)
    };
    let at = input.as_ptr().wrapping_add(start);
    from_fn(|m| {
        let place = if m == 0 {
            first & if is_closed { usize::MAX } else { len - 1 }
        } else {
            first.wrapping_add(step.wrapping_mul(m))
        };
        // SAFETY: the caller's piece is in the input.
        let element = unsafe { &*at.wrapping_add(place) };
        Number::of(if PAST_L1 {
            cache::load_cg(element)
        } else {
            *element
        })
    })
}

/// Multiplies the elements, if the factor is not one.
#[inline(always)]
fn scale<C: Complex>(x: &mut Elements<C>, by: f32) {
    if by != 1.0 {
        let by = C::Part::from(by);
        unroll::<LANES>(|m| x[m] = Number(x[m].0.map(|part| part * by)));
    }
}

/// Transforms pieces of `2^LOG` elements, which follow each other. An inverse transform has the
/// opposite sign in the exponents of its roots. All results are multiplied by `by`. The grid has a
/// block for each [`rows`] pieces.
///
/// # Safety
/// `roots` has those of [`powers`], and the output is as long as the input, a multiple of `2^LOG`
/// elements. A block's shared memory has [`room`] for its transforms.
#[kernel(instances(
    (Float2, 4), (Float2, 5), (Float2, 6), (Float2, 7), (Float2, 8), (Float2, 9), (Float2, 10),
    (Float2, 11), (Float2, 12),
    (Double2, 4), (Double2, 5), (Double2, 6), (Double2, 7), (Double2, 8), (Double2, 9),
    (Double2, 10), (Double2, 11), (Double2, 12)
))]
#[launch_bounds(256)]
#[launch_contract(dims = 1, block = ({ rows(LOG) * threads(LOG) }))]
pub unsafe fn fft_rows<C: Complex, const LOG: u32>(
    input: &[C],
    roots: &[C],
    output: DisjointSlice<C>,
    is_inverse: bool,
    by: f32,
) {
    // SAFETY: the caller keeps the contract of this function.
    unsafe { transform_rows::<C, LOG, false>(input, [roots, &[]], output, is_inverse, by) }
}

/// The same for sequences of reals. Two of them are an element, and the transform of a sequence has
/// one element more than the sequence. `halves` has the first roots of twice the length, one for
/// each of the [`threads`].
///
/// # Safety
/// As for [`fft_rows`], but for the length of the output: it has as many sequences, or transforms
/// of them, as the input. The halves are there.
#[kernel(instances(
    (Float2, 9), (Float2, 10), (Float2, 11), (Float2, 12),
    (Double2, 9), (Double2, 10), (Double2, 11), (Double2, 12)
))]
#[launch_bounds(256)]
#[launch_contract(dims = 1, block = ({ rows(LOG) * threads(LOG) }))]
pub unsafe fn fft_reals<C: Complex, const LOG: u32>(
    input: &[C],
    roots: &[C],
    halves: &[C],
    output: DisjointSlice<C>,
    is_inverse: bool,
    by: f32,
) {
    // SAFETY: the caller keeps the contract of this function.
    unsafe { transform_rows::<C, LOG, true>(input, [roots, halves], output, is_inverse, by) }
}

/// Transforms a block's pieces.
///
/// # Safety
/// As for [`fft_rows`], or for [`fft_reals`] if they `ARE_REAL`.
#[inline(always)]
unsafe fn transform_rows<C: Complex, const LOG: u32, const ARE_REAL: bool>(
    input: &[C],
    [roots, halves]: [&[C]; 2],
    mut output: DisjointSlice<C>,
    is_inverse: bool,
    by: f32,
) {
    let thread = thread_idx_x() as usize;
    let (t, row) = (thread % threads(LOG), thread / threads(LOG));
    let piece = block_idx_x() as usize * rows(LOG) + row;
    let (is_joined, is_parted) = (ARE_REAL && is_inverse, ARE_REAL && !is_inverse);
    let start = (piece << LOG) + if is_joined { piece } else { 0 };
    let is_there = start < input.len();
    let memory = DynamicSharedArray::<C>::get().as_ptr();
    let memory = memory.wrapping_add(row * padded(1 << LOG));
    let mut x = [Number([C::Part::default(); 2]); LANES];
    if is_there {
        x = load::<C, false>(input, start, t, LOG, (is_inverse, is_joined));
    }
    if is_joined {
        // SAFETY: the room is there, all threads of the block are, and there is a root for each.
        unsafe {
            let to = memory.add((1 << LOG) - t);
            unroll::<LANES>(|m| to.sub(m * threads(LOG)).write(x[m].0.into()));
            if t == 0 {
                let first = input.get(start).copied().unwrap_or_default();
                memory.write(first);
            }
            sync_threads(); // the elements are there
            let root = Number::of(*halves.get_unchecked(t));
            unroll::<LANES>(|m| {
                let mirrored = Number::of(memory.add(t + m * threads(LOG)).read());
                [x[m], _] = of_reals::<C>(x[m], mirrored, root * Number(C::TURNS[m]));
            });
            sync_threads(); // all have read them
        }
    }
    // SAFETY: the roots and the room are there, and all threads of the block are.
    unsafe {
        pass::<C, LOG, 0>(&mut x, roots, t);
        if const { LOG > 4 } {
            exchange::<C, LOG, 0>(&mut x, memory, t, 1, 0);
            pass::<C, LOG, 4>(&mut x, roots, t);
        }
        if const { LOG > 8 } {
            exchange::<C, LOG, 4>(&mut x, memory, t, 1, 0);
            pass::<C, LOG, 8>(&mut x, roots, t);
        }
    }
    if is_parted {
        sync_threads(); // all have read what was exchanged before
        // SAFETY: the room is there. Each element is one thread's.
        unroll::<LANES>(|m| unsafe { memory.add(t + m * threads(LOG)).write(x[m].0.into()) });
        sync_threads(); // the elements are there
    }
    if !is_there {
        return;
    }
    if is_parted {
        let start = start + piece;
        // SAFETY: the roots are there, the elements were written before the barrier, and the piece
        // is in the output.
        unsafe {
            let root = Number::of(*halves.get_unchecked(t));
            unroll::<LANES>(|m| {
                let k = t + m * threads(LOG);
                let mirrored = Number::of(memory.add(((1 << LOG) - k) % (1 << LOG)).read());
                let [result, last] = of_reals::<C>(x[m], mirrored, root * Number(C::TURNS[m]));
                *output.get_unchecked_mut(start + k) = result.0.into();
                if m == 0 && t == 0 {
                    *output.get_unchecked_mut(start + (1 << LOG)) = last.0.into();
                }
            });
        }
        return;
    }
    scale::<C>(&mut x, by);
    let start = piece << LOG;
    unroll::<LANES>(|m| {
        // SAFETY: the piece is in the output, and no other thread has these elements of it.
        unsafe { *output.get_unchecked_mut(start + t + m * threads(LOG)) = x[m].0.into() };
    });
}

/// Parts the transforms of half the length of sequences of reals, or joins them for an inverse
/// transform: what [`fft_reals`] does by itself. There are `count` transforms of `2^log` elements,
/// and a thread has sixteen of one. `halves` has a root for each of these threads.
///
/// # Safety
/// The roots are there, and both slices have as many transforms.
#[kernel(instances(Float2, Double2))]
#[launch_bounds(256)]
#[launch_contract(dims = 1)]
pub unsafe fn fft_halves<C: Complex>(
    input: &[C],
    halves: &[C],
    mut output: DisjointSlice<C>,
    count: usize,
    log: u32,
    is_inverse: bool,
) {
    let (len, apart) = (1usize << log, (1usize << log) / LANES);
    let thread = block_idx_x() as usize * block_dim_x() as usize + thread_idx_x() as usize;
    let (piece, t) = (thread >> (log - 4), thread % apart);
    let (short, long) = (piece << log, (piece << log) + piece);
    let (from, to) = if is_inverse {
        (long, short)
    } else {
        (short, long)
    };
    if piece >= count {
        return;
    }
    // The transform of half the length has no last element: it is its first.
    let place = |k: usize, is_short: bool| if is_short { k % len } else { k };
    // SAFETY: the roots are there, and the elements are in both slices. The thread alone has them.
    unsafe {
        let read = |k: usize| Number::of(*input.get_unchecked(from + place(k, !is_inverse)));
        let both: [_; LANES / 2] = from_fn(|m| {
            let k = t + m * apart;
            [read(k), read(len - k)]
        });
        let root = Number::of(*halves.get_unchecked(t));
        unroll::<{ LANES / 2 }>(|m| {
            let [near, far] = both[m];
            let root = root * Number(C::TURNS[m]);
            let k = t + m * apart;
            // For an inverse transform, which reads its elements in reverse order, the far one is
            // the first.
            let (first, second, k) = if is_inverse {
                (far, near, len - k)
            } else {
                (near, far, k)
            };
            let [first, second] = of_reals::<C>(first, second, root);
            *output.get_unchecked_mut(to + place(k, is_inverse)) = first.0.into();
            *output.get_unchecked_mut(to + place(len - k, is_inverse)) = second.0.into();
        });
        if t == 0 {
            let middle = read(len / 2).conjugate();
            *output.get_unchecked_mut(to + len / 2) = middle.0.into();
        }
    }
}

/// The matrices that [`fft_columns_f32`] transforms.
#[derive(Clone, Copy, Debug, Value)]
#[repr(C)]
pub struct Matrices {
    /// Their first element in the input.
    pub from: usize,
    /// Their first element in the output.
    pub to: usize,
    /// How many elements they have together.
    pub len: usize,
    /// The logarithm of the number of columns of each.
    pub log_columns: usize,
}

macro_rules! of_columns {
    ($($name:ident: $ty:ident, $threads:literal $blocks:literal, $instances:tt;)*) => {$(
        /// Transforms the columns of matrices of `2^LOG` rows, as [`Matrices`] says.
        ///
        /// As the [`FIRST`] step of a longer transform, it multiplies each result by the root of
        /// the whole matrix to the power of its row times its column, and writes the matrix
        /// transposed. `turns` has, for each column, the roots for the first rows of the
        /// [`threads`], and then, again for each column, those for rows that are so far apart.
        ///
        /// In the [`SECOND`] step, and in two dimensions, an inverse transform reads the rows in
        /// reverse order.
        ///
        /// # Safety
        /// `roots` has those of `powers`, and the matrices are in both slices.
        /// A block's shared memory has [`room`] for its transforms. The grid has a block
        /// for each [`columns`] of all columns; in the [`FIRST`] step, a matrix has at least as
        /// many.
        #[kernel(instances $instances)]
        #[launch_bounds($threads, $blocks)]
        #[launch_contract(dims = 1, block = ({ columns::<$ty>(LOG) * threads(LOG) }))]
        pub unsafe fn $name<const LOG: u32, const STEP: u32>(
            input: &[$ty],
            roots: &[$ty],
            turns: &[$ty],
            output: DisjointSlice<$ty>,
            matrices: Matrices,
            is_inverse: bool,
            by: f32,
        ) {
            let how = (matrices, is_inverse, by);
            // SAFETY: the caller keeps the contract of this function.
            unsafe { transform_columns::<$ty, LOG, STEP>(input, [roots, turns], output, how) }
        }
    )*};
}

of_columns! {
    fft_columns_f32: Float2, 512 2,
        ((7, 0), (8, 0), (9, 0), (10, 0), (6, 1), (7, 1), (8, 1), (9, 1), (10, 1));
    fft_columns_f64: Double2, 256 2,
        ((7, 0), (8, 0), (9, 0), (10, 0), (6, 1), (7, 1), (8, 1), (9, 1), (10, 1));
    fft_tall_f32: Float2, 1024 1, ((11, 1), (12, 1));
    fft_tall_f64: Double2, 512 1, ((11, 1), (12, 1));
}

/// Transforms a block's columns.
///
/// # Safety
/// As for [`fft_columns_f32`].
#[inline(always)]
unsafe fn transform_columns<C: Complex, const LOG: u32, const STEP: u32>(
    input: &[C],
    [roots, turns]: [&[C]; 2],
    mut output: DisjointSlice<C>,
    (matrices, is_inverse, by): (Matrices, bool, f32),
) {
    let log_columns = matrices.log_columns as u32;
    let side = const { columns::<C>(LOG) };
    let thread = thread_idx_x() as usize;
    let (t, c) = (thread / side, thread % side);
    let column = block_idx_x() as usize * side + c;
    let (start, column) = (
        column >> log_columns << (LOG + log_columns),
        column % (1 << log_columns),
    );
    let is_there = STEP == FIRST || start < matrices.len;
    let row = t << log_columns;
    // The first step goes over the elements of the whole matrix, the second over those of a column.
    let (of, first) = if STEP == FIRST {
        (start, row + column)
    } else {
        (start + column, row)
    };
    let mut x = if is_there {
        load::<C, true>(
            input,
            matrices.from + of,
            first,
            LOG + log_columns,
            (is_inverse, false),
        )
    } else {
        [Number([C::Part::default(); 2]); LANES]
    };
    let memory = DynamicSharedArray::<C>::get().as_ptr();
    // SAFETY: the roots and the room are there, and all threads of the block are.
    unsafe {
        pass::<C, LOG, 0>(&mut x, roots, t);
        if const { LOG > 8 } {
            exchange::<C, LOG, 0>(&mut x, memory, t, side, c);
            pass::<C, LOG, 4>(&mut x, roots, t);
        }
        if STEP == SECOND {
            if const { LOG > 8 } {
                exchange::<C, LOG, 4>(&mut x, memory, t, side, c);
                pass::<C, LOG, 8>(&mut x, roots, t);
            } else {
                exchange::<C, LOG, 0>(&mut x, memory, t, side, c);
                pass::<C, LOG, 4>(&mut x, roots, t);
            }
            if !is_there {
                return;
            }
            scale::<C>(&mut x, by);
            unroll::<LANES>(|m| {
                let place = matrices.to + of + first + ((m * threads(LOG)) << log_columns);
                cache::store_cs(output.get_unchecked_mut(place), x[m].0.into());
            });
            return;
        }
    }
    // The last exchange: from now on, neighbouring threads have neighbouring rows of one column,
    // which are neighbours in the output.
    let log_p = const { if LOG > 8 { 4 } else { 0 } };
    let pitch = const { pitch::<C>(LOG, columns::<C>(LOG)) };
    if LOG > 8 {
        sync_threads(); // all have read what was exchanged before
    }
    let to = memory.wrapping_add(c * pitch + first_result(t, log_p));
    // SAFETY: the places are those of the column's elements, each of which is one thread's.
    unroll::<LANES>(|r| unsafe { to.add(r << log_p).write(x[r].0.into()) });
    sync_threads(); // the elements are there
    let column = column - c;
    let (t, c) = (thread % threads(LOG), thread / threads(LOG));
    let from = memory.wrapping_add(c * pitch + t);
    unroll::<LANES>(|m| {
        // SAFETY: they were written before the barrier.
        x[m] = Number::of(unsafe { from.add(m * threads(LOG)).read() });
    });
    let column = column + c;
    // SAFETY: the roots are there. A column of the matrix is a row of the output.
    unsafe {
        if const { LOG > 8 } {
            pass::<C, LOG, 8>(&mut x, roots, t);
        } else {
            pass::<C, LOG, 4>(&mut x, roots, t);
        }
        let of_rows = threads(LOG) << log_columns;
        let turn = Number::of(*turns.get_unchecked(column * threads(LOG) + t));
        x[0] = x[0] * turn;
        unroll::<LANES>(|m| {
            if m > 0 {
                let step = *turns.get_unchecked(of_rows + column * LANES + m);
                x[m] = x[m] * (turn * Number::of(step));
            }
            let place = matrices.to + start + (column << LOG) + t + m * threads(LOG);
            *output.get_unchecked_mut(place) = x[m].0.into();
        });
    }
}

/// Transforms pieces of `N` elements, each by a thread.
///
/// # Safety
/// The output is as long as the input, a multiple of `N` elements.
#[kernel(instances((Float2, 2), (Float2, 4), (Float2, 8), (Double2, 2), (Double2, 4), (Double2, 8)))]
#[launch_bounds(256)]
#[launch_contract(dims = 1)]
pub unsafe fn fft_short<C: Complex, const N: usize>(
    input: &[C],
    mut output: DisjointSlice<C>,
    is_inverse: bool,
    by: f32,
) {
    let start = global_idx_x() as usize * N;
    if start >= input.len() {
        return;
    }
    let mut x: Elements<C> = from_fn(|m| {
        let place = if is_inverse { N - m % N } else { m } % N;
        // SAFETY: the piece is in the input.
        Number::of(unsafe { *input.get_unchecked(start + place) })
    });
    match N {
        2 => [x[0], x[1]] = two([x[0], x[1]]),
        4 => {
            let of = four(from_fn(|m| x[m]));
            unroll::<4>(|m| x[m] = of[m]);
        }
        _ => {
            let of = eight::<C>(from_fn(|m| x[m]));
            unroll::<8>(|m| x[m] = of[m]);
        }
    }
    scale::<C>(&mut x, by);
    for m in 0..N {
        // SAFETY: the piece is in the output, and this thread's alone.
        unsafe { *output.get_unchecked_mut(start + m) = x[m].0.into() };
    }
}
