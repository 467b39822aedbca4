//! The device library, part by part.

mod collectives;
mod grid;
mod groups;
mod half;
mod instructions;
mod types;
