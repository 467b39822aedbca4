//! A barrier of the source is one barrier in the PTX, in whatever form it is written. Plain rustc
//! -O copies it, and the lint finds the copies.

use std::process::Command;

use lanewise_builder::lint::{self, Rule};

use crate::support::{KERNELS, count, fixture, function, module, target_dir};

#[test]
fn barrier_as_intrinsic_stays_one() {
    assert_eq!(count(&function("barrier_intrinsic"), "bar.sync"), 1);
    insta::assert_snapshot!(function("barrier_intrinsic"));
}

#[test]
fn barrier_as_inline_assembly_stays_one() {
    assert_eq!(count(&function("barrier_asm"), "bar.sync"), 1);
}

#[test]
fn barrier_in_a_function_that_is_not_inlined_is_called_once() {
    let kernel = function("barrier_wrapper");
    assert_eq!(
        (count(&kernel, "call.uni"), count(&kernel, "bar.sync")),
        (1, 0),
        "{kernel}"
    );
}

#[test]
fn barrier_in_another_crate_is_called_once() {
    let kernel = function("barrier_other_crate");
    assert_eq!(
        count(&kernel, "call.uni") + count(&kernel, "bar.sync"),
        1,
        "{kernel}"
    );
}

#[test]
fn barriers_that_the_source_has_in_each_arm_are_let_be() {
    assert_eq!(count(&function("barrier_in_each_arm"), "bar.sync"), 2);
}

#[test]
fn every_kind_of_barrier_is_known_to_the_lint() {
    // The build would have failed had the lint counted the IR's barriers and the PTX's differently.
    let kernel = function("barrier_kinds");
    let kinds = ["bar.red.popc", "bar.red.and", "barrier.sync 1"].map(|kind| count(&kernel, kind));
    assert_eq!(
        (kinds, count(&kernel, "bar.warp.sync")),
        ([1, 1, 1], 2),
        "{kernel}"
    );
}

#[test]
fn every_kernel_has_source_lines() {
    let text = module("sm_80");
    let ptx = lint::ptx::Module::parse(&text).expect("PTX");
    for kernel in &KERNELS.manifest.modules[0].kernels {
        let name = &kernel.description.name;
        let function = ptx.function(name).expect("the manifest's kernels");
        let places = function.instructions().filter_map(|at| ptx.place(at.loc()));
        let places: Vec<_> = places.collect();
        assert!(
            places.iter().any(|place| place.contains("src/")),
            "{name}: {places:?}"
        );
    }
}

#[test]
fn naive_compilation_copies_barriers_and_the_lint_refuses_it() {
    let ptx = naive(&["-Cdebuginfo=line-directives-only"]);
    let findings = lint::check(&ptx, None, &[]);
    let copied: Vec<_> = findings
        .iter()
        .filter(|finding| finding.rule == Rule::DuplicatedBarrier)
        .map(|f| f.function.as_str())
        .collect();
    for kernel in ["barrier_intrinsic", "barrier_asm"] {
        assert!(
            copied.contains(&kernel),
            "{kernel} is not among {findings:#?} in\n{ptx}"
        );
    }
    let place = findings[0].source.as_deref().unwrap_or_default();
    assert!(place.contains("barriers.rs:"), "{place}");
}

#[test]
fn naive_compilation_is_refused_without_source_lines_too() {
    let findings = lint::check(&naive(&[]), None, &[]);
    assert!(
        findings
            .iter()
            .any(|f| f.rule == Rule::DuplicatedBarrier && f.function == "barrier_asm"),
        "{findings:#?}"
    );
}

/// Compiles `naive.rs` with plain `rustc -O`, against the `core` that the other fixtures left.
fn naive(flags: &[&str]) -> String {
    let deps = KERNELS
        .modules
        .first()
        .map(|_| target_dir().join("nvptx64-nvidia-cuda/release/deps"))
        .expect("a module");
    let out = tempfile::tempdir().expect("a folder");
    let ptx = out.path().join("naive.ptx");
    let run = Command::new("rustc")
        .current_dir(out.path()) // where rustc keeps what it writes in between
        .env("RUSTC_BOOTSTRAP", "1")
        .args([
            "--edition=2024",
            "--crate-type=lib",
            "--target=nvptx64-nvidia-cuda",
            "-O",
            "-Cpanic=abort",
        ])
        .args(["-Ctarget-cpu=sm_80", "-Zunstable-options"])
        .args(flags)
        .args(
            ["core", "compiler_builtins"]
                .map(|name| format!("--extern=noprelude:{name}={}", newest(&deps, name))),
        )
        .arg(format!("-Ldependency={}", deps.display()))
        .arg(format!("--emit=asm={}", ptx.display()))
        .arg(fixture("naive.rs"))
        .output()
        .expect("rustc runs");
    assert!(
        run.status.success(),
        "{}",
        String::from_utf8_lossy(&run.stderr)
    );
    std::fs::read_to_string(ptx).expect("rustc wrote it")
}

/// Returns the library of a crate that was compiled last.
fn newest(deps: &std::path::Path, name: &str) -> String {
    let files = deps
        .read_dir()
        .expect("the build made it")
        .map(|entry| entry.expect("an entry").path());
    let is_it = |path: &std::path::PathBuf| {
        let file = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        file.starts_with(&format!("lib{name}-")) && file.ends_with(".rlib")
    };
    let newest = files
        .filter(is_it)
        .max_by_key(|path| path.metadata().and_then(|data| data.modified()).ok());
    newest.expect("a library").display().to_string()
}
