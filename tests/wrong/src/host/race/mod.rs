//! Work in no order. A file a case.

pub(super) mod copy_in_another_stream;
pub(super) mod default_stream_beside_one_that_does_not_block;
pub(super) mod dependent_launch_that_does_not_wait;
pub(super) mod event_recorded_before_the_work;
pub(super) mod event_waited_for_by_the_wrong_stream;
pub(super) mod graph_beside_a_stream;
pub(super) mod graph_without_an_edge;
pub(super) mod halves_that_overlap;
pub(super) mod host_function_beside_the_kernel;
pub(super) mod managed_memory_read_before_the_kernel_is_done;
pub(super) mod mapped_memory_read_before_the_kernel_is_done;
pub(super) mod memory_of_a_pool_freed_in_another_stream;
pub(super) mod memset_in_another_stream;
pub(super) mod pinned_memory_filled_again_too_early;
pub(super) mod pinned_memory_read_before_the_copy_is_done;
pub(super) mod two_graphs_at_once;
pub(super) mod wait_for_another_stream;
