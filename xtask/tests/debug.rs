//! `--debug` from the command line to the kernels' results: kernels that are built for a debugger
//! compute the same, and the simulator's report still names the kernel's line.

use std::path::Path;
use std::process::{Command, Output};

/// The repository's root.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("xtask is a folder of the workspace")
}

/// Runs on the simulator. Returns the printed text with errors last, and the whole output.
fn output(command: &mut Command) -> (String, Output) {
    let output = command
        .current_dir(root())
        .env("LANEWISE_DEVICE", "sim")
        .output()
        .expect("it can be started");
    let text = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
    (text.concat(), output)
}

/// Patterns that between them have shared memory, barriers, shuffles, atomics, closures, statics,
/// `printf` and launches from kernels, each with a size that the simulator runs quickly.
const PATTERNS: [(&str, &str); 11] = [
    ("device_globals", "100"),
    ("divergence", "1000"),
    ("gather", "1000"),
    ("hello", "6"),
    ("increment", "32"),
    ("matmul", "40"),
    ("nested_reduce", "1024"),
    ("pi", "1000"),
    ("reduce_shuffle", "3000"),
    ("transpose_shared", "70"),
    ("vector_add", "1000"),
];

#[test]
fn kernels_built_for_a_debugger_agree_with_the_cpu() {
    for (pattern, size) in PATTERNS {
        let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
        let (text, output) = output(command.args(["run", pattern, "--debug", "--size", size]));
        assert!(output.status.success(), "{pattern}:\n{text}");
        assert!(text.contains("(simulator)"), "{pattern}:\n{text}");
    }
}

#[test]
fn the_simulator_names_the_line_of_a_kernel_built_for_a_debugger() {
    // Where `xtask run --debug` and the builder's test of these kernels make them too: who comes
    // first makes them for all.
    let mut xtask = Command::new(env!("CARGO_BIN_EXE_xtask"));
    let (text, built) = output(xtask.args(["build-ptx", "--debug", "--arch", "sm_90"]));
    assert!(built.status.success(), "{text}");

    let mut example = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    // Of the whole workspace: for one package alone, cargo would compile the simulator with other
    // features once more.
    let example = example
        .args(["run", "--example", "past_the_end"])
        .env("LANEWISE_PTX", root().join("target/ptx-debug"));
    let (text, _) = output(example);
    let line = "--> gpu/src/basics/vector_add.rs:35 (ptx line ";
    assert!(text.contains(line), "no `{line}` in\n{text}");
    // A release's instruction would load through the read-only cache: this is the debugger's text.
    assert!(text.contains("`ld.b32`"), "{text}");
}
