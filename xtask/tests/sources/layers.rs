//! Modules use each other in one direction, and `cust` is named in one of them.
//!
//! The modules of a folder (files and folders, with everything in them) may not use each
//! other in a cycle. A reader can then begin at the bottom, and a module can change without
//! those below it. A `mod.rs` belongs to its folder, and its uses are not counted. Tests are
//! not counted either. The paths are read from the text: `use` lines, and `crate::` and
//! `super::` anywhere. A name that a module exports again counts as a name of the module that
//! it comes from.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::text::code;

/// Modules that are one unit in several files.
struct OneThing {
    /// The crate's folder.
    of: &'static str,
    /// The folder of modules.
    folder: &'static str,
    /// The modules of the folder that belong together. If empty, all of them, with those below.
    modules: &'static [&'static str],
    /// The reason for a reader.
    #[expect(dead_code, reason = "it is for the reader")]
    because: &'static str,
}

/// The intended cycles. An entry that is no longer a cycle is reported, too.
const ONE_THING: &[OneThing] = &[
    OneThing {
        of: "gpu/std",
        folder: "",
        modules: &["memory", "sync", "cluster"],
        because: "atomics and barriers lie in memory, and memory that threads share without `unsafe` is of atomics",
    },
    OneThing {
        of: "gpu/std",
        folder: "groups",
        modules: &["coalesced", "warp_group"],
        because: "a group of a warp is divided into coalesced groups, which are groups of a warp too",
    },
    OneThing {
        of: "host/sim",
        folder: "machine",
        modules: &[],
        because: "an operation is run by a function that takes the whole machine",
    },
    OneThing {
        of: "gpu/ptx",
        folder: "parser",
        modules: &["body", "module"],
        because: "a body declares variables as a module does, and a module holds bodies",
    },
];

impl OneThing {
    fn holds(&self, folder: &str, from: &str, to: &str) -> bool {
        let below = folder.strip_prefix(self.folder).unwrap_or("no");
        if self.modules.is_empty() {
            return below.is_empty() || below.starts_with("::");
        }
        below.is_empty() && self.modules.contains(&from) && self.modules.contains(&to)
    }
}

/// The crates that are read.
const CRATES: &[&str] = &[
    "gpu",
    "gpu/compat",
    "gpu/macros",
    "gpu/std",
    "gpu/ptx",
    "gpu/builder",
    "host",
    "host/cudarc",
    "host/diff",
    "host/driver",
    "host/patterns",
    "host/records",
    "host/sim",
    "host/variables",
    "host/svg",
    "xtask",
    "xtask/cli",
];

/// A module's path in its crate, from the root down.
type Module = Vec<String>;

/// The text of every module of a crate, without comments, literals and tests.
fn modules(folder: &Path) -> BTreeMap<Module, String> {
    fn below(folder: &Path, path: &[String], found: &mut BTreeMap<Module, String>) {
        for entry in fs::read_dir(folder).expect("a folder of sources") {
            let file = entry.expect("an entry").path();
            let name = file
                .file_stem()
                .expect("a name")
                .to_string_lossy()
                .into_owned();
            let mut module = path.to_vec();
            if file.is_dir() {
                module.push(name);
                below(&file, &module, found);
            } else if file.extension().is_some_and(|extension| extension == "rs") {
                if !["lib", "main", "mod"].contains(&name.as_str()) {
                    module.push(name);
                }
                let text = fs::read_to_string(&file).expect("a source file is text");
                found.insert(module, code(&text));
            }
        }
    }
    let mut found = BTreeMap::new();
    below(folder, &[], &mut found);
    found.retain(|module, _| {
        module
            .last()
            .is_none_or(|name| name != "tests" && name != "bin")
    });
    found
}

/// The paths of a `use` tree: `a::{b, c::d}` is `a::b` and `a::c::d`.
fn paths(tree: &str) -> Vec<String> {
    let Some((before, inside)) = tree.split_once('{') else {
        let path = tree.split(" as ").next().unwrap_or(tree);
        return vec![path.split_whitespace().collect()];
    };
    let inside = inside.rsplit_once('}').map_or(inside, |(inside, _)| inside);
    let (mut depth, mut parts) = (0, vec![String::new()]);
    for c in inside.chars() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        parts.last_mut().expect("there is one").push(c);
    }
    parts
        .iter()
        .filter(|part| !part.trim().is_empty())
        .flat_map(|part| paths(&format!("{before}{part}")))
        .collect()
}

/// The paths of its crate that a module names, and whether it exports each name again.
fn named(text: &str) -> Vec<(String, bool)> {
    let mut found = Vec::new();
    let mut elsewhere = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("use ") {
        let (before, from) = rest.split_at(at);
        elsewhere.push_str(before);
        let whole_word = before.is_empty() || before.ends_with(char::is_whitespace);
        let end = from.find(';').unwrap_or(from.len());
        if whole_word {
            let line = before.rsplit('\n').next().unwrap_or("").trim();
            let again = line.starts_with("pub");
            found.extend(paths(&from[4..end]).into_iter().map(|path| (path, again)));
        }
        rest = &from[end..];
    }
    elsewhere.push_str(rest);
    for start in ["crate::", "super::"] {
        for (at, _) in elsewhere.match_indices(start) {
            let inside_word =
                elsewhere[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':');
            if inside_word {
                continue;
            }
            let end =
                elsewhere[at..].find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'));
            let path = &elsewhere[at..end.map_or(elsewhere.len(), |end| at + end)];
            found.push((path.trim_end_matches(':').to_owned(), false));
        }
    }
    found
}

/// The modules of a crate and what they use.
struct Uses {
    modules: BTreeSet<Module>,
    /// The names that a module exports again, with the module that each comes from.
    exports: BTreeMap<(Module, String), Module>,
}

impl Uses {
    /// Returns the module that a path in `from` leads to, if it belongs to the crate.
    fn resolve(&self, from: &Module, path: &str) -> Option<Module> {
        let mut words = path.split("::").peekable();
        let mut at = match *words.peek()? {
            "crate" => {
                words.next();
                Module::new()
            }
            "super" => {
                let mut at = from.clone();
                while words.next_if_eq(&"super").is_some() {
                    at.pop();
                }
                at
            }
            first => {
                let inner = first != "self";
                if !inner {
                    words.next();
                }
                let mut child = from.clone();
                child.extend(inner.then(|| first.to_owned()));
                if !self.modules.contains(&child) {
                    return None;
                }
                from.clone()
            }
        };
        for word in words {
            let mut child = at.clone();
            child.push(word.to_owned());
            if self.modules.contains(&child) {
                at = child;
            } else {
                return Some(
                    self.exports
                        .get(&(at.clone(), word.to_owned()))
                        .cloned()
                        .unwrap_or(at),
                );
            }
        }
        Some(at)
    }
}

/// A use on a cycle: the folder, the two modules in it, and what uses what.
struct Use {
    folder: String,
    between: (String, String),
    line: String,
}

/// Returns the uses of a crate that are on cycles.
fn circles(root: &Path, name: &str) -> Vec<Use> {
    let texts = modules(&root.join(name).join("src"));
    let mut uses = Uses {
        modules: texts.keys().cloned().collect(),
        exports: BTreeMap::new(),
    };
    let named: Vec<(&Module, Vec<(String, bool)>)> = texts
        .iter()
        .map(|(module, text)| (module, named(text)))
        .collect();
    // Twice, for names that are exported again twice.
    for _ in 0..2 {
        for (module, paths) in &named {
            for (path, _) in paths.iter().filter(|(_, again)| *again) {
                let word = path.rsplit("::").next().unwrap_or(path).to_owned();
                if let Some(from) = uses.resolve(module, path).filter(|from| from != *module) {
                    uses.exports.insert(((*module).clone(), word), from);
                }
            }
        }
    }
    let mut edges = BTreeSet::new();
    for (module, paths) in &named {
        for (path, _) in paths {
            edges.extend(uses.resolve(module, path).map(|to| ((*module).clone(), to)));
        }
    }
    let mut found = Vec::new();
    let folders: BTreeSet<&[String]> = texts
        .keys()
        .flat_map(|module| (0..module.len()).map(|depth| &module[..depth]))
        .collect();
    for folder in folders {
        let beside = |from: &Module, to: &Module| {
            let inside =
                |module: &Module| module.len() > folder.len() && module.starts_with(folder);
            (inside(from) && inside(to) && from[folder.len()] != to[folder.len()])
                .then(|| (from[folder.len()].clone(), to[folder.len()].clone()))
        };
        let between: BTreeSet<(String, String)> = edges
            .iter()
            .filter_map(|(from, to)| beside(from, to))
            .collect();
        let circle = in_circles(&between);
        for (from, to) in &edges {
            if let Some(between) = beside(from, to).filter(|between| circle.contains(between)) {
                found.push(Use {
                    folder: folder.join("::"),
                    between,
                    line: format!("{} uses {}", from.join("::"), to.join("::")),
                });
            }
        }
    }
    found
}

/// Returns the edges on a cycle: the start of such an edge can be reached from its end.
fn in_circles(edges: &BTreeSet<(String, String)>) -> BTreeSet<(String, String)> {
    let reaches = |from: &String, to: &String| {
        let (mut seen, mut todo) = (BTreeSet::from([from]), vec![from]);
        while let Some(at) = todo.pop() {
            if at == to {
                return true;
            }
            let next = edges.iter().filter(|(a, _)| a == at).map(|(_, b)| b);
            todo.extend(next.filter(|b| seen.insert(b)));
        }
        false
    };
    edges
        .iter()
        .filter(|(a, b)| reaches(b, a))
        .cloned()
        .collect()
}

#[test]
fn modules_use_each_other_in_one_direction() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let (mut wrong, mut met) = (String::new(), BTreeSet::new());
    for name in CRATES {
        for Use {
            folder,
            between: (from, to),
            line,
        } in circles(&root, name)
        {
            let meant = ONE_THING
                .iter()
                .position(|one| one.of == *name && one.holds(&folder, &from, &to));
            match meant {
                Some(index) => drop(met.insert(index)),
                None => wrong += &format!("{name}, `crate::{folder}`: {line}\n"),
            }
        }
    }
    for (index, one) in ONE_THING.iter().enumerate() {
        if !met.contains(&index) {
            let OneThing { of, folder, .. } = one;
            wrong +=
                &format!("{of}, `crate::{folder}`: no circle any more; take it off the list\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn the_host_library_names_cust_in_one_module() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../host/src");
    let mut naming = modules(&root);
    naming.retain(|_, text| text.contains("cust::"));
    assert_eq!(naming.into_keys().collect::<Vec<_>>(), [["interop"]]);
}

#[test]
fn a_circle_is_found_and_a_line_is_not() {
    let edges = |pairs: &[(&str, &str)]| -> BTreeSet<(String, String)> {
        pairs
            .iter()
            .map(|(a, b)| (a.to_string(), b.to_string()))
            .collect()
    };
    assert!(in_circles(&edges(&[("a", "b"), ("b", "c"), ("a", "c")])).is_empty());
    let circle = edges(&[("b", "c"), ("c", "b")]);
    assert_eq!(
        in_circles(&edges(&[("a", "b"), ("b", "c"), ("c", "b")])),
        circle
    );
    assert_eq!(
        paths("crate::{a, b::{C as D, self}}"),
        ["crate::a", "crate::b::C", "crate::b::self"]
    );
    let text = code(
        "use super::a; // use crate::b;\nlet s = \"crate::c\"; crate::d::e();\n#[cfg(test)]\nmod tests { use crate::f; }",
    );
    let names: Vec<String> = named(&text).into_iter().map(|(path, _)| path).collect();
    assert_eq!(names, ["super::a", "crate::d::e"]);
}
