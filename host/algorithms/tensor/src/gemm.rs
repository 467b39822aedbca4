//! `C = alpha A B + beta C` of `F16` or `Bf16`, with sums of `f32`, in the tensor cores of any GPU
//! from compute capability 8.0 on. Hopper has a kernel of its own, for rows that are aligned.
//!
//! A block computes a tile of `C`, and each of its warps a part of `WARP_ROWS` by `WARP_COLUMNS` by
//! `mma.sync`. Tiles of both factors come to shared memory some steps ahead of the products: by
//! asynchronous copies of sixteen bytes, or one element after another if rows are not aligned. They
//! keep the order that they have in memory, and `ldmatrix` turns what lies across. A row in shared
//! memory is sixteen bytes longer than what it holds, so the eight rows that are loaded at once are
//! in different banks.
//!
//! Outside of the matrices there are zeros, and those sums are not stored.

use core::array::from_fn;
use core::marker::PhantomData;

use lanewise_macros::kernel;
use lanewise_std::async_copy::{SharedPlace, commit_group, wait_group};
use lanewise_std::half::{Bf16, F16};
use lanewise_std::kernel::Value;
use lanewise_std::matrix::Element;
use lanewise_std::matrix::warp::{Left, Right, Sum, multiply_add};
use lanewise_std::thread::{block_idx_x, sync_threads, thread_idx_x};
use lanewise_std::unroll::unroll;
use lanewise_std::warp::{lane_id, warp_id};
use lanewise_std::{DisjointSlice, DynamicSharedArray, gpu_assert};

use crate::element::{ACROSS, ALONG, Half, Output};
use crate::epilogue::{Activated, Activation, Epilogue, Scaled};
use crate::order::Tiles;

/// Rows and columns of a block's tile.
pub const SIDE: usize = 128;
/// Threads of a block.
pub const THREADS: usize = SIDE / WARP_ROWS * (SIDE / WARP_COLUMNS) * 32;
/// Bytes of dynamic shared memory.
pub const SHARED_BYTES: u32 = (STAGES * 2 * TILE * size_of::<u16>()) as u32;

/// Rows of a warp's part of the tile.
const WARP_ROWS: usize = 64;
/// Columns of a warp's part of the tile.
const WARP_COLUMNS: usize = 32;
/// The `k` of a step.
const DEPTH: usize = 32;
/// The `k` of an instruction.
const EACH: usize = 16;
/// Places for the tiles of a step.
const STAGES: usize = 4;
/// Elements of sixteen bytes: a copy, and what a row of a shared tile has more than it holds.
const OF_COPY: usize = 8;
/// Elements of the place of a tile. Rows of `DEPTH` elements need more than rows across.
const TILE: usize = SIDE * (DEPTH + OF_COPY);
/// Copies of a thread for a tile.
const COPIES: usize = SIDE * DEPTH / OF_COPY / THREADS;
/// Tiles of an instruction in a warp's rows and columns.
const DOWN: usize = WARP_ROWS / 16;
const RIGHT: usize = WARP_COLUMNS / 8;

/// Eight neighbours, which are copied at once.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
struct Sixteen<E>([E; OF_COPY]);

/// An element of the factors: `F16` or `Bf16`.
pub trait Operand: Value + Element<Bits = Self> + Default {
    /// The place of a left operand's tile of an instruction.
    ///
    /// # Safety
    /// As for [`Left::load`].
    #[doc(hidden)]
    unsafe fn left<const KIND: u32>(tile: *const Self, pitch: usize) -> Left<Self>;
    /// The same of a right operand.
    ///
    /// # Safety
    /// As for [`Left::load`].
    #[doc(hidden)]
    unsafe fn right<const KIND: u32>(tile: *const Self, pitch: usize) -> Right<Self>;
    #[doc(hidden)]
    fn multiply_add(left: &Left<Self>, right: &Right<Self>, sum: Sum<f32>) -> Sum<f32>;
}

macro_rules! halves {
    ($($ty:ident)*) => {$(
        impl Operand for $ty {
            #[inline(always)]
            unsafe fn left<const KIND: u32>(tile: *const Self, pitch: usize) -> Left<Self> {
                // SAFETY: the caller keeps the contract of this function.
                unsafe {
                    if KIND == ALONG {
                        Left::load(tile, pitch)
                    } else {
                        Left::<$ty>::load_transpose(tile, pitch)
                    }
                }
            }

            #[inline(always)]
            unsafe fn right<const KIND: u32>(tile: *const Self, pitch: usize) -> Right<Self> {
                // SAFETY: the caller keeps the contract of this function.
                unsafe {
                    if KIND == ALONG {
                        Right::load_transpose(tile, pitch)
                    } else {
                        Right::<$ty>::load(tile, pitch)
                    }
                }
            }

            #[inline(always)]
            fn multiply_add(left: &Left<Self>, right: &Right<Self>, sum: Sum<f32>) -> Sum<f32> {
                multiply_add(left, right, sum)
            }
        }
    )*};
}
halves! { F16 Bf16 }

/// Computes `C = alpha A B + beta C`, where `shape` is `m`, `n`, `k` and the number of products,
/// whose matrices follow each other. `A` has `m` rows of `k` elements if it is [`ALONG`], else it
/// is given as its transpose. `B` has `n` rows of `k` elements if it is [`ALONG`], as its
/// transpose, and else `k` rows of `n`. If rows `are_aligned`, those of both factors begin at
/// multiples of sixteen bytes. If `beta` is 0, `C` is not read. The grid has a block for each tile
/// of each product.
#[kernel(instances(
    (Bf16, f32, 0, 0), (Bf16, f32, 0, 1), (Bf16, f32, 1, 0), (Bf16, f32, 1, 1),
    (Bf16, Bf16, 0, 0), (Bf16, Bf16, 0, 1), (Bf16, Bf16, 1, 0), (Bf16, Bf16, 1, 1),
    (F16, f32, 0, 0), (F16, f32, 0, 1), (F16, f32, 1, 0), (F16, f32, 1, 1),
    (F16, F16, 0, 0), (F16, F16, 0, 1), (F16, F16, 1, 0), (F16, F16, 1, 1)
))]
#[launch_bounds(256, 1)]
#[launch_contract(dims = 1, block = (THREADS))]
pub fn gemm_halves<E: Operand, C: Output, const A: u32, const B: u32>(
    a: &[E],
    b: &[E],
    c: DisjointSlice<C>,
    shape: [u32; 4],
    factors: [f32; 2],
    are_aligned: bool,
) {
    let [alpha, beta] = factors;
    products::<E, C, A, B>(a, b, c, shape, are_aligned, Scaled { alpha, beta });
}

/// Computes `C = f(A B + bias)`, a layer of a network; `bias` has an element for each column of
/// `C`, or none. `A` has `m` rows of `k` elements, and the rest is as in [`gemm_halves`].
#[inline(always)]
pub fn layer<E: Operand + Half, F: Activation, const B: u32>(
    a: &[E],
    b: &[E],
    c: DisjointSlice<E>,
    bias: &[E],
    shape: [u32; 4],
    are_aligned: bool,
) {
    let activation = F::default();
    products::<E, E, ALONG, B>(a, b, c, shape, are_aligned, Activated { bias, activation });
}

/// Computes the block's tile, with this epilogue.
#[inline(always)]
fn products<E: Operand, C: Output, const A: u32, const B: u32>(
    a: &[E],
    b: &[E],
    mut c: DisjointSlice<C>,
    shape: [u32; 4],
    are_aligned: bool,
    epilogue: impl Epilogue,
) {
    let [m, n, k, batch] = shape.map(|side| side as usize);
    let tiles = Tiles::new(shape, [SIDE as u32; 2]);
    let [top, left, product] = tiles.corner(block_idx_x()).map(|it| it as usize);
    let shared = DynamicSharedArray::<Sixteen<u16>>::get();
    let holds = |len: usize, size: usize| len >= size.saturating_mul(batch);
    gpu_assert!(
        holds(a.len(), m * k) && holds(b.len(), k * n) && holds(c.len(), m * n),
        "a matrix is shorter than its shape says"
    );
    gpu_assert!(block_idx_x() < tiles.all, "expected a block for each tile");
    gpu_assert!(
        shared.len() * size_of::<Sixteen<u16>>() >= SHARED_BYTES as usize,
        "expected more dynamic shared memory"
    );
    let shared = shared.as_ptr().cast::<E>();
    let of_b = shared.wrapping_add(TILE);
    let a = Factor::<E, A>::new(&a[product * m * k..], top, [m, k], shared);
    let b = Factor::<E, B>::new(&b[product * k * n..], left, [n, k], of_b);
    gpu_assert!(
        !are_aligned || a.is_aligned() && b.is_aligned(),
        "expected rows that are aligned to sixteen bytes"
    );
    let steps = k.div_ceil(DEPTH);
    let start = |step: usize| {
        if step < steps {
            let stage = step % STAGES * 2 * TILE;
            // SAFETY: no thread accesses the place before the barrier that follows a wait.
            unsafe {
                a.start(stage, step * DEPTH, are_aligned);
                b.start(stage, step * DEPTH, are_aligned);
            }
        }
        commit_group();
    };

    let warp = warp_id() as usize;
    let row = warp % (SIDE / WARP_ROWS) * WARP_ROWS;
    let column = warp / (SIDE / WARP_ROWS) * WARP_COLUMNS;
    let lane = lane_id() as usize;
    let mut sums: [[_; RIGHT]; DOWN] = from_fn(|_| {
        from_fn(|j| {
            let column = left + column + j * 8 + lane % 4 * 2;
            let [low, high] = [0, 1].map(|x| epilogue.bias(column + x));
            Sum::of([low, high, low, high])
        })
    });
    for ahead in 0..steps + STAGES - 1 {
        let Some(step) = ahead.checked_sub(STAGES - 1) else {
            start(ahead);
            continue;
        };
        wait_group::<{ STAGES as u32 - 2 }>();
        sync_threads(); // this step is in shared memory, and the one before has been read
        start(ahead);
        let stage = step % STAGES * 2 * TILE;
        unroll::<{ DEPTH / EACH }>(|part| {
            let k = part * EACH;
            // SAFETY: in the stage, aligned, and copied: the wait and the barrier above.
            let left: [_; DOWN] = from_fn(|i| unsafe {
                let place = shared.wrapping_add(stage + place::<A>(row + i * 16, k));
                E::left::<A>(place, pitch::<A>() * size_of::<E>())
            });
            // SAFETY: as above.
            let right: [_; RIGHT] = from_fn(|j| unsafe {
                let place = of_b.wrapping_add(stage + place::<B>(column + j * 8, k));
                E::right::<B>(place, pitch::<B>() * size_of::<E>())
            });
            for i in 0..DOWN {
                for j in 0..RIGHT {
                    sums[i][j] = E::multiply_add(&left[i], &right[j], sums[i][j]);
                }
            }
        });
    }

    let are_pairs_aligned = n % 2 == 0 && c.as_mut_ptr().cast::<C::Pair>().is_aligned();
    unroll::<DOWN>(|i| {
        unroll::<{ 2 * RIGHT }>(|j| {
            let (half, j) = (j % 2, j / 2);
            let y = top + row + i * 16 + half * 8 + lane / 4;
            let x = left + column + j * 8 + lane % 4 * 2;
            if y >= m || x >= n {
                return;
            }
            let sums = [0, 1].map(|x| epilogue.finish(sums[i][j].elements()[half * 2 + x]));
            let place = c.as_mut_ptr().wrapping_add((product * m + y) * n + x);
            let count = if x + 1 < n { 2 } else { 1 };
            // SAFETY: `count` elements from there on are in the row, which is in the slice as was
            // asserted. Each thread has elements of its own.
            unsafe { store(place, count, are_pairs_aligned, sums, epilogue.beta()) };
        });
    });
}

/// Stores two sums, or the first, with what was there before times `beta`.
///
/// # Safety
/// `place` has `count` elements, which no other thread accesses. They are a pair if `is_aligned`.
#[inline(always)]
unsafe fn store<C: Output>(
    place: *mut C,
    count: usize,
    is_aligned: bool,
    sums: [f32; 2],
    beta: f32,
) {
    let sums = [0, 1].map(|i| {
        if beta == 0.0 || i >= count {
            return sums[i];
        }
        // SAFETY: as the caller promises.
        sums[i] + beta * unsafe { place.wrapping_add(i).read() }.widen()
    });
    // SAFETY: as the caller promises.
    unsafe {
        if is_aligned {
            place.cast::<C::Pair>().write(C::narrow_pair(sums));
        } else {
            for (i, sum) in sums.into_iter().enumerate().take(count) {
                place.wrapping_add(i).write(C::narrow(sum));
            }
        }
    }
}

/// Returns the elements from one row of a tile in shared memory to the next.
const fn pitch<const KIND: u32>() -> usize {
    OF_COPY + if KIND == ALONG { DEPTH } else { SIDE }
}

/// Returns where an element of a tile is: that of a row or column of the matrix, at this `k`.
const fn place<const KIND: u32>(side: usize, k: usize) -> usize {
    let (row, in_row) = if KIND == ALONG { (side, k) } else { (k, side) };
    row * pitch::<KIND>() + in_row
}

/// A factor of the product: what the thread copies of it.
struct Factor<'a, E, const KIND: u32> {
    elements: *const E,
    /// The block's first row or column.
    start: usize,
    /// How many rows or columns there are, and how many `k`.
    side: usize,
    depth: usize,
    /// The first stage's tile.
    tile: *mut E,
    borrow: PhantomData<&'a [E]>,
}

impl<'a, E: Operand, const KIND: u32> Factor<'a, E, KIND> {
    #[inline(always)]
    fn new(elements: &'a [E], start: usize, [side, depth]: [usize; 2], tile: *mut E) -> Self {
        Factor {
            elements: elements.as_ptr(),
            start,
            side,
            depth,
            tile,
            borrow: PhantomData,
        }
    }

    /// Returns the elements of a row in memory.
    #[inline(always)]
    fn row(&self) -> usize {
        if KIND == ACROSS {
            self.side
        } else {
            self.depth
        }
    }

    #[inline(always)]
    fn is_aligned(&self) -> bool {
        self.row().is_multiple_of(OF_COPY) && self.elements.cast::<Sixteen<u16>>().is_aligned()
    }

    /// Copies the tile that begins at this `k` to a stage, or starts to. Outside of the matrix
    /// there are zeros.
    ///
    /// # Safety
    /// No thread accesses the place until the copies were waited for. Rows are aligned, if they are
    /// said to be.
    #[inline(always)]
    unsafe fn start(&self, stage: usize, k: usize, are_aligned: bool) {
        let abreast = const { (if KIND == ALONG { DEPTH } else { SIDE }) / OF_COPY };
        unroll::<COPIES>(|copy| {
            let copy = copy * THREADS + thread_idx_x() as usize;
            let (row, in_row) = (copy / abreast, copy % abreast * OF_COPY);
            let (side, of_k) = if KIND == ALONG {
                (row, in_row)
            } else {
                (in_row, row)
            };
            let (y, x, rows) = if KIND == ALONG {
                (self.start + row, k + in_row, self.side)
            } else {
                (k + row, self.start + in_row, self.depth)
            };
            // How many of the copy's elements there are.
            let count = if y < rows {
                self.row().saturating_sub(x).min(OF_COPY)
            } else {
                0
            };
            let from = self.elements.wrapping_add(y * self.row() + x);
            let to = self.tile.wrapping_add(stage + place::<KIND>(side, of_k));
            // SAFETY: so many elements are in the matrix, and the place is in the tile. Of aligned
            // rows, all eight are in the matrix or none.
            unsafe {
                if are_aligned {
                    SharedPlace::new(to.cast::<Sixteen<u16>>())
                        .copy_async_prefix(from.cast(), (count * size_of::<E>()) as u32);
                } else {
                    to.cast::<Sixteen<E>>().write(Sixteen(from_fn(|i| {
                        if i < count {
                            from.wrapping_add(i).read()
                        } else {
                            E::default()
                        }
                    })));
                }
            }
        });
    }
}
