//! Memory of which less was written than is read. A file a case.

pub(super) mod buffer_of_which_half_was_copied;
pub(super) mod memory_of_a_pool_that_nobody_cleared;
