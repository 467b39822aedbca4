//! `#[kernel]` and its companions.
