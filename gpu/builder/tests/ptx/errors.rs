//! What a build says when it cannot go on.

use ptx_builder::lint::Rule;
use ptx_builder::{BuildError, CodegenError, OptionError, PtxBuilder};

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

#[test]
fn a_promise_can_be_waived() {
    let builder = builder("unresolved", "unresolved-allowed")
        .arch("sm_80")
        .allow(Rule::UnresolvedSymbol);
    assert!(builder.build().is_ok());
}

#[test]
fn what_llvm_cannot_compile_is_an_error_that_names_the_line() {
    let error = failure("unsupported");
    let BuildError::Codegen(CodegenError::Stage { reason, .. }) = &error else {
        panic!("{error:?}")
    };
    assert!(
        reason.contains("fsin") && reason.contains("src/lib.rs:9:24"),
        "{reason}"
    );
}

#[test]
fn shared_arrays_that_do_not_fit_name_kernel_size_and_limit() {
    let error = builder("unsupported", "unsupported")
        .arch("sm_80")
        .feature("large")
        .build()
        .expect_err("too large");
    let BuildError::Codegen(CodegenError::SharedTooLarge {
        kernel,
        bytes,
        limit,
        ..
    }) = &error
    else {
        panic!("{error:?}")
    };
    assert_eq!(
        (kernel.as_str(), *bytes, *limit),
        ("large", 64 << 10, 48 << 10)
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
