//! A crate without examples in its documentation says so, and one with examples does not.
//!
//! `cargo test` runs rustdoc over each crate that may have examples, and that takes as long where there are none.

use std::fs;

use cargo_metadata::MetadataCommand;

use crate::text::files;

/// Whether a source has an example in its documentation.
fn has_example(text: &str) -> bool {
    let is_fence = |line: &str| {
        let line = line.trim_start();
        let words = line.strip_prefix("///").or(line.strip_prefix("//!"));
        words.is_some_and(|words| words.trim_start().starts_with("```"))
    };
    text.lines().any(is_fence)
}

#[test]
fn a_crate_without_examples_says_so() {
    let metadata = MetadataCommand::new()
        .no_deps()
        .exec()
        .expect("the workspace");
    for package in metadata.packages {
        let mut targets = package.targets.iter();
        let Some(library) = targets.find(|it| it.is_lib() || it.is_proc_macro()) else {
            continue;
        };
        let folder = library.src_path.parent().expect("a folder");
        let has = files(folder.as_std_path(), "rs")
            .iter()
            .any(|file| has_example(&fs::read_to_string(file).expect("a source")));
        assert_eq!(
            library.doctest, has,
            "{}: `doctest = false` in [lib] is for a crate without examples",
            package.manifest_path
        );
    }
}

#[test]
fn an_example_is_told_from_other_code() {
    assert!(has_example("    /// ```\n"));
    assert!(has_example("//! ```compile_fail\n"));
    assert!(!has_example("// ```\nlet text = \"```\";\n/// `x`\n"));
}
