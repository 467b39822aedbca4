//! The manifest that the nested cargo compiles a kernel crate with: the package's own manifest,
//! without its build script.
//!
//! A kernel crate's build script calls this builder, which compiles the crate for the device. If
//! the script were part of that build too, it would call itself, and this crate would be
//! compiled once more for nothing. So the device's build uses a manifest of its own in the
//! target folder. That manifest has the package's name, features and dependencies, and the path
//! of its source. A workspace around it has the versions of the package's `Cargo.lock` and the
//! patches of its workspace.
//!
//! Kernels that are a module of their package get a crate that holds this module and
//! nothing else of the package. In it the module is where it is on the host, at
//! `crate::kernels`. It depends on the device library, as the package does, and on what the
//! section `[package.metadata.lanewise.dependencies]` names.
//!
//! The files that a build script generates for the kernels are in its `OUT_DIR`. The device's build
//! gets this folder too.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use cargo_metadata::{Dependency, DependencyKind};
use serde_json::Value;

use super::package::{Form, KernelModule, Package};
use crate::error::BuildError;
use crate::fingerprint;

/// Writes the manifest below the target folder and returns its path. Each set of features has a
/// manifest of its own, which is another package to cargo. So the library is not compiled again
/// after it was compiled with other features. (Cargo tells such packages apart by their paths
/// in their workspaces.)
pub(crate) fn write(
    package: &Package,
    features: &[String],
    default_features: bool,
    target_dir: &Path,
) -> Result<PathBuf, BuildError> {
    let key = fingerprint::of(&(&package.described.manifest_path, features, default_features));
    let workspace = target_dir
        .join("manifests")
        .join(format!("{}-{key}", package.krate));
    let folder = workspace.join(&key);
    fs::create_dir_all(&folder).map_err(BuildError::io("create", &folder))?;
    let source = match &package.form {
        Form::Crate(source) => source.clone(),
        Form::Module(module) => {
            let root = folder.join("lib.rs");
            refresh(&root, &root_of(module))?;
            root
        }
    };
    let manifest = folder.join("Cargo.toml");
    let is_new = refresh(&manifest, &text(package, &source)?)?;
    let around = format!(
        "# Made by lanewise-builder.\n[workspace]\nresolver = {}\nmembers = [{}]\n{}",
        quoted(resolver(package)),
        quoted(&key),
        patches(&package.root)?
    );
    if !refresh(&workspace.join("Cargo.toml"), &around)? && !is_new {
        return Ok(manifest);
    }
    let lock = package.root.join("Cargo.lock");
    if lock.is_file() {
        let text = fs::read_to_string(&lock).map_err(BuildError::io("read", &lock))?;
        refresh(&workspace.join("Cargo.lock"), &text)?;
    }
    Ok(manifest)
}

/// Returns the feature resolver that is the default of the package's edition.
fn resolver(package: &Package) -> &'static str {
    match package.described.edition.as_str() {
        "2015" | "2018" => "1",
        "2021" => "2",
        _ => "3",
    }
}

/// Writes a file only if its text changes, because cargo compares its time. Returns whether it
/// wrote the file. If the cargo of another build reads the file meanwhile, it reads either the
/// whole old text or the whole new text.
fn refresh(file: &Path, text: &str) -> Result<bool, BuildError> {
    if fs::read_to_string(file).is_ok_and(|old| old == text) {
        return Ok(false);
    }
    let fresh = file.with_extension("fresh");
    fs::write(&fresh, text).map_err(BuildError::io("write", &fresh))?;
    fs::rename(&fresh, file).map_err(BuildError::io("write", file))?;
    Ok(true)
}

/// Returns the root of the crate that is generated for a module of kernels. An inline module
/// with a path lets Rust find the module's file, and the files of the modules in it, where the
/// package has them.
fn root_of(module: &KernelModule) -> String {
    let (around, name) = (KernelModule::AROUND, KernelModule::NAME);
    let features = module.features.iter().map(String::as_str);
    // Twice the same feature is an error of Rust.
    let features: BTreeSet<&str> = ["abi_ptx"].into_iter().chain(features).collect();
    let features = features.into_iter().collect::<Vec<_>>().join(", ");
    format!(
        "//! Made by lanewise-builder: the module of kernels as a crate.\n#![no_std]\n#![feature({features})]\n\n#[path = {:?}]\nmod {around} {{\n    \
         pub mod {name};\n}}\npub use {around}::{name};\n",
        module.folder
    )
}

/// The package's manifest.
fn text(package: &Package, source: &Path) -> Result<String, BuildError> {
    let Package {
        krate, described, ..
    } = package;
    let mut text = format!(
        "# Made by lanewise-builder from {}.\n[package]\nname = {}\nversion = {}\nedition = {}\nbuild = false\npublish = false\n\n\
         [lib]\nname = {}\npath = {}\n",
        described.manifest_path,
        quoted(described.name.as_str()),
        quoted(&described.version.to_string()),
        quoted(described.edition.as_str()),
        quoted(krate),
        quoted(&source.display().to_string()),
    );
    let is_module = matches!(package.form, Form::Module(_));
    text += "\n[features]\n";
    for (feature, needs) in &described.features {
        // A feature's effect on the host's dependencies does not concern the device's build.
        let needs = needs
            .iter()
            .filter(|needed| !is_module || described.features.contains_key(*needed));
        let needs: Vec<_> = needs.map(|it| quoted(it)).collect();
        let _ = writeln!(text, "{} = [{}]", quoted(feature), needs.join(", "));
    }
    let mut tables: BTreeMap<String, String> = BTreeMap::new();
    if let Form::Module(module) = &package.form {
        tables.insert("dependencies".to_owned(), own(package, module)?);
    }
    for dependency in &described.dependencies {
        if dependency.kind == DependencyKind::Normal && package.shares(dependency) {
            let table = match &dependency.target {
                None => "dependencies".to_owned(),
                Some(target) => format!("target.{}.dependencies", quoted(&target.to_string())),
            };
            *tables.entry(table).or_default() += &line(dependency);
        }
    }
    for (table, lines) in tables {
        let _ = write!(text, "\n[{table}]\n{lines}");
    }
    Ok(text)
}

/// The device library's packages, which kernels may use without an entry in the manifest.
const LIBRARY: [&str; 2] = ["lanewise-std", "lanewise-macros"];

impl Package {
    /// Returns whether the kernels have this dependency of the package.
    fn shares(&self, dependency: &Dependency) -> bool {
        let Form::Module(module) = &self.form else {
            return true;
        };
        let name = dependency.rename.as_ref().unwrap_or(&dependency.name);
        LIBRARY.contains(&dependency.name.as_str())
            || module.dependencies.get(name) == Some(&true.into())
    }
}

/// Returns the lines of `[package.metadata.lanewise.dependencies]` that are complete by themselves
/// and do not refer to the package's own dependencies.
fn own(package: &Package, module: &KernelModule) -> Result<String, BuildError> {
    let described = &package.described;
    let reject = |why: String| {
        let path = described.manifest_path.clone().into();
        Err(BuildError::NotAKernelCrate { path, why })
    };
    let folder = described.manifest_path.parent();
    let mut lines = String::new();
    for (name, wanted) in &module.dependencies {
        let value = match wanted {
            Value::Bool(true) => {
                let names = |it: &Dependency| it.rename.as_ref().unwrap_or(&it.name) == name;
                if !described.dependencies.iter().any(names) {
                    return reject(format!(
                        "[package.metadata.lanewise.dependencies] has `{name} = true`, which is for a line `{name}` of [dependencies], and there is none"
                    ));
                }
                continue;
            }
            Value::String(version) => quoted(version),
            Value::Object(fields) if !fields.contains_key("workspace") => {
                let fields = fields.iter().map(|(key, value)| {
                    match (key.as_str(), value.as_str(), folder) {
                        ("path", Some(path), Some(folder)) => {
                            format!("path = {}", quoted(folder.join(path).as_str()))
                        }
                        _ => format!("{key} = {value}"),
                    }
                });
                format!("{{ {} }}", fields.collect::<Vec<_>>().join(", "))
            }
            _ => {
                return reject(format!(
                    "[package.metadata.lanewise.dependencies] `{name}` has to be a version, a table as in [dependencies], or `true` for the \
                     line of that name there"
                ));
            }
        };
        let _ = writeln!(lines, "{} = {value}", quoted(name));
    }
    Ok(lines)
}

/// A dependency's line in its table.
fn line(dependency: &Dependency) -> String {
    let mut fields = Vec::new();
    let mut field = |name: &str, value: &str| fields.push(format!("{name} = {}", quoted(value)));
    field("version", &dependency.req.to_string());
    if dependency.rename.is_some() {
        field("package", &dependency.name);
    }
    let source = dependency
        .source
        .as_ref()
        .map(|source| source.repr.as_str());
    if let Some(path) = &dependency.path {
        field("path", path.as_str());
    } else if let Some(git) = source.and_then(|source| source.strip_prefix("git+")) {
        let (url, query) = git.split_once('?').unwrap_or((git, ""));
        field("git", url.split('#').next().unwrap_or(url));
        // `branch=main`, `tag=v1`, `rev=0123`.
        let query = query.split('#').next().unwrap_or_default();
        for (name, value) in query.split('&').filter_map(|pair| pair.split_once('=')) {
            field(name, value);
        }
    } else if let Some(registry) = &dependency.registry {
        field("registry-index", registry);
    }
    let features: Vec<_> = dependency.features.iter().map(|it| quoted(it)).collect();
    fields.push(format!("features = [{}]", features.join(", ")));
    fields.push(format!(
        "default-features = {}",
        dependency.uses_default_features
    ));
    fields.push(format!("optional = {}", dependency.optional));
    let name = dependency.rename.as_ref().unwrap_or(&dependency.name);
    format!("{} = {{ {} }}\n", quoted(name), fields.join(", "))
}

/// Returns the `[patch]` tables of the workspace's root, with absolute paths.
fn patches(root: &Path) -> Result<String, BuildError> {
    let manifest = root.join("Cargo.toml");
    let text = fs::read_to_string(&manifest).map_err(BuildError::io("read", &manifest))?;
    // Cargo has read the file before. A file that does not parse counts as one without patches.
    let parsed: toml::Table = text.parse().unwrap_or_default();
    let mut text = String::new();
    for (source, patched) in parsed
        .get("patch")
        .and_then(toml::Value::as_table)
        .into_iter()
        .flatten()
    {
        let _ = writeln!(text, "\n[patch.{}]", quoted(source));
        for (name, patch) in patched.as_table().into_iter().flatten() {
            let fields = patch.as_table().into_iter().flatten().map(|(key, value)| {
                let value = match value.as_str() {
                    Some(path) if key == "path" => quoted(&root.join(path).display().to_string()),
                    Some(text) => quoted(text),
                    None => value.to_string(),
                };
                format!("{key} = {value}")
            });
            let fields: Vec<_> = fields.collect();
            let _ = writeln!(text, "{} = {{ {} }}", quoted(name), fields.join(", "));
        }
    }
    Ok(text)
}

/// Returns a string of TOML. A JSON string is also a TOML string.
fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_workspaces_patches_keep_their_meaning_elsewhere() {
        let root = tempfile::tempdir().expect("a folder");
        let text = "[workspace]\n[patch.'https://example.org/x']\na = { path = \"a\" }\nb = { git = \"u\", features = [\"f\"] }\n";
        fs::write(root.path().join("Cargo.toml"), text).expect("it can be written");
        let patches = patches(root.path()).expect("it can be read");
        let path = quoted(&root.path().join("a").display().to_string());
        assert_eq!(
            patches,
            format!(
                "\n[patch.\"https://example.org/x\"]\n\"a\" = {{ path = {path} }}\n\"b\" = {{ features = [\"f\"], git = \"u\" }}\n"
            )
        );
    }
}
