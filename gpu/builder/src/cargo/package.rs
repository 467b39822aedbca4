//! The package with the kernels, as cargo describes it.
//!
//! The kernels are a crate of their own, or a module of a package that is otherwise for the host:
//! `src/kernels.rs`, or a folder `src/kernels`. A package of the second kind has a section
//! `[package.metadata.lanewise.dependencies]` with the module's dependencies. Both kinds may name
//! device code from another compiler that the kernels are linked with, and how panics are reported:
//! `link = ["foreign/norm.ptx"]` and `panic = "trap"` in `[package.metadata.lanewise]`. A module
//! has no crate root of its own, so unstable features of Rust are named there too:
//! `features = ["asm_experimental_arch"]`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use cargo_metadata::{CrateType, Metadata, MetadataCommand};

use crate::error::BuildError;
use crate::manifest::Panics;

/// Where the kernels of a package are.
pub(crate) enum Form {
    /// The kernels are the package's library, whose root is this file.
    Crate(PathBuf),
    /// The kernels are a module of the package's library or program. A crate is generated for it.
    Module(KernelModule),
}

/// A module of kernels in a package that is otherwise for the host.
pub(crate) struct KernelModule {
    /// The folder that the module's file is in.
    pub(crate) folder: PathBuf,
    /// `[package.metadata.lanewise.dependencies]`: the dependencies besides the device library.
    pub(crate) dependencies: serde_json::Map<String, serde_json::Value>,
    /// `[package.metadata.lanewise]` `features`: the unstable features of Rust that the module
    /// uses.
    pub(crate) features: Vec<String>,
}

impl KernelModule {
    /// The module's name in the package.
    pub(crate) const NAME: &'static str = "kernels";
    /// The module that encloses it in the generated crate; see `shadow`.
    pub(crate) const AROUND: &'static str = "package";

    /// Returns whether the package in `folder` has a module of kernels.
    fn is_in(folder: &Path) -> bool {
        let name = KernelModule::NAME;
        let files = [format!("{name}.rs"), format!("{name}/mod.rs")];
        files
            .iter()
            .any(|file| folder.join("src").join(file).is_file())
    }

    /// Returns the module of the package in `folder`, whose section in the manifest is `section`.
    fn find(folder: &Path, section: &serde_json::Value) -> Result<KernelModule, String> {
        let source = folder.join("src");
        let name = KernelModule::NAME;
        if !KernelModule::is_in(folder) {
            return Err(format!(
                "its Cargo.toml has a section [package.metadata.lanewise], so its kernels are a module, and there is no src/{name}.rs and \
                 no src/{name}/mod.rs"
            ));
        }
        let dependencies = match &section["dependencies"] {
            serde_json::Value::Null => serde_json::Map::new(),
            serde_json::Value::Object(table) => table.clone(),
            _ => {
                return Err(
                    "[package.metadata.lanewise] `dependencies` has to be a table".to_owned(),
                );
            }
        };
        let Some(features) = features(&section["features"]) else {
            return Err(
                "[package.metadata.lanewise] `features` has to be a list of features of Rust, such as \"asm_experimental_arch\""
                    .to_owned(),
            );
        };
        Ok(KernelModule {
            folder: source,
            dependencies,
            features,
        })
    }
}

/// Reads a list of files; no value is an empty list.
fn files(value: &serde_json::Value) -> Option<Vec<PathBuf>> {
    match value {
        serde_json::Value::Null => Some(Vec::new()),
        serde_json::Value::Array(names) => {
            let names = names.iter().map(|name| name.as_str().map(PathBuf::from));
            names.collect()
        }
        _ => None,
    }
}

/// Reads a list of features of Rust, which are identifiers; no value is an empty list.
fn features(value: &serde_json::Value) -> Option<Vec<String>> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let names = match value {
        serde_json::Value::Null => return Some(Vec::new()),
        serde_json::Value::Array(names) => names.iter(),
        _ => return None,
    };
    let name = |name: &serde_json::Value| {
        let name = name.as_str()?;
        (!name.is_empty() && name.chars().all(is_part)).then(|| name.to_owned())
    };
    names.map(name).collect()
}

/// Reads the mode of panics. No value is no mode, and `None` is an error.
fn mode_of_panics(value: &serde_json::Value) -> Option<Option<Panics>> {
    match value {
        serde_json::Value::Null => Some(None),
        value => Panics::of_name(value.as_str()?).map(Some),
    }
}

/// A package with kernels, in a workspace or on its own.
pub(crate) struct Package {
    /// The library's name, as in Rust code and in the names of the output files.
    pub(crate) krate: String,
    /// The root of its workspace.
    pub(crate) root: PathBuf,
    /// The target folder of its workspace.
    pub(crate) target: PathBuf,
    /// Where its kernels are.
    pub(crate) form: Form,
    /// `[package.metadata.lanewise]` `link`: files of device code from another compiler. The paths
    /// are relative to the package's folder.
    pub(crate) link: Vec<PathBuf>,
    /// `[package.metadata.lanewise]` `panic`: how a panic is reported.
    pub(crate) panics: Option<Panics>,
    /// The package as `cargo metadata` describes it.
    pub(crate) described: cargo_metadata::Package,
}

impl Package {
    /// Finds the package in `folder`, which is an absolute path.
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
        let metadata = metadata(folder, &manifest)?;
        let Some(package) = metadata
            .packages
            .iter()
            .find(|package| package.manifest_path.as_std_path() == manifest)
        else {
            return reject(
                "its Cargo.toml describes a workspace and no package; name the package's folder",
            );
        };
        let section = &package.metadata["lanewise"];
        let Some(link) = files(&section["link"]) else {
            return reject("[package.metadata.lanewise] `link` has to be a list of files");
        };
        let Some(panics) = mode_of_panics(&section["panic"]) else {
            let modes = Panics::ALL
                .map(|(name, _)| format!("\"{name}\""))
                .join(", ");
            return reject(&format!(
                "[package.metadata.lanewise] `panic` has to be one of {modes}"
            ));
        };
        let found = |krate: &str, form| Package {
            krate: krate.replace('-', "_"),
            root: metadata.workspace_root.clone().into(),
            target: metadata.target_directory.clone().into(),
            form,
            link,
            panics,
            described: package.clone(),
        };
        // These two say nothing about the form.
        let says_form = |key: &String| !["link", "panic"].contains(&key.as_str());
        let has_no_form = section
            .as_object()
            .is_some_and(|table| !table.keys().any(says_form));
        if !section.is_null() && (!has_no_form || KernelModule::is_in(folder)) {
            return match KernelModule::find(folder, section) {
                Ok(module) => Ok(found(&package.name, Form::Module(module))),
                Err(why) => reject(&why),
            };
        }
        let is_library =
            |ty: &CrateType| matches!(ty, CrateType::Lib | CrateType::RLib | CrateType::CDyLib);
        let Some(library) = package
            .targets
            .iter()
            .find(|target| target.crate_types.iter().any(is_library))
        else {
            return reject("the package has no library; kernels go to src/lib.rs");
        };
        Ok(found(
            &library.name,
            Form::Crate(library.src_path.clone().into()),
        ))
    }

    /// Returns the path of the Rust module with the kernels in the crate that is compiled
    /// for the device.
    pub(crate) fn path(&self) -> String {
        match self.form {
            Form::Crate(_) => self.krate.clone(),
            Form::Module(_) => format!(
                "{}::{}::{}",
                self.krate,
                KernelModule::AROUND,
                KernelModule::NAME
            ),
        }
    }

    /// Returns the path of the Rust module with the kernels in the host's crate.
    pub(crate) fn path_on_host(&self) -> String {
        match self.form {
            Form::Crate(_) => "crate".to_owned(),
            Form::Module(_) => format!("crate::{}", KernelModule::NAME),
        }
    }
}

/// Returns cargo's metadata of the package in `folder` and its workspace. A process that builds the
/// package several times, as build scripts do for several targets, calls cargo again only if a
/// manifest or the contents of the source folder have changed.
fn metadata(folder: &Path, manifest: &Path) -> Result<Arc<Metadata>, BuildError> {
    static KNOWN: Mutex<BTreeMap<PathBuf, (Changed, Arc<Metadata>)>> = Mutex::new(BTreeMap::new());
    let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((changed, metadata)) = known().get(folder)
        && *changed == changes(folder, metadata)
    {
        return Ok(metadata.clone());
    }
    let mut command = MetadataCommand::new();
    command
        .manifest_path(manifest)
        .current_dir(folder)
        .no_deps();
    let metadata = command.exec().map_err(|source| BuildError::Metadata {
        path: folder.into(),
        source,
    })?;
    let entry = (changes(folder, &metadata), Arc::new(metadata));
    let metadata = entry.1.clone();
    known().insert(folder.into(), entry);
    Ok(metadata)
}

/// When the manifests and the source folder were last changed.
type Changed = [Option<SystemTime>; 3];

fn changes(folder: &Path, metadata: &Metadata) -> Changed {
    let root = metadata.workspace_root.join("Cargo.toml").into();
    [folder.join("Cargo.toml"), folder.join("src"), root]
        .map(|path: PathBuf| path.metadata().and_then(|of| of.modified()).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_may_say_how_panics_are_reported() {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path().canonicalize().expect("it is there");
        std::fs::create_dir(folder.join("src")).expect("a folder");
        std::fs::write(folder.join("src/lib.rs"), "").expect("it can be written");
        let find = |panic: &str| {
            let text = format!(
                "[package]\nname = \"{panic}-k\"\n[workspace]\n[lib]\n[package.metadata.lanewise]\npanic = \"{panic}\"\n"
            );
            std::fs::write(folder.join("Cargo.toml"), text).expect("it can be written");
            Package::find(&folder)
        };
        let package = find("trap").expect("a package");
        assert_eq!(package.panics, Some(Panics::Trap));
        assert!(matches!(package.form, Form::Crate(_)));
        let refused = find("loud").err().expect("there is no such mode");
        let message = refused.to_string();
        assert!(
            message.contains("\"record\", \"message\", \"trap\""),
            "{message}"
        );
    }

    #[test]
    fn a_manifest_may_name_features_of_rust_for_its_module() {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path().canonicalize().expect("it is there");
        std::fs::create_dir(folder.join("src")).expect("a folder");
        std::fs::write(folder.join("src/lib.rs"), "").expect("it can be written");
        std::fs::write(folder.join("src/kernels.rs"), "").expect("it can be written");
        let find = |number: u32, features: &str| {
            let text = format!(
                "[package]\nname = \"m{number}\"\n[workspace]\n[lib]\n[package.metadata.lanewise]\nfeatures = {features}\n"
            );
            std::fs::write(folder.join("Cargo.toml"), text).expect("it can be written");
            Package::find(&folder).map(|package| package.form)
        };
        let Ok(Form::Module(module)) = find(1, "[\"asm_experimental_arch\", \"f16\"]") else {
            panic!("the kernels are a module");
        };
        assert_eq!(module.features, ["asm_experimental_arch", "f16"]);
        for (number, wrong) in ["\"f16\"", "[16]", "[\"f16)]\"]", "[\"\"]"]
            .iter()
            .enumerate()
        {
            let Err(refused) = find(number as u32 + 2, wrong) else {
                panic!("`{wrong}` is no list of features");
            };
            assert!(refused.to_string().contains("`features`"), "{refused}");
        }
    }

    #[test]
    fn a_manifest_and_a_folder_of_sources_that_changed_are_read_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path().canonicalize().expect("it is there");
        let write = |file: &str, text: &str| {
            std::fs::write(folder.join(file), text).expect("it can be written");
        };
        let manifest = |name| format!("[package]\nname = \"{name}\"\n[workspace]\n[lib]\n");
        std::fs::create_dir(folder.join("src")).expect("a folder");
        write("src/lib.rs", "");
        let krate = || Package::find(&folder).map(|package| package.krate);
        for name in ["first", "second"] {
            write("Cargo.toml", &manifest(name));
            for _ in 0..2 {
                assert_eq!(krate().expect("a package"), name);
            }
        }
        std::fs::remove_file(folder.join("src/lib.rs")).expect("it is there");
        assert!(krate().is_err());
    }
}
