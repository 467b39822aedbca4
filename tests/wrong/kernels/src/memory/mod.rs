//! Addresses that are not there. A file a case.

pub mod division_of_an_array_that_is_too_small;
pub mod dynamic_shared_memory_that_the_launch_did_not_give;
pub mod element_before_the_first;
pub mod index_past_the_end;
pub mod index_that_is_checked;
pub mod index_that_is_negative;
pub mod null_pointer;
pub mod past_a_shared_array;
pub mod rank_past_the_cluster;
pub mod word_at_half_a_word;
