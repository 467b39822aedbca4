//! PTX for a debugger: what it says of itself and of variables, that every kernel has it, and that
//! NVIDIA's assembler takes it. It takes a `core` of its own and every kernel once more, a minute
//! that CI spends (`--features debugger-tests`) and `cargo test` does not.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use lanewise_builder::assembler::{self, Assembly};
use lanewise_builder::{Output, PtxBuilder};

#[path = "../ptx/machine.rs"]
#[expect(dead_code, reason = "shared with the tests of ordinary builds")]
mod machine;
#[path = "../ptx/support.rs"]
#[expect(dead_code, reason = "shared with the tests of ordinary builds")]
mod support;

use crate::machine::{int, written};
use crate::support::{builder, count, function_in, target_dir};

/// The fixture `debug`, with what says where it comes from.
static SMALL: LazyLock<String> = LazyLock::new(|| {
    let built = builder("debug", "debug").arch("sm_80").debug(true).build();
    read(&built.unwrap_or_else(|error| panic!("{error}")).modules[0].ptx)
});

/// The crate `gpu`, where `cargo xtask run --debug` would put it: its tests come next, and find
/// one target made.
static GPU: LazyLock<Output> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the crate gpu");
    let builder = PtxBuilder::new(folder)
        .target_dir(target_dir())
        .out_dir(target_dir().with_file_name("ptx-debug"))
        .color(false)
        .debug(true);
    let built = builder.arch("sm_90").build();
    built.unwrap_or_else(|error| panic!("{error}"))
});

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).expect("the build wrote it")
}

/// The texts of a section's strings: runs of `.b8` that are printable and end in zero.
fn strings(ptx: &str, section: &str) -> Vec<String> {
    let body = ptx
        .split_once(&format!(".section\t{section}\n"))
        .map_or("", |(_, body)| body);
    let body = body.split_once("\t}").map_or(body, |(body, _)| body);
    let mut strings = vec![String::new()];
    for line in body.lines() {
        let byte = line.strip_prefix(".b8 ").and_then(|it| it.parse().ok());
        match (byte, strings.last_mut()) {
            (Some(byte @ b' '..=b'~'), Some(text)) => text.push(byte.into()),
            _ => strings.push(String::new()),
        }
    }
    strings.retain(|text| text.len() > 1);
    strings
}

#[test]
fn each_line_and_variable_of_a_kernel_has_its_place() {
    insta::assert_snapshot!(function_in(&SMALL, "sum_of_row"));
    let lines: Vec<_> = SMALL
        .lines()
        .filter(|line| line.starts_with(".target"))
        .collect();
    assert_eq!(lines, [".target sm_80, debug"]);
}

#[test]
fn variables_parameters_and_types_are_described_by_name() {
    let names = strings(&SMALL, ".debug_info");
    for name in [
        "sum_of_row",
        "row",
        "columns",
        "column",
        "sum",
        "Row",
        "first",
        "usize",
        "f32",
    ] {
        assert!(
            names.iter().any(|it| it.ends_with(name)),
            "no `{name}` in {names:?}"
        );
    }
}

/// Of the library's functions none is called, and what the kernel computes is the same.
#[test]
fn library_frames() {
    let built = builder("passes", "passes-library_frames")
        .feature("library_frames")
        .arch("sm_80")
        .debug(true)
        .build();
    let text = read(&built.unwrap_or_else(|error| panic!("{error}")).modules[0].ptx);
    let kernel = function_in(&text, "calls_two_functions");
    insta::assert_snapshot!(kernel);
    assert_eq!(count(&kernel, "call.uni"), 1, "{kernel}");
    let found = written(&text, "calls_two_functions", &[int(0x8100_0001)], 1);
    assert_eq!(found, [0x8100_0001_u32.rotate_left(7).wrapping_mul(2)]);
}

#[test]
fn every_kernel_is_built_for_a_debugger() {
    for (files, module) in GPU.modules.iter().zip(&GPU.manifest.modules) {
        assert!(module.debug);
        let launching = files.launching_ptx.as_deref().map(read);
        let ptx = read(&files.ptx) + &launching.unwrap_or_default();
        let target = format!(".target {}, debug", module.arch);
        assert_eq!(count(&ptx, &target), 2, "{}", files.ptx.display());
        for kernel in &module.kernels {
            let text = ptx
                .split(&format!(".entry {}(", kernel.description.name))
                .nth(1);
            let body = text
                .and_then(|text| text.split("\n}\n").next())
                .unwrap_or_default();
            assert!(
                body.contains("__local_depot"),
                "{}",
                kernel.description.name
            );
        }
    }
}

#[test]
fn ptxas_makes_lines_and_dwarf_of_it() {
    let Some(ptxas) = std::env::var_os("LANEWISE_PTXAS").map(PathBuf::from) else {
        println!("LANEWISE_PTXAS is not set: nothing was judged");
        return;
    };
    let folder = tempfile::tempdir().expect("a folder can be made");
    let cubin = folder.path().join("gpu.cubin");
    for files in &GPU.modules {
        let assembly = Assembly {
            cubin: Some(&cubin),
            debug: true,
            ..Assembly::default()
        };
        let assembled = assembler::assemble(&ptxas, &files.ptx, &files.arch, assembly);
        assert!(
            assembled
                .unwrap_or_else(|error| panic!("{error}"))
                .kernels
                .contains_key("vec_add")
        );
        let sections = Command::new("readelf").args(["-SW"]).arg(&cubin).output();
        let Ok(sections) = sections else {
            println!("there is no readelf: the sections were not looked at");
            return;
        };
        let sections = String::from_utf8_lossy(&sections.stdout).into_owned();
        for section in [" .debug_info ", " .debug_line ", " .debug_frame "] {
            assert!(sections.contains(section), "no{section}in\n{sections}");
        }
    }
}
