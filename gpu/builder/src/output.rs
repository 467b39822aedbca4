//! The stages that a build reports, the outputs that can be requested, and the files
//! that it writes.

use std::path::PathBuf;

use crate::manifest::Manifest;

/// A step of a build, for programs that show its progress.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stage {
    /// `rust-src` is missing and is being added with rustup.
    AddingRustSrc,
    /// Another build uses the target folder; this one waits for it.
    Waiting,
    /// rustc compiles the kernel crate.
    Compiling {
        /// The name of the kernels' crate.
        krate: String,
    },
    /// A line that cargo or rustc wrote for people: progress, a warning, an error.
    Cargo(String),
    /// LLVM makes PTX for a target.
    Generating {
        /// The target that was built for, such as `sm_90`.
        arch: String,
    },
    /// The code of a target is in the cache: an earlier build made it of the same inputs.
    Cached {
        /// The target that was built for, such as `sm_90`.
        arch: String,
    },
    /// A target's files from the last build are still valid.
    UpToDate {
        /// The target that was built for, such as `sm_90`.
        arch: String,
    },
    /// The kernels do something that is allowed but may surprise.
    Warning(String),
}

/// What can be written besides PTX and the manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Emit {
    /// The optimised LLVM module as text, `<crate>.ll`.
    LlvmIr,
    /// The optimised LLVM module as bitcode, `<crate>.bc`.
    Bitcode,
    /// Machine code, `<crate>.cubin`; it needs
    /// [`PtxBuilder::assembler`](crate::PtxBuilder::assembler).
    Cubin,
}

/// What a build of a kernel crate has written.
#[derive(Clone, Debug)]
pub struct Output {
    /// One module per target, in the order in which the targets were given.
    pub modules: Vec<ModuleOutput>,
    /// What the modules hold: their kernels and statics.
    pub manifest: Manifest,
    /// The Rust module that the kernels are in, as the host's crate names it:
    /// `crate`, or `crate::kernels`.
    pub module: String,
    /// Whether anything was built. `false` means that the last build's files are still valid.
    pub rebuilt: bool,
    /// The source files of the kernel crate and of its path dependencies. A build script that uses
    /// this crate directly names them in `cargo::rerun-if-changed`.
    pub sources: Vec<PathBuf>,
    /// The files that the modules are to be linked with when they are loaded.
    pub linked: Vec<PathBuf>,
}

/// The files that a build has written for one target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModuleOutput {
    /// The target, as in `sm_80`.
    pub arch: String,
    /// The file with the PTX.
    pub ptx: PathBuf,
    /// The PTX file of the kernels that launch kernels, if there are any. It has to be linked with
    /// NVIDIA's device runtime.
    pub launching_ptx: Option<PathBuf>,
    /// [`Module`](crate::manifest::Module) as JSON.
    pub manifest: PathBuf,
    /// The optimised LLVM module as text, if it was asked for.
    pub llvm_ir: Option<PathBuf>,
    /// The optimised LLVM module as bitcode, if it was asked for.
    pub bitcode: Option<PathBuf>,
    /// The machine code, if it was asked for.
    pub cubin: Option<PathBuf>,
}
