//! cuda-oxide's `cuda_intrinsics`: instructions by their names. This module has those that
//! most kernels call.

/// The special registers, as functions that read them.
pub mod sreg {
    pub use lanewise_std::clock::{
        cycles as clock64, cycles_32 as clock, multiprocessor as smid, multiprocessors as nsmid,
        nanoseconds as globaltimer,
    };
    pub use lanewise_std::thread::{
        block_dim_x, block_dim_y, block_dim_z, block_idx_x, block_idx_y, block_idx_z, grid_dim_x,
        grid_dim_y, grid_dim_z, thread_idx_x, thread_idx_y, thread_idx_z,
    };
    pub use lanewise_std::warp::lane_id;
}

/// Barriers of the block.
pub mod thread {
    pub use lanewise_std::thread::{
        sync_threads, sync_threads_and, sync_threads_count, sync_threads_or,
    };
}

/// Fences of each scope.
pub mod fence {
    pub use lanewise_std::fence::{threadfence, threadfence_block, threadfence_system};
}

/// Bits and bytes.
pub mod bits {
    pub use lanewise_std::bits::*;
}
