//! `cargo xtask new`: a project of one's own, outside this repository, that builds and tests.
//!
//! A kernel crate, a program that embeds and launches its PTX, and a test. It names Lanewise by the path of this checkout.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};

use crate::output::say;
use crate::workspace;

/// Make a project with a kernel, a program and a test
///
/// The project uses Lanewise from this checkout. In it, `cargo run` runs the kernel and `cargo test` tests it, on a GPU or on the
/// simulator.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  cargo xtask new ../demo && cd ../demo && cargo test")]
pub(crate) struct Args {
    /// The folder to make; its name is the project's
    #[arg(value_name = "PATH")]
    path: PathBuf,
}

/// How a project will name Lanewise's version.
const VERSION: &str = concat!(
    env!("CARGO_PKG_VERSION_MAJOR"),
    ".",
    env!("CARGO_PKG_VERSION_MINOR")
);

/// The project's files and their templates.
const FILES: [(&str, &str); 10] = [
    ("Cargo.toml", include_str!("template/Cargo.toml.txt")),
    ("build.rs", include_str!("template/build.rs.txt")),
    ("src/lib.rs", include_str!("template/lib.rs.txt")),
    ("src/main.rs", include_str!("template/main.rs.txt")),
    ("tests/saxpy.rs", include_str!("template/test.rs.txt")),
    (
        "kernels/Cargo.toml",
        include_str!("template/kernels/Cargo.toml.txt"),
    ),
    (
        "kernels/src/lib.rs",
        include_str!("template/kernels/lib.rs.txt"),
    ),
    (
        ".cargo/config.toml",
        include_str!("template/config.toml.txt"),
    ),
    (".gitignore", "target/\n"),
    (
        "rust-toolchain.toml",
        include_str!("../../../rust-toolchain.toml"),
    ),
];

/// Writes the files.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    make(&args.path)?;
    say(format_args!(
        "made `{}`: a kernel in kernels/src/lib.rs, the program in src/, a test in tests/\n\n  cd {0} && cargo test\n\n\
         It uses Lanewise by path, from {}. Once that is published, a version stands in place of each path: host = \"{VERSION}\"",
        args.path.display(),
        workspace::root().display(),
    ));
    Ok(ExitCode::SUCCESS)
}

fn make(path: &Path) -> Result<()> {
    let name = path
        .file_name()
        .map(|name| name.to_string_lossy().into_owned());
    let name = name.context("the last part of the path is to be the project's name")?;
    let is_start = |c: char| c.is_ascii_alphabetic();
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !name.starts_with(is_start) || !name.chars().all(is_part) {
        bail!(
            "`{name}` cannot be a crate's name: begin with a letter, and use letters, digits, - and _"
        );
    }
    if path
        .read_dir()
        .is_ok_and(|mut entries| entries.next().is_some())
    {
        bail!("`{}` is there already and holds files", path.display());
    }
    let lanewise = workspace::root().display().to_string();
    for (file, template) in FILES {
        let text = template
            .replace("{{name}}", &name)
            .replace("{{crate}}", &name.replace('-', "_"))
            .replace("{{version}}", VERSION)
            .replace("{{lanewise}}", &lanewise);
        let file = path.join(file);
        let folder = file.parent().unwrap_or(path);
        fs::create_dir_all(folder)
            .with_context(|| format!("cannot create `{}`", folder.display()))?;
        fs::write(&file, text).with_context(|| format!("cannot write `{}`", file.display()))?;
    }
    // The versions that Lanewise is tested with; cargo adds the project's own packages and drops what it does not need.
    let lock = workspace::root().join("Cargo.lock");
    fs::copy(&lock, path.join("Cargo.lock"))
        .with_context(|| format!("cannot copy `{}`", lock.display()))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_is_filled_in() {
        let root = tempfile::tempdir().expect("a temporary folder");
        let path = root.path().join("my-demo");
        make(&path).expect("it is made");
        for (file, _) in FILES {
            let text = fs::read_to_string(path.join(file)).expect("it is there");
            assert!(!text.contains("{{"), "{file}:\n{text}");
        }
        let cargo = fs::read_to_string(path.join("Cargo.toml")).expect("it is there");
        assert!(cargo.contains("host = \"0.1\""), "{cargo}");
        let main = fs::read_to_string(path.join("src/main.rs")).expect("it is there");
        assert!(main.contains("my_demo::saxpy_on"), "{main}");
    }

    #[test]
    fn a_name_that_cargo_refuses_and_a_folder_in_use_are_errors() {
        let root = tempfile::tempdir().expect("a temporary folder");
        assert!(make(&root.path().join("2-fast")).is_err());
        let path = root.path().join("demo");
        make(&path).expect("it is made");
        let error = make(&path).expect_err("it is there").to_string();
        assert!(error.contains("is there already"), "{error}");
    }
}
