//! Linux.

mod fault;
pub(crate) mod library;
pub(crate) mod pages;
pub(crate) mod process;
pub(crate) mod shared;
mod switch;
pub(crate) mod threads;
