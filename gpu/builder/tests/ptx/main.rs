//! What kernels compile to: small crates under `fixtures/`, built once, and their PTX looked at.

mod barriers;
mod build;
mod effects;
mod errors;
mod machine;
mod math;
mod memory;
mod misuse;
mod nvvm;
mod passes;
mod runtime;
mod support;
