//! `cargo xtask bundle`: copies the tests and the programs `patterns` and `wrong` to a folder for a
//! machine that has a GPU and no Rust.
//!
//! The PTX is inside the executables, so only this folder is needed. `run.sh` runs every test and
//! then the benchmark, on the GPU if the machine has one. It also runs the wrong kernels under
//! compute-sanitizer if the machine has that.

mod executables;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, ensure};
use serde::Serialize;

use crate::workspace;
use cargo_lanewise::output::{say, say_json};
use cargo_lanewise::progress::Progress;
use executables::{Executable, Profile};

/// The script that runs on the other machine.
const RUN: &str = include_str!("run.sh");

/// Make a folder of tests and benchmarks to carry to a machine with a GPU and no Rust
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  cargo xtask bundle\n  tar -C target -czf bundle.tar.gz bundle   # then, over there: ./bundle/run.sh"
)]
pub(crate) struct Args {
    /// Where to put it; what an earlier bundle left there is replaced
    #[arg(long, value_name = "DIR", default_value = "target/bundle")]
    out: PathBuf,
    /// Carry the programs as `cargo test` builds them, not optimised: after it, nothing is compiled
    #[arg(long)]
    dev: bool,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// The contents of the folder.
#[derive(Serialize)]
struct Bundle {
    out: PathBuf,
    commit: Option<String>,
    bytes: u64,
    tests: Vec<String>,
}

/// Builds, copies and strips the programs, and writes `run.sh`.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let out = workspace::root().join(&args.out);
    let profile = if args.dev {
        Profile::Dev
    } else {
        Profile::Release
    };
    let progress = Progress::start("Building the programs");
    let programs = ["patterns", "wrong"].map(|name| executables::program(name, profile));
    progress.now("Building the tests");
    let tests = executables::tests(profile)?;
    progress.now("Copying");
    prepare(&out)?;
    for program in programs {
        copy(&program?, &out)?;
    }
    for test in &tests {
        copy(test, &out.join("tests"))?;
    }
    let run = out.join("run.sh");
    fs::write(&run, RUN)
        .and_then(|()| fs::set_permissions(&run, fs::Permissions::from_mode(0o755)))?;
    let commit = lanewise_records::checked_out(workspace::root());
    fs::write(
        out.join("COMMIT"),
        format!("{}\n", commit.as_deref().unwrap_or("unknown")),
    )?;
    drop(progress);
    let tests = tests.into_iter().map(|test| test.name).collect();
    report(
        args,
        &Bundle {
            bytes: bytes_below(&out)?,
            commit,
            tests,
            out,
        },
    )
}

fn report(args: &Args, bundle: &Bundle) -> Result<ExitCode> {
    if args.json {
        say_json(bundle)?;
    } else {
        let mebibytes = bundle.bytes as f64 / f64::from(1 << 20);
        let out = workspace::shown(&bundle.out);
        println!(
            "{out}: {} test programs and `patterns`, {mebibytes:.1} MiB",
            bundle.tests.len()
        );
        say(format_args!(
            "Carry the folder to the other machine and run `./run.sh` in it."
        ));
    }
    Ok(ExitCode::SUCCESS)
}

/// Makes an empty folder at `out`. Only a folder that looks like a bundle is emptied.
fn prepare(out: &Path) -> Result<()> {
    if out.exists() {
        let ours = out.join("run.sh").is_file() || fs::read_dir(out)?.next().is_none();
        ensure!(
            ours,
            "`{}` holds something other than a bundle; name another folder",
            out.display()
        );
        fs::remove_dir_all(out).with_context(|| format!("cannot empty `{}`", out.display()))?;
    }
    fs::create_dir_all(out.join("tests"))
        .with_context(|| format!("cannot make `{}`", out.display()))
}

/// Copies a program without its symbols, if `strip` is installed (it is part of binutils, which the
/// linker needs anyway).
fn copy(executable: &Executable, to: &Path) -> Result<()> {
    let target = to.join(&executable.name);
    fs::copy(&executable.path, &target)
        .with_context(|| format!("cannot copy to `{}`", target.display()))?;
    match Command::new("strip").arg(&target).output() {
        Ok(output) => ensure!(
            output.status.success(),
            "strip: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        ),
        Err(_) => eprintln!(
            "warning: there is no `strip`, so `{}` keeps its symbols",
            executable.name
        ),
    }
    Ok(())
}

fn bytes_below(dir: &Path) -> Result<u64> {
    let mut bytes = 0;
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        bytes += if entry.file_type()?.is_dir() {
            bytes_below(&entry.path())?
        } else {
            entry.metadata()?.len()
        };
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs `run.sh` in a bundle whose test programs and `patterns` are these scripts. Returns its
    /// output and exit code.
    fn run_script(tests: &[(&str, &str)], patterns: &str) -> (String, Option<i32>) {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let script = |path: PathBuf, text: &str| {
            fs::write(&path, text).expect("a file can be written");
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755))
                .expect("a script can be made executable");
        };
        fs::create_dir(folder.path().join("tests")).expect("a folder can be made");
        script(folder.path().join("run.sh"), RUN);
        script(
            folder.path().join("patterns"),
            &format!("#!/bin/sh\n{patterns}\n"),
        );
        for (name, text) in tests {
            script(
                folder.path().join("tests").join(name),
                &format!("#!/bin/sh\n{text}\n"),
            );
        }
        // Not by itself: a file that was just written is busy while another test's process begins.
        let output = Command::new("bash")
            .arg(folder.path().join("run.sh"))
            .output()
            .expect("bash is there");
        (
            String::from_utf8_lossy(&output.stdout).into_owned(),
            output.status.code(),
        )
    }

    const PASSES: &str =
        "echo 'test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out'";
    const FAILS: &str =
        "echo 'test result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured'; exit 101";
    const DIES: &str = "kill -SEGV $$";

    #[test]
    fn run_sh_adds_up_what_the_test_programs_say() {
        let (output, code) = run_script(&[("a", PASSES), ("b", PASSES)], "exit 0");
        assert_eq!(
            (output.lines().last(), code),
            (Some("6 passed, 0 failed"), Some(0)),
            "{output}"
        );
    }

    #[test]
    fn run_sh_fails_when_a_test_fails() {
        let (output, code) = run_script(&[("a", PASSES), ("b", FAILS)], "exit 0");
        assert_eq!(
            (output.lines().last(), code),
            (Some("5 passed, 1 failed"), Some(1)),
            "{output}"
        );
    }

    #[test]
    fn run_sh_counts_a_test_program_that_dies_as_failed() {
        let (output, code) = run_script(&[("a", DIES), ("b", PASSES)], "exit 0");
        assert_eq!(
            (output.lines().last(), code),
            (Some("3 passed, 1 failed"), Some(1)),
            "{output}"
        );
    }

    #[test]
    fn run_sh_fails_when_the_benchmark_does() {
        let (output, code) = run_script(&[("a", PASSES)], "test \"$1\" != bench");
        assert_eq!(
            (output.lines().last(), code),
            (Some("3 passed, 0 failed"), Some(1)),
            "{output}"
        );
    }

    #[test]
    fn a_folder_that_is_no_bundle_is_not_emptied() {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let file = folder.path().join("thesis.tex");
        fs::write(&file, "").expect("a file can be written");
        assert!(prepare(folder.path()).is_err() && file.exists());
    }
}
