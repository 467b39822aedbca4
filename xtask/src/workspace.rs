//! The folders of this checkout, which is not always the project that a command
//! works on (`cargo_lanewise::project`).

use std::path::{Path, PathBuf};
use std::{env, fs};

use anyhow::{Context, Result};

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

/// Writes cargo's settings into a folder in which there are projects as a user has them.
///
/// They are built in this checkout's target folder and with its profiles, so most of what they
/// stand on is there. What is not, is ours, with fewer features below it; and it is not optimised,
/// for such projects are so small that it would take longer than they do.
pub(crate) fn share_builds(with: &Path) -> Result<()> {
    let manifest = fs::read_to_string(root().join("Cargo.toml"))?;
    let profiles = manifest
        .find("[profile.")
        .context("expected profiles in Cargo.toml")?;
    let mut settings = format!(
        "[build]\ntarget-dir = {:?}\n",
        target().display().to_string()
    );
    let mut is_ours = false;
    for line in manifest[profiles..].lines() {
        let line = if is_ours && line.starts_with("opt-level") {
            "opt-level = 0"
        } else {
            line
        };
        is_ours = line.starts_with("[profile.dev.package.lanewise-");
        settings += line;
        settings.push('\n');
    }
    fs::create_dir_all(with.join(".cargo"))?;
    Ok(fs::write(with.join(".cargo/config.toml"), settings)?)
}

/// Returns `path` relative to the repository's root, if it is inside.
pub(crate) fn shown(path: &Path) -> String {
    project::shown_from(root(), path)
}
