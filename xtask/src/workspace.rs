//! Where things are in this checkout, which is not always the project that a command works on
//! (`cargo_lanewise::project`).

use std::env;
use std::path::{Path, PathBuf};

use cargo_lanewise::project;

/// The repository's root. xtask is run by cargo, in the checkout that it was built in.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("xtask is a folder of the workspace")
}

/// Cargo's target folder: `CARGO_TARGET_DIR` where that is set, else `target/`.
pub(crate) fn target() -> PathBuf {
    match env::var_os("CARGO_TARGET_DIR") {
        Some(dir) => root().join(dir),
        None => root().join("target"),
    }
}

/// `path` as a reader in the repository's root would write it.
pub(crate) fn shown(path: &Path) -> String {
    project::shown_from(root(), path)
}
