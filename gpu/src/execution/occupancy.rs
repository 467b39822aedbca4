//! One body, compiled with all the registers it likes and with few.
//!
//! Launch: 1-D grid of 1-D blocks of at most 1024 threads, at least one thread for each element.
//! Reads nothing; each thread starts 32 numbers from its index, stirs them `rounds` times and
//! writes their sum to `output[i]`.
//! Shows: registers are shared out among the threads that are resident on a multiprocessor. A
//! thread that wants many keeps others out. `launch_bounds(1024, 2)` promises blocks of at most
//! 1024 threads and asks for two of them at once, which leaves 32 registers a thread: the compiler
//! moves what does not fit to local memory. More warps, and more work for each.
//! Source: CUDA study notes, section 3.2.3; CUDA C++ Programming Guide, "Launch Bounds".

use lanewise_macros::kernel;
use lanewise_std::DisjointSlice;
use lanewise_std::thread;

/// Numbers that each thread has to keep at once. Few enough that loops over them are written out,
/// and they are in registers.
const NUMBERS: usize = 32;

/// As many registers as the compiler likes.
#[kernel]
#[launch_contract(dims = 1)]
pub fn stir_free(mut output: DisjointSlice<u32>, rounds: u32) {
    stir(&mut output, rounds);
}

/// Registers for two blocks of 1024 threads on a multiprocessor.
#[kernel]
#[launch_contract(dims = 1)]
#[launch_bounds(1024, 2)]
pub fn stir_bounded(mut output: DisjointSlice<u32>, rounds: u32) {
    stir(&mut output, rounds);
}

/// Stirs and writes the sum.
#[inline(always)]
fn stir(output: &mut DisjointSlice<u32>, rounds: u32) {
    let index = thread::index_1d();
    let Some(output) = output.get_mut(&index) else {
        return;
    };
    let mut numbers = [0u32; NUMBERS];
    let mut next = index.get() as u32;
    for number in &mut numbers {
        *number = next;
        next = next.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
    }
    // How many rounds there are is known only at run time, so all numbers have to be kept from one
    // to the next.
    for _ in 0..rounds {
        let mut left = numbers[NUMBERS - 1];
        for number in &mut numbers {
            left ^= number.wrapping_mul(5);
            *number = left;
        }
    }
    *output = numbers
        .iter()
        .fold(0, |sum: u32, &number| sum.wrapping_add(number));
}
