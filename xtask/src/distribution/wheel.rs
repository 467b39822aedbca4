//! `cargo xtask wheel`: the simulated driver as a Python wheel, `lanewise-cuda`.
//!
//! The wheel has the driver, the program `lanewise` for `exec` and `sanitize`, and a plugin for
//! pytest (`host/driver/python`). A machine that installs it needs no Rust. Its tag says which
//! glibc the two files need, as auditwheel finds it. With `--glibc` they are linked for an older
//! one, by zig's linker.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use cargo_lanewise::output::{say, say_json};
use serde::Serialize;

use super::programs::{self, HERE, copy};
use super::tools::{LINKER, Tools, WHEEL, output};
use crate::workspace;

/// Build lanewise-cuda, the wheel with the simulated driver for Python programs
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  cargo xtask wheel --release --glibc 2.28\n  pip install target/wheel/*.whl && pytest --lanewise tests/gpu"
)]
pub(crate) struct Args {
    /// Where to put it; a wheel that is there is replaced
    #[arg(long, value_name = "DIR", default_value = "target/wheel")]
    out: PathBuf,
    /// Build with all optimisations, and without debug information
    #[arg(long)]
    release: bool,
    /// Link for this version of glibc, or later ones
    #[arg(long, value_name = "VERSION", requires = "release")]
    glibc: Option<String>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Wheel {
    path: String,
    bytes: u64,
}

/// Builds the program, the driver and the wheel.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let out = workspace::root().join(&args.out);
    let _ = fs::remove_dir_all(&out);
    fs::create_dir_all(&out).with_context(|| format!("cannot make `{}`", out.display()))?;
    let linker = args.glibc.is_some().then_some(LINKER);
    let tools = Tools::install(WHEEL.into_iter().chain(linker.into_iter().flatten()))?;
    let built = match &args.glibc {
        Some(glibc) => programs::build_for(HERE, glibc, &tools)?,
        None => programs::build(args.release)?,
    };
    let package = workspace::root().join("host/driver/python");
    let bin = package.join("src/lanewise_cuda/bin");
    let _ = fs::remove_dir_all(&bin);
    fs::create_dir_all(bin.join("lanewise-driver"))?;
    copy(&built.lanewise, &bin.join("lanewise"))?;
    copy(&built.driver, &bin.join("lanewise-driver/libcuda.so.1"))?;
    let code =
        "from hatchling.build import build_wheel; import sys; print(build_wheel(sys.argv[1]))";
    let mut command = tools.python();
    command.args(["-c", code]).arg(&out).current_dir(&package);
    let made = output(&mut command)?;
    let name = made.lines().last().context("hatchling names no wheel")?;
    // The tag of the oldest glibc that has all symbols; it is an error if there is none.
    let plain = out.join(name);
    let mut command = tools.python();
    command.args(["-m", "auditwheel", "repair", "-w"]);
    output(command.arg(&out).arg(&plain).env("PATH", tools.path()?))?;
    fs::remove_file(&plain)?;
    let path = fs::read_dir(&out)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .find(|path| path.extension().is_some_and(|it| it == "whl"))
        .context(
            "auditwheel found no tag for the wheel: its files need a newer glibc than any tag has",
        )?;
    let wheel = Wheel {
        bytes: path.metadata()?.len(),
        path: workspace::shown(&path),
    };
    match args.json {
        true => say_json(&wheel)?,
        false => say(format_args!("{} ({} KiB)", wheel.path, wheel.bytes / 1024)),
    }
    Ok(ExitCode::SUCCESS)
}
