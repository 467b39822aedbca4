//! From a Rust crate to PTX with stock rustc and the LLVM that it ships.
