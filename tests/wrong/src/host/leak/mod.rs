//! What is not given back. A file a case.

pub(super) mod buffers_that_are_not_freed;
pub(super) mod event_of_each_round;
