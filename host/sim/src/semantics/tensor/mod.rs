//! Tensor maps: the description of a tensor for `cp.async.bulk.tensor`, and the copy of its bytes.
//!
//! PTX ISA 5.5 "Tensors" and 5.5.8 "Tensor-map"; CUDA driver API reference, "Tensor
//! Map Object Management".
//!
//! | file | what it is |
//! | --- | --- |
//! | `map` | the object, and the 128 bytes that hold it |
//! | `element` | types of elements |
//! | `check` | what a map may say, and why not |
//! | `walk` | the bytes of a box, row by row |
//! | `swizzle` | where 16 bytes of a box go in shared memory; `wgmma` reads its matrices by the same rule |

mod check;
mod element;
mod map;
mod swizzle;
#[cfg(test)]
mod tests;
mod walk;

pub use check::TensorMapError;
pub use element::Element;
pub use map::{Access, Field, Fill, Im2col, Interleave, Promotion, TensorMap};
pub use swizzle::Swizzle;
pub use walk::{BoxPosition, Run, WalkError};
