//! Barriers, shuffles and votes that threads do not reach as they must. A file a case.

pub mod barrier_for_half_a_warp;
pub mod barrier_in_each_arm;
pub mod barrier_object_that_lacks_an_arrival;
pub mod barrier_of_too_many;
pub mod barrier_that_nobody_arrives_at;
pub mod bytes_that_never_come;
pub mod cluster_barrier_for_one_block;
pub mod lane_that_is_not_in_its_mask;
pub mod masks_that_disagree;
pub mod shuffle_after_an_early_return;
pub mod shuffle_from_outside_of_the_mask;
pub mod shuffle_in_one_arm;
pub mod two_barriers_in_opposite_orders;
pub mod warp_at_a_barrier_object_of_one;
