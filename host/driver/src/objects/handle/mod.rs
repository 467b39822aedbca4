//! Handles, and what is kept of every object that has one: where it was made, and whether it was
//! given back.

pub(crate) mod ledger;
pub(crate) mod origin;
pub(crate) mod registry;
