//! The nested cargo, which compiles a kernel crate, its dependencies and `core` to one module
//! of unoptimised bitcode.
//!
//! Why each flag:
//! - `-Zbuild-std=core,alloc` because nothing is precompiled for the target (a crate without
//!   `extern crate alloc` gets no part of `alloc`). `RUSTC_BOOTSTRAP=1` because this flag and the
//!   kernel calling convention are unstable, and the compiler is a stable one.
//! - `lto=fat` merges every crate into one module before anything is generated.
//! - `-C no-prepopulate-passes` keeps LLVM's optimiser out until our passes have marked what is
//!   convergent, and `-Zmir-enable-passes=-JumpThreading` keeps rustc's own from copying a barrier
//!   into both arms of an `if`.
//! - `-Zno-link` because only the bitcode is needed. No linker is run, so none has to be installed.
//! - `debuginfo=line-directives-only` gives `.file` and `.loc`, and no DWARF.
//! - For a debugger, `opt-level=0` and `debuginfo=full` in DWARF version 2, which is the version
//!   that cuda-gdb reads in PTX. rustc still optimises `core` and other dependencies, as the `core`
//!   that comes with a toolchain is optimised. Otherwise each access of a slice would call
//!   functions that check nothing.
//! - `--remap-path-prefix`: see [`SourcePaths`].
//! - `-C target-cpu` is always the lowest target: one bitcode is used for all targets, and `core`
//!   is compiled once.
//!
//! The nested cargo has a target folder of its own, because an outer cargo may hold the lock of the
//! usual one while it waits for this build. It also has a manifest of its own: see [`shadow`].

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

/// Cargo's profile of an ordinary build, as environment variables.
const RELEASE: [(&str, &str); 7] = [
    ("CARGO_PROFILE_RELEASE_LTO", "fat"),
    ("CARGO_PROFILE_RELEASE_OPT_LEVEL", "3"),
    ("CARGO_PROFILE_RELEASE_PANIC", "abort"),
    ("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "1"),
    ("CARGO_PROFILE_RELEASE_STRIP", "none"),
    ("CARGO_PROFILE_RELEASE_INCREMENTAL", "false"),
    ("CARGO_PROFILE_RELEASE_DEBUG", "line-directives-only"),
];

/// Cargo's profile of a build for a debugger. It computes the same results: no assertion and no
/// overflow check is added.
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
    /// The manifest that it is compiled with.
    pub(crate) manifest: &'a Path,
    /// The folder of the files that the crate's own build script generated, if a build
    /// script runs this.
    pub(crate) generated: Option<&'a Path>,
    /// The target folder.
    pub(crate) target_dir: &'a Path,
    /// How source files are named in the output.
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

/// A module of bitcode. It is read while the target folder is locked, because another build may
/// replace the file a moment later.
#[derive(Clone)]
pub(crate) struct Bitcode {
    /// The file that it was read from, for messages.
    pub(crate) path: PathBuf,
    pub(crate) bytes: Arc<[u8]>,
}

/// The results of a compilation.
pub(crate) struct Compiled {
    /// The bitcode of the crate and all its dependencies.
    pub(crate) bitcode: Bitcode,
    /// The source files that it was made from, except those of `core` and registry crates.
    pub(crate) sources: Vec<PathBuf>,
}

/// Returns the part of a target folder that debugger builds use, or the part that the other builds
/// use. Cargo allows one build at a time in each part, and so does this crate.
pub(crate) fn output(target_dir: &Path, debug: bool) -> PathBuf {
    target_dir
        .join(TARGET)
        .join(if debug { "debug" } else { "release" })
}

impl Job<'_> {
    fn output(&self) -> PathBuf {
        output(self.target_dir, self.debug)
    }

    /// Returns where the bitcode is written. The name depends on everything that distinguishes two
    /// builds of one folder, so that no build reads the file of another.
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

    /// Returns the file that the linker would have written.
    fn linked(&self) -> PathBuf {
        self.output()
            .join("deps")
            .join(format!("{}.ptx", self.package.krate))
    }
}

/// Runs cargo. Each line of its messages is passed to `line` as it arrives.
pub(crate) fn compile(job: &Job<'_>, mut line: impl FnMut(&str)) -> Result<Compiled, BuildError> {
    let bitcode = job.bitcode();
    if let Some(folder) = bitcode.parent() {
        fs::create_dir_all(folder).map_err(BuildError::io("create", folder))?;
    }
    if !bitcode.exists() && job.linked().exists() {
        // If the file is there, cargo considers the crate up to date and writes nothing.
        fs::remove_file(job.linked()).map_err(BuildError::io("remove", job.linked()))?;
    }
    run(&mut command(job, &bitcode), job, &mut line)?;
    // An empty file replaces the linker's output, so that cargo considers the crate up to
    // date next time.
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

/// Runs the command until it ends.
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

/// Removes the objects that rustc keeps for a linker. Each change adds a new one, as large
/// as the bitcode.
fn remove_leftovers(job: &Job<'_>) {
    let prefix = format!("{}.", job.package.krate);
    let entries = fs::read_dir(job.output().join("deps"))
        .into_iter()
        .flatten()
        .flatten();
    for entry in entries {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with(&prefix) && (name.ends_with(".rcgu.o") || name.ends_with(".rlink")) {
            // A file that cannot be removed only uses disk space.
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Returns the source files from the list that cargo writes for make: `output: file file ...`, with
/// `\` before each blank in a name.
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
