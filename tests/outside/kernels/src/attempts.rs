//! Attempts to make safe code race, as programs: a letter is what a thread does next, and the
//! threads of a block have different programs. `tests/attempts.rs` runs them.

use lanewise_macros::{kernel, shared};
use lanewise_std::atomic::AtomicOrdering;
use lanewise_std::collective::{
    Max, Sum, block_broadcast, block_exclusive_scan, block_histogram, block_inclusive_scan,
    block_reduce, block_striped_to_blocked,
};
use lanewise_std::part_per_block::{Halves, Pairs, SparsePairs, WarpLast};
use lanewise_std::phased::{ByColumns, LineView};
use lanewise_std::thread::{block_size, index_1d, sync_threads, thread_rank};
use lanewise_std::{
    DisjointSlice, DynamicShared, PartPerBlock, SharedAtomics, SharedLine, SharedPart,
    SharedPerWarp, SharedStages, SharedTile,
};

/// The most threads of a block.
const THREADS: usize = 96;
/// The longest program.
pub const LENGTH: usize = 16;

/// Stages that copies fill.
type Stages = SharedStages<u32, THREADS, 3>;

/// What is copied, in global memory.
static NUMBERS: [u32; THREADS] = {
    let mut numbers = [0; THREADS];
    let mut i = 0;
    while i < THREADS {
        numbers[i] = 7 * i as u32 + 3;
        i += 1;
    }
    numbers
};

/// A view that a structure keeps.
struct Kept<'a> {
    view: LineView<'a, u32>,
}

/// Runs the program of each thread's group of `threads`, and writes what the thread has read.
///
/// | letter | what the thread does |
/// | --- | --- |
/// | `l`, `m`, `s` | fills a line, another one, a long one that begins with a halo; reads neighbours |
/// | `t`, `c`, `b` | fills a tile by rows, a tile by columns, or two tiles together |
/// | `w` | fills a cell for each warp |
/// | `r`, `f`, `i`, `x`, `o`, `h`, `e` | reduces, reduces floats, scans, scans, broadcasts, counts, exchanges |
/// | `n` | fills a line with values for which another line is filled |
/// | `d` | fills a line in a function that calls itself, and reads it after the inner call has filled it |
/// | `k` | keeps a view in a structure, fills other memory, and reads the view |
/// | `a` | adds to an atomic |
/// | `p` | does a step in place |
/// | `g`, `j` | adds all cells in steps in shared memory, the last six by one warp |
/// | `z` | does the first step of the former, and leaves the others out |
/// | `u` | fills a line of dynamic shared memory of a length of its own, and adds a part behind it |
/// | `y` | copies tiles to stages, up to three of them |
/// | `2` | the same, as many as its rank says |
/// | `3` | copies tiles to stages, and fills a line for each |
/// | `4` | fills a line by copies, also of a variable of its own |
/// | `v` | waits at the barrier of the block |
/// | `q` | leaves the kernel |
/// | `.` | does nothing |
#[inline(always)]
fn program(
    programs: &[u8],
    threads: u32,
    output: &mut DisjointSlice<u32>,
    stages: &mut Stages,
    mut step: impl FnMut() -> u32,
) {
    shared! {
        static LINE: SharedLine<u32, THREADS>;
        static OTHER: SharedLine<u32, THREADS>;
        static LONG: SharedLine<u32, { 2 * THREADS + 9 }, 5>;
        static ROWS: SharedTile<u32, 8, 40, 41>;
        static COLUMNS: SharedTile<u32, 40, 8, 9, ByColumns>;
        static TWIN: SharedTile<u32, 8, 40>;
        static WARPS: SharedPerWarp<u32>;
        static ITEMS: SharedLine<u32, { 2 * THREADS }>;
        static COUNTS: [u32; 8];
        static ATOMICS: SharedAtomics<u32, 4>;
        static PART: SharedPart<u32, THREADS>;
        static LAST: SharedPart<u32, THREADS, WarpLast>;
    }
    let own = thread_rank();
    let next = ((own + 1) % block_size()) as usize;
    let first = (own / threads.max(1)) as usize * LENGTH;
    let mut found = 0u32;
    for (round, letter) in programs.iter().skip(first).take(LENGTH).enumerate() {
        let value = |i: usize| 1000 * round as u32 + i as u32;
        let number = match letter {
            b'l' => LINE.fill::<1>(value).get(next),
            b'm' => OTHER.fill::<1>(value).get(next),
            b's' => LONG.fill::<16>(value).get(2 * next),
            b't' => ROWS
                .fill::<64>(|row, column| value(row + column))
                .get(next % 8, next % 40),
            b'c' => COLUMNS
                .fill::<64>(|row, column| value(row + column))
                .get(next % 40, next % 8),
            b'b' => {
                let both = |row, column| (value(row), value(column));
                let (rows, twin) = ROWS.fill_both::<64, _, _>(&mut TWIN, both);
                rows.get(next % 8, next % 40) + twin.get(next % 8, next % 40)
            }
            b'w' => {
                let warps = WARPS.fill(own);
                (0..warps.len()).map(|warp| warps.get(warp)).sum()
            }
            b'r' => block_reduce(value(next), Sum),
            b'f' => block_reduce(own as f32, Max) as u32,
            b'i' => block_inclusive_scan(1, Sum),
            b'x' => block_exclusive_scan(own, 7, Max),
            b'o' => block_broadcast(own, block_size() - 1),
            b'h' => {
                let _ = block_histogram([next % 8], &COUNTS).count(0); // others may count on
                0
            }
            b'e' => block_striped_to_blocked([own, value(next)], &mut ITEMS)[1],
            b'n' => LINE
                .fill::<1>(|i| OTHER.fill::<1>(value).get(i) + 1)
                .get(next),
            b'd' => deeper(own % 3),
            b'k' => {
                let kept = Kept {
                    view: LINE.fill::<1>(value),
                };
                let other = OTHER.fill::<1>(value).get(next) + block_reduce(1u32, Sum);
                other + kept.view.get(next)
            }
            b'a' => {
                ATOMICS[next % 4].fetch_add(1, AtomicOrdering::Relaxed);
                0
            }
            b'p' => step(),
            b'g' => {
                let mut part = PART.begin(value(next), Sum);
                while part.has_step() {
                    part.step();
                }
                part.first().unwrap_or(0)
            }
            b'j' => {
                let mut part = LAST.begin(value(next), Sum);
                while part.has_step() {
                    part.step();
                }
                part.finish(0).unwrap_or(0)
            }
            b'z' => {
                let mut part = PART.begin(own, Max);
                part.step();
                part.first().unwrap_or(0)
            }
            b'u' => {
                let mut memory = DynamicShared::new();
                let mut line = memory.line::<u32>(96 + (own % 3) as usize);
                let mut part = memory.part::<u32, Halves>();
                let line = line.fill::<2>(value).get(next);
                let mut part = part.begin(line, Sum);
                while part.has_step() {
                    part.step();
                }
                part.first().unwrap_or(0)
            }
            b'y' | b'2' | b'3' => {
                let steps = match letter {
                    b'2' => own as usize % 4,
                    _ => round % 3 + 1,
                };
                let mut sum = 0;
                stages.for_each::<1>(
                    steps,
                    |step, i| NUMBERS.get(i + step),
                    |step, tile| {
                        sum += (step as u32 + 1) * tile.get(next);
                        if *letter == b'3' {
                            sum += LINE.fill::<1>(value).get(next) + tile.get(next);
                        }
                    },
                );
                sum
            }
            b'4' => {
                let source = |i: usize| {
                    if i % 5 == 0 {
                        Some(&own)
                    } else {
                        NUMBERS.get(i + 9)
                    }
                };
                LINE.fill_by_copies::<1>(source).get(next)
            }
            b'v' => {
                sync_threads();
                0
            }
            b'q' => return,
            _ => 0,
        };
        found = found.wrapping_mul(31).wrapping_add(number);
        if let Some(output) = output.get_mut(index_1d()) {
            *output = found;
        }
    }
}

#[inline(never)]
fn deeper(depth: u32) -> u32 {
    shared! { static LINE: SharedLine<u32, THREADS>; }
    let view = LINE.fill::<1>(|i| 10 * depth + i as u32);
    let inner = if depth == 0 { 0 } else { deeper(depth - 1) };
    inner + view.get(((thread_rank() + 1) % block_size()) as usize)
}

macro_rules! with_steps {
    ($($name:ident: $order:ident, $each:literal, $operator:expr;)*) => {$(
        /// Programs whose steps in place are of one order.
        #[kernel(min_arch = "sm_80")]
        pub fn $name(
            programs: &[u8],
            threads: u32,
            data: PartPerBlock<u32, $order, $each>,
            mut output: DisjointSlice<u32>,
        ) {
            shared! { static STAGES: SharedStages<u32, THREADS, 3>; }
            let mut part = data.begin($operator);
            program(programs, threads, &mut output, &mut STAGES, || {
                part.step();
                part.first().unwrap_or(0)
            });
        }
    )*};
}

with_steps! {
    programs_with_halves: Halves, 2, Sum;
    programs_with_pairs: Pairs, 1, Max;
    programs_with_sparse_pairs: SparsePairs, 1, |a: u32, b: u32| a + block_reduce(b, Max);
    programs_with_three_each: Halves, 3, Max;
}
