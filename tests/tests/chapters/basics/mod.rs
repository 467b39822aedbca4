//! Chapter 1: threads that print who they are, and threads that each compute one element.

mod device_globals;
mod device_query;
mod errors;
mod hello;
mod matrix_add;
mod pi;
mod thread_index;
mod timing;
mod vector_add;
