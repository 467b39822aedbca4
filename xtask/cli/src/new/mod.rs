//! `cargo lanewise new`: makes a project that builds, runs and tests.
//!
//! It is one package: kernels in a module, host code beside them, a build script of one line.
//! `--workspace` makes two packages, for kernels that several programs use. The project contains
//! everything that it needs except Lanewise itself.

mod name;
pub(crate) mod source;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use serde::Serialize;

use crate::output::{for_shell, say, say_json};
use source::Source;

/// Make a project with a kernel, a program and a test
///
/// In the project, `cargo run` runs the kernel and `cargo test` tests it, on a GPU or on the
/// simulated one. It depends on Lanewise of this program's version, or by path where the program
/// was built in a checkout, unless an option says otherwise.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  cargo lanewise new demo && cd demo && cargo test\n  cargo lanewise new demo --git https://example.org/lanewise --rev 0123abc"
)]
pub struct Args {
    /// The folder to make; its name is the project's
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
    /// Put the kernels into a package of their own
    #[arg(long)]
    workspace: bool,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    source: source::Args,
}

/// What was made.
#[derive(Serialize)]
struct NewProject<'a> {
    name: String,
    folder: &'a Path,
    /// The module or crate of the kernels, relative to the folder.
    kernels: &'static str,
    /// The files that were written, relative to the folder.
    files: Vec<&'static str>,
}

/// A file of a project and its template.
pub(crate) type File = (&'static str, &'static str);

/// Files of every project, that of exercises too.
pub(crate) const EVERY: [File; 4] = [
    (
        ".cargo/config.toml",
        include_str!("template/config.toml.txt"),
    ),
    (
        ".cargo/cuda/lib64/libcuda.so",
        include_str!("template/libcuda.so.txt"),
    ),
    (".gitignore", "target/\n"),
    (
        "rust-toolchain.toml",
        include_str!("template/rust-toolchain.toml.txt"),
    ),
];

/// The manifest of a project that is one package.
pub(crate) const MANIFEST: File = ("Cargo.toml", include_str!("template/Cargo.toml.txt"));

/// The host's side of both kinds of projects.
const HOST: [File; 3] = [
    ("src/main.rs", include_str!("template/main.rs.txt")),
    ("src/lib.rs", include_str!("template/lib.rs.txt")),
    ("tests/saxpy.rs", include_str!("template/test.rs.txt")),
];

/// Further files of a project that is one package.
const PACKAGE: [File; 3] = [
    MANIFEST,
    ("build.rs", include_str!("template/build.rs.txt")),
    ("src/kernels.rs", include_str!("template/kernels.rs.txt")),
];

/// Further files of a project whose kernels are a package of their own.
const WORKSPACE: [File; 4] = [
    (
        "Cargo.toml",
        include_str!("template/workspace/Cargo.toml.txt"),
    ),
    (
        "kernels/Cargo.toml",
        include_str!("template/workspace/kernels.Cargo.toml.txt"),
    ),
    ("kernels/build.rs", include_str!("template/build.rs.txt")),
    (
        "kernels/src/lib.rs",
        include_str!("template/kernels.rs.txt"),
    ),
];

/// The profiles of both kinds of projects.
const PROFILES: &str = include_str!("template/profiles.txt");

/// Writes the files.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let source = args.source.chosen()?;
    let (name, mut files) = make(&args.folder, args.workspace, &source)?;
    let kernels = if args.workspace {
        "kernels/src/lib.rs"
    } else {
        "src/kernels.rs"
    };
    if args.json {
        files.sort_unstable();
        say_json(&NewProject {
            name,
            folder: &args.folder,
            kernels,
            files,
        })?;
    } else {
        say(format_args!(
            "made `{}`: kernels in {kernels}, the host's side in src/lib.rs, a test in tests/\n\n  cd {} && cargo test",
            args.folder.display(),
            for_shell(&args.folder),
        ));
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes the project's files, and returns the project's name and the files' names.
fn make(folder: &Path, workspace: bool, source: &Source) -> Result<(String, Vec<&'static str>)> {
    let own = if workspace { &WORKSPACE[..] } else { &PACKAGE };
    let files = HOST
        .iter()
        .chain(&EVERY)
        .chain(own)
        .map(|&(file, template)| {
            let text = match workspace {
                true => for_workspace(file, template),
                false => template.to_owned(),
            };
            (file, text)
        });
    write_project(folder, files, source)
}

/// Writes the files of a new project in a folder that is empty or not there yet, with the places
/// in their texts filled in. Returns the project's name and the files' names.
pub(crate) fn write_project<'a>(
    folder: &Path,
    files: impl Iterator<Item = (&'a str, String)>,
    source: &Source,
) -> Result<(String, Vec<&'a str>)> {
    let name = folder
        .file_name()
        .map(|name| name.to_string_lossy().into_owned());
    let name = name.context("the last part of the path is to be the project's name")?;
    name::check(&name)?;
    if folder
        .read_dir()
        .is_ok_and(|mut entries| entries.next().is_some())
    {
        bail!("`{}` is there already and holds files", folder.display());
    }
    let mut written = Vec::new();
    for (file, text) in files {
        let mut text = text.replace("{{profiles}}", PROFILES.trim_end());
        for package in &source::PACKAGES {
            let place = format!("{{{{{}}}}}", package.place);
            text = text.replace(&place, &source.of(package));
        }
        let text = text
            .replace("{{name}}", &name)
            .replace("{{crate}}", &name.replace('-', "_"))
            .replace("{{toolchain}}", lanewise_builder::TOOLCHAIN);
        write(&folder.join(file), &text)?;
        written.push(file);
    }
    if let Some(lock) = source.lock() {
        // The lock file has the versions that Lanewise is tested with. Cargo adds the project's own
        // packages and removes what it does not need.
        let to = folder.join("Cargo.lock");
        fs::copy(&lock, &to).with_context(|| format!("cannot copy `{}`", lock.display()))?;
        written.push("Cargo.lock");
    }
    Ok((name, written))
}

/// Changes a file for kernels that are a crate: the crate's root declares them, and the host
/// imports the crate.
fn for_workspace(file: &str, text: &str) -> String {
    match file {
        "kernels/src/lib.rs" => format!(
            "#![no_std]\n#![cfg_attr(target_arch = \"nvptx64\", feature(abi_ptx))]\n{}",
            text.replace(
                "compiles this module for the GPU, without `std`;",
                "compiles this crate for the GPU;"
            )
        ),
        "kernels/build.rs" => text.replace("src/kernels.rs", "the kernels"),
        "src/lib.rs" => text.replace("pub mod kernels;", "pub use {{crate}}_kernels as kernels;"),
        _ => text.to_owned(),
    }
}

/// Writes a file and makes the folders that it is in.
pub(crate) fn write(file: &Path, text: &str) -> Result<()> {
    let folder = file.parent().context("a file is in a folder")?;
    fs::create_dir_all(folder).with_context(|| format!("cannot create `{}`", folder.display()))?;
    fs::write(file, text).with_context(|| format!("cannot write `{}`", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn release() -> Source {
        Source::Release("0.1".into())
    }

    /// Returns every file of a project, with its text.
    fn files(folder: &Path) -> Vec<(PathBuf, String)> {
        let mut files = Vec::new();
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                files.extend(self::files(&path));
            } else {
                let text = fs::read_to_string(&path).expect("text");
                files.push((path, text));
            }
        }
        files
    }

    #[test]
    fn every_place_is_filled_in_and_nothing_points_into_a_checkout() {
        let checkout = source::checkout().display().to_string();
        for workspace in [false, true] {
            let root = tempfile::tempdir().expect("a temporary folder");
            let folder = root.path().join("my-demo");
            make(&folder, workspace, &release()).expect("it is made");
            let files = files(&folder);
            assert!(files.len() >= 10, "{files:?}");
            for (path, text) in &files {
                assert!(!text.contains("{{"), "{}:\n{text}", path.display());
                assert!(!text.contains(&checkout), "{}:\n{text}", path.display());
            }
            let main = fs::read_to_string(folder.join("src/main.rs")).expect("it is there");
            assert!(main.contains("my_demo::saxpy"), "{main}");
            let text: String = files.into_iter().map(|(_, text)| text).collect();
            assert!(text.contains("lanewise = { version = \"0.1\" }"), "{text}");
            assert!(!text.contains("unsafe"), "{text}");
        }
    }

    #[test]
    fn a_name_that_cargo_refuses_and_a_folder_in_use_are_errors() {
        let root = tempfile::tempdir().expect("a temporary folder");
        assert!(make(&root.path().join("2-fast"), false, &release()).is_err());
        let folder = root.path().join("demo");
        make(&folder, false, &release()).expect("it is made");
        let error = make(&folder, false, &release()).expect_err("it is there");
        assert!(error.to_string().contains("is there already"), "{error}");
    }
}
