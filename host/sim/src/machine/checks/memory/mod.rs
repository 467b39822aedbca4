//! The memory check: accesses that fault, with what their addresses lead to, and accesses outside
//! of the array that they are meant for.

pub(in crate::machine) mod bad_access;
pub(in crate::machine) mod bounds;
pub(in crate::machine) mod elsewhere;
