//! The Fourier transform of lengths that are powers of two, in Stockham's order: with one pass per
//! launch, or with all passes in a block.
//!
//! A pass of radix R after passes whose radices multiply to p takes R elements that are `n / R`
//! apart, turns them by powers of the p R-th root of one, transforms them, and writes them p apart.
//! When the radices multiply to n, what was written is the transform, in its natural order. `roots`
//! are the powers of e^(-2 pi i / n); `inverse` is 1 to turn the other way; all results are
//! multiplied by `scale`. Transforms lie one after another in `input`, any number of them. Slices
//! shorter than the shape says fail an assertion.
//!
//! `fft_stockham` is one pass: `shape` is the logarithm of n and that of p. Launch: 1-D grid of 1-D
//! blocks, any number of them.
//!
//! `fft_block` is all passes, for as many elements as a block can store in shared memory. Each
//! thread has eight in registers, and between two passes they go through shared memory. Longer data
//! is stored as a matrix of `2^log_count` columns with columns of `2^log_n` elements. Its transform
//! is that of each column, a rotation of each element, and that of each row, in two launches.
//! `shape` is `log_n`, `log_count`, and which of the two ([`ROWS`], [`COLUMNS`]). Data that fits is
//! a matrix of one column, for which [`ROWS`] does everything. With [`ROWS`], `log_n` is the
//! logarithm of a row's length, and `log_count` that of the number of rows. Launch: 1-D, one thread
//! for eight elements, blocks of a power of two of threads.
//! Shows: the textbook's passes work in place and end in a scrambled order. Stockham's write
//! elsewhere, and their results are in order; loads are always contiguous. With shared memory each
//! element is loaded once and stored once, for any number of passes.
//! Source: Professional CUDA C Programming, chapter 8 (cuFFT); Van Loan, *Computational Frameworks
//! for the Fast Fourier Transform*, 1.7, 3.2.

use core::array::from_fn;

use lanewise_macros::{kernel, shared};
use lanewise_std::thread::{block_dim_x, block_idx_x, grid_stride, sync_threads, thread_idx_x};
use lanewise_std::{DisjointSlice, gpu_assert};

pub use super::complex::Complex;
use super::real::Real;

/// One pass over the data, from one buffer into the other.
#[kernel(instances((f32, 2), (f32, 4), (f64, 2), (f64, 4)))]
#[launch_contract(dims = 1)]
pub fn fft_stockham<T: Real, const RADIX: usize>(
    input: &[Complex<T>],
    roots: &[Complex<T>],
    mut output: DisjointSlice<Complex<T>>,
    shape: [u32; 2],
    inverse: u32,
    scale: T,
) {
    let [log_n, log_p] = shape;
    gpu_assert!(
        log_n < 32 && log_p + RADIX.ilog2() <= log_n,
        "the passes are more than the transform"
    );
    let (n, p) = (1usize << log_n, 1usize << log_p);
    gpu_assert!(
        roots.len() >= n && output.len() >= input.len() && input.len().is_multiple_of(n),
        "a slice is shorter than the shape says"
    );
    // The distance of a butterfly's inputs, and the number of butterflies in a transform.
    let apart = n / RADIX;
    // ANCHOR: butterfly
    for butterfly in grid_stride(input.len() / RADIX) {
        let (start, i) = (butterfly / apart * n, butterfly % apart);
        let k = i % p;
        let mut x: [Complex<T>; RADIX] = from_fn(|r| {
            let turned = input[start + i + r * apart].swapped(inverse != 0);
            // The p R-th root to the power of r k, as a power of the n-th.
            let root = roots[r * k * (apart / p)];
            if r == 0 { turned } else { turned * root }
        });
        match RADIX {
            2 => (x[0], x[1]) = two(x[0], x[1]),
            _ => {
                let transformed = four([x[0], x[1], x[2], x[3]]);
                x = from_fn(|r| transformed[r]);
            }
        }
        let first = start + (i - k) * RADIX + k;
        for (r, x) in x.iter().enumerate() {
            // SAFETY: (start, i - k, r, k) are the digits of the index in a mixed radix, so no two
            // threads have the same index. No type has the digits of an index as owner.
            if let Some(place) = unsafe { output.get_unique_mut(first + r * p) } {
                *place = x.swapped(inverse != 0).scaled(scale);
            }
        }
    }
    // ANCHOR_END: butterfly
}

/// For [`fft_block`]: transforms of the rows, which are contiguous. The result is in the columns'
/// frequencies, so rows and columns are exchanged.
pub const ROWS: u32 = 0;
/// For [`fft_block`]: transforms of the columns and the rotation of each element, in place.
pub const COLUMNS: u32 = 1;

/// The number of elements that a thread has in registers.
pub const LANES: usize = 8;

/// All passes of the transforms of a matrix's columns or rows. `ELEMENTS` is the capacity
/// of a block.
#[kernel(instances((f32, 4096), (f64, 2048)))]
#[launch_contract(dims = 1)]
#[launch_bounds(512)]
pub fn fft_block<T: Real, const ELEMENTS: usize>(
    input: &[Complex<T>],
    roots: &[Complex<T>],
    mut output: DisjointSlice<Complex<T>>,
    shape: [u32; 3],
    inverse: u32,
    scale: T,
) {
    shared! { static ELEMENTS_OF_BLOCK: [Complex<T>; ELEMENTS]; }
    let [log_n, log_count, which] = shape;
    let threads = block_dim_x() as usize;
    gpu_assert!(
        (3..=12).contains(&log_n)
            && log_count < 16
            && threads.is_power_of_two()
            && (1 << log_n..=ELEMENTS).contains(&(threads * LANES)),
        "the transform does not fit the block"
    );
    let log_all = log_n + log_count;
    gpu_assert!(
        roots.len() >> log_all != 0
            && output.len() >= input.len()
            && input.len().is_multiple_of(1 << log_all),
        "a slice is shorter than the shape says"
    );
    // Transforms of a block. Those of a matrix are side by side, and neighbouring threads have
    // neighbouring ones. Otherwise they follow each other.
    let log_threads = log_n - 3;
    let log_here = threads.ilog2() - log_threads;
    let is_matrix = log_count != 0;
    gpu_assert!(
        !is_matrix || log_here <= log_count,
        "the block is wider than the matrix"
    );
    let thread = thread_idx_x();
    let (t, here) = if is_matrix {
        (thread >> log_here, thread & ((1 << log_here) - 1))
    } else {
        (thread & ((1 << log_threads) - 1), thread >> log_threads)
    };
    // The transform of this thread: its matrix, and the row or column in that matrix.
    let number = ((block_idx_x() as usize) << log_here) + here as usize;
    let (matrix, line) = (
        number >> log_count << log_all,
        (number & ((1 << log_count) - 1)) as u32,
    );
    let is_there = matrix < input.len();
    let is_inverse = inverse != 0;
    // A thread's elements: the first, and the distance to the next as a logarithm.
    let in_column = (
        matrix + ((t << log_count) + line) as usize,
        log_threads + log_count,
    );
    let in_row = (matrix + ((line << log_n) + t) as usize, log_threads);

    let mut x = [Complex::default(); LANES];
    if is_there {
        let (first, log_step) = if which == COLUMNS { in_column } else { in_row };
        x = from_fn(|m| {
            // SAFETY: the element is in an existing matrix, because both lengths are multiples of a
            // matrix's length. No index has a type that says that it is below a product of sides.
            unsafe { input.get_unchecked(first + (m << log_step)) }.swapped(is_inverse)
        });
    }

    // Where a transform's elements start in shared memory, and the logarithm of their distance.
    let (log_apart, begin) = if is_matrix {
        (log_here, here)
    } else {
        (0, here << log_n)
    };
    // The place of an index in shared memory. The elements of neighbouring threads are in different
    // banks in every pass.
    // ANCHOR: place
    let place = move |index: u32| {
        let line = index >> 4;
        (index ^ (line & 7) ^ ((line & 4) << 1)) as usize
    };
    // ANCHOR_END: place
    let step = 1u32 << log_threads; // elements between two of a thread's
    let mine = (t << log_apart) + begin;
    let places: [usize; LANES] =
        from_fn(move |m| place(mine + ((m as u32) << (log_threads + log_apart))));
    let mut log_p = 0;
    // Returns a root of the transform itself, because `roots` has those of the whole matrix.
    let root = move |power: u32| {
        // SAFETY: powers are below n, and the shape has as many roots as that. No index has a type
        // that says so.
        unsafe { *roots.get_unchecked((power << log_count) as usize) }
    };
    while log_n - log_p > 3 {
        let k = t & ((1 << log_p) - 1);
        if log_p != 0 {
            let of = move |times: u32| root((k * times) << (log_threads - log_p));
            turn(&mut x, [of(1), of(2), of(4)]);
            sync_threads(); // all have read what they wrote after the last pass
        }
        // ANCHOR: exchange
        x = eight(x);
        let first = ((((t - k) << 3) + k) << log_apart) + begin;
        for (r, x) in x.iter().enumerate() {
            let place = place(first + ((r as u32) << (log_p + log_apart)));
            // SAFETY: each element's place is below the block's 8 x threads, which is at most
            // `ELEMENTS`, and each thread has elements of its own. No type has phases in which the
            // digits of a place are the owner.
            unsafe { ELEMENTS_OF_BLOCK.set_unchecked(place, *x) };
        }
        sync_threads(); // the elements are there
        // SAFETY: the places are below `ELEMENTS`, and were written before the barrier. No type has
        // such phases.
        x = from_fn(|m| unsafe { ELEMENTS_OF_BLOCK.get_unchecked(places[m]) });
        log_p += 3;
        // ANCHOR_END: exchange
    }
    // The last pass has a radix of 8, 4 or 2. A thread has the elements of one, two or four
    // butterflies, and the results stay in the places of their inputs.
    match log_n - log_p {
        3 => {
            if log_p != 0 {
                turn(&mut x, [root(t), root(2 * t), root(4 * t)]);
            }
            x = eight(x);
        }
        2 => {
            for j in 0..2 {
                let of = move |times: u32| root(times * (t + j as u32 * step));
                let turned = [x[j], x[j + 2] * of(1), x[j + 4] * of(2), x[j + 6] * of(3)];
                [x[j], x[j + 2], x[j + 4], x[j + 6]] = four(turned);
            }
        }
        _ => {
            for j in 0..4 {
                (x[j], x[j + 4]) = two(x[j], x[j + 4] * root(t + j as u32 * step));
            }
        }
    }
    if !is_there {
        return;
    }
    if which == COLUMNS {
        // Multiplies each element by the root to the power of its row times its column. The powers
        // of a thread's elements are evenly spaced.
        let power = move |of: u32| {
            // SAFETY: a row times a column is below the matrix's elements, and a step is one row.
            // No index has a type that says so.
            unsafe { *roots.get_unchecked((line * of) as usize) }
        };
        let first = power(t);
        x = x.map(|x| x * first);
        turn(&mut x, [power(step), power(2 * step), power(4 * step)]);
    }
    let (first, log_step) = in_column;
    for (m, x) in x.iter().enumerate() {
        // SAFETY: as for the loads, and the output has at least as many elements. (matrix, element,
        // line) are the index's digits, so no two threads have the same index. No type has the
        // digits of an index as owner.
        unsafe {
            *output.get_unchecked_mut(first + (m << log_step)) =
                x.swapped(is_inverse).scaled(scale);
        }
    }
}

/// Multiplies element m by the m-th power of a root. The first, second and fourth power are given;
/// the others have one rounding more.
#[inline(always)]
fn turn<T: Real>(x: &mut [Complex<T>; LANES], [one, two, four]: [Complex<T>; 3]) {
    let three = one * two;
    x[1] = x[1] * one;
    x[2] = x[2] * two;
    x[3] = x[3] * three;
    x[4] = x[4] * four;
    x[5] = x[5] * (four * one);
    x[6] = x[6] * (four * two);
    x[7] = x[7] * (four * three);
}

/// Returns the transform of two numbers.
#[inline(always)]
fn two<T: Real>(a: Complex<T>, b: Complex<T>) -> (Complex<T>, Complex<T>) {
    (a + b, a - b)
}

/// Returns the transform of four numbers.
#[inline(always)]
fn four<T: Real>(x: [Complex<T>; 4]) -> [Complex<T>; 4] {
    let (even, even_less) = two(x[0], x[2]);
    let (odd, odd_less) = two(x[1], x[3]);
    let odd_less = odd_less.quarter_turn();
    [
        even + odd,
        even_less + odd_less,
        even - odd,
        even_less - odd_less,
    ]
}

/// Returns the transform of eight numbers, from those of the even and the odd ones.
#[inline(always)]
fn eight<T: Real>(x: [Complex<T>; LANES]) -> [Complex<T>; LANES] {
    let even = four([x[0], x[2], x[4], x[6]]);
    let [a, b, c, d] = four([x[1], x[3], x[5], x[7]]);
    let odd = [
        a,
        b.eighth_turn(),
        c.quarter_turn(),
        d.eighth_turn().quarter_turn(),
    ];
    from_fn(|m| {
        if m < 4 {
            even[m] + odd[m]
        } else {
            even[m - 4] - odd[m - 4]
        }
    })
}
