//! What holds of the sources of the whole workspace, read as text.

mod doctests;
mod layers;
mod text;
mod unused;
