//! Loading code and running it.

pub(crate) mod fault;
pub(crate) mod function;
pub(crate) mod launch;
pub(crate) mod library;
pub(crate) mod link;
pub(crate) mod module;
