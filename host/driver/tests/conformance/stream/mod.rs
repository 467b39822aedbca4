//! Streams and the work in them.

pub(crate) mod event;
pub(crate) mod made;
pub(crate) mod memory;
