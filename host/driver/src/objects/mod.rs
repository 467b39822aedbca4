//! The objects of the simulated driver: one file for each kind of object, named like the section of
//! the API that makes it.
//!
//! The calls in [`crate::calls`] check arguments and turn handles into these objects. The behaviour
//! is implemented here.
//!
//! From the bottom up:
//!
//! | module | what it is |
//! | --- | --- |
//! | `handle`, `fault`, `device`, `attributes`, `condition` | what all other modules use |
//! | `order` | which operations come before which, for the check of races |
//! | `stream` | streams, their operations, and events |
//! | `context` | contexts, and the stack of them that each thread has |
//! | `memory` | allocations of every kind, pools, virtual memory, what processes share |
//! | `texture` | arrays, texture and surface objects |
//! | `code` | images, modules, libraries, launches |
//! | `graph` | graphs and their nodes, captured or built |
//! | `submission` | how operations and graphs get into the streams of a context |
//! | `teardown` | the end of a context |

pub(crate) mod attributes;
pub(crate) mod code;
pub(crate) mod condition;
pub(crate) mod context;
pub(crate) mod device;
pub(crate) mod fault;
pub(crate) mod graph;
pub(crate) mod handle;
pub(crate) mod memory;
pub(crate) mod order;
pub(crate) mod stream;
pub(crate) mod submission;
pub(crate) mod teardown;
pub(crate) mod texture;
