//! Two threads, one place, no order. A file a case.

pub mod barrier_before_the_loop_only;
pub mod barriers_of_two_numbers;
pub mod broadcast_without_a_barrier;
pub mod cluster_without_its_barrier;
pub mod copy_of_another_thread;
pub mod copy_that_is_not_waited_for;
pub mod counter_that_is_reset_too_early;
pub mod everybody_writes_the_result;
pub mod flag_that_orders_nothing;
pub mod histogram_without_atomics;
pub mod last_block_without_a_fence;
pub mod lock_without_an_acquire;
pub mod maximum_by_comparing;
pub mod neighbour_in_another_block;
pub mod next_tile_too_early;
pub mod queue_read_before_its_entry;
pub mod scan_in_place;
pub mod stencil_in_place;
pub mod sums_of_warps_read_too_early;
pub mod tile_without_a_barrier;
pub mod transpose_without_a_barrier;
pub mod warp_that_trusts_its_lanes;
