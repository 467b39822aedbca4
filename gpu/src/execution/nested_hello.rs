//! Kernels that launch themselves: a greeting that nests.
//!
//! Launch: any 1-D grid and block. Reads and writes no memory; every thread prints.
//! Shows: thread 0 of each block launches one block of half as many threads, one level deeper,
//! until one thread is left. A grid ends only after its children, so the host waits for all levels
//! by waiting for the first.
//! Source: Professional CUDA C Programming, chapter 3; CUDA programming guide, "CUDA Dynamic
//! Parallelism".

use lanewise_macros::{gpu_printf, kernel};
use lanewise_std::dynamic::{Shape, launch_owned};
use lanewise_std::thread::{block_dim_x, block_idx_x, thread_idx_x};

/// Every thread greets; thread 0 launches the next level. The host begins at `depth` 0.
#[kernel(launches)]
pub fn nested_hello_world(depth: u32) {
    let (thread, block) = (thread_idx_x(), block_idx_x());
    gpu_printf!(
        "Recursion={}: Hello World from thread {} block {}\n",
        depth,
        thread,
        block
    );
    let half = block_dim_x() / 2;
    if thread == 0 && half > 0 {
        launch_owned::<nested_hello_world>(Shape::new(1, half), (depth + 1,));
        gpu_printf!("-------> nested execution depth: {}\n", depth + 1);
    }
}
