//! The folders of this checkout, which is not always the project that a command
//! works on (`cargo_lanewise::project`).

use std::env;
use std::path::{Path, PathBuf};

use cargo_lanewise::project;

/// Returns the repository's root. Cargo runs xtask in the checkout where it was built.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("xtask is a folder of the workspace")
}

/// Returns cargo's target folder: `CARGO_TARGET_DIR` if it is set, otherwise `target/`.
pub(crate) fn target() -> PathBuf {
    match env::var_os("CARGO_TARGET_DIR") {
        Some(dir) => root().join(dir),
        None => root().join("target"),
    }
}

/// Returns `path` relative to the repository's root, if it is inside.
pub(crate) fn shown(path: &Path) -> String {
    project::shown_from(root(), path)
}
