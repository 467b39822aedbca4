//! Why a build failed. There is one enum per subject, and [`BuildError`] wraps them in the order of
//! a build's steps.

use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::assembler::AssembleError;
use crate::lint::LintError;

/// Why [`PtxBuilder::build`](crate::PtxBuilder::build) produced no PTX.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The options contradict each other or name something that does not exist.
    #[error(transparent)]
    Option(#[from] OptionError),
    /// The Rust toolchain lacks something.
    #[error(transparent)]
    Toolchain(#[from] ToolchainError),
    /// Cargo could not describe the kernel crate.
    #[error("cannot read the kernel crate at `{}`", .path.display())]
    Metadata {
        /// The folder that was given to [`PtxBuilder::new`](crate::PtxBuilder::new).
        path: PathBuf,
        /// The error of `cargo metadata`.
        source: cargo_metadata::Error,
    },
    /// The folder holds no package, or one without a library.
    #[error("`{}` is not a kernel crate: {why}", .path.display())]
    NotAKernelCrate {
        /// The folder that was given.
        path: PathBuf,
        /// What is missing and what to do.
        why: String,
    },
    /// A function for build scripts was called outside a build script.
    #[error(
        "{variable} is not set: `lanewise_builder::build()` is for build.rs, where cargo sets it"
    )]
    NotABuildScript {
        /// The variable that is missing.
        variable: &'static str,
    },
    /// rustc rejected the kernel crate. The text is rustc's own, unchanged.
    #[error("the kernel crate `{krate}` does not compile\n\n{rendered}{}", lines(.help))]
    Compile {
        /// The crate's name.
        krate: String,
        /// Everything that cargo and rustc wrote to their standard error.
        rendered: String,
        /// Advice for errors whose own advice from rustc is meant for another machine.
        help: Vec<&'static str>,
    },
    /// The compiled crate cannot be turned into PTX.
    #[error(transparent)]
    Codegen(#[from] CodegenError),
    /// The PTX breaks a promise that every kernel relies on.
    #[error(transparent)]
    Lint(#[from] LintError),
    /// NVIDIA's assembler produced no machine code.
    #[error(transparent)]
    Assemble(#[from] AssembleError),
    /// A file or folder of the build could not be read or written.
    #[error("cannot {action} `{}`", .path.display())]
    Io {
        /// "read", "write", "create", "lock".
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
}

fn lines(help: &[&str]) -> String {
    help.iter().map(|help| format!("help: {help}\n")).collect()
}

impl BuildError {
    /// Returns a function that makes an [`Io`](BuildError::Io) error, for `map_err`.
    pub(crate) fn io(
        action: &'static str,
        path: impl Into<PathBuf>,
    ) -> impl FnOnce(io::Error) -> BuildError {
        let path = path.into();
        move |source| BuildError::Io {
            action,
            path,
            source,
        }
    }
}

/// Options that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum OptionError {
    /// The target is not one that this LLVM supports.
    #[error(
        "`{given}` is not a target: write sm_ and the compute capability, as in sm_80, sm_90 or sm_90a (known: {known})"
    )]
    UnknownArch {
        /// The target that was given.
        given: String,
        /// All targets that can be given.
        known: String,
    },
    /// No target was given.
    #[error("no target was given: call `.arch(\"sm_80\")` at least once")]
    NoArch,
    /// The NVVM backend cannot make code for the given target.
    #[error(
        "the NVVM backend cannot make PTX for {arch}: libNVVM reads bitcode of this LLVM for sm_100 and later only (for older \
         targets it wants that of LLVM 7, of 2018); build {arch} with the default backend, LLVM's own"
    )]
    NvvmArch {
        /// The target that was built for, such as `sm_90`.
        arch: String,
    },
    /// The NVVM backend is older than rustc's LLVM.
    #[error(
        "the libNVVM `{}` is too old: it reads bitcode of {reads}, and rustc writes that of LLVM {written}. The one of CUDA {toolkit} \
         reads it: `python3 -m venv target/cuda-tools && target/cuda-tools/bin/pip install 'nvidia-nvvm>={toolkit}'` puts it where it \
         is found; or build with the default backend, LLVM's own", .library.display()
    )]
    NvvmTooOld {
        /// The library's file.
        library: PathBuf,
        /// The version of LLVM whose bitcode the library reads.
        reads: String,
        /// The version of LLVM whose bitcode rustc writes.
        written: u32,
        /// The first CUDA toolkit whose library reads this bitcode.
        toolkit: &'static str,
    },
    /// The file that was named as the NVVM backend is not a libNVVM that can be opened.
    #[error("cannot open the libNVVM `{}`: {reason}", .library.display())]
    NvvmLibrary {
        /// The file that was named.
        library: PathBuf,
        /// The dynamic linker's reason.
        reason: String,
    },
    /// A debugger's build was requested from the NVVM backend, which always optimises.
    #[error(
        "PTX for a debugger is made by LLVM's own backend: leave `--backend nvvm` or `.nvvm(library)` away"
    )]
    NvvmDebug,
    /// A file that the kernels should be linked with does not exist.
    #[error(
        "the kernels are to be linked with `{}`, and there is no such file: `link` is seen from the folder of Cargo.toml", .path.display()
    )]
    NoSuchCode {
        /// The file that could not be read or written.
        path: PathBuf,
    },
    /// Machine code was requested, but no assembler was given.
    #[error("a cubin is made by ptxas, and none was given: call `.assembler(path)`")]
    NoAssembler,
}

/// What the Rust toolchain lacks.
#[derive(Debug, thiserror::Error)]
pub enum ToolchainError {
    /// A tool could not be started.
    #[error("cannot run `{command}`: is it installed and on PATH?")]
    CannotRun {
        /// The command line.
        command: String,
        /// The system's reason.
        source: io::Error,
    },
    /// A tool ran and failed.
    #[error("`{command}` failed:\n{output}")]
    Failed {
        /// The command line.
        command: String,
        /// What it wrote.
        output: String,
    },
    /// The compiler in use writes bitcode for another LLVM than the one that this crate uses.
    #[error(
        "rustc {found} has LLVM {llvm}, and kernels are compiled with LLVM {wanted}: run `rustup toolchain install {toolchain}` \
         and set `channel = \"{toolchain}\"` in rust-toolchain.toml (or RUSTUP_TOOLCHAIN={toolchain})"
    )]
    WrongRustc {
        /// The release that was found.
        found: String,
        /// Its LLVM's version.
        llvm: String,
        /// The LLVM version that this crate uses.
        wanted: u32,
        /// The toolchain to install.
        toolchain: &'static str,
    },
    /// The component `rust-src` is missing and could not be added.
    #[error(
        "`core` cannot be built for the GPU without the component rust-src, and adding it failed: run `{command}`\n{output}"
    )]
    NoRustSrc {
        /// What to run.
        command: String,
        /// What the attempt wrote.
        output: String,
    },
    /// rustc's own LLVM library is not where it should be.
    #[error(
        "found no libLLVM in `{}`: kernels are compiled with the LLVM library that rustup installs with rustc; \
         run `rustup toolchain install {toolchain}`", .lib.display()
    )]
    NoLlvm {
        /// The toolchain's library folder.
        lib: PathBuf,
        /// The toolchain to install.
        toolchain: &'static str,
    },
    /// rustc's own LLVM library does not load.
    #[error("cannot load rustc's LLVM library `{}`: {reason}", .path.display())]
    LoadLlvm {
        /// The library that was opened.
        path: PathBuf,
        /// The dynamic linker's reason.
        reason: String,
    },
}

/// Why a module of bitcode produced no PTX.
#[derive(Debug, thiserror::Error, Serialize, Deserialize)]
pub enum CodegenError {
    /// LLVM could not read the bitcode.
    #[error("LLVM cannot read the bitcode `{}`: {reason}", .path.display())]
    Bitcode {
        /// The file that was read.
        path: PathBuf,
        /// LLVM's message about the error.
        reason: String,
    },
    /// The description that `#[kernel]` leaves beside a kernel has another format than
    /// this crate reads.
    #[error(
        "the description of kernel `{kernel}` cannot be read ({reason}): lanewise-macros and lanewise-builder must be of the same version"
    )]
    Description {
        /// The kernel's name.
        kernel: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A shared array's size is not known at compile time.
    #[error(
        "{place}: `{function}` asks for static shared memory whose size is not a constant: use dynamic shared memory \
         (`DynamicSharedArray`), whose size the launch gives"
    )]
    SharedSize {
        /// The function that uses the array.
        function: String,
        /// Its Rust file and line.
        place: String,
    },
    /// A kernel's shared arrays do not fit.
    #[error(
        "kernel `{kernel}` ({place}) has {bytes} bytes of static shared memory, and a block may have {limit}: make arrays \
         smaller, or use dynamic shared memory, which may be larger when the launch asks for it"
    )]
    SharedTooLarge {
        /// The kernel's name.
        kernel: String,
        /// Its Rust file and line.
        place: String,
        /// The size of its arrays.
        bytes: u64,
        /// The most that a block can have.
        limit: u64,
    },
    /// A kernel's parameters do not fit.
    #[error(
        "kernel `{kernel}` ({place}) has {bytes} bytes of parameters, and a launch passes at most {limit}: put the data into \
         a buffer and take `&[T]`, or into constant memory"
    )]
    ParametersTooLarge {
        /// The kernel's name.
        kernel: String,
        /// Its Rust file and line.
        place: String,
        /// The size of its parameters.
        bytes: u64,
        /// The most that a launch can pass.
        limit: u64,
    },
    /// A kernel launches kernels without the attribute for it.
    #[error(
        "kernel {kernels} launches kernels, which only a module that is linked with NVIDIA's device runtime can: write \
         `#[kernel(launches)]`, so that it gets into that module"
    )]
    LaunchesUnsaid {
        /// The kernels, each with its Rust file and line.
        kernels: String,
    },
    /// A static with a name is used by a kernel that launches.
    #[error(
        "{place}: the static `{name}` is used by a kernel that launches kernels: such kernels are in a module of their own, \
         where the static would be another than the one that the host and the other kernels have; pass its address as an \
         argument"
    )]
    StaticInTwoModules {
        /// Its name, as it is written in its source.
        name: String,
        /// The Rust file and line that uses it.
        place: String,
    },
    /// The code needs something that no GPU has.
    #[error("{place}: a GPU has no instruction for {what}, which `{function}` asks for: {help}")]
    Unsupported {
        /// The function, after inlining.
        function: String,
        /// The Rust file and line.
        place: String,
        /// The operation that has no instruction.
        what: String,
        /// What to do.
        help: String,
    },
    /// The code needs something that this target does not have. A later target may have it.
    #[error(
        "{place}: {arch} has no instruction for `{intrinsic}`: write `#[kernel(min_arch = \"sm_90\")]`, or whichever target has \
         it, on the kernels that need it, and modules for older targets are made without them; or build for a later target"
    )]
    TargetLacks {
        /// The target that was built for, such as `sm_90`.
        arch: String,
        /// LLVM's name of it.
        intrinsic: String,
        /// The Rust file and line.
        place: String,
    },
    /// LLVM crashed while it made code of a kernel.
    #[error(
        "{arch}: LLVM crashed ({status}) in {stage}, with {kernel}: that is a mistake in LLVM or in lanewise-builder, and not in the \
         kernel. Another way to write the kernel may avoid it; `LANEWISE_DUMP=DIR` writes the module after each stage, for a report"
    )]
    Crash {
        /// The target that was built for, such as `sm_90`.
        arch: String,
        /// How LLVM's process ended.
        status: String,
        /// The stage that LLVM was in.
        stage: String,
        /// The kernel that LLVM crashes on, with its Rust file and line, if it could be found.
        kernel: String,
    },
    /// A pass of this crate or of LLVM failed.
    #[error("{arch}: {stage} failed: {reason}")]
    Stage {
        /// The target that was built for, such as `sm_90`.
        arch: String,
        /// The stage's name.
        stage: String,
        /// The pass's message or LLVM's.
        reason: String,
    },
}
