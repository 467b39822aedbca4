//! What came with Hopper, part by part.

mod barriers;
mod tensors;
