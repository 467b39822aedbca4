//! The contents of the module: which kernels, statics and functions it has, and under which names.

pub(crate) mod descriptions;
pub(crate) mod entry_points;
pub(crate) mod launching;
pub(crate) mod runtime_library;
pub(crate) mod statics;
pub(crate) mod symbols;
