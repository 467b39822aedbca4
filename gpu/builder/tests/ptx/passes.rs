//! Each pass on the smallest kernel that tells whether it ran: the input is `fixtures/passes/src/<pass>.rs`, what has to come of it
//! is a snapshot, `snapshots/ptx__passes__<pass>.snap`. Without the pass, its test fails. A snapshot shows every change; what a pass
//! is for, `effects` says and tests.

use std::collections::BTreeSet;
use std::path::Path;

use lanewise_builder::manifest::Floats;
use lanewise_builder::{BuildError, Output, PtxBuilder, Stage};

use crate::support::{builder, fixture, function_in};

/// What a pass's fixture becomes.
pub(crate) struct Built {
    pub(crate) output: Output,
    pub(crate) warnings: Vec<String>,
}

/// Builds the fixture of a pass, as `options` has it; without a target, for sm_80.
pub(crate) fn build(
    pass: &str,
    options: fn(PtxBuilder) -> PtxBuilder,
) -> Result<Built, BuildError> {
    let (sender, warnings) = std::sync::mpsc::channel();
    let report = move |stage| {
        if let Stage::Warning(text) = stage {
            drop(sender.send(text));
        }
    };
    let builder = builder("passes", &format!("passes-{pass}"));
    let output = options(builder.feature(pass).on_progress(report)).build()?;
    Ok(Built {
        output,
        warnings: warnings.iter().collect(),
    })
}

pub(crate) fn sm_80(builder: PtxBuilder) -> PtxBuilder {
    builder.arch("sm_80")
}

impl Built {
    /// The whole text.
    pub(crate) fn raw(&self) -> String {
        std::fs::read_to_string(&self.output.modules[0].ptx).expect("the build wrote it")
    }

    /// The text without what only says where it comes from.
    pub(crate) fn ptx(&self) -> String {
        shown(&self.raw())
    }

    /// That of the kernels that launch.
    pub(crate) fn launching(&self) -> String {
        let path = self.output.modules[0].launching_ptx.as_ref();
        shown(
            &std::fs::read_to_string(path.expect("a kernel launches")).expect("the build wrote it"),
        )
    }

    /// What the manifest says of the statics.
    fn statics(&self) -> String {
        serde_json::to_string_pretty(&self.output.manifest.modules[0].statics).expect("JSON")
    }

    /// What the manifest says of the kernels.
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
            let built = build(stringify!($pass), sm_80).unwrap_or_else(|error| panic!("{error}"));
            insta::assert_snapshot!(built.ptx());
        }
    )*};
}

passes! {
    atomic_scope
    compiler_fence
    constant_memory
    contraction
    convergent
    copies
    entry_points
    local_atomics
    loops
    optimize
    parameters
    runtime_library
    shared_memory
    synchronization
}

/// The manifest says what the description says, and the PTX nothing.
#[test]
fn descriptions() {
    let built = build("descriptions", sm_80).unwrap_or_else(|error| panic!("{error}"));
    insta::assert_snapshot!(format!("{}\n\n{}", built.manifest(), built.ptx()));
}

/// Two of one name are told apart by where they are, and the manifest says so; what has a name for itself keeps it.
#[test]
fn symbols() {
    let built = build("symbols", sm_80).unwrap_or_else(|error| panic!("{error}"));
    let (kernels, statics) = (built.manifest(), built.statics());
    insta::assert_snapshot!(format!("{kernels}\n{statics}\n\n{}", built.ptx()));
}

/// The manifest lists what the host may write, with sizes.
#[test]
fn statics() {
    let built = build("statics", sm_80).unwrap_or_else(|error| panic!("{error}"));
    insta::assert_snapshot!(built.statics());
}

/// All of the text, comments and positions too.
#[test]
fn emit() {
    let built = build("emit", sm_80).unwrap_or_else(|error| panic!("{error}"));
    insta::assert_snapshot!(built.raw());
}

/// For sm_90, which has clusters.
#[test]
fn kernel_attributes() {
    let built = build("kernel_attributes", |builder| builder.arch("sm_90"));
    insta::assert_snapshot!(built.unwrap_or_else(|error| panic!("{error}")).ptx());
}

/// Two texts.
#[test]
fn launching() {
    let built = build("launching", sm_80).unwrap_or_else(|error| panic!("{error}"));
    insta::assert_snapshot!(format!(
        "{}\n=== launching\n{}",
        built.ptx(),
        built.launching()
    ));
}

/// Only a build for a debugger runs it.
#[test]
fn library_frames() {
    let built = build("library_frames", |builder| sm_80(builder).debug(true));
    let built = built.unwrap_or_else(|error| panic!("{error}"));
    insta::assert_snapshot!(function_in(&built.raw(), "calls_two_functions"));
}

/// The accurate function unless fast math is asked for, and inlined either way.
#[test]
fn math_library() {
    let accurate = build("math_library", sm_80).unwrap_or_else(|error| panic!("{error}"));
    insta::assert_snapshot!(accurate.ptx());
    let fast = build("math_library", |builder| {
        sm_80(builder).floats(Floats::FAST)
    });
    insta::assert_snapshot!(
        "math_library_fast",
        fast.unwrap_or_else(|error| panic!("{error}")).ptx()
    );
}

/// The same by default and with fast math.
#[test]
fn precision() {
    let default = build("precision", sm_80).unwrap_or_else(|error| panic!("{error}"));
    insta::assert_snapshot!(default.ptx());
    let fast = build("precision", |builder| sm_80(builder).floats(Floats::FAST));
    insta::assert_snapshot!(
        "precision_fast",
        fast.unwrap_or_else(|error| panic!("{error}")).ptx()
    );
}

/// It says, and changes nothing.
#[test]
fn recursion() {
    let built = build("recursion", sm_80).unwrap_or_else(|error| panic!("{error}"));
    insta::assert_snapshot!(built.warnings.join("\n"));
}

/// The sizes are in the manifest.
#[test]
fn shared_size() {
    let built = build("shared_size", sm_80).unwrap_or_else(|error| panic!("{error}"));
    insta::assert_snapshot!(built.manifest());
}

/// Each instruction with the line that it is said to come from.
#[test]
fn source_lines() {
    let built = build("source_lines", sm_80).unwrap_or_else(|error| panic!("{error}"));
    let raw = built.raw();
    let start = raw.find(".visible").expect("a kernel");
    insta::assert_snapshot!(&raw[start..]);
}

/// For a later target than rustc compiled for.
#[test]
fn target() {
    let built = build("target", |builder| builder.arch("sm_90"));
    insta::assert_snapshot!(built.unwrap_or_else(|error| panic!("{error}")).ptx());
}

/// It refuses.
#[test]
fn unsupported() {
    let error = build("unsupported", sm_80)
        .err()
        .expect("no GPU has the instruction");
    insta::assert_snapshot!(error);
}

#[test]
fn every_pass_has_its_input_and_its_output_here() {
    let stems = |folder: &Path| -> BTreeSet<String> {
        let files = folder
            .read_dir()
            .expect("a folder")
            .map(|entry| entry.expect("an entry").path());
        let sources = files.filter(|path| path.extension().is_some_and(|it| it == "rs"));
        let stem = |path: std::path::PathBuf| {
            path.file_stem()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned()
        };
        sources
            .map(stem)
            .filter(|name| name != "mod" && name != "lib")
            .collect()
    };
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let passes = stems(&here.join("src/passes"));
    assert_eq!(passes, stems(&fixture("passes/src")));
    for pass in passes {
        let snapshot = here.join(format!("tests/ptx/snapshots/ptx__passes__{pass}.snap"));
        assert!(snapshot.is_file(), "no {}", snapshot.display());
    }
}
