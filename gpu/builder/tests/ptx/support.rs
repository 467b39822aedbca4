//! Builds of the fixtures, and the text of one kernel.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use lanewise_builder::{BuildError, Output, PtxBuilder};

/// The folder of a fixture.
pub(crate) fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures")
        .join(name)
}

/// Where kernels are compiled: the same folder as for the workspace's own kernels, so that `core`
/// is compiled once for all. The cargo that runs this test holds no lock in it.
pub(crate) fn target_dir() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("ptx-build")
}

/// A folder for these tests that outlives them.
pub(crate) fn scratch(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("ptx")
        .join(name)
}

/// A build of a fixture whose messages are plain text.
pub(crate) fn builder(fixture_name: &str, out: &str) -> PtxBuilder {
    PtxBuilder::new(fixture(fixture_name))
        .target_dir(target_dir())
        .out_dir(scratch(out))
        .cache(None)
        .color(false)
}

/// Returns the error of a build that must fail.
pub(crate) fn failure(fixture_name: &str) -> BuildError {
    builder(fixture_name, fixture_name)
        .arch("sm_80")
        .build()
        .expect_err("this fixture must not build")
}

/// The fixture `kernels`, for two targets.
pub(crate) static KERNELS: LazyLock<Output> = LazyLock::new(|| {
    builder("kernels", "kernels")
        .arch("sm_80")
        .arch("sm_90")
        .build()
        .unwrap_or_else(|error| panic!("{error}"))
});

/// The PTX of the fixture `kernels`.
pub(crate) fn module(arch: &str) -> String {
    let module = KERNELS
        .modules
        .iter()
        .find(|module| module.arch == arch)
        .expect("a target of KERNELS");
    std::fs::read_to_string(&module.ptx).expect("the build wrote it")
}

/// One function of the PTX for sm_80, from its header to its closing brace, without the parts that
/// only give its origin: comments, `.loc`, LLVM's position labels, the function's number in other
/// labels, and empty lines.
pub(crate) fn function(name: &str) -> String {
    function_in(&module("sm_80"), name)
}

/// The same function text, from any module.
pub(crate) fn function_in(module: &str, name: &str) -> String {
    let is_header = |line: &str| {
        [".entry ", ".func "].iter().any(|word| line.contains(word))
            && line.contains(&format!(" {name}"))
    };
    let body = module.lines().skip_while(|line| !is_header(line));
    let mut text = String::new();
    for line in body {
        let noise = [".loc", "//", "$L__tmp", "$L__func"]
            .iter()
            .any(|word| line.trim().starts_with(word));
        if !noise && !line.trim().is_empty() {
            text.push_str(&line_without_numbers(line));
            text.push('\n');
        }
        if line == "}" {
            return text;
        }
    }
    panic!("no function `{name}` in:\n{module}");
}

/// A line without the function's number in its labels, and without the hash of a crate in Rust's
/// symbols. Both change for unrelated reasons.
fn line_without_numbers(line: &str) -> String {
    let drop_after = |line: &str, prefix: &str, is_dropped: fn(char) -> bool| {
        let mut parts = line.split(prefix);
        let first = parts.next().unwrap_or_default().to_owned();
        parts.fold(first, |text, part| {
            text + prefix + part.trim_start_matches(is_dropped)
        })
    };
    let line = line.split(" // callseq").next().unwrap_or_default();
    let line = drop_after(line, "$L__BB", |c| c.is_ascii_digit());
    drop_after(&line, "_RNvNtCs", |c| c.is_ascii_alphanumeric())
}

/// Returns how many lines of `text` contain `needle`.
pub(crate) fn count(text: &str, needle: &str) -> usize {
    text.lines().filter(|line| line.contains(needle)).count()
}

/// Returns the places at which this machine has a file of NVIDIA's: the one that `variable` names,
/// and those `below` a toolkit, which is in `CUDA_HOME`, in `CUDA_PATH` or where it is installed.
///
/// A name without a file must not look like no name: the test would pass without having tried
/// anything. (Tests run in their package's folder, so a relative path may be one.)
pub(crate) fn nvidia_files(variable: &str, below: &'static str) -> impl Iterator<Item = PathBuf> {
    let named = std::env::var_os(variable).map(PathBuf::from);
    if let Some(file) = named.as_ref().filter(|file| !file.is_file()) {
        panic!("{variable} names no file: {}", file.display());
    }
    let roots = ["CUDA_HOME", "CUDA_PATH"].into_iter();
    let toolkits = roots
        .filter_map(std::env::var_os)
        .chain(["/usr/local/cuda".into()])
        .map(move |root| Path::new(&root).join(below));
    named
        .into_iter()
        .chain(toolkits)
        .filter(|path| path.is_file())
}
