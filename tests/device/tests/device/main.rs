//! The device library, part by part.

mod collectives;
mod dictionary;
mod graph;
mod grid;
mod groups;
mod half;
mod instructions;
mod panics;
mod parameters;
mod past_the_end;
mod places;
mod surfaces;
mod types;
