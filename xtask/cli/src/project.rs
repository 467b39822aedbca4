//! The project that a command works on: the folder of its kernels, its root, its target folder.
//!
//! A program works on one project, which it enters once, before its command runs. Cargo is called
//! when a command first needs the project. `exec` of a packed program and `new` do not need it.
//! Outside of any project the current folder is used, because `doctor` and `new` need no project.

use std::env;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use anyhow::{Context, Result, anyhow, bail};
use cargo_metadata::{Metadata, MetadataCommand, Package};

/// The folders of a project.
#[derive(Debug)]
struct Project {
    /// The folder of the package with the kernels, or why there is none.
    kernels: Result<PathBuf, String>,
    /// The root of its workspace.
    root: PathBuf,
    /// Cargo's target folder.
    target: PathBuf,
}

/// The folder that was entered.
#[derive(Debug)]
struct Start {
    folder: PathBuf,
    /// Whether a user named it.
    named: bool,
}

static ENTERED: OnceLock<Start> = OnceLock::new();

/// Enters the project of the package in `folder`, or of the current folder. It stays for
/// the whole process.
///
/// # Errors
/// The folder cannot be read.
pub fn enter(folder: Option<PathBuf>) -> Result<()> {
    let named = folder.is_some();
    let folder = match folder {
        Some(folder) => {
            let unreadable = || format!("cannot read `{}`", folder.display());
            let folder = folder.canonicalize().with_context(unreadable)?;
            // A manifest's path means its folder.
            match folder.parent() {
                Some(parent) if folder.ends_with("Cargo.toml") => parent.to_owned(),
                _ => folder,
            }
        }
        None => env::current_dir().context("there is no current folder")?,
    };
    let _ = ENTERED.set(Start { folder, named });
    Ok(())
}

impl Project {
    fn find(start: &Path, named: bool) -> Project {
        let metadata = MetadataCommand::new().current_dir(start).no_deps().exec();
        match metadata {
            Ok(metadata) => {
                let kernels = if named && !is_of_the_host(&metadata, start) {
                    Ok(start.to_owned())
                } else {
                    kernels_of(&metadata, start).map_err(|error| format!("{error:#}"))
                };
                Project {
                    kernels,
                    root: metadata.workspace_root.into(),
                    target: metadata.target_directory.into(),
                }
            }
            Err(error) => Project {
                kernels: Err(not_a_project(start, &error)),
                root: start.to_owned(),
                target: start.join("target"),
            },
        }
    }
}

/// Returns the message if cargo finds no project, with cargo's own message if it has one.
fn not_a_project(start: &Path, error: &cargo_metadata::Error) -> String {
    let said = match error {
        cargo_metadata::Error::CargoMetadata { stderr } => stderr.trim().to_owned(),
        other => other.to_string(),
    };
    format!(
        "`{}` is in no cargo project that can be read (`cargo lanewise new` makes one): {}",
        start.display(),
        said.strip_prefix("error: ").unwrap_or(&said)
    )
}

/// Returns whether the package in `start` is a host program's. Its kernels, if it has any, are in
/// another package. A named package without the device library counts as one of kernels, because
/// its kernels may be written by hand.
fn is_of_the_host(metadata: &Metadata, start: &Path) -> bool {
    let is_in = |package: &&Package| package.manifest_path.as_std_path().parent() == Some(start);
    metadata.packages.iter().find(is_in).is_some_and(|package| {
        let mut dependencies = package.dependencies.iter();
        !has_kernels(package) && dependencies.any(|it| it.name == "lanewise")
    })
}

/// Returns the package with kernels for a user in `start`: the package of that folder, or else the
/// only one of the workspace.
fn kernels_of(metadata: &Metadata, start: &Path) -> Result<PathBuf> {
    let folder = |package: &Package| -> PathBuf {
        let manifest = package.manifest_path.as_std_path();
        manifest.parent().unwrap_or(start).to_owned()
    };
    let with_kernels: Vec<PathBuf> = metadata
        .packages
        .iter()
        .filter(|package| has_kernels(package))
        .map(folder)
        .collect();
    let own = with_kernels
        .iter()
        .filter(|folder| start.starts_with(folder))
        .max_by_key(|folder| folder.components().count());
    match (own, &with_kernels[..]) {
        (Some(own), _) => Ok(own.clone()),
        (None, [only]) => Ok(only.clone()),
        (None, []) => bail!(
            "no package of `{}` has kernels: `cargo lanewise new` makes a project that has, and `--crate PATH` names a package elsewhere",
            metadata.workspace_root
        ),
        (None, several) => {
            let names = several.iter().map(|folder| folder.display().to_string());
            bail!(
                "several packages have kernels; name one by --crate: {}",
                names.collect::<Vec<_>>().join(", ")
            )
        }
    }
}

/// Returns whether a package has kernels: its manifest names their place, or it is a library that
/// depends on the device library.
fn has_kernels(package: &Package) -> bool {
    let is_library_of_kernels = || {
        let mut dependencies = package.dependencies.iter();
        dependencies.any(|it| it.name == "lanewise-macros")
            && package.targets.iter().any(|target| target.is_lib())
    };
    !package.metadata["lanewise"].is_null() || is_library_of_kernels()
}

/// Returns the project of the entered folder. The first call runs cargo.
fn entered() -> &'static Project {
    static PROJECT: OnceLock<Project> = OnceLock::new();
    PROJECT.get_or_init(|| {
        let start = ENTERED.get_or_init(|| Start {
            folder: env::current_dir().unwrap_or_default(),
            named: false,
        });
        Project::find(&start.folder, start.named)
    })
}

/// Returns the folder of the package with the kernels.
///
/// # Errors
/// No package has kernels, or several have.
pub fn kernels() -> Result<&'static Path> {
    let found = entered().kernels.as_deref();
    found.map_err(|reason| anyhow!("{reason}"))
}

/// Returns the root of the project's workspace.
pub fn root() -> &'static Path {
    &entered().root
}

/// Returns the project's target folder.
pub fn target() -> &'static Path {
    &entered().target
}

/// Returns `path` relative to the project's root, if it is inside.
pub fn shown(path: &Path) -> String {
    shown_from(root(), path)
}

/// Returns `path` relative to `root`, if it is inside.
pub fn shown_from(root: &Path, path: &Path) -> String {
    path.strip_prefix(root)
        .unwrap_or(path)
        .display()
        .to_string()
}
