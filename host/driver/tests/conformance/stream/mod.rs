//! Streams and what is in them.

pub(crate) mod event;
pub(crate) mod made;
pub(crate) mod memory;
