//! What the GPU cannot run. These passes find it before ptxas or a launch does.

pub(crate) mod parameters;
pub(crate) mod recursion;
pub(crate) mod unsupported;
