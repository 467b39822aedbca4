//! Attempts to misuse barriers in safe code, as programs: a letter is what a thread does next, and
//! the threads of a block have different programs. `tests/hopper/parted.rs` runs them.

use lanewise_macros::{kernel, shared};
use lanewise_std::barrier::{Barrier, Barriers, Parity};
use lanewise_std::pipeline::Pipeline;
use lanewise_std::scope::{Block, Cluster};
use lanewise_std::thread::{block_size, index_1d, sync_threads, thread_rank};
use lanewise_std::{DisjointSlice, SharedLine, SharedStages};

/// The most threads of a block.
pub const THREADS: usize = 96;
/// The longest program.
pub const LENGTH: usize = 12;

/// What stages copy, in global memory.
static NUMBERS: [u32; THREADS] = [7; THREADS];

/// Runs the program of each thread's group of `threads`, and writes what the thread has read.
///
/// | letter | what the thread does |
/// | --- | --- |
/// | `a`, `w`, `n` | arrives at the barrier of all threads, arrives and waits, arrives with its copies |
/// | `t`, `T`, `k` | keeps a token, waits by it, waits by it at another barrier |
/// | `o`, `e`, `u` | arrives at a barrier of one and waits, waits for its even phase, for its odd phase |
/// | `s`, `x` | arrives at one of several barriers, waits at one of the cluster |
/// | `p`, `c`, `h` | fills a place of a pipeline of few, empties one, keeps it and releases the one before |
/// | `P`, `C` | the same in a pipeline of all threads |
/// | `l`, `y` | fills a line, has stages filled by copies; reads neighbours |
/// | `v`, `q`, `.` | waits at the barrier of the block, leaves the kernel, does nothing |
#[kernel(min_arch = "sm_90")]
pub fn programs_with_barriers(programs: &[u8], threads: u32, mut output: DisjointSlice<u32>) {
    shared! {
        static ALL: Barrier<Block>;
        static ONE: Barrier<Block> = 1;
        static SEVERAL: Barriers<Block, 3> = 5;
        static OF_CLUSTER: Barrier<Cluster>;
        static FEW: Pipeline<2> = (1, 2);
        static EVERYBODY: Pipeline<3>;
        static STAGES: SharedStages<u32, THREADS, 2>;
        static LINE: SharedLine<u32, THREADS>;
    }
    let (mut producer, mut consumer) = FEW.both();
    let (mut fills, mut empties) = EVERYBODY.both();
    let (mut token, mut held) = (None, None);
    let own = thread_rank();
    let next = ((own + 1) % block_size()) as usize;
    let first = (own / threads.max(1)) as usize * LENGTH;
    let mut found = 0u32;
    for (round, letter) in programs.iter().skip(first).take(LENGTH).enumerate() {
        match letter {
            b'a' => drop(ALL.arrive()),
            b'w' => ALL.arrive_and_wait(),
            b'n' => ALL.arrive_with_copies(),
            b't' => token = Some(ALL.arrive()),
            b'T' => token.take().into_iter().for_each(|token| ALL.wait(token)),
            b'k' => token.take().into_iter().for_each(|token| ONE.wait(token)),
            b'o' => ONE.arrive_and_wait(),
            b'e' => ONE.wait_parity(Parity::Even),
            b'u' => ONE.wait_parity(Parity::Odd),
            b's' => drop(SEVERAL.at(round % 3).arrive()),
            b'x' => OF_CLUSTER.arrive_and_wait(),
            b'p' => producer.acquire().commit(),
            b'c' => consumer.wait().release(),
            b'h' => held = Some(consumer.wait().keep()),
            b'P' => fills.acquire().commit_copies(),
            b'C' => empties.wait().release(),
            b'l' => found += LINE.fill::<1>(|i| round as u32 + i as u32).get(next),
            b'y' => STAGES.for_each::<1>(
                round + 1,
                |step, i| NUMBERS.get(i + step),
                |step, tile| found += step as u32 * tile.get(next),
            ),
            b'v' => sync_threads(),
            b'q' => break,
            _ => {}
        }
    }
    drop(held);
    if let Some(output) = output.get_mut(index_1d()) {
        *output = found;
    }
}
