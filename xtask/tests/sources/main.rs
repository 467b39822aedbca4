//! What holds of the whole workspace: of its sources, read as text, and of what cargo makes of
//! them. One program, so that cargo's answers are waited for while text is read.

mod comments;
mod layers;
mod programs;
mod same_units;
mod text;
mod unused;
