//! Loading code and running it: modules, libraries, links, functions, their
//! occupancy, and launches.

pub(crate) mod function;
pub(crate) mod launch;
pub(crate) mod launch_legacy;
pub(crate) mod library;
pub(crate) mod link;
pub(crate) mod module;
pub(crate) mod occupancy;
