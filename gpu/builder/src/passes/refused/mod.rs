//! What the GPU cannot run, found before ptxas or a launch finds it.

pub(crate) mod parameters;
pub(crate) mod recursion;
pub(crate) mod unsupported;
