//! Source files by names that are the same on every machine, and which of them are library.
//!
//! PTX says where each instruction comes from, and a fault's report shows it. A file of the kernel crate's workspace is named
//! relative to the workspace's root, as cargo names it in messages; a file of Rust's own `core` as `/rustc/VERSION/...`. So
//! the PTX of one source is the same text wherever it is built.
//!
//! Small functions of `core` and gpu-std are inlined into nearly every kernel line. Whoever reads `tile.set(i, x)` in a
//! kernel wants that line, not one of `core::ptr`: [`SourcePaths::is_library`] tells the two apart.

use std::path::{Path, PathBuf};

use crate::toolchain::Toolchain;

/// How source files are named in the PTX.
#[derive(Clone, Debug)]
pub(crate) struct SourcePaths {
    /// The workspace's root, with a slash at its end.
    root: String,
    /// Folders that rustc names otherwise. They are the same for every kernel crate, so that `core`, which is compiled with
    /// the same flags, need not be compiled again for each.
    renamed: Vec<(PathBuf, String)>,
    /// Beginnings of the names of library files.
    library: Vec<String>,
}

impl SourcePaths {
    /// The names for a crate in the workspace at `root`.
    pub(crate) fn new(root: &Path, toolchain: &Toolchain) -> SourcePaths {
        let rust = format!("/rustc/{}", toolchain.release);
        let mut paths = SourcePaths {
            root: format!("{}/", root.display()),
            library: vec![format!("{rust}/")],
            renamed: vec![(toolchain.sysroot.join("lib/rustlib/src/rust"), rust)],
        };
        // In this repository gpu-std lies beside us. In a kernel crate of this workspace it keeps its name.
        if let Ok(gpu_std) = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../std")
            .canonicalize()
        {
            paths.library.push(format!("{}/", gpu_std.display()));
            paths.library.push("/gpu-std/".to_owned());
            paths.renamed.push((gpu_std, "/gpu-std".to_owned()));
        }
        paths
    }

    /// rustc's flags. Its messages keep the names that an editor can open.
    pub(crate) fn flags(&self) -> Vec<String> {
        let rename =
            |(from, to): &(PathBuf, String)| format!("--remap-path-prefix={}={to}", from.display());
        let scope = "--remap-path-scope=object".to_owned();
        self.renamed.iter().map(rename).chain([scope]).collect()
    }

    /// Whether a file is part of `core`, gpu-std or a crate from a registry.
    pub(crate) fn is_library(&self, file: &str) -> bool {
        self.library.iter().any(|start| file.starts_with(start)) || file.contains("/registry/src/")
    }

    /// A file of the workspace as its root sees it.
    pub(crate) fn short(&self, file: &str) -> String {
        file.strip_prefix(&self.root).unwrap_or(file).to_owned()
    }

    /// The PTX with the workspace's files named relative to its root.
    pub(crate) fn shorten(&self, ptx: &str) -> String {
        let from = format!("\"{}", self.root);
        let line = |line: &str| match line.trim_start().starts_with(".file") {
            true => format!("{}\n", line.replacen(&from, "\"", 1)),
            false => format!("{line}\n"),
        };
        ptx.lines().map(line).collect()
    }
}
