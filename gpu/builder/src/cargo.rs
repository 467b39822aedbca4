//! The nested cargo: a kernel crate, its dependencies and `core`, compiled to one module of unoptimised bitcode.
//!
//! Why each flag:
//! - `-Zbuild-std=core` because no precompiled `core` exists for the target; `RUSTC_BOOTSTRAP=1` because that and the
//!   kernel calling convention are unstable, in the stable compiler.
//! - `lto=fat` merges every crate into one module before anything is generated.
//! - `-C no-prepopulate-passes` keeps LLVM's optimiser out until our passes have marked what is convergent, and
//!   `-Zmir-enable-passes=-JumpThreading` keeps rustc's own from copying a barrier into both arms of an `if`.
//! - `-Zno-link`: the bitcode is all that is wanted. No linker is run, so none has to be there.
//! - `debuginfo=line-directives-only` gives `.file` and `.loc`, and no DWARF, which ptxas rejects from LLVM.
//!
//! It has a target folder of its own: an outer cargo may hold the lock of the usual one, and wait for us.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use crate::arch::Arch;
use crate::error::{BuildError, ToolchainError};
use crate::toolchain;

/// The Rust target of kernels.
const TARGET: &str = "nvptx64-nvidia-cuda";

/// What to compile.
pub(crate) struct Job<'a> {
    /// The kernel crate's folder.
    pub(crate) folder: &'a Path,
    /// The package's name.
    pub(crate) package: &'a str,
    /// The library target's name, with underscores.
    pub(crate) krate: &'a str,
    /// The target folder.
    pub(crate) target_dir: &'a Path,
    /// The lowest target asked for; it decides what `cfg(target_feature)` shows.
    pub(crate) cpu: &'a Arch,
    /// Cargo features of the kernel crate to switch on.
    pub(crate) features: &'a [String],
    /// Whether messages carry terminal colours.
    pub(crate) color: bool,
}

/// Runs cargo and gives the bitcode's path. Each line that it writes for people goes to `line` as it comes.
pub(crate) fn compile(job: &Job<'_>, mut line: impl FnMut(&str)) -> Result<PathBuf, BuildError> {
    let mut command = toolchain::command("cargo", job.folder);
    command
        .args([
            "rustc",
            "--lib",
            "--crate-type",
            "cdylib",
            "--release",
            "--target",
            TARGET,
            "-Zbuild-std=core",
        ])
        .args([
            "--package",
            job.package,
            "--message-format",
            "json-render-diagnostics",
        ])
        .args(["--color", if job.color { "always" } else { "never" }])
        .arg("--target-dir")
        .arg(job.target_dir);
    if !job.features.is_empty() {
        command.args(["--features", &job.features.join(",")]);
    }
    command
        .args(["--", "--emit=llvm-bc", "-Zno-link"])
        .env("RUSTC_BOOTSTRAP", "1")
        .env("CARGO_ENCODED_RUSTFLAGS", rustflags(job.cpu))
        .env("CARGO_PROFILE_RELEASE_LTO", "fat")
        .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "3")
        .env("CARGO_PROFILE_RELEASE_PANIC", "abort")
        .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "1")
        .env("CARGO_PROFILE_RELEASE_STRIP", "none")
        .env("CARGO_PROFILE_RELEASE_INCREMENTAL", "false")
        .env("CARGO_PROFILE_RELEASE_DEBUG", "line-directives-only")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());

    let cannot_run = |source| ToolchainError::CannotRun {
        command: "cargo rustc".into(),
        source,
    };
    let mut child = command.spawn().map_err(cannot_run)?;
    let mut rendered = String::new();
    if let Some(stderr) = child.stderr.take() {
        for text in BufReader::new(stderr).split(b'\n').map_while(Result::ok) {
            let text = String::from_utf8_lossy(&text);
            line(&text);
            rendered.push_str(&text);
            rendered.push('\n');
        }
    }
    let status = child.wait().map_err(cannot_run)?;
    if !status.success() {
        return Err(BuildError::Compile {
            krate: job.krate.to_owned(),
            rendered,
        });
    }

    let deps = job.target_dir.join(TARGET).join("release/deps");
    mark_as_built(&deps.join(format!("{}.ptx", job.krate)))?;
    Ok(deps.join(format!("{}.bc", job.krate)))
}

/// Cargo expects the linker's output. An empty file in its place, newer than the bitcode, lets it see next time that the
/// crate is up to date.
fn mark_as_built(linked: &Path) -> Result<(), BuildError> {
    if linked.exists() {
        Ok(())
    } else {
        std::fs::write(linked, []).map_err(BuildError::io("write", linked))
    }
}

/// Flags for every crate, in the form of `CARGO_ENCODED_RUSTFLAGS`.
fn rustflags(cpu: &Arch) -> String {
    [
        "-Cno-prepopulate-passes".to_owned(),
        "-Zmir-enable-passes=-JumpThreading".to_owned(),
        format!("-Ctarget-cpu={cpu}"),
    ]
    .join("\x1f")
}
