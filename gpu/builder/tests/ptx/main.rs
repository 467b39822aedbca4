//! The PTX of kernels: small crates under `fixtures/`, built once, whose PTX the tests examine.

mod barriers;
mod build;
mod effects;
mod errors;
mod examples;
mod machine;
mod math;
mod memory;
mod misuse;
mod moved_checks;
mod nvvm;
mod passes;
mod runtime;
mod support;
