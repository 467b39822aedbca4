//! Shared memory in phases, used as its proof allows: by threads that part in every way that safe
//! code has. `tests/phases.rs` runs each kernel in all orders of its accesses.

use lanewise_macros::{kernel, shared};
use lanewise_std::collective::{Sum, block_broadcast, block_reduce};
use lanewise_std::phased::{ByColumns, LineView};
use lanewise_std::thread::{block_size, index_1d, sync_threads, thread_rank};
use lanewise_std::{DisjointSlice, PerBlock, SharedLine, SharedStages, SharedTile};

/// The most threads of a block here.
const N: usize = 64;

/// Each thread gets the number of the opposite one, times 1, 2, 3.
#[kernel]
#[launch_contract(dims = 1)]
pub fn opposite_numbers(rounds: u32, mut output: DisjointSlice<u32>) {
    shared! { static LINE: SharedLine<u32, N>; }
    let opposite = (block_size() - 1 - thread_rank()) as usize;
    let mut sum = 0;
    for round in 1..=rounds {
        sum += LINE.fill::<1>(|i| round * i as u32).get(opposite);
    }
    write(&mut output, sum);
}

/// Odd threads fill one line and even threads another one. Then all fill the first one.
#[kernel]
#[launch_contract(dims = 1)]
pub fn lines_of_two_arms(mut output: DisjointSlice<u32>) {
    shared! {
        static FIRST: SharedLine<u32, N>;
        static SECOND: SharedLine<u32, N>;
    }
    let own = thread_rank() as usize;
    let in_arm = if own % 2 == 1 {
        FIRST.fill::<1>(|i| 10 * i as u32).get(own)
    } else {
        let second = SECOND.fill::<1>(|i| 100 * i as u32);
        second.get(own) + second.get((own + 2) % block_size() as usize)
    };
    let next = FIRST.fill::<1>(|i| 1000 * i as u32);
    write(
        &mut output,
        in_arm + next.get((own + 1) % block_size() as usize),
    );
}

/// The same line, in two arms: the phases are those of one line, wherever they are.
#[kernel]
#[launch_contract(dims = 1)]
pub fn one_line_of_two_arms(mut output: DisjointSlice<u32>) {
    shared! { static LINE: SharedLine<u32, N>; }
    let next = (thread_rank() as usize + 1) % block_size() as usize;
    let number = if thread_rank() % 2 == 1 {
        LINE.fill::<1>(|i| 10 * i as u32).get(next)
    } else {
        LINE.fill::<1>(|i| 100 * i as u32).get(next)
    };
    write(&mut output, number);
}

/// Thread t fills t + 1 times and exits. It reads the cells of the threads after it, which stay
/// longer.
#[kernel]
#[launch_contract(dims = 1)]
pub fn loops_of_different_lengths(mut output: DisjointSlice<u32>) {
    shared! { static LINE: SharedLine<u32, N>; }
    let own = thread_rank() as usize;
    let mut sum = 0;
    for round in 0..=own as u32 {
        let line = LINE.fill::<1>(|i| i as u32 + 10 * round);
        for i in own..line.len() {
            sum += line.get(i);
        }
    }
    write(&mut output, sum);
}

/// The first thread exits at once. The others go on without it.
#[kernel]
#[launch_contract(dims = 1)]
pub fn an_early_return(mut output: DisjointSlice<u32>) {
    shared! { static LINE: SharedLine<u32, N>; }
    if thread_rank() == 0 {
        return;
    }
    let line = LINE.fill::<1>(|i| i as u32);
    let sum = (1..line.len()).map(|i| line.get(i)).sum();
    write(&mut output, sum);
}

/// What is copied, in global memory.
static NUMBERS: [u32; 2 * N] = {
    let mut numbers = [0; 2 * N];
    let mut i = 0;
    while i < 2 * N {
        numbers[i] = i as u32;
        i += 1;
    }
    numbers
};

/// Each thread adds what others have copied, step by step, and begins again.
#[kernel(min_arch = "sm_80")]
#[launch_contract(dims = 1)]
pub fn two_stages(steps: u32, mut output: DisjointSlice<u32>) {
    shared! { static STAGES: SharedStages<u32, N, 2>; }
    let (own, threads) = (thread_rank() as usize, block_size() as usize);
    let mut sum = 0;
    for _ in 0..2 {
        STAGES.for_each::<1>(
            steps as usize,
            |step, i| NUMBERS.get(i + step),
            |_, tile| sum += tile.get((own + 1) % threads),
        );
    }
    write(&mut output, sum);
}

/// The same with three stages. A tile of each thread's last step is read by the others.
#[kernel(min_arch = "sm_80")]
#[launch_contract(dims = 1)]
pub fn three_stages(steps: u32, mut output: DisjointSlice<u32>) {
    shared! { static STAGES: SharedStages<u32, N, 3>; }
    let (own, threads) = (thread_rank() as usize, block_size() as usize);
    let mut sum = 0;
    STAGES.for_each::<1>(
        steps as usize,
        |step, i| NUMBERS.get(i + 10 * step),
        |_, tile| sum += tile.get((own + 1) % threads),
    );
    write(&mut output, sum);
}

/// Odd threads have their steps in one go, even threads one by one.
#[kernel(min_arch = "sm_80")]
#[launch_contract(dims = 1)]
pub fn stages_of_two_arms(mut output: DisjointSlice<u32>) {
    shared! { static STAGES: SharedStages<u32, N, 2>; }
    let (own, threads) = (thread_rank() as usize, block_size() as usize);
    let mut sum = 0;
    let body = |_, tile: LineView<u32>| sum += tile.get((own + 1) % threads);
    if own % 2 == 1 {
        STAGES.for_each::<1>(2, |_, i| NUMBERS.get(i), body);
    } else {
        let mut body = body;
        STAGES.for_each::<1>(1, |_, i| NUMBERS.get(i), &mut body);
        STAGES.for_each::<1>(1, |_, i| NUMBERS.get(i), &mut body);
    }
    write(&mut output, sum);
}

/// Thread t takes t + 1 steps and exits. It reads the cells of the threads after it.
#[kernel(min_arch = "sm_80")]
#[launch_contract(dims = 1)]
pub fn stages_that_threads_leave(mut output: DisjointSlice<u32>) {
    shared! { static STAGES: SharedStages<u32, N, 2>; }
    let (own, threads) = (thread_rank() as usize, block_size() as usize);
    let mut sum = 0;
    STAGES.for_each::<1>(
        own + 1,
        |step, i| NUMBERS.get(i + step),
        |_, tile| sum += tile.get(threads - 1),
    );
    write(&mut output, sum);
}

/// A line that is filled by copies, of a variable of each thread and of nothing.
#[kernel(min_arch = "sm_80")]
#[launch_contract(dims = 1)]
pub fn copies_of_variables(mut output: DisjointSlice<u32>) {
    shared! { static LINE: SharedLine<u32, N>; }
    let (own, threads) = (thread_rank() as usize, block_size() as usize);
    let variable = 100 + own as u32;
    let mut sum = 0;
    for round in 0..2 {
        let line = LINE.fill_by_copies::<1>(|i| match i % 3 {
            0 => Some(&variable),
            1 => NUMBERS.get(i + round),
            _ => None,
        });
        sum += line.get((own + 1) % threads);
    }
    write(&mut output, sum);
}

/// A view in a structure.
struct Kept<'a> {
    line: LineView<'a, u32>,
}

impl Kept<'_> {
    fn next(&self) -> u32 {
        self.line
            .get((thread_rank() as usize + 1) % self.line.len())
    }
}

/// The same memory under two declarations, as the function is called twice: the first view is still
/// there when the second phase writes.
#[kernel]
#[launch_contract(dims = 1)]
pub fn a_view_that_is_kept(mut output: DisjointSlice<u32>) {
    let mut lines = [(); 2].map(|()| declared());
    let [first, second] = &mut lines;
    let old = Kept {
        line: first.fill::<1>(|i| i as u32),
    };
    let before = old.next();
    let new = Kept {
        line: second.fill::<1>(|i| 10 * i as u32),
    };
    write(&mut output, 100 * before + old.next() + new.next());
}

#[inline(always)]
fn declared() -> SharedLine<u32, N> {
    shared! { static LINE: SharedLine<u32, N>; }
    LINE
}

/// A phase while the values of another one are computed.
#[kernel]
#[launch_contract(dims = 1)]
pub fn a_phase_within_a_phase(mut output: DisjointSlice<u32>) {
    shared! {
        static INNER: SharedLine<u32, N>;
        static OUTER: SharedLine<u32, N>;
    }
    let threads = block_size() as usize;
    let outer = OUTER.fill::<1>(|i| INNER.fill::<1>(|i| i as u32).get((i + 1) % threads));
    write(
        &mut output,
        outer.get((thread_rank() as usize + 1) % threads),
    );
}

/// A function with phases that is not inlined and calls itself, as deep as the thread's number.
#[kernel]
#[launch_contract(dims = 1)]
pub fn recursion(mut output: DisjointSlice<u32>) {
    write(&mut output, descend(thread_rank()));
}

#[inline(never)]
fn descend(depth: u32) -> u32 {
    shared! { static LINE: SharedLine<u32, N>; }
    let own = LINE
        .fill::<1>(|i| i as u32 + depth)
        .get(thread_rank() as usize);
    if depth == 0 {
        own
    } else {
        own + descend(depth - 1)
    }
}

/// The first warp reduces while the second one broadcasts: the functions share their memory.
#[kernel]
#[launch_contract(dims = 1, block = 64)]
pub fn collectives_of_two_arms(mut output: DisjointSlice<u32>) {
    let own = thread_rank();
    let number = if own < 32 {
        block_reduce(own, Sum)
    } else {
        block_broadcast(10 * own, 32)
    };
    write(&mut output, number + block_reduce(1, Sum));
}

/// The odd threads wait at the other barrier of the block. All wait forever.
#[kernel]
#[launch_contract(dims = 1)]
pub fn beside_another_barrier(mut output: DisjointSlice<u32>) {
    shared! { static LINE: SharedLine<u32, N>; }
    let mut first = 0;
    if thread_rank() % 2 == 0 {
        first = LINE.fill::<1>(|i| i as u32).get(0);
    } else {
        sync_threads();
    }
    write(&mut output, first);
}

/// The first thread exits at once, and another one reads its cell.
#[kernel]
#[launch_contract(dims = 1)]
pub fn without_an_exited_thread(mut output: DisjointSlice<u32>) {
    shared! { static LINE: SharedLine<u32, N>; }
    if thread_rank() == 0 {
        return;
    }
    let number = LINE.fill::<1>(|i| i as u32).get(0);
    if number > 0 {
        write(&mut output, number);
    }
}

/// Sums, for each block, what is in a tile that is filled by rows, in one that is filled by
/// columns, and in two that are filled together.
#[kernel]
pub fn tiles_of_any_block(mut sums: PerBlock<[u32; 4]>) {
    shared! {
        static ROWS: SharedTile<u32, 4, 3, 5>;
        static COLUMNS: SharedTile<u32, 3, 4, 4, ByColumns>;
        static LEFT: SharedTile<u32, 4, 3>;
        static RIGHT: SharedTile<u64, 4, 3, 4>;
    }
    let by_rows = ROWS.fill::<4>(|row, column| (10 * row + column) as u32);
    let by_columns = COLUMNS.fill::<4>(|row, column| (10 * column + row) as u32);
    let (left, right) = LEFT.fill_both::<4, _, _>(&mut RIGHT, |row, column| {
        ((row + column) as u32, (row * column) as u64)
    });
    let mut own = [0; 4];
    for (row, column) in (0..4).flat_map(|row| (0..3).map(move |column| (row, column))) {
        own[0] += by_rows.get(row, column);
        own[1] += by_columns.get(column, row);
        own[2] += left.get(row, column);
        own[3] += right.get(row, column) as u32;
    }
    if let Some(sums) = sums.get_mut() {
        *sums = own;
    }
}

/// Each number with its neighbours, by a line that begins with a halo.
#[kernel]
#[launch_contract(dims = 1, block = 64)]
pub fn halo(input: &[u32], mut output: DisjointSlice<u32>) {
    shared! { static LINE: SharedLine<u32, { N + 4 }, 2>; }
    let first = index_1d().get() - thread_rank() as usize;
    let line = LINE.fill::<2>(|i| input.get((first + i).wrapping_sub(2)).copied().unwrap_or(0));
    let own = thread_rank() as usize;
    write(&mut output, (own..own + 5).map(|i| line.get(i)).sum());
}

fn write(output: &mut DisjointSlice<u32>, number: u32) {
    if let Some(output) = output.get_mut(index_1d()) {
        *output = number;
    }
}
