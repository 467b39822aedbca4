//! Promises that every module of PTX keeps, checked on its text.

/// A broken promise.
#[derive(Debug, thiserror::Error)]
pub enum LintError {}
