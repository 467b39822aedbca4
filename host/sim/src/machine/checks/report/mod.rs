//! What a user reads: findings, and the report of a fault with its place.

pub(in crate::machine) mod account;
pub(in crate::machine) mod explain;
pub(in crate::machine) mod findings;
pub(in crate::machine) mod place;
