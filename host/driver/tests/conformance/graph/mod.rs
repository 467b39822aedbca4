//! Graphs: made node by node, captured, and launched.

pub(crate) mod capture;
pub(crate) mod conditional;
pub(crate) mod exec;
pub(crate) mod nodes;
