//! Hello world: threads print their position.
//!
//! Launch: any grid and block; 2 blocks of 3 threads print six lines.
//! Reads and writes no memory. Each thread prints one line; the driver shows the lines at
//! the next synchronisation.
//! Shows: thread indices start again in each block; dimensions are the same for all threads.
//! Source: CUDA C++ Programming Guide, "Formatted Output".

use lanewise_macros::{gpu_printf, kernel};
use lanewise_std::thread::*;

/// Every thread prints a greeting.
#[kernel]
pub fn hello_world() {
    gpu_printf!("Hello World from GPU thread {}!\n", thread_idx_x());
}

/// Every thread prints its indices and the dimensions it sees.
#[kernel]
pub fn check_index() {
    gpu_printf!(
        "threadIdx:({}, {}, {}) blockIdx:({}, {}, {}) blockDim:({}, {}, {}) gridDim:({}, {}, {})\n",
        thread_idx_x(),
        thread_idx_y(),
        thread_idx_z(),
        block_idx_x(),
        block_idx_y(),
        block_idx_z(),
        block_dim_x(),
        block_dim_y(),
        block_dim_z(),
        grid_dim_x(),
        grid_dim_y(),
        grid_dim_z(),
    );
}
