//! The messages of a build that cannot continue.

use lanewise_builder::lint::Rule;
use lanewise_builder::{BuildError, OptionError, PtxBuilder, Stage};

use crate::support::{builder, failure, fixture};

#[test]
fn a_crate_that_does_not_compile_shows_rustcs_own_errors() {
    let error = failure("broken");
    assert!(
        matches!(&error, BuildError::Compile { krate, .. } if krate == "fixture_broken"),
        "{error:?}"
    );
    let text = error.to_string();
    for part in [
        "error[E0277]: cannot add `{float}` to `u32`",
        "--> src/lib.rs:6:7",
        "6 |     x + 1.0",
        "^",
    ] {
        assert!(text.contains(part), "{part} is missing in:\n{text}");
    }
}

#[test]
fn an_unresolved_symbol_names_kernel_and_line() {
    let BuildError::Lint(error) = failure("unresolved") else {
        panic!("a finding of the lint is expected")
    };
    let finding = &error.findings[0];
    assert_eq!(
        (finding.rule, finding.function.as_str()),
        (Rule::UnresolvedSymbol, "calls_nothing")
    );
    let source = finding.source.as_deref().unwrap_or_default();
    assert!(source.ends_with("src/lib.rs:11"), "{source}");
    assert!(
        error
            .to_string()
            .contains("`host_function` is defined nowhere"),
        "{error}"
    );
}

/// LLVM does not read inline assembly.
#[test]
fn an_instruction_that_does_not_exist_names_kernel_and_line() {
    // Folders of their own: what is waived is built, and would be up to date for the other.
    let build = |out| {
        builder("errors", out)
            .feature("unknown-instruction")
            .arch("sm_80")
    };
    let Err(BuildError::Lint(error)) = build("unknown-instruction").build() else {
        panic!("a finding of the lint is expected")
    };
    let [finding] = &error.findings[..] else {
        panic!("{error}")
    };
    assert_eq!(
        (finding.rule, finding.function.as_str()),
        (Rule::UnknownInstruction, "misspells")
    );
    assert!(finding.message.contains("`addd`"), "{error}");
    let source = finding.source.as_deref().unwrap_or_default();
    assert!(source.contains("src/lib.rs:"), "{source}");
    // The assembler may be newer than the table of instructions.
    let waived = build("unknown-instruction-allowed");
    let waived = waived.allow(Rule::UnknownInstruction).build();
    assert!(waived.is_ok(), "{waived:?}");
}

#[test]
fn a_promise_can_be_waived() {
    let builder = builder("unresolved", "unresolved-allowed")
        .arch("sm_80")
        .allow(Rule::UnresolvedSymbol);
    assert!(builder.build().is_ok());
}

/// Returns the messages of a build of a fixture with one of its features, without cargo's progress.
pub(crate) fn message(fixture: &str, feature: &str) -> String {
    message_of(fixture, &[feature])
}

/// As above, with several features.
pub(crate) fn message_of(fixture: &str, features: &[&str]) -> String {
    let builder = features
        .iter()
        .fold(builder(fixture, fixture), |builder, feature| {
            builder.feature(*feature)
        });
    let error = builder
        .arch("sm_80")
        .build()
        .expect_err("these features must not build");
    let is_progress =
        |line: &&str| line.starts_with("    Blocking") || line.starts_with("   Compiling");
    let text = error.to_string();
    let lines: Vec<_> = text.lines().filter(|line| !is_progress(line)).collect();
    without_library(&lines)
}

/// Returns rustc's message without the parts that show lines of lanewise-std, which change
/// for unrelated reasons.
fn without_library(lines: &[&str]) -> String {
    let begins = |line: &str| {
        let words = ["error", "warning", "note", "help", "For more"];
        line.is_empty()
            || words.iter().any(|word| line.starts_with(word))
            || line.starts_with("    = ")
    };
    let ours = fixture("../../../std")
        .canonicalize()
        .expect("lanewise-std");
    let ours = ours.display().to_string();
    let mut parts: Vec<Vec<&str>> = Vec::new();
    for line in lines {
        // What a label of the library's says stands below its own arrow.
        if parts.is_empty() || begins(line) || line.trim_start().starts_with(":::") {
            parts.push(Vec::new());
        }
        parts.last_mut().expect("there is one").push(line);
    }
    let kept = parts
        .iter()
        .filter(|part| !part.iter().any(|line| line.contains(&ours)));
    let lines: Vec<_> = kept.flatten().map(|line| without_count(line)).collect();
    lines.join("\n")
}

/// "and 57 others": the number of types changes with the library.
fn without_count(line: &str) -> String {
    match line.split_once("and ") {
        Some((indent, rest)) if indent.trim().is_empty() && rest.ends_with(" others") => {
            format!("{indent}and others")
        }
        _ => line.to_owned(),
    }
}

/// Each message names the Rust file and line, if there is one, and a way to fix the error. A file
/// contains the whole text.
macro_rules! messages {
    ($($test:ident: $feature:literal;)*) => {
        $(#[test]
        fn $test() {
            insta::assert_snapshot!(message("errors", $feature));
        })*
    };
}

messages! {
    a_crate_that_wants_std_is_told_of_no_std: "std";
    a_path_into_std_is_told_of_core: "std-path";
    an_allocation_without_allocator_is_told_of_the_feature: "allocation";
    parameters_that_do_not_fit_name_size_and_limit: "parameters";
    an_atomic_of_128_bits_is_refused: "atomic";
    a_size_of_shared_memory_that_is_not_constant_is_refused: "shared-size";
    an_instruction_that_the_target_lacks_is_refused: "later-instruction";
    a_description_of_another_version_is_refused: "description";
    a_float_of_128_bits_is_refused: "float128";
    a_function_without_instruction_names_the_one_of_gpu_std: "sine";
    shared_arrays_that_do_not_fit_name_size_and_limit: "shared";
    a_function_that_is_nowhere_is_named: "symbol";
    a_kernel_that_launches_and_does_not_say_so_is_told_to: "launches-unsaid";
    a_static_in_two_modules_is_refused: "launches-static";
    a_crash_of_llvm_names_the_kernel_and_ends_no_process: "crash";
}

/// Returns the result of a build of the fixture `errors`, and its warnings.
fn warned(feature: &str) -> (String, Vec<String>) {
    let (sender, warnings) = std::sync::mpsc::channel();
    let output = builder("errors", &format!("errors-{feature}"))
        .arch("sm_80")
        .feature(feature)
        .on_progress(move |stage| {
            if let Stage::Warning(text) = stage {
                drop(sender.send(text));
            }
        })
        .build()
        .unwrap_or_else(|error| panic!("{error}"));
    let ptx = std::fs::read_to_string(&output.modules[0].ptx).expect("PTX");
    (ptx, warnings.iter().collect())
}

#[test]
fn kernels_that_launch_get_a_module_of_their_own() {
    let output = builder("errors", "errors-launches")
        .arch("sm_80")
        .feature("launches")
        .build()
        .unwrap_or_else(|error| panic!("{error}"));
    let module = &output.modules[0];
    let read = |path| std::fs::read_to_string(path).expect("the build wrote it");
    let plain = read(&module.ptx);
    let launching = read(module.launching_ptx.as_ref().expect("a kernel launches"));
    assert!(
        plain.contains(".entry launches_none(") && !plain.contains("launches("),
        "{plain}"
    );
    assert!(!plain.contains("__cudaCDP2"), "{plain}");
    assert!(launching.contains(".entry launches("), "{launching}");
    assert!(!launching.contains("launches_none"), "{launching}");
    let launches: Vec<_> = output.manifest.modules[0]
        .kernels
        .iter()
        .map(|kernel| {
            (
                kernel.description.name.as_str(),
                kernel.description.launches,
            )
        })
        .collect();
    assert_eq!(launches, [("launches", true), ("launches_none", false)]);
}

#[test]
fn recursion_is_built_and_its_stack_warned_of_each_time() {
    for _ in 0..2 {
        let (ptx, warnings) = warned("recursion");
        assert!(ptx.contains(".entry recurses"), "{ptx}");
        assert_eq!(warnings.len(), 1, "{warnings:?}");
        assert!(
            warnings[0]
                .starts_with("`fixture_errors::recursion::ackermann` (src/lib.rs:29) calls itself"),
            "{warnings:?}"
        );
    }
}

#[test]
fn parameters_over_4_kb_raise_the_ptx_version() {
    let (ptx, warnings) = warned("large-parameters");
    assert!(
        ptx.contains("\n.version 8.1\n") && warnings.is_empty(),
        "{ptx}"
    );
}

#[test]
fn options_that_cannot_be_met_are_named() {
    let unknown = builder("kernels", "none")
        .arch("sm_1")
        .build()
        .expect_err("no such target");
    assert!(
        unknown.to_string().starts_with("`sm_1` is not a target"),
        "{unknown}"
    );
    let none = builder("kernels", "none").build().expect_err("no target");
    assert!(matches!(none, BuildError::Option(OptionError::NoArch)));
}

#[test]
fn the_nvvm_backend_refuses_older_targets_and_names_the_other() {
    let error = builder("kernels", "none")
        .arch("sm_100")
        .arch("sm_90")
        .nvvm("libnvvm.so")
        .build();
    let text = error.expect_err("it cannot").to_string();
    assert!(
        text.contains("for sm_90") && text.contains("default backend"),
        "{text}"
    );
}

#[test]
fn the_backend_that_only_optimises_is_refused() {
    let build = builder("debug", "debug-nvvm").arch("sm_100").debug(true);
    let error = build
        .nvvm("libnvvm.so")
        .build()
        .expect_err("nvvm optimises");
    assert!(
        matches!(error, BuildError::Option(OptionError::NvvmDebug)),
        "{error}"
    );
}

#[test]
fn a_folder_that_is_no_kernel_crate_is_named() {
    let missing = PtxBuilder::new("/no/such/folder")
        .arch("sm_80")
        .build()
        .expect_err("no such folder");
    assert!(missing.to_string().contains("/no/such/folder"), "{missing}");
    let no_package = PtxBuilder::new(fixture(""))
        .arch("sm_80")
        .build()
        .expect_err("no package");
    assert!(
        no_package.to_string().contains("holds no Cargo.toml"),
        "{no_package}"
    );
}
