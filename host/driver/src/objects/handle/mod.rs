//! Handles, and the records kept of every object that has one: where it was made, and whether
//! it was released.

pub(crate) mod ledger;
pub(crate) mod origin;
pub(crate) mod registry;
