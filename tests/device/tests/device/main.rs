//! The device library, part by part.

mod collectives;
mod groups;
