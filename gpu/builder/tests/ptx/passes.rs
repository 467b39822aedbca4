//! Each pass on the smallest kernel that shows whether it ran. The input is
//! `fixtures/passes/src/<pass>.rs`, and the expected result is a snapshot,
//! `snapshots/ptx__passes__<pass>.snap`. Without the pass, its test fails. A snapshot shows every
//! change; `effects` describes and tests the purpose of a pass. `library_frames` runs only in a
//! build for a debugger, so the tests of these test it (`tests/debug`).

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Mutex, OnceLock, PoisonError};

use lanewise_builder::manifest::{Floats, Panics};
use lanewise_builder::{BuildError, Emit, Output, Stage};

use crate::support::{builder, fixture, function_in};

/// The result of a pass's fixture.
pub(crate) struct Built {
    pub(crate) output: Output,
    pub(crate) warnings: Vec<String>,
}

/// How a pass's fixture is built.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum How {
    /// For sm_80, which all but the next use.
    Plainly,
    /// The passes of a target from sm_90 on.
    Later,
    /// For sm_90, besides sm_70, for which rustc compiles; with the IR.
    Second,
    /// With fast math.
    Fast,
    /// With products and sums rounded by themselves.
    Unfused,
    /// With this report of panics.
    Panicking(Panics),
}

/// The fixture of a pass. Each is built once for all tests that use it.
pub(crate) fn build(pass: &'static str, how: How) -> &'static Result<Built, BuildError> {
    type Builds = BTreeMap<(&'static str, How), &'static OnceLock<Result<Built, BuildError>>>;
    static BUILDS: Mutex<Builds> = Mutex::new(BTreeMap::new());
    let cell: &'static OnceLock<_> = {
        let mut builds = BUILDS.lock().unwrap_or_else(PoisonError::into_inner);
        builds
            .entry((pass, how))
            .or_insert_with(|| Box::leak(Box::default()))
    };
    cell.get_or_init(|| make(pass, how))
}

fn make(pass: &str, how: How) -> Result<Built, BuildError> {
    let (sender, warnings) = std::sync::mpsc::channel();
    let report = move |stage| {
        if let Stage::Warning(text) = stage {
            drop(sender.send(text));
        }
    };
    let builder = builder("passes", &format!("passes-{pass}-{how:?}"))
        .feature(pass)
        .on_progress(report);
    let builder = match how {
        How::Later => builder.arch("sm_90"),
        How::Second => builder.arch("sm_70").arch("sm_90").emit(Emit::LlvmIr),
        _ => builder.arch("sm_80"),
    };
    let output = match how {
        How::Plainly | How::Later | How::Second => builder,
        How::Fast => builder.floats(Floats::FAST),
        How::Unfused => builder.fmad(false),
        How::Panicking(panics) => builder.panic(panics),
    }
    .build()?;
    Ok(Built {
        output,
        warnings: warnings.iter().collect(),
    })
}

/// The result of a pass that does not refuse the fixture.
pub(crate) fn built(pass: &'static str, how: How) -> &'static Built {
    build(pass, how)
        .as_ref()
        .unwrap_or_else(|error| panic!("{error}"))
}

impl Built {
    /// The whole text.
    pub(crate) fn raw(&self) -> String {
        let module = self.output.modules.last().expect("a target");
        std::fs::read_to_string(&module.ptx).expect("the build wrote it")
    }

    /// The text without the parts that only give its origin.
    pub(crate) fn ptx(&self) -> String {
        shown(&self.raw())
    }

    /// The text of the kernels that launch.
    pub(crate) fn launching(&self) -> String {
        let path = self.output.modules[0].launching_ptx.as_ref();
        shown(
            &std::fs::read_to_string(path.expect("a kernel launches")).expect("the build wrote it"),
        )
    }

    /// What the manifest contains about the statics.
    fn statics(&self) -> String {
        serde_json::to_string_pretty(&self.output.manifest.modules[0].statics).expect("JSON")
    }

    /// What the manifest contains about the kernels.
    fn manifest(&self) -> String {
        serde_json::to_string_pretty(&self.output.manifest.modules[0].kernels).expect("JSON")
    }
}

/// A module's text without comments, empty lines, positions and the lists that these refer to.
fn shown(ptx: &str) -> String {
    let is_kept = |line: &&str| {
        let line = line.trim();
        let noise = ["//", ".loc", ".file", ".section", "$L__tmp", "$L__func"];
        !line.is_empty() && !noise.iter().any(|word| line.starts_with(word))
    };
    let lines = ptx
        .lines()
        .filter(is_kept)
        .map(|line| line.split("//").next().unwrap_or_default());
    lines.flat_map(|line| [line.trim_end(), "\n"]).collect()
}

/// A test for each pass whose work is in the PTX for sm_80.
macro_rules! passes {
    ($($pass:ident)*) => {$(
        #[test]
        fn $pass() {
            let built = built(stringify!($pass), How::Plainly);
            insta::assert_snapshot!(built.ptx());
        }
    )*};
}

passes! {
    atomic_loads
    atomic_scope
    barriers
    compiler_fence
    constant_memory
    contraction
    convergent
    copies
    counters
    early_loads
    entry_points
    inclusive_ranges
    loads_over_checks
    local_atomics
    loops
    optimize
    panics
    parameters
    phases
    range_checks
    remainders
    runtime_library
    shared_memory
}

/// The manifest contains the description, and the PTX does not.
#[test]
fn descriptions() {
    let built = built("descriptions", How::Plainly);
    insta::assert_snapshot!(format!("{}\n\n{}", built.manifest(), built.ptx()));
}

/// Two statics of one name are told apart by their paths, which the manifest contains. A static
/// whose name is unique keeps it.
#[test]
fn symbols() {
    let built = built("symbols", How::Plainly);
    let (kernels, statics) = (built.manifest(), built.statics());
    insta::assert_snapshot!(format!("{kernels}\n{statics}\n\n{}", built.ptx()));
}

/// The manifest lists the statics that the host may write, with sizes.
#[test]
fn statics() {
    let built = built("statics", How::Plainly);
    insta::assert_snapshot!(built.statics());
}

/// The whole text, with comments and positions.
#[test]
fn emit() {
    let built = built("emit", How::Plainly);
    insta::assert_snapshot!(built.raw());
}

/// The kernel, without the functions that it calls: their names differ in each folder.
#[test]
fn formatting() {
    let raw = built("formatting", How::Plainly).raw();
    let kernel = function_in(&raw, "formats");
    let lines = kernel.lines().filter(|line| !line.contains("_R"));
    insta::assert_snapshot!(lines.collect::<Vec<_>>().join("\n"));
}

/// For sm_90, which has clusters.
#[test]
fn kernel_attributes() {
    insta::assert_snapshot!(built("kernel_attributes", How::Later).ptx());
}

/// A module that launches kernels has a second text, for the device runtime.
#[test]
fn launching() {
    let built = built("launching", How::Plainly);
    insta::assert_snapshot!(format!(
        "{}\n=== launching\n{}",
        built.ptx(),
        built.launching()
    ));
}

/// The accurate function unless fast math is asked for, and inlined either way.
#[test]
fn math_library() {
    let accurate = built("math_library", How::Plainly);
    insta::assert_snapshot!(accurate.ptx());
    let fast = built("math_library", How::Fast);
    insta::assert_snapshot!("math_library_fast", fast.ptx());
}

/// The same text by default and with fast math.
#[test]
fn precision() {
    let default = built("precision", How::Plainly);
    insta::assert_snapshot!(default.ptx());
    let fast = built("precision", How::Fast);
    insta::assert_snapshot!("precision_fast", fast.ptx());
}

/// The pass prints a message, and changes nothing.
#[test]
fn recursion() {
    let built = built("recursion", How::Plainly);
    insta::assert_snapshot!(built.warnings.join("\n"));
}

/// The sizes are in the manifest.
#[test]
fn shared_size() {
    let built = built("shared_size", How::Plainly);
    insta::assert_snapshot!(built.manifest());
}

/// Each instruction with the source line that the debug information gives.
#[test]
fn source_lines() {
    let built = built("source_lines", How::Plainly);
    let raw = built.raw();
    let start = raw.find(".visible").expect("a kernel");
    insta::assert_snapshot!(&raw[start..]);
}

/// For a later target than rustc compiled for, with an instruction that the earlier one lacks.
#[test]
fn threading() {
    insta::assert_snapshot!(built("threading", How::Plainly).ptx());
}

#[test]
fn nullable() {
    insta::assert_snapshot!(built("nullable", How::Plainly).ptx());
}

#[test]
fn addresses() {
    insta::assert_snapshot!(built("addresses", How::Plainly).ptx());
}

#[test]
fn atomic_costs() {
    insta::assert_snapshot!(built("atomic_costs", How::Plainly).ptx());
}

#[test]
fn widths() {
    insta::assert_snapshot!(built("widths", How::Plainly).ptx());
}

#[test]
fn extremes() {
    insta::assert_snapshot!(built("extremes", How::Plainly).ptx());
}

#[test]
fn divisions() {
    insta::assert_snapshot!(built("divisions", How::Plainly).ptx());
}

#[test]
fn target() {
    insta::assert_snapshot!(built("target", How::Second).ptx());
}

/// The pass refuses what a GPU does not have.
#[test]
fn unsupported() {
    let error = build("unsupported", How::Plainly)
        .as_ref()
        .err()
        .expect("no GPU has the instruction");
    insta::assert_snapshot!(error);
}

#[test]
fn every_pass_has_its_input_and_its_output_here() {
    fn stems(folder: &Path) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        for entry in folder.read_dir().expect("a folder") {
            let path = entry.expect("an entry").path();
            // A pass of several files is a folder in that of its subject.
            let subject = path.parent().is_some_and(|it| it.ends_with("code"));
            let stem = || {
                path.file_stem()
                    .unwrap_or_default()
                    .to_string_lossy()
                    .into_owned()
            };
            if path.is_dir() && subject {
                found.insert(stem());
            } else if path.is_dir() {
                found.extend(stems(&path));
            } else if path.extension().is_some_and(|it| it == "rs") {
                found.insert(stem());
            }
        }
        found.remove("mod");
        found.remove("lib");
        found
    }
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let passes = stems(&here.join("src/passes"));
    assert_eq!(passes, stems(&fixture("passes/src")));
    for pass in passes {
        let snapshots = [
            format!("ptx/snapshots/ptx__passes__{pass}.snap"),
            format!("debug/snapshots/debug__{pass}.snap"),
        ];
        let is_there = |name: &String| here.join("tests").join(name).is_file();
        assert!(snapshots.iter().any(is_there), "none of {snapshots:?}");
    }
}
