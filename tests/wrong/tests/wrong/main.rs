//! Wrong kernels and programs are reported as their files say, and their right twins are left
//! alone. One program, so that what waits in one of its parts leaves no processor idle; the part
//! that waits most begins first, by its name.

mod compute_sanitizer;
mod host_programs;
mod ptx;
mod rust;
