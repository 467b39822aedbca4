//! Memory of every kind, and copies.

pub(crate) mod array;
pub(crate) mod copy;
pub(crate) mod copy_array;
pub(crate) mod device;
pub(crate) mod host;
pub(crate) mod ipc;
pub(crate) mod multicast;
pub(crate) mod pointer;
pub(crate) mod pool;
pub(crate) mod range_attribute;
pub(crate) mod virtual_memory;
