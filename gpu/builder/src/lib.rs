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
//! The build script of a kernel crate is one line, a call of [`build()`].
//!
//! The modules are the stages of the pipeline:
//!
//! 1. `cargo`: a nested cargo compiles the kernel crate, its dependencies and `core` to one module
//!    of *unoptimised* LLVM bitcode. Nothing is optimised there, because rustc's own pipeline does
//!    not know that a barrier must not be copied into two branches (rust-lang/rust#137086).
//! 2. `process`, `llvm`: a process of its own reads the bitcode with the LLVM library that rustc
//!    itself uses. It is this program once more, whose `main` does not run. Nothing links against
//!    LLVM, and a crash of LLVM is an error with the kernel's name.
//! 3. `passes`: what the GPU needs and rustc cannot express (entry points, convergence, address
//!    spaces, launch bounds), then LLVM's own O3, then PTX. Each pass is one file. For a debugger
//!    ([`PtxBuilder::debug`]), O0 replaces O3.
//! 4. [`lint`]: checks that the PTX keeps the rules that kernels rely on.
//! 5. [`manifest`]: `gpu.json` describes what the module contains.
//!
//! If nothing has changed, a second build only runs cargo and compares a `fingerprint`.

mod arch;
pub mod assembler;
mod builder;
mod cache;
mod cargo;
mod dump;
mod embed;
mod error;
mod fingerprint;
mod flow;
pub mod lint;
mod llvm;
mod lock;
pub mod manifest;
mod native;
pub mod nvvm;
mod orphan;
mod output;
mod parts;
mod passes;
mod process;
mod targets;

pub use arch::targets;
pub use builder::PtxBuilder;
pub use cache::{Cache, Size};
pub use cargo::toolchain::TOOLCHAIN;
pub use embed::{DEFAULT_ARCHS, build, embed};
pub use error::{BuildError, CodegenError, OptionError, ToolchainError};
pub use manifest::Manifest;
pub use output::{Emit, ModuleOutput, Output, Stage};
