//! Whose work is in a program: a bill of materials (CycloneDX 1.5) and the licences' texts.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt::Write;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, Package, PackageId};
use serde_json::{Value, json};

use crate::workspace;

/// The packages of which programs consist.
pub(super) struct Parts {
    /// By name and version.
    packages: Vec<Package>,
}

impl Parts {
    /// Finds what packages of the workspace link on a target.
    pub(super) fn of(names: &[&str], target: &str) -> Result<Self> {
        let mut command = MetadataCommand::new();
        command.current_dir(workspace::root());
        command.other_options(["--filter-platform".to_owned(), target.to_owned()]);
        let metadata = command.exec().context("cargo metadata")?;
        let linked = linked(&metadata, names);
        let packages = metadata.packages.into_iter();
        let mut packages: Vec<Package> = packages.filter(|it| linked.contains(&it.id)).collect();
        packages.sort_by(|a, b| (&*a.name, &a.version).cmp(&(&*b.name, &b.version)));
        Ok(Self { packages })
    }

    /// Returns the bill of materials.
    pub(super) fn bill(&self) -> Value {
        let components: Vec<Value> = self.packages.iter().map(component).collect();
        json!({
            "bomFormat": "CycloneDX",
            "specVersion": "1.5",
            "version": 1,
            "metadata": { "component": {
                "type": "application", "name": "lanewise", "version": env!("CARGO_PKG_VERSION"),
            } },
            "components": components,
        })
    }

    /// Returns the texts of the licences of all packages that are not ours. Each text is there
    /// once, after the packages that have it.
    pub(super) fn licences(&self) -> Result<String> {
        let mut texts: Vec<(String, BTreeSet<String>)> = Vec::new();
        let mut known = HashMap::new();
        for package in self.packages.iter().filter(|it| it.source.is_some()) {
            let folder = package.manifest_path.parent().context("a folder")?;
            let name = format!("{} {}", package.name, package.version);
            for text in licence_files(folder.as_std_path())? {
                let at = *known.entry(text.clone()).or_insert_with(|| {
                    texts.push((text, BTreeSet::new()));
                    texts.len() - 1
                });
                texts[at].1.insert(name.clone());
            }
        }
        let mut all = String::new();
        for (text, packages) in texts {
            let names: Vec<String> = packages.into_iter().collect();
            // Writing to a string can't fail.
            let _ = writeln!(all, "{}\n\n{}\n", names.join(", "), text.trim());
        }
        Ok(all)
    }
}

/// Returns the packages that are linked into packages of the workspace.
fn linked(metadata: &Metadata, names: &[&str]) -> HashSet<PackageId> {
    let nodes = metadata.resolve.iter().flat_map(|graph| &graph.nodes);
    let nodes: HashMap<_, _> = nodes.map(|node| (&node.id, node)).collect();
    let roots = metadata.workspace_packages().into_iter();
    let roots = roots.filter(|package| names.contains(&package.name.as_str()));
    let mut open: Vec<&PackageId> = roots.map(|package| &package.id).collect();
    let mut linked = HashSet::new();
    while let Some(id) = open.pop() {
        if linked.insert(id.clone())
            && let Some(node) = nodes.get(id)
        {
            let normal = node.deps.iter().filter(|dependency| {
                let mut kinds = dependency.dep_kinds.iter();
                kinds.any(|it| it.kind == DependencyKind::Normal)
            });
            open.extend(normal.map(|dependency| &dependency.pkg));
        }
    }
    linked
}

fn component(package: &Package) -> Value {
    json!({
        "type": "library",
        "name": package.name,
        "version": package.version,
        "purl": format!("pkg:cargo/{}@{}", package.name, package.version),
        "licenses": package.license.iter().map(|it| json!({ "expression": it })).collect::<Vec<_>>(),
    })
}

/// Returns the texts of a package's licences, by the names of their files.
fn licence_files(folder: &Path) -> Result<Vec<String>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| format!("`{}`", folder.display()))? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let name = name.to_uppercase();
        let is_licence = ["LICENSE", "LICENCE", "COPYING", "NOTICE", "UNLICENSE"]
            .iter()
            .any(|start| name.starts_with(start));
        if is_licence && path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    let texts = files.iter().map(|path| Ok(fs::read_to_string(path)?));
    texts.collect()
}

#[cfg(test)]
mod tests {
    use super::super::programs::HERE;
    use super::*;

    #[test]
    fn a_bill_has_what_is_linked_and_not_what_tests_need() {
        let parts = Parts::of(&["cargo-lanewise"], HERE).expect("cargo metadata");
        let bill = parts.bill();
        let has = |name: &str| {
            let mut components = bill["components"].as_array().into_iter().flatten();
            components.any(|component| component["name"] == name)
        };
        assert!(has("clap") && has("lanewise-builder") && !has("insta"));
        let licences = parts.licences().expect("the sources are here");
        assert!(licences.contains("clap ") && !licences.contains("lanewise-builder"));
    }
}
