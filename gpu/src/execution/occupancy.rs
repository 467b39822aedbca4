//! One function, compiled with an unlimited number of registers and with few.
//!
//! Launch: 1-D grid of 1-D blocks of at most 1024 threads, at least one thread for each element.
//! Reads nothing; each thread starts 32 numbers from its index, stirs them `rounds` times and
//! writes their sum to `output[i]`.
//! Shows: the threads that are resident on a multiprocessor share its registers. A thread that
//! needs many leaves room for fewer threads. `launch_bounds(1024, 2)` declares blocks of at most
//! 1024 threads and requests two of them at once. This leaves 32 registers per thread: the compiler
//! moves the rest to local memory. There are more warps, and each has more work.
//! Source: Professional CUDA C Programming, chapter 3; CUDA C++ Programming Guide, "Launch Bounds".

use lanewise_macros::kernel;
use lanewise_std::DisjointSlice;
use lanewise_std::thread;

/// Numbers that each thread has to keep at the same time. They are few enough that loops over them
/// are unrolled, so they are in registers.
const NUMBERS: usize = 32;

/// Uses as many registers as the compiler chooses.
#[kernel]
#[launch_contract(dims = 1)]
pub fn stir_free(mut output: DisjointSlice<u32>, rounds: u32) {
    stir(&mut output, rounds);
}

/// Uses registers for two blocks of 1024 threads on a multiprocessor.
#[kernel]
#[launch_contract(dims = 1)]
#[launch_bounds(1024, 2)]
pub fn stir_bounded(mut output: DisjointSlice<u32>, rounds: u32) {
    stir(&mut output, rounds);
}

/// Mixes the numbers and writes their sum.
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
    // The number of rounds is known only at run time, so all numbers must be kept from one round
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
