//! Memory that is used when it is gone, or that is too small. A file a case.

pub(super) mod buffer_of_half_the_size;
pub(super) mod copy_of_freed_memory;
pub(super) mod kernel_behind_the_free_of_its_memory;
pub(super) mod kernel_on_freed_memory;
