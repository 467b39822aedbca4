//! Rules for the whole workspace: for its sources, read as text, and for what cargo makes of them.
//! They are one program, so that text is read while cargo runs.

mod comments;
mod layers;
mod names;
mod programs;
mod same_units;
mod text;
mod unsafety;
mod unused;
