//! First steps: threads that print their index, and threads that each compute one element.

pub mod device_globals;
pub mod device_query;
pub mod errors;
pub mod hello;
pub mod matrix_add;
pub mod pi;
pub mod thread_index;
pub mod timing;
pub mod vector_add;
