//! What each pattern computes, on the CPU: plain loops, one file a pattern, that say what is meant and nothing of how fast.

pub mod divergence;
pub mod hello;
pub mod increment;
pub mod matmul;
pub mod matrix_add;
pub mod occupancy;
pub mod pi;
pub mod reduce;
pub mod thread_index;
pub mod transpose;
pub mod vector_add;
