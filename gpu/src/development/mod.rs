//! Development: one program on its way from the CPU to a library.

pub mod heat;
