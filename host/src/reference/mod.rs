//! What each pattern computes, on the CPU: plain loops, one file a pattern, that say what is meant and nothing of how fast.

pub mod aos_soa;
pub mod divergence;
pub mod gather;
pub mod hello;
pub mod increment;
pub mod l2_window;
pub mod matmul;
pub mod matrix_add;
pub mod misaligned_read;
pub mod misaligned_write;
pub mod nested_hello;
pub mod occupancy;
pub mod offset_stride;
pub mod pi;
pub mod pitched;
pub mod reduce;
pub mod shuffles;
pub mod stencil;
pub mod texture;
pub mod thread_index;
pub mod tile;
pub mod transpose;
pub mod vector_add;
pub mod votes;
