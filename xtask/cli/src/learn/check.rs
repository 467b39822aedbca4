//! The check of an exercise: cargo builds it, and its test runs on the simulator.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};
use cargo_metadata::Message;
use lanewise_variables as variables;
use serde::Serialize;

use crate::progress::Progress;

/// How a check ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "outcome", content = "message")]
pub(super) enum Outcome {
    /// The result is right, no check has a finding, and the target is reached.
    Passed,
    /// The compiler's messages.
    DoesNotCompile(String),
    /// What is wrong.
    Fails(String),
}

/// Builds the chosen exercise and runs its test.
pub(super) fn run(folder: &Path) -> Result<Outcome> {
    let progress =
        Progress::start("compiling; the first time with the simulator, which takes minutes");
    let program = match build(folder, &progress)? {
        Ok(program) => program,
        Err(message) => return Ok(Outcome::DoesNotCompile(message)),
    };
    progress.now("running on the simulator");
    let output = Command::new(&program)
        .current_dir(folder)
        .env(variables::DEVICE.name, "sim")
        .env_remove(variables::CHECKS.name)
        .env("RUST_BACKTRACE", "0")
        .output()
        .with_context(|| format!("cannot run `{}`", program.display()))?;
    if output.status.success() {
        return Ok(Outcome::Passed);
    }
    let said =
        [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    Ok(Outcome::Fails(message_of(&said.concat())))
}

/// Builds the crate's test. Returns its path, or the compiler's messages.
fn build(folder: &Path, progress: &Progress) -> Result<Result<PathBuf, String>> {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args([
            "test",
            "--lib",
            "--no-run",
            "--message-format=json-render-diagnostics",
        ])
        .current_dir(folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .context("cargo cannot be started")?;
    let (stdout, stderr) = (cargo.stdout.take(), cargo.stderr.take());
    let (stdout, stderr) = stdout.zip(stderr).context("cargo has no output")?;
    // Both streams are read at once, since cargo waits if one of them is full.
    let said = std::thread::scope(|scope| {
        let said = scope.spawn(|| {
            let mut said = String::new();
            for line in BufReader::new(stderr).lines().map_while(Result::ok) {
                if let Some(package) = line.trim_start().strip_prefix("Compiling ") {
                    progress.now(format!("compiling {package}"));
                }
                said = said + &line + "\n";
            }
            said
        });
        let messages = Message::parse_stream(BufReader::new(stdout)).map_while(Result::ok);
        let executable = messages.filter_map(|message| match message {
            Message::CompilerArtifact(made) => made.executable,
            _ => None,
        });
        let executable = executable.last();
        (executable, said.join().unwrap_or_default())
    });
    let status = cargo.wait().context("cargo did not end")?;
    let (executable, said) = said;
    Ok(match executable.filter(|_| status.success()) {
        Some(program) => Ok(program.into()),
        None => Err(compiler_messages(&said)),
    })
}

/// Returns the part of cargo's output that the compiler wrote. The kernels are compiled by the
/// build script, whose output cargo shows indented below its own message.
fn compiler_messages(said: &str) -> String {
    let of_kernels = said.split_once("--- stderr\n").map(|(_, text)| text);
    let is_progress = |line: &&str| {
        let line = line.trim_start();
        [
            "Compiling ",
            "Finished ",
            "Updating ",
            "Locking ",
            "Blocking ",
        ]
        .iter()
        .any(|word| line.starts_with(word))
    };
    let lines = of_kernels
        .unwrap_or(said)
        .lines()
        .filter(|line| !is_progress(line));
    let lines = lines.map(|line| match of_kernels {
        Some(_) => line.strip_prefix("  ").unwrap_or(line),
        None => line,
    });
    lines.collect::<Vec<_>>().join("\n").trim().to_owned()
}

/// Returns the message of the test that failed, from what the test program printed.
///
/// The test program shows a panic as `thread 'NAME' panicked at PLACE:`, the message, and a note
/// about stacks.
pub(super) fn message_of(printed: &str) -> String {
    // A kernel's panic says `panicked at` too, and is printed before.
    let of_test = printed.split_once("\nthread '").map(|(_, rest)| rest);
    let panicked = of_test.and_then(|rest| {
        let (_, rest) = rest.split_once("panicked at ")?;
        let (_, message) = rest.split_once('\n')?;
        let end = message.find("\nnote: run with").unwrap_or(message.len());
        Some(message[..end].trim())
    });
    panicked.unwrap_or(printed.trim()).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_message_is_without_what_the_test_program_says_of_itself() {
        let printed = "panicked at src/a.rs:9: in the kernel\nrunning 1 test\n\n---- a::check stdout ----\n\nthread 'a::check' (7) panicked at src/a.rs:1:2:\nelement 3: expected 1\n  twice\n\
                       note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace\n\n\nfailures:\n";
        assert_eq!(message_of(printed), "element 3: expected 1\n  twice");
        assert_eq!(message_of("killed\n"), "killed");
    }

    #[test]
    fn a_kernels_errors_are_without_cargos_frame() {
        let said = "   Compiling demo v0.1.0\nerror: failed to run custom build command\n\nCaused by:\n  --- stderr\n  the kernel crate `demo` does not compile\n\n     \
                    Compiling demo v0.1.0 (/x)\n  error[E0425]: no value\n   --> src/a.rs:1:2\n";
        assert_eq!(
            compiler_messages(said),
            "the kernel crate `demo` does not compile\n\nerror[E0425]: no value\n --> src/a.rs:1:2"
        );
    }
}
