//! Builds the kernels with `lanewise-builder`, and shows its progress on the terminal.

use std::path::PathBuf;

use anyhow::{Error, Result, anyhow};
pub use lanewise_builder::DEFAULT_ARCHS;
use lanewise_builder::manifest::{Floats, Panics};
use lanewise_builder::{BuildError, Emit, Output, PtxBuilder, Stage};

use crate::progress::Progress;
use crate::project;

/// The kernel crate and the targets that a command builds.
#[derive(Default)]
pub struct Request<'a> {
    /// The targets, such as `sm_80`.
    pub archs: &'a [String],
    /// How floats are computed.
    pub floats: Floats,
    /// How a panic is reported, if the manifest of the kernels does not decide it.
    pub panic: Option<Panics>,
    /// Whether the code is made for a debugger: unoptimised, with its variables.
    pub debug: bool,
    /// NVIDIA's library of mathematical functions.
    pub libdevice: Option<PathBuf>,
    /// NVIDIA's libNVVM, if it is the backend.
    pub nvvm: Option<PathBuf>,
    /// The outputs besides PTX.
    pub emit: Vec<Emit>,
    /// The ptxas that assembles the modules.
    pub assembler: Option<PathBuf>,
    /// The folder for the output. The default is `target/ptx`.
    pub out: Option<PathBuf>,
}

/// Builds those of the project's kernels that have changed.
///
/// # Errors
/// There are no kernels, or they do not build.
pub fn build(request: Request<'_>) -> Result<Output> {
    let progress = Progress::start("Looking at the kernels");
    let mut builder = PtxBuilder::new(project::kernels()?)
        .floats(request.floats)
        .debug(request.debug)
        .on_progress(move |stage| show(&progress, stage));
    for arch in request.archs {
        builder = builder.arch(arch);
    }
    if let Some(panics) = request.panic {
        builder = builder.panic(panics);
    }
    builder = request.emit.into_iter().fold(builder, PtxBuilder::emit);
    if let Some(path) = request.libdevice {
        builder = builder.libdevice(path);
    }
    if let Some(path) = request.nvvm {
        builder = builder.nvvm(path);
    }
    if let Some(ptxas) = request.assembler {
        builder = builder.assembler(ptxas);
    }
    if let Some(out) = request.out {
        builder = builder.out_dir(out);
    }
    builder.build().map_err(|error| match error {
        // rustc's messages are already on the screen.
        BuildError::Compile { krate, help, .. } => {
            let help: String = help.iter().map(|help| format!("\nhelp: {help}")).collect();
            anyhow!("the kernel crate `{krate}` does not compile{help}")
        }
        error => Error::new(error).context("the kernels could not be built"),
    })
}

/// Shows a stage. rustc's messages stay on the screen unchanged, and a line that only shows
/// progress is replaced by the next.
fn show(progress: &Progress, stage: Stage) {
    match stage {
        Stage::AddingRustSrc => {
            progress.line("The component `rust-src` is missing; rustup adds it now.");
        }
        // Also where no terminal shows a spinner: it may last for minutes.
        Stage::Waiting => {
            progress.line("Another build works on these kernels; this one waits for it.")
        }
        Stage::Compiling { krate } => progress.now(format!("rustc compiles `{krate}`")),
        Stage::Generating { arch } => progress.now(format!("LLVM makes PTX for {arch}")),
        Stage::Cached { arch } => progress.now(format!("an earlier build made the PTX for {arch}")),
        Stage::Warning(text) => progress.line(&format!("warning: {text}")),
        Stage::Cargo(line) if tells_progress(&line) => progress.now(line.trim().to_owned()),
        Stage::Cargo(line) => progress.line(&line),
        _ => {}
    }
}

/// Returns whether `line` is one of cargo's progress lines, such as `   Compiling core v0.0.0`: a
/// word aligned to the right in a column of 12. That cargo waits for another cargo (`Blocking`) is
/// a message that stays.
fn tells_progress(line: &str) -> bool {
    const WORDS: [&str; 8] = [
        "Compiling",
        "Downloaded",
        "Downloading",
        "Finished",
        "Fresh",
        "Locking",
        "Running",
        "Updating",
    ];
    let plain = line
        .replace("\u{1b}[1m", "")
        .replace("\u{1b}[92m", "")
        .replace("\u{1b}[32m", "");
    let word = plain
        .trim_start()
        .split([' ', '\u{1b}'])
        .next()
        .unwrap_or_default();
    plain.starts_with(' ') && WORDS.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cargos_progress_is_told_from_rustcs_messages() {
        assert!(tells_progress(
            "   Compiling core v0.0.0 (/rustlib/src/rust/library/core)"
        ));
        assert!(tells_progress(
            "\u{1b}[1m\u{1b}[92m    Finished\u{1b}[0m `release` profile"
        ));
        assert!(!tells_progress(
            "    Blocking waiting for file lock on build directory"
        ));
        assert!(!tells_progress("error[E0308]: mismatched types"));
        assert!(!tells_progress("  --> gpu/src/basics/vector_add.rs:12:5"));
        assert!(!tells_progress("Compiling is what this comment is about"));
    }
}
