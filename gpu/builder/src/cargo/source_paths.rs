//! Names of source files that are the same on every machine, and which of the files belong
//! to a library.
//!
//! PTX contains the source line of each instruction, and the report of a fault shows it. A file of
//! the kernel crate's workspace is named relative to the workspace's root, as cargo names it in
//! messages. A file of Rust's own `core` is named `/rustc/VERSION/...`. So the PTX of one source is
//! the same text wherever it is built.
//!
//! Small functions of `core` and lanewise-std are inlined into nearly every kernel line. A reader
//! of `tile.set(i, x)` in a kernel wants to see that line, not a line of `core::ptr`.
//! [`SourcePaths::is_library`] tells the two apart.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::toolchain::Toolchain;

/// How source files are named in the PTX.
#[derive(Clone, Debug, Hash, Serialize, Deserialize)]
pub(crate) struct SourcePaths {
    /// The workspace's root, with a slash at its end.
    root: String,
    /// Folders that rustc renames, with their new names. They are the same for every kernel
    /// crate, so that `core`, which is compiled with the same flags, is not compiled again for
    /// each of them.
    renamed: Vec<(PathBuf, String)>,
    /// Prefixes of the names of library files.
    library: Vec<String>,
}

impl SourcePaths {
    /// Returns the names for a crate in the workspace at `root`.
    pub(crate) fn new(root: &Path, toolchain: &Toolchain) -> SourcePaths {
        let rust = format!("/rustc/{}", toolchain.release);
        let mut paths = SourcePaths {
            root: format!("{}/", root.display()),
            library: vec![format!("{rust}/")],
            renamed: vec![(toolchain.sysroot.join("lib/rustlib/src/rust"), rust)],
        };
        // In a checkout lanewise-std is a folder beside this one, and it gets a name that is the
        // same on every machine. From a registry or a git repository it is recognised by cargo's
        // folders for these.
        if let Ok(lanewise_std) = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../std")
            .canonicalize()
        {
            for folder in [&lanewise_std, &lanewise_std.with_file_name("compat")] {
                paths.library.push(format!("{}/", folder.display()));
            }
            paths.library.push("/lanewise-std/".to_owned());
            paths
                .renamed
                .push((lanewise_std, "/lanewise-std".to_owned()));
        }
        paths
    }

    /// Returns rustc's flags. Its messages keep the names that an editor can open.
    pub(crate) fn flags(&self) -> Vec<String> {
        let rename =
            |(from, to): &(PathBuf, String)| format!("--remap-path-prefix={}={to}", from.display());
        let scope = "--remap-path-scope=object".to_owned();
        self.renamed.iter().map(rename).chain([scope]).collect()
    }

    /// Returns rustc's flag for the kernel crate alone. With it, the file names in panics and
    /// descriptions are relative to the workspace's root. If `core` had this flag too, it would be
    /// compiled again for each workspace.
    pub(crate) fn flag_of_workspace(&self) -> String {
        format!("--remap-path-prefix={}=", self.root)
    }

    /// Returns whether a file is part of `core`, lanewise-std or a crate from a registry.
    pub(crate) fn is_library(&self, file: &str) -> bool {
        let fetched = ["/registry/src/", "/git/checkouts/"];
        self.library.iter().any(|start| file.starts_with(start))
            || fetched.iter().any(|part| file.contains(part))
    }

    /// Returns the name of a file of the workspace relative to the root.
    pub(crate) fn short(&self, file: &str) -> String {
        file.strip_prefix(&self.root).unwrap_or(file).to_owned()
    }

    /// Returns a line of rustc's output in which the workspace's files are named relative to the
    /// root, as cargo names them: `--> gpu/src/lib.rs:7:5`.
    pub(crate) fn shorten_message(&self, line: &str) -> String {
        line.replace(&self.root, "")
    }

    /// Returns the PTX with the workspace's files named relative to the root.
    pub(crate) fn shorten(&self, ptx: &str) -> String {
        let from = format!("\"{}", self.root);
        let line = |line: &str| match line.trim_start().starts_with(".file") {
            true => format!("{}\n", line.replacen(&from, "\"", 1)),
            false => format!("{line}\n"),
        };
        ptx.lines().map(line).collect()
    }
}
