//! Memory that is read before anybody wrote it. A file a case.

pub mod bins_that_nobody_cleared;
pub mod copy_that_is_used_later;
pub mod flag_that_only_one_block_sets;
pub mod float_that_starts_as_it_is;
pub mod gap_of_a_structure;
pub mod halo_that_nobody_loads;
pub mod loop_up_to_a_new_count;
pub mod more_sums_than_warps;
pub mod neighbours_shared_memory;
pub mod odd_elements_of_a_new_buffer;
pub mod second_of_two_buffers;
pub mod shuffle_of_a_rest;
pub mod sum_into_new_memory;
pub mod tile_with_a_rest;
