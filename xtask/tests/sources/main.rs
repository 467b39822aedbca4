//! What holds of the sources of the whole workspace, read as text.

mod layers;
mod programs;
mod text;
mod unused;
