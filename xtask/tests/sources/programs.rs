//! A crate without tests in its sources declares that in its manifest, and so does one without
//! examples in its documentation. No crate that has some declares it.
//!
//! `cargo test` makes a program of each crate that may have tests, and runs rustdoc over each that
//! may have examples. Both take as long if there are none.

use std::fs;

use cargo_metadata::{MetadataCommand, Target};

use crate::text::files;

/// Returns whether a source has an example in its documentation.
fn has_example(text: &str) -> bool {
    let is_fence = |line: &str| {
        let line = line.trim_start();
        let words = line.strip_prefix("///").or(line.strip_prefix("//!"));
        words.is_some_and(|words| words.trim_start().starts_with("```"))
    };
    text.lines().any(is_fence)
}

/// Returns whether a source has a test, written directly or with `proptest!`.
fn has_test(text: &str) -> bool {
    text.lines().any(|line| line.trim_start() == "#[test]")
}

/// Returns the sources of a target: for a program in `src/bin` its own file, else all
/// in its folder.
fn sources(target: &Target) -> Vec<String> {
    let root = target.src_path.as_std_path();
    let folder = root.parent().expect("a folder");
    let sources = if folder.ends_with("bin") {
        vec![root.to_owned()]
    } else {
        files(folder, "rs")
    };
    let text = |file| fs::read_to_string(file).expect("a source");
    sources.iter().map(text).collect()
}

#[test]
fn a_crate_without_tests_or_examples_says_so() {
    let metadata = MetadataCommand::new()
        .no_deps()
        .exec()
        .expect("the workspace");
    let programs: Vec<_> = metadata
        .packages
        .iter()
        .flat_map(|package| &package.targets)
        .filter(|target| target.is_test())
        .filter_map(|target| fs::canonicalize(&target.src_path).ok())
        .collect();
    for package in metadata.packages {
        for target in package.targets {
            let manifest = &package.manifest_path;
            let name = &target.name;
            let sources = sources(&target);
            let has = |is_so: fn(&str) -> bool| sources.iter().any(|text| is_so(text));
            if target.is_lib() || target.is_proc_macro() {
                assert_eq!(
                    target.doctest,
                    has(has_example),
                    "{manifest}: `doctest = false` in [lib] is for a crate without examples",
                );
                // Another package may compile the same sources as a program of tests, with settings
                // of its own.
                let elsewhere = programs.iter().any(|root| *root == target.src_path);
                assert_eq!(
                    target.test,
                    has(has_test) && !elsewhere,
                    "{manifest}: `test = false` in [lib] is for a crate without tests in `src`, or with a program that has them",
                );
            } else if target.is_bin() && !has(has_test) {
                assert!(
                    !target.test,
                    "{manifest}: `test = false` is missing for {name}"
                );
            }
        }
    }
}

#[test]
fn an_example_is_told_from_other_code() {
    assert!(has_example("    /// ```\n"));
    assert!(has_example("//! ```compile_fail\n"));
    assert!(!has_example("// ```\nlet text = \"```\";\n/// `x`\n"));
}

#[test]
fn a_test_is_told_from_other_code() {
    assert!(has_test("    #[test]\n    fn it_is() {}"));
    assert!(!has_test("// #[test]\n#[cfg(test)]\nmod tests;"));
}
