//! `cargo xtask driver`: the driver as a library that any CUDA program loads.
//!
//! The crate `driver` exports the C symbols of the driver API. Linked as a shared library under the name that NVIDIA's has, it
//! takes that one's place for a program started with `LD_LIBRARY_PATH`; on a machine with a GPU it hands every call on.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use serde::Serialize;

use crate::cargo;
use crate::output::say;
use crate::workspace;

/// The name that programs ask the dynamic linker for.
const NAME: &str = "libcuda.so.1";

/// Build target/driver/libcuda.so.1, which runs CUDA programs on the simulator
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  cargo xtask driver --release\n  LD_LIBRARY_PATH=target/driver python vector_add.py"
)]
pub(crate) struct Args {
    /// Build with all optimisations; the simulator is optimised either way
    #[arg(long)]
    release: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Built {
    library: String,
    bytes: u64,
}

/// Builds the library and puts it into a folder of its own, with nothing else that a linker could find there.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let mut command = cargo::command();
    command.args(["rustc", "--package", "driver", "--lib"]);
    if args.release {
        command.arg("--release");
    }
    command.args(["--crate-type", "cdylib", "--"]);
    command.arg(format!("-Clink-arg=-Wl,-soname,{NAME}"));
    let status = command.status().context("cargo could not be started")?;
    if !status.success() {
        bail!("the driver does not compile; see above");
    }
    let profile = if args.release { "release" } else { "debug" };
    let made = workspace::target().join(profile).join("libdriver.so");
    let folder = workspace::target().join("driver");
    let library = folder.join(NAME);
    install(&made, &library)?;
    let built = Built {
        library: workspace::shown(&library),
        bytes: library.metadata()?.len(),
    };
    if args.json {
        say(serde_json::to_string_pretty(&built)?);
    } else {
        say(format_args!(
            "{} ({} KiB)\nLD_LIBRARY_PATH={} PROGRAM runs PROGRAM on it",
            built.library,
            built.bytes / 1024,
            workspace::shown(&folder)
        ));
    }
    Ok(ExitCode::SUCCESS)
}

/// Copies by way of a new name, so that a program that has the old library loaded keeps it whole.
fn install(made: &Path, library: &Path) -> Result<()> {
    let folder = library.parent().context("a library is in a folder")?;
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot make `{}`", workspace::shown(folder)))?;
    let fresh = library.with_extension("new");
    std::fs::copy(made, &fresh)
        .and_then(|_| std::fs::rename(&fresh, library))
        .with_context(|| {
            format!(
                "cannot copy `{}` to `{}`",
                workspace::shown(made),
                workspace::shown(library)
            )
        })
}
