//! The Rust toolchain that compiles kernels: which cargo to call, where its LLVM is, and whether it
//! has `core`'s source.
//!
//! Kernels need one rustc release, because this crate reads rustc's bitcode with one version of
//! LLVM. In a build script or under `cargo run`, the release is that of the outer cargo.

use std::collections::HashMap;
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use crate::error::ToolchainError;

/// The LLVM major version whose bitcode and C interface this crate uses.
pub(crate) const LLVM: u32 = 22;
/// The toolchain that ships it.
pub const TOOLCHAIN: &str = "1.95.0";
/// The releases of rustc that this crate was tested with. Others with the same LLVM are used too,
/// with a warning.
const TESTED: [&str; 1] = [TOOLCHAIN];

/// A rustc and what comes with it.
#[derive(Debug, Clone)]
pub(crate) struct Toolchain {
    /// `rustc --print sysroot`.
    pub(crate) sysroot: PathBuf,
    /// The release, as in `1.95.0`.
    pub(crate) release: String,
    /// Release, commit and LLVM, on which the output depends.
    pub(crate) version: String,
}

impl Toolchain {
    /// Returns the toolchain that a command started in `folder` gets. It is an error if this is not
    /// the toolchain that kernels need. A process asks rustc once for each folder.
    pub(crate) fn find(folder: &Path) -> Result<Toolchain, ToolchainError> {
        static FOUND: Mutex<Option<HashMap<PathBuf, Toolchain>>> = Mutex::new(None);
        let known = || FOUND.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known().as_ref().and_then(|found| found.get(folder)) {
            return Ok(found.clone());
        }
        let toolchain = Toolchain::ask(folder)?;
        let mut known = known();
        let found = known.get_or_insert_default();
        Ok(found.entry(folder.into()).or_insert(toolchain).clone())
    }

    fn ask(folder: &Path) -> Result<Toolchain, ToolchainError> {
        let (release, version) = accept(&output(command("rustc", folder).arg("-vV"))?)?;
        let sysroot = output(command("rustc", folder).args(["--print", "sysroot"]))?;
        Ok(Toolchain {
            sysroot: PathBuf::from(sysroot.trim()),
            release,
            version,
        })
    }

    /// Returns the warning about a release that this crate was not tested with.
    pub(crate) fn warning(&self) -> Option<String> {
        let release = self.release.as_str();
        (!TESTED.contains(&release)).then(|| {
            format!(
                "kernels are compiled with rustc {release}, which lanewise-builder was not tested with (tested: {}); if code \
                 is wrong or refused, set `channel = \"{TOOLCHAIN}\"` in rust-toolchain.toml",
                TESTED.join(", ")
            )
        })
    }

    /// Returns whether `core`'s source is installed.
    pub(crate) fn has_rust_src(&self) -> bool {
        self.sysroot
            .join("lib/rustlib/src/rust/library/core/src/lib.rs")
            .is_file()
    }

    /// Adds the component `rust-src` with rustup.
    pub(crate) fn add_rust_src(&self, folder: &Path) -> Result<(), ToolchainError> {
        let name = self
            .sysroot
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default();
        let command_line = format!("rustup component add rust-src --toolchain {name}");
        let fail = |output| {
            Err(ToolchainError::NoRustSrc {
                command: command_line.clone(),
                output,
            })
        };
        match command("rustup", folder)
            .args(["component", "add", "rust-src", "--toolchain", &name])
            .output()
        {
            Ok(run) if run.status.success() && self.has_rust_src() => Ok(()),
            Ok(run) => fail(String::from_utf8_lossy(&run.stderr).into_owned()),
            Err(error) => fail(format!("rustup cannot be run: {error}")),
        }
    }

    /// Returns the path of the LLVM library that rustc itself uses.
    pub(crate) fn llvm_library(&self) -> Result<PathBuf, ToolchainError> {
        let lib = self.sysroot.join("lib");
        let missing = || ToolchainError::NoLlvm {
            lib: lib.clone(),
            toolchain: TOOLCHAIN,
        };
        let mut found: Vec<PathBuf> = lib
            .read_dir()
            .map_err(|_| missing())?
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| {
                path.file_name()
                    .is_some_and(|name| name.to_string_lossy().starts_with("libLLVM"))
            })
            .collect();
        // The folder may also have a linker script of a few bytes that names the library.
        found.sort_by_key(|path| path.metadata().map(|data| data.len()).unwrap_or(0));
        found.pop().ok_or_else(missing)
    }
}

/// Reads `rustc -vV`: the release, and everything that distinguishes one compiler from another.
/// Refuses a compiler with another LLVM.
fn accept(text: &str) -> Result<(String, String), ToolchainError> {
    let field = |name: &str| {
        let value = text.lines().find_map(|line| line.strip_prefix(name));
        value.map_or("unknown", str::trim).to_owned()
    };
    let (release, llvm) = (field("release:"), field("LLVM version:"));
    if llvm.split('.').next() != Some(LLVM.to_string().as_str()) {
        return Err(ToolchainError::WrongRustc {
            found: release,
            llvm,
            wanted: LLVM,
            toolchain: TOOLCHAIN,
        });
    }
    let version = format!("{release} {} LLVM {llvm}", field("commit-hash:"));
    Ok((release, version))
}

/// Returns a command that starts as if from a fresh shell. The variables of an outer cargo would
/// otherwise change flags, wrap the compiler (clippy) or share its job server.
pub(crate) fn command(program: &str, folder: &Path) -> Command {
    // Cargo passes its own path to build scripts and to `cargo run`. This path avoids rustup's shim
    // and is always that of the outer cargo.
    let own = (program == "cargo").then(|| env::var_os("CARGO")).flatten();
    let mut command = Command::new(own.unwrap_or_else(|| program.into()));
    command.current_dir(folder);
    for (name, _) in env::vars_os() {
        if name.to_str().is_some_and(is_leftover) {
            command.env_remove(&name);
        }
    }
    command
}

/// Returns whether an environment variable was set by an outer cargo, or configures one, and must
/// not reach the nested cargo.
fn is_leftover(name: &str) -> bool {
    /// Where cargo and rustup keep files and how they reach the network. These settings are the
    /// user's, and the nested cargo needs them too.
    const KEEP: [&str; 4] = ["CARGO_HOME", "CARGO_NET_", "CARGO_HTTP_", "CARGO_REGISTR"];
    const DROP: [&str; 16] = [
        "RUSTC",
        "RUSTC_WRAPPER",
        "RUSTC_WORKSPACE_WRAPPER",
        "RUSTC_LINKER",
        "RUSTDOC",
        "RUSTFLAGS",
        "RUSTDOCFLAGS",
        "MAKEFLAGS",
        "MFLAGS",
        "CLIPPY_ARGS",
        "TARGET",
        "HOST",
        "PROFILE",
        "OUT_DIR",
        "OPT_LEVEL",
        "NUM_JOBS",
    ];
    if KEEP.iter().any(|keep| name.starts_with(keep)) {
        return false;
    }
    name == "CARGO"
        || name.starts_with("CARGO_")
        || name.starts_with("DEP_")
        || DROP.contains(&name)
        || name == "DEBUG"
}

/// Runs a command until it ends and returns what it printed.
fn output(command: &mut Command) -> Result<String, ToolchainError> {
    let words = [command.get_program()]
        .into_iter()
        .chain(command.get_args());
    let line = words
        .map(|word| word.to_string_lossy())
        .collect::<Vec<_>>()
        .join(" ");
    let run = command
        .output()
        .map_err(|source| ToolchainError::CannotRun {
            command: line.clone(),
            source,
        })?;
    if !run.status.success() {
        return Err(ToolchainError::Failed {
            command: line,
            output: String::from_utf8_lossy(&run.stderr).into_owned(),
        });
    }
    Ok(String::from_utf8_lossy(&run.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a toolchain that holds nothing, in a folder that rustup does not know.
    fn empty(sysroot: &Path) -> Toolchain {
        Toolchain {
            sysroot: sysroot.to_owned(),
            release: "1.95.0".into(),
            version: String::new(),
        }
    }

    #[test]
    fn rust_src_that_cannot_be_added_is_an_error_with_the_command() {
        let sysroot = tempfile::tempdir().expect("a folder");
        let toolchain = empty(sysroot.path());
        assert!(!toolchain.has_rust_src());
        let error = toolchain
            .add_rust_src(sysroot.path())
            .expect_err("nothing to add to");
        assert!(
            error
                .to_string()
                .contains("run `rustup component add rust-src --toolchain "),
            "{error}"
        );
    }

    #[test]
    fn a_toolchain_without_llvm_is_an_error_with_the_folder() {
        let sysroot = tempfile::tempdir().expect("a folder");
        let error = empty(sysroot.path())
            .llvm_library()
            .expect_err("no library");
        assert!(
            error
                .to_string()
                .contains(&*sysroot.path().join("lib").to_string_lossy()),
            "{error}"
        );
    }

    #[test]
    fn a_release_that_was_not_tested_is_warned_of() {
        let tested = empty(Path::new(""));
        assert_eq!(tested.warning(), None);
        let release = "1.96.0-nightly".to_owned();
        let warning = Toolchain { release, ..tested }.warning();
        let warning = warning.expect("it is newer than this crate");
        assert!(
            warning.contains("rustc 1.96.0-nightly") && warning.contains("tested: 1.95.0"),
            "{warning}"
        );
    }

    #[test]
    fn a_compiler_with_another_llvm_is_refused() {
        let text = |llvm: &str| format!("rustc 1.97.0\nrelease: 1.97.0\nLLVM version: {llvm}\n");
        assert!(accept(&text("22.1.2")).is_ok());
        for llvm in ["21.1.8", "220.0", ""] {
            let error = accept(&text(llvm)).expect_err("another LLVM").to_string();
            assert!(
                error.contains("rustc 1.97.0") && error.contains("rustup toolchain install 1.95.0"),
                "{error}"
            );
        }
    }

    #[test]
    fn what_an_outer_cargo_leaves_is_dropped_and_the_users_own_is_kept() {
        for name in [
            "CARGO",
            "CARGO_ENCODED_RUSTFLAGS",
            "CARGO_MANIFEST_DIR",
            "RUSTC_WORKSPACE_WRAPPER",
            "CARGO_MAKEFLAGS",
        ] {
            assert!(is_leftover(name), "{name}");
        }
        for name in [
            "CARGO_HOME",
            "CARGO_NET_OFFLINE",
            "CARGO_REGISTRIES_MINE_INDEX",
            "RUSTUP_TOOLCHAIN",
            "PATH",
            "HOME",
        ] {
            assert!(!is_leftover(name), "{name}");
        }
    }
}
