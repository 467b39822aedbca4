//! From a Rust crate to PTX with stock rustc and the LLVM that it ships.
//!
//! ```no_run
//! # fn main() -> Result<(), lanewise_builder::BuildError> {
//! let output = lanewise_builder::PtxBuilder::new("gpu").arch("sm_80").arch("sm_90").build()?;
//! for module in &output.modules {
//!     println!("{}: {}", module.arch, module.ptx.display());
//! }
//! # Ok(())
//! # }
//! ```
//!
//! A kernel crate's build script is one line of it, [`build()`].
//!
//! The pipeline, in the order of its files:
//!
//! 1. `cargo`: a nested cargo compiles the kernel crate, its dependencies and `core` to one module of *unoptimised* LLVM
//!    bitcode. Nothing is optimised there, because rustc's own pipeline does not know that a barrier must not be copied
//!    into two branches (rust-lang/rust#137086).
//! 2. `llvm`: the bitcode is read in this process by the LLVM library that rustc itself uses. Nothing links against LLVM:
//!    the library is opened when a build first needs it, so a program that holds this crate starts without it.
//! 3. `passes`: what the GPU needs and rustc cannot say (entry points, convergence, address spaces, launch bounds), then
//!    LLVM's own O3, then PTX. One file a pass. For a debugger ([`PtxBuilder::debug`]) O0 takes its place.
//! 4. [`lint`]: the PTX is checked against the promises that kernels rely on.
//! 5. [`manifest`]: `gpu.json` says what the module holds.
//!
//! A second build with nothing changed asks cargo, compares a `fingerprint` and stops there.

mod advice;
mod arch;
pub mod assembler;
mod builder;
mod cargo;
mod dump;
mod embed;
mod error;
mod files;
mod fingerprint;
mod flow;
pub mod lint;
mod llvm;
pub mod manifest;
pub mod nvvm;
mod output;
mod package;
mod passes;
mod shadow;
mod source_paths;
mod targets;
mod toolchain;

pub use arch::targets;
pub use builder::PtxBuilder;
pub use embed::{DEFAULT_ARCHS, build, embed};
pub use error::{BuildError, CodegenError, OptionError, ToolchainError};
pub use manifest::Manifest;
pub use output::{Emit, ModuleOutput, Output, Stage};
pub use toolchain::TOOLCHAIN;
