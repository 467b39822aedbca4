//! A pattern has one name: that of its kernels' file. Its host side, its page and its tests are
//! found by it.

use std::fs;
use std::path::Path;

use crate::text::files;

/// A kernel that all patterns of its chapter launch, and that is no pattern itself.
const SHARED_BY_A_CHAPTER: &str = "streams/advance";

/// Returns the file with the tests of a kernel file, without `.rs`. Each number of devices is a
/// process in which all patterns of their chapter run.
fn tests(chapter: &str, name: &str) -> String {
    match chapter {
        "multi_gpu" => "tests/tests/multi_gpu/main".into(),
        _ => format!("tests/tests/chapters/{chapter}/{name}"),
    }
}

#[test]
fn host_side_page_and_tests_have_the_name_of_the_kernels_file() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let kernels = root.join("gpu/src");
    let mut missing = Vec::new();
    for file in files(&kernels, "rs") {
        let path = file
            .strip_prefix(&kernels)
            .expect("below it")
            .with_extension("");
        let path = path.to_str().expect("a name in ASCII");
        let text = fs::read_to_string(&file).expect("a source");
        let Some((chapter, name)) = path.split_once('/') else {
            continue;
        };
        if path == SHARED_BY_A_CHAPTER || !text.contains("\n#[kernel") {
            continue;
        }
        let is_source = |path: &str| {
            let file = format!("{path}.rs");
            root.join(file).is_file() || root.join(path).join("mod.rs").is_file()
        };
        for source in [format!("host/patterns/src/{path}"), tests(chapter, name)] {
            if !is_source(&source) {
                missing.push(format!("{source}.rs"));
            }
        }
        let page = format!("docs/src/{path}.md");
        if !root.join(&page).is_file() {
            missing.push(page);
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}
