//! The examples in the device library's documentation: those with kernels are compiled for the
//! device, as one crate with a module for each.
//!
//! rustdoc compiles them for the host only, where nothing is generated for an instruction.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use lanewise_builder::PtxBuilder;

use crate::support::{scratch, target_dir};

/// Parts of the library of which each public name has to be in such an example: shared memory,
/// collectives, barriers, pipelines, atomics and tensor maps.
const AREAS: &[&str] = &[
    "async_copy",
    "atomic",
    "barrier",
    "cells",
    "collective",
    "dynamic_shared",
    "part_per_block",
    "phased",
    "pipeline",
    "scope",
    "shared",
    "tma",
];

/// What traits ask for that a kernel does not name.
const OF_TRAITS: &[&str] = &["default", "deref", "drop", "Target", "Value"];

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Returns the files in a folder and its folders.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Returns the examples in the documentation of a file that have kernels and are right.
fn examples(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut block: Option<(bool, String)> = None;
    for line in text.lines().map(str::trim_start) {
        let Some(doc) = line.strip_prefix("///").or(line.strip_prefix("//!")) else {
            block = None;
            continue;
        };
        let doc = doc.strip_prefix(' ').unwrap_or(doc);
        match (&mut block, doc.strip_prefix("```")) {
            (None, Some(kind)) => block = Some((kind.is_empty(), String::new())),
            (None, None) => {}
            (Some(_), Some(_)) => {
                let (is_right, example) = block.take().unwrap_or_default();
                if is_right && example.contains("#[kernel") {
                    found.push(example);
                }
            }
            (Some((_, example)), None) => {
                // What the page does not show begins with `# `.
                *example += if doc == "#" {
                    ""
                } else {
                    doc.strip_prefix("# ").unwrap_or(doc)
                };
                *example += "\n";
            }
        }
    }
    found
}

/// Returns the last name of a public item of the areas, by its line in the list of all.
fn name(line: &str) -> Option<&str> {
    let item = line.strip_prefix("pub ")?;
    let (kind, path) = item.split_once("lanewise_std::")?;
    let is_item = ["fn ", "struct ", "trait ", "type ", "enum "]
        .iter()
        .any(|of| kind.ends_with(of));
    let area = path.split("::").next()?;
    let (mut depth, mut end) = (0, path.len());
    let mut start = 0;
    for (at, byte) in path.bytes().enumerate() {
        match byte {
            b'<' => depth += 1,
            b'>' => depth -= 1,
            b'(' | b' ' if depth == 0 => {
                end = at;
                break;
            }
            b':' if depth == 0 => start = at + 1,
            _ => {}
        }
    }
    let last = path[start..end].split('<').next()?;
    (is_item && AREAS.contains(&area) && !OF_TRAITS.contains(&last)).then_some(last)
}

#[test]
fn examples_of_the_device_library_are_compiled_for_the_device() {
    let mut krate = String::from(
        "#![cfg_attr(target_arch = \"nvptx64\", feature(abi_ptx, asm_experimental_arch))]\n\
         #![no_std]\n#![allow(missing_docs, unused)]\n",
    );
    let library = repository().join("gpu/std");
    for (number, example) in files(&library.join("src"))
        .iter()
        .flat_map(|file| examples(&fs::read_to_string(file).expect("a text")))
        .enumerate()
    {
        let _ = writeln!(krate, "pub mod example_{number} {{\n{example}}}");
    }
    let folder = scratch("examples");
    fs::create_dir_all(folder.join("src")).expect("a folder");
    let manifest = format!(
        "[workspace]\n[package]\nname = \"examples\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\
         [dependencies]\nlanewise-std = {{ path = {library:?} }}\nlanewise-macros = {{ path = {:?} }}\n",
        repository().join("gpu/macros")
    );
    fs::write(folder.join("Cargo.toml"), manifest).expect("a file");
    fs::write(folder.join("src/lib.rs"), &krate).expect("a file");
    let built = PtxBuilder::new(&folder)
        .target_dir(target_dir())
        .out_dir(scratch("examples-built"))
        .cache(None)
        .color(false)
        .arch("sm_90a")
        .arch("sm_100a")
        .build();
    built.unwrap_or_else(|error| panic!("{error}"));

    let list = repository().join("xtask/public-api/lanewise_std.txt");
    let list = fs::read_to_string(list).expect("a text");
    let used: BTreeSet<_> = krate
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .collect();
    let unused: BTreeSet<_> = list.lines().filter_map(name).collect();
    let unused: Vec<_> = unused.difference(&used).collect();
    assert!(
        unused.is_empty(),
        "no example that is compiled for the device has these names: {unused:?}"
    );
}
