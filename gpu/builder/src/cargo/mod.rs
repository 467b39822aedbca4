//! The nested cargo: a kernel crate, its dependencies and `core`, compiled to one module of
//! unoptimised bitcode.
//!
//! Why each flag:
//! - `-Zbuild-std=core,alloc` because nothing is precompiled for the target (a crate without
//!   `extern crate alloc` gets none of it); `RUSTC_BOOTSTRAP=1` because that and the kernel calling
//!   convention are unstable, in the stable compiler.
//! - `lto=fat` merges every crate into one module before anything is generated.
//! - `-C no-prepopulate-passes` keeps LLVM's optimiser out until our passes have marked what is
//!   convergent, and `-Zmir-enable-passes=-JumpThreading` keeps rustc's own from copying a barrier
//!   into both arms of an `if`.
//! - `-Zno-link`: the bitcode is all that is wanted. No linker is run, so none has to be there.
//! - `debuginfo=line-directives-only` gives `.file` and `.loc`, and no DWARF.
//! - For a debugger, `opt-level=0` and `debuginfo=full` in the DWARF of version 2, the one that
//!   cuda-gdb reads in PTX. `core` and other dependencies are optimised by rustc all the same, as
//!   the `core` that comes with a toolchain is: without that, each access of a slice would call
//!   functions that check nothing.
//! - `--remap-path-prefix`: see [`SourcePaths`].
//! - `-C target-cpu` is always the lowest target: one bitcode serves them all, and `core` is
//!   compiled once.
//!
//! It has a target folder of its own: an outer cargo may hold the lock of the usual one, and wait
//! for us. And it has a manifest of its own: see [`shadow`].

pub(crate) mod advice;
pub(crate) mod package;
pub(crate) mod shadow;
pub(crate) mod source_paths;
pub(crate) mod toolchain;

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use crate::arch;
use crate::error::{BuildError, ToolchainError};
use crate::fingerprint;
use package::Package;
use source_paths::SourcePaths;

/// The Rust target of kernels.
pub(crate) const TARGET: &str = "nvptx64-nvidia-cuda";

/// Cargo's profile of an ordinary build, in variables of the environment.
const RELEASE: [(&str, &str); 7] = [
    ("CARGO_PROFILE_RELEASE_LTO", "fat"),
    ("CARGO_PROFILE_RELEASE_OPT_LEVEL", "3"),
    ("CARGO_PROFILE_RELEASE_PANIC", "abort"),
    ("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "1"),
    ("CARGO_PROFILE_RELEASE_STRIP", "none"),
    ("CARGO_PROFILE_RELEASE_INCREMENTAL", "false"),
    ("CARGO_PROFILE_RELEASE_DEBUG", "line-directives-only"),
];

/// That of a build for a debugger. It computes the same: no assertion or check of overflow is
/// added.
const DEBUG: [(&str, &str); 9] = [
    ("CARGO_PROFILE_DEV_LTO", "fat"),
    ("CARGO_PROFILE_DEV_OPT_LEVEL", "0"),
    ("CARGO_PROFILE_DEV_PANIC", "abort"),
    ("CARGO_PROFILE_DEV_CODEGEN_UNITS", "1"),
    ("CARGO_PROFILE_DEV_STRIP", "none"),
    ("CARGO_PROFILE_DEV_INCREMENTAL", "false"),
    ("CARGO_PROFILE_DEV_DEBUG", "full"),
    ("CARGO_PROFILE_DEV_DEBUG_ASSERTIONS", "false"),
    ("CARGO_PROFILE_DEV_OVERFLOW_CHECKS", "false"),
];

/// What to compile.
pub(crate) struct Job<'a> {
    /// The kernel crate's folder.
    pub(crate) folder: &'a Path,
    /// The package in it.
    pub(crate) package: &'a Package,
    /// The manifest to compile it by.
    pub(crate) manifest: &'a Path,
    /// What the crate's own build script has made for it, where that is what runs.
    pub(crate) generated: Option<&'a Path>,
    /// The target folder.
    pub(crate) target_dir: &'a Path,
    /// How source files are named.
    pub(crate) paths: &'a SourcePaths,
    /// Cargo features of the kernel crate to switch on.
    pub(crate) features: &'a [String],
    /// Whether its default features are on too.
    pub(crate) default_features: bool,
    /// Whether messages carry terminal colours.
    pub(crate) color: bool,
    /// Whether nothing is optimised and every variable is described.
    pub(crate) debug: bool,
}

/// A module of bitcode. It is read while the target folder is locked: the file may be another
/// build's a moment later.
#[derive(Clone)]
pub(crate) struct Bitcode {
    /// The file that it was in, for messages.
    pub(crate) path: PathBuf,
    pub(crate) bytes: Arc<[u8]>,
}

/// What came of it.
pub(crate) struct Compiled {
    /// The crate with all that it stands on.
    pub(crate) bitcode: Bitcode,
    /// The source files that it was made from, `core` and registry crates aside.
    pub(crate) sources: Vec<PathBuf>,
}

/// The part of a target folder that builds for a debugger have, or the others. Cargo lets one build
/// at a time into each, and so do we.
pub(crate) fn output(target_dir: &Path, debug: bool) -> PathBuf {
    target_dir
        .join(TARGET)
        .join(if debug { "debug" } else { "release" })
}

impl Job<'_> {
    fn output(&self) -> PathBuf {
        output(self.target_dir, self.debug)
    }

    /// Where the bitcode goes. The name holds all that tells two builds of one folder apart, so
    /// that neither finds the other's file in place of its own.
    fn bitcode(&self) -> PathBuf {
        let key = fingerprint::of(&(
            self.folder,
            self.features,
            self.default_features,
            self.debug,
        ));
        self.target_dir
            .join("bitcode")
            .join(format!("{}-{key}.bc", self.package.krate))
    }

    /// What the linker would have written.
    fn linked(&self) -> PathBuf {
        self.output()
            .join("deps")
            .join(format!("{}.ptx", self.package.krate))
    }
}

/// Runs cargo. Each line that it writes for people goes to `line` as it comes.
pub(crate) fn compile(job: &Job<'_>, mut line: impl FnMut(&str)) -> Result<Compiled, BuildError> {
    let bitcode = job.bitcode();
    if let Some(folder) = bitcode.parent() {
        fs::create_dir_all(folder).map_err(BuildError::io("create", folder))?;
    }
    if !bitcode.exists() && job.linked().exists() {
        // Cargo would take the crate for up to date and write nothing.
        fs::remove_file(job.linked()).map_err(BuildError::io("remove", job.linked()))?;
    }
    run(&mut command(job, &bitcode), job, &mut line)?;
    // With an empty file in place of the linker's output, cargo sees next time that the crate is up
    // to date.
    if !job.linked().exists() {
        fs::write(job.linked(), []).map_err(BuildError::io("write", job.linked()))?;
    }
    remove_leftovers(job);
    let bytes = fs::read(&bitcode).map_err(BuildError::io("read", &bitcode))?;
    Ok(Compiled {
        bitcode: Bitcode {
            path: bitcode,
            bytes: bytes.into(),
        },
        sources: sources(job),
    })
}

fn command(job: &Job<'_>, bitcode: &Path) -> Command {
    let mut command = toolchain::command("cargo", job.folder);
    command
        .args([
            "rustc",
            "--lib",
            "--crate-type",
            "cdylib",
            "--target",
            TARGET,
            "-Zbuild-std=core,alloc",
        ])
        .arg("--manifest-path")
        .arg(job.manifest)
        .args(["--color", if job.color { "always" } else { "never" }])
        .arg("--target-dir")
        .arg(job.target_dir);
    if job.debug {
        command.args(["--config", "profile.dev.package.'*'.opt-level=3"]);
    } else {
        command.arg("--release");
    }
    if !job.default_features {
        command.arg("--no-default-features");
    }
    if !job.features.is_empty() {
        command.args(["--features", &job.features.join(",")]);
    }
    let mut emit = std::ffi::OsString::from("--emit=llvm-bc=");
    emit.push(bitcode);
    command
        .arg("--")
        .arg(emit)
        .arg("-Zno-link")
        .arg(job.paths.flag_of_workspace());
    let mut flags = vec![
        "-Cno-prepopulate-passes".to_owned(),
        "-Zmir-enable-passes=-JumpThreading".to_owned(),
        format!("-Ctarget-cpu={}", arch::LOWEST),
    ];
    flags.extend(job.paths.flags());
    let profile: &[(&str, &str)] = if job.debug {
        flags.push("-Cdwarf-version=2".to_owned());
        &DEBUG
    } else {
        &RELEASE
    };
    for (key, value) in profile {
        command.env(key, value);
    }
    if let Some(folder) = job.generated {
        command.env("OUT_DIR", folder);
    }
    command
        .env("RUSTC_BOOTSTRAP", "1")
        .env("CARGO_ENCODED_RUSTFLAGS", flags.join("\x1f"))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    command
}

/// Runs the command to its end.
fn run(
    command: &mut Command,
    job: &Job<'_>,
    line: &mut impl FnMut(&str),
) -> Result<(), BuildError> {
    let cannot_run = |source| ToolchainError::CannotRun {
        command: "cargo rustc".into(),
        source,
    };
    let mut child = command.spawn().map_err(cannot_run)?;
    let mut rendered = String::new();
    if let Some(stderr) = child.stderr.take() {
        for text in BufReader::new(stderr).split(b'\n').map_while(Result::ok) {
            let text = job.paths.shorten_message(&String::from_utf8_lossy(&text));
            line(&text);
            rendered.push_str(&text);
            rendered.push('\n');
        }
    }
    if child.wait().map_err(cannot_run)?.success() {
        Ok(())
    } else {
        Err(BuildError::Compile {
            krate: job.package.krate.clone(),
            help: advice::on(&rendered),
            rendered,
        })
    }
}

/// Removes the objects that rustc keeps for a linker: a new one with each change, as large as the
/// bitcode.
fn remove_leftovers(job: &Job<'_>) {
    let prefix = format!("{}.", job.package.krate);
    let entries = fs::read_dir(job.output().join("deps"))
        .into_iter()
        .flatten()
        .flatten();
    for entry in entries {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with(&prefix) && (name.ends_with(".rcgu.o") || name.ends_with(".rlink")) {
            // One that cannot be removed only takes space.
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// The source files, from the list that cargo writes for make: `output: file file ...`, blanks
/// escaped by `\`.
fn sources(job: &Job<'_>) -> Vec<PathBuf> {
    let list = fs::read_to_string(job.output().join(format!("{}.d", job.package.krate)))
        .unwrap_or_default();
    let files = list
        .lines()
        .next()
        .and_then(|line| line.split_once(": "))
        .map_or("", |(_, files)| files);
    let escaped = files.replace("\\ ", "\0");
    escaped
        .split_whitespace()
        .map(|file| PathBuf::from(file.replace('\0', " ")))
        .collect()
}
