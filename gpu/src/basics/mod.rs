//! First steps: threads that print their position, and threads that each compute one element.

pub mod device_globals;
pub mod hello;
pub mod matrix_add;
pub mod pi;
pub mod thread_index;
pub mod vector_add;
