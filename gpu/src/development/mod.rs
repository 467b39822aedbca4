//! Development: one program from the CPU to tuned kernels and a library.

pub mod heat;
