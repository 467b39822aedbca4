//! Graphs: made node by node, captured, and launched.

pub(crate) mod capture;
pub(crate) mod conditional;
pub(crate) mod exec;
pub(crate) mod memory;
pub(crate) mod nodes;
pub(crate) mod parts;
pub(crate) mod shape;
pub(crate) mod user_objects;
