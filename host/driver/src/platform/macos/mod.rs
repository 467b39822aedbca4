//! macOS, for which NVIDIA has no driver any more.

pub(crate) mod library;
pub(crate) mod process;

pub(crate) use super::without::{pages, shared, threads};
