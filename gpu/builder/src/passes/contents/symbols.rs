//! Gives kernels and statics the names that they have in the PTX.
//!
//! `#[kernel]` and `#[device]` pass the whole path to rustc, `gpu::basics::vector_add::vec_add`,
//! because two Rust modules, or two crates, may use one name. If no other symbol has the name, this
//! pass replaces the path by the name alone. Otherwise it uses the path within the crate, with `$`,
//! which occurs in no Rust name: `filters$box3$blur`. [`split`] reverses this. What was exported by
//! hand keeps its name.
//!
//! Kernels and statics of the kernel crate's dependencies are not for its host, because each crate
//! has a module of its own. They are kept only if a kernel reaches them.
//!
//! This pass also finds the functions that cross modules (`#[device]` on functions). An exported
//! function has a path and is not a kernel. An imported function has a prefix before its name.
//!
//! Source: PTX ISA, "Identifiers".

use std::collections::{BTreeMap, BTreeSet};

use inkwell::module::{Linkage, Module};
use inkwell::values::GlobalValue;

use super::descriptions::{Described, Descriptions, PREFIX, STATIC_PREFIX};
use crate::llvm;
use crate::manifest::Description;

/// The replacement for `::` in a symbol.
const SEPARATOR: &str = "$";

/// The prefix that `#[device]` gives an imported function's name.
const IMPORT: &str = "__lanewise_import.";

/// The functions that cross modules, by their names in the PTX, in order.
#[derive(Debug, Default)]
pub(crate) struct Crossing {
    /// Functions that this module defines for others to call.
    pub(crate) exports: Vec<String>,
    /// Functions that this module calls and others define.
    pub(crate) imports: Vec<String>,
}

/// Returns the Rust module and the name of a symbol that contains both.
pub(crate) fn split(symbol: &str) -> Option<(String, &str)> {
    let (module, name) = symbol.rsplit_once(SEPARATOR)?;
    Some((module.replace(SEPARATOR, "::"), name))
}

/// The contents of the module, by the names in the PTX.
pub(crate) struct Named {
    /// Its kernels, in order.
    pub(crate) kernels: Vec<Description>,
    /// The digits that identify the type of each static.
    pub(crate) statics: BTreeMap<String, String>,
    /// The functions that cross modules.
    pub(crate) crossing: Crossing,
}

/// Renames everything that is named by a path. Returns the descriptions of kernels and statics
/// under their new names.
pub(crate) fn set(module: &Module<'_>, root: &str, described: Descriptions) -> Named {
    let mut crossing = Crossing {
        imports: imports(module),
        exports: Vec::new(),
    };
    let functions: BTreeSet<String> = module
        .get_functions()
        .filter(|function| !llvm::is_kernel(*function))
        .map(llvm::name)
        .collect();
    let symbols = all(module);
    let (paths, others): (BTreeMap<_, _>, BTreeMap<_, _>) = symbols
        .into_iter()
        .partition(|(name, _)| name.contains("::"));
    let taken: BTreeSet<&str> = others.keys().map(String::as_str).collect();
    let names = names(paths.keys().map(String::as_str), root, &taken);
    for (path, global) in &paths {
        global.set_name(&names[path.as_str()]);
        if !is_of(path, root) {
            global.set_linkage(Linkage::Internal);
        } else if functions.contains(path) {
            crossing.exports.push(names[path.as_str()].clone());
        }
    }
    let rename = |Described { path, mut text }: Described| {
        if let Some(name) = names.get(path.as_str()) {
            text.name.clone_from(name);
            // Another crate's kernel does not require a module of launching kernels.
            text.launches &= is_of(&path, root);
        }
        text
    };
    let mut kernels: Vec<_> = described.kernels.into_iter().map(rename).collect();
    kernels.sort_by(|a, b| a.name.cmp(&b.name));
    crossing.exports.sort();
    let statics = described.statics.into_iter();
    let statics = statics.map(|(path, digits)| match names.get(path.as_str()) {
        Some(name) => (name.clone(), digits),
        None => (path, digits),
    });
    Named {
        kernels,
        statics: statics.collect(),
        crossing,
    }
}

/// Removes the prefix from the names of imported functions.
fn imports(module: &Module<'_>) -> Vec<String> {
    let mut imports = Vec::new();
    for function in module.get_functions() {
        if let Some(name) = llvm::name(function).strip_prefix(IMPORT) {
            function.as_global_value().set_name(name);
            imports.push(name.to_owned());
        }
    }
    imports.sort();
    imports
}

/// Returns every function and variable with a name. Descriptions are not included, because
/// they are removed.
fn all<'ctx>(module: &Module<'ctx>) -> BTreeMap<String, GlobalValue<'ctx>> {
    let functions = module.get_functions().map(|it| it.as_global_value());
    functions
        .chain(module.get_globals())
        .map(|global| (llvm::text(global.get_name()), global))
        .filter(|(name, _)| !name.starts_with(PREFIX) && !name.starts_with(STATIC_PREFIX))
        .collect()
}

/// Returns the path relative to the kernels' own module, if it begins with that module:
/// `filters::blur` for `demo::filters::blur`.
fn within<'a>(path: &'a str, root: &str) -> Option<&'a str> {
    path.strip_prefix(root)?.strip_prefix("::")
}

/// Returns whether the path begins with that of the kernels' own module.
fn is_of(path: &str, root: &str) -> bool {
    within(path, root).is_some()
}

/// Returns the symbol for each path.
fn names<'a>(
    paths: impl Iterator<Item = &'a str> + Clone,
    root: &str,
    taken: &BTreeSet<&str>,
) -> BTreeMap<&'a str, String> {
    let name = |path: &'a str| path.rsplit("::").next().unwrap_or(path);
    let mut counts = BTreeMap::new();
    for path in paths.clone().filter(|path| is_of(path, root)) {
        *counts.entry(name(path)).or_insert(0) += 1;
    }
    let symbol = |path: &'a str| {
        let name = name(path);
        if !is_of(path, root) {
            return path.replace("::", SEPARATOR);
        }
        if counts[name] == 1 && !taken.contains(name) {
            return name.to_owned();
        }
        let joined = within(path, root).unwrap_or(path).replace("::", SEPARATOR);
        // A symbol in the crate's root has no path that would make it different.
        match taken.contains(&*joined) {
            true => format!("{SEPARATOR}{joined}"),
            false => joined,
        }
    };
    paths.map(|path| (path, symbol(path))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(paths: &[&str], taken: &[&str]) -> Vec<String> {
        let taken = taken.iter().copied().collect();
        let names = names(paths.iter().copied(), "demo", &taken);
        paths.iter().map(|path| names[path].clone()).collect()
    }

    #[test]
    fn a_name_is_plain_unless_two_have_it() {
        let paths = ["demo::a::k", "demo::a::b::k", "demo::k", "demo::a::other"];
        assert_eq!(of(&paths, &[]), ["a$k", "a$b$k", "k", "other"]);
        assert_eq!(split("a$b$k"), Some(("a::b".to_owned(), "k")));
        assert_eq!(split("other"), None);
    }

    #[test]
    fn a_name_that_was_exported_by_hand_is_left_to_it() {
        assert_eq!(
            of(&["demo::a::k", "demo::memcpy"], &["k", "memcpy"]),
            ["a$k", "$memcpy"]
        );
        assert_eq!(split("$memcpy"), Some((String::new(), "memcpy")));
    }

    #[test]
    fn another_crates_kernel_has_its_whole_path() {
        let paths = ["gpu::basics::k", "demo::k"];
        assert_eq!(of(&paths, &[]), ["gpu$basics$k", "k"]);
    }
}
