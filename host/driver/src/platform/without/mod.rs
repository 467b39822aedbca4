//! What the driver does without on macOS and Windows.

pub(crate) mod library;
pub(crate) mod pages;
pub(crate) mod process;
pub(crate) mod shared;
pub(crate) mod threads;
