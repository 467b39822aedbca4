//! The kernel crate as cargo describes it.

use std::path::{Path, PathBuf};

use cargo_metadata::{CrateType, MetadataCommand};

use crate::error::BuildError;

/// A package with a library, in a workspace or on its own.
pub(crate) struct Package {
    /// The package's name.
    pub(crate) name: String,
    /// The library's name, as Rust and the output files have it.
    pub(crate) krate: String,
    /// The root of its workspace.
    pub(crate) root: PathBuf,
    /// The target folder of its workspace.
    pub(crate) target: PathBuf,
}

impl Package {
    /// The package in `folder`, which is an absolute path.
    pub(crate) fn find(folder: &Path) -> Result<Package, BuildError> {
        let reject = |why: &str| {
            Err(BuildError::NotAKernelCrate {
                path: folder.into(),
                why: why.into(),
            })
        };
        let manifest = folder.join("Cargo.toml");
        if !manifest.is_file() {
            return reject("it holds no Cargo.toml");
        }
        let mut command = MetadataCommand::new();
        command
            .manifest_path(&manifest)
            .current_dir(folder)
            .no_deps();
        let metadata = command.exec().map_err(|source| BuildError::Metadata {
            path: folder.into(),
            source,
        })?;
        let Some(package) = metadata
            .packages
            .iter()
            .find(|package| package.manifest_path.as_std_path() == manifest)
        else {
            return reject(
                "its Cargo.toml describes a workspace and no package; name the package's folder",
            );
        };
        let is_library =
            |ty: &CrateType| matches!(ty, CrateType::Lib | CrateType::RLib | CrateType::CDyLib);
        let Some(library) = package
            .targets
            .iter()
            .find(|target| target.crate_types.iter().any(is_library))
        else {
            return reject("the package has no library; kernels go to src/lib.rs");
        };
        Ok(Package {
            name: package.name.to_string(),
            krate: library.name.replace('-', "_"),
            root: metadata.workspace_root.clone().into(),
            target: metadata.target_directory.clone().into(),
        })
    }
}
