//! What the simulated driver is made of: one file an object, named like the section of the API that makes it.
//!
//! The calls in [`crate::calls`] check arguments and turn handles into these objects; the behaviour is here.

pub(crate) mod array;
pub(crate) mod attributes;
mod bytes;
pub(crate) mod capturing;
pub(crate) mod condition;
pub(crate) mod context;
pub(crate) mod cubin;
pub(crate) mod device;
pub(crate) mod event;
pub(crate) mod fatbin;
pub(crate) mod fault;
pub(crate) mod graph;
pub(crate) mod graph_memory;
pub(crate) mod host_access;
#[cfg(target_os = "linux")]
mod host_fault;
pub(crate) mod host_finding;
mod host_pages;
pub(crate) mod image;
pub(crate) mod ipc;
pub(crate) mod jit_options;
pub(crate) mod launch;
pub(crate) mod ledger;
pub(crate) mod library;
pub(crate) mod link;
pub(crate) mod managed;
pub(crate) mod mappings;
pub(crate) mod memory;
pub(crate) mod module;
pub(crate) mod multicast;
pub(crate) mod order;
mod order_host;
mod order_ticket;
pub(crate) mod origin;
pub(crate) mod owners;
pub(crate) mod peer;
pub(crate) mod points;
pub(crate) mod pool;
pub(crate) mod primary;
pub(crate) mod registry;
pub(crate) mod stream;
pub(crate) mod submission;
pub(crate) mod teardown;
pub(crate) mod texture;
pub(crate) mod texture_reference;
pub(crate) mod traced;
pub(crate) mod virtual_memory;
pub(crate) mod work;
