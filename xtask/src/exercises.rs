//! `cargo xtask check-exercises`: tries the exercises of `cargo lanewise learn`.
//!
//! Every start fails, with the message that its file promises, and every solution passes. All
//! starts are built together, and so are all solutions. Each check runs in a process of its own,
//! for a fault ends the work of its process. Then the commands are used as a reader uses them: an
//! exercise fails, its file is changed, it passes, and the next one comes.

use std::env;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::{ChildStdout, Command, ExitCode, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result, bail, ensure};
use cargo_lanewise::learn::all::{EXERCISES, module_of};
use cargo_lanewise::learn::exercise::{Exercise, Variant};
use cargo_lanewise::output::say;
use serde_json::Value;

use crate::workspace;

/// Check the exercises: every start fails as it should, and every solution passes
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  cargo xtask check-exercises\n  cargo xtask check-exercises guard"
)]
pub(crate) struct Args {
    /// The names of some exercises [default: all, and the commands]
    names: Vec<String>,
}

/// Makes the crate and tries the exercises.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let is_named =
        |it: &&Exercise| args.names.is_empty() || args.names.iter().any(|name| name == it.name);
    let chosen: Vec<Exercise> = EXERCISES.iter().filter(is_named).copied().collect();
    ensure!(!chosen.is_empty(), "there is no such exercise");
    let made = Made::new()?;
    // What the compiler refuses cannot be built with others.
    let (refused, built): (Vec<_>, Vec<_>) = chosen.iter().partition(|it| is_refused(it));
    let mut problems = made.try_all(&built, Variant::Start)?;
    for exercise in &refused {
        problems.extend(made.try_one(exercise)?);
    }
    problems.extend(made.try_all(&chosen, Variant::Solution)?);
    if args.names.is_empty() {
        made.walk()?;
    }
    for problem in &problems {
        eprintln!("{problem}\n");
    }
    say(format_args!(
        "{} exercises, {} problems",
        chosen.len(),
        problems.len()
    ));
    Ok(ExitCode::from(u8::from(!problems.is_empty())))
}

/// Returns whether the start does not compile.
fn is_refused(exercise: &Exercise) -> bool {
    exercise
        .fails()
        .iter()
        .any(|part| part.starts_with("error"))
}

/// A crate of exercises outside of the repository, as a reader has it.
struct Made {
    folder: PathBuf,
}

impl Made {
    /// Makes the crate, at the same path each time: to cargo, a crate elsewhere is another one.
    fn new() -> Result<Made> {
        let checkout = workspace::root().display().to_string().replace('/', "-");
        let folder = env::temp_dir().join(format!("lanewise-exercises{checkout}"));
        let _ = fs::remove_dir_all(&folder);
        let made = Made { folder };
        let folder = made.folder.display().to_string();
        made.learn(workspace::root(), &[&folder])?;
        workspace::share_builds(&made.folder)?;
        Ok(made)
    }

    /// Writes files of exercises, compiles all of them as one crate, and runs the check of each.
    fn try_all(
        &self,
        exercises: &[impl std::borrow::Borrow<Exercise>],
        variant: Variant,
    ) -> Result<Vec<String>> {
        let exercises: Vec<Exercise> = exercises.iter().map(|it| *it.borrow()).collect();
        for exercise in &exercises {
            fs::write(self.folder.join(exercise.file()), exercise.text(variant))?;
        }
        let module = self.folder.join("src/kernels/mod.rs");
        fs::write(&module, module_of(&exercises))?;
        self.are_formatted(&exercises)?;
        let program = self.build()?;
        let (next, problems) = (AtomicUsize::new(0), std::sync::Mutex::new(Vec::new()));
        let work = || {
            while let Some(exercise) = exercises.get(next.fetch_add(1, Ordering::Relaxed)) {
                let problem = self.test(&program, exercise).map_or_else(
                    |error| Some(format!("{}: {error:#}", exercise.name)),
                    |output| {
                        problem(
                            exercise,
                            variant,
                            output.status.success(),
                            &text_of(&output),
                        )
                    },
                );
                let mut problems = problems
                    .lock()
                    .unwrap_or_else(std::sync::PoisonError::into_inner);
                problems.extend(problem);
            }
        };
        std::thread::scope(|scope| {
            let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
            (0..cores).for_each(|_| drop(scope.spawn(work)));
        });
        Ok(problems
            .into_inner()
            .unwrap_or_else(std::sync::PoisonError::into_inner))
    }

    /// Checks a start that the compiler refuses.
    fn try_one(&self, exercise: &Exercise) -> Result<Option<String>> {
        let (passed, message) = self.checked(exercise)?;
        Ok(problem(exercise, Variant::Start, passed, &message))
    }

    /// Returns whether `learn run` passes an exercise, and its message.
    fn checked(&self, exercise: &Exercise) -> Result<(bool, String)> {
        let output = self
            .command(&self.folder, &["run", exercise.name, "--json"])
            .output()?;
        let ran: Value = serde_json::from_slice(&output.stdout)
            .with_context(|| format!("`learn run` printed: {}", text_of(&output)))?;
        let message = ran["message"].as_str().unwrap_or_default();
        Ok((output.status.success(), message.to_owned()))
    }

    fn are_formatted(&self, exercises: &[Exercise]) -> Result<()> {
        let output = Command::new("rustfmt")
            .args(["--edition", "2024", "--check"])
            .args(exercises.iter().map(Exercise::file))
            .current_dir(&self.folder)
            .output()?;
        ensure!(
            output.status.success(),
            "not formatted:\n{}",
            text_of(&output)
        );
        Ok(())
    }

    /// Builds the test program of the exercises that `src/kernels/mod.rs` declares.
    fn build(&self) -> Result<PathBuf> {
        let output = crate::cargo::command()
            .args([
                "test",
                "--lib",
                "--no-run",
                "--message-format=json-render-diagnostics",
            ])
            .current_dir(&self.folder)
            .stderr(Stdio::inherit())
            .output()?;
        ensure!(output.status.success(), "the exercises do not compile");
        let lines = String::from_utf8_lossy(&output.stdout);
        let messages = lines
            .lines()
            .filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let mut program = messages.filter_map(|it| it["executable"].as_str().map(PathBuf::from));
        program.next_back().context("cargo built no test program")
    }

    /// Runs the check of one exercise.
    fn test(&self, program: &Path, exercise: &Exercise) -> Result<Output> {
        let module = format!("kernels::{}::{}::", exercise.group, exercise.name);
        let output = Command::new(program)
            .arg(&module)
            .env("LANEWISE_DEVICE", "sim")
            .env("RUST_BACKTRACE", "0")
            .output()?;
        ensure!(
            !text_of(&output).contains("running 0 tests"),
            "it has no check"
        );
        Ok(output)
    }

    /// Uses the commands as a reader does.
    fn walk(&self) -> Result<()> {
        let [first, second, ..] = EXERCISES else {
            bail!("there are no exercises");
        };
        for exercise in EXERCISES {
            fs::write(
                self.folder.join(exercise.file()),
                exercise.text(Variant::Start),
            )?;
        }
        let (passed, message) = self.checked(first)?;
        ensure!(!passed, "the start of `{}` passes: {message}", first.name);
        self.learn(&self.folder, &["hint"])?;
        ensure!(self.learn(&self.folder, &["solution", first.name]).is_err());

        let mut watching = self
            .command(&self.folder, &[])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let (input, output) = (watching.stdin.take(), watching.stdout.take());
        let (mut input, output) = input.zip(output).context("watch mode has no output")?;
        let mut output = BufReader::new(output);
        until(&mut output, &format!("{} fails", first.name))?;
        let solution = first.text(Variant::Solution);
        fs::write(self.folder.join(first.file()), solution)?;
        until(&mut output, &format!("{} passes: 1 of", first.name))?;
        writeln!(input)?;
        let said = until(&mut output, &format!("{} fails", second.name))?;
        shown_in_page(&said)?;
        writeln!(input, "q")?;
        ensure!(watching.wait()?.success(), "watch mode failed");

        let listed: Value = serde_json::from_str(&self.learn(&self.folder, &["list", "--json"])?)?;
        ensure!(
            listed[0]["passed"] == true && listed[1]["current"] == true,
            "no progress: {listed}"
        );
        let shown = self.learn(&self.folder, &["solution", first.name])?;
        ensure!(shown.trim() == first.solution(), "{shown}");
        self.learn(&self.folder, &["reset", first.name])?;
        let text = fs::read_to_string(self.folder.join(first.file()))?;
        ensure!(text == first.text(Variant::Start), "reset wrote: {text}");
        Ok(())
    }

    /// Returns `cargo lanewise learn ARGUMENTS` in a folder.
    fn command(&self, folder: &Path, arguments: &[&str]) -> Command {
        let program = env::current_exe().unwrap_or_else(|_| "xtask".into());
        let mut command = Command::new(program);
        command
            .arg("learn")
            .args(arguments)
            .current_dir(folder)
            .env("CARGO_TARGET_DIR", workspace::target());
        command
    }

    /// Runs such a command, which has to succeed, and returns what it printed.
    fn learn(&self, folder: &Path, arguments: &[&str]) -> Result<String> {
        let output = self.command(folder, arguments).output()?;
        let text = text_of(&output);
        ensure!(
            output.status.success(),
            "`learn {}` failed: {text}",
            arguments.join(" ")
        );
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }
}

/// Compares what watch mode says of an exercise with the first output in the book's page. The
/// path of the file, and the line below the outcome, are not compared.
fn shown_in_page(said: &str) -> Result<()> {
    let page = fs::read_to_string(workspace::root().join("docs/src/using/learn.md"))?;
    let block = page.split("```text\n").nth(1).unwrap_or_default();
    let block = block.split("```").next().unwrap_or_default();
    let mut lines = block.lines().filter(|line| !line.starts_with(['/', '[']));
    let missing = lines.find(|line| !said.contains(line));
    ensure!(
        !block.is_empty() && missing.is_none(),
        "the book's page shows {missing:?}, and watch mode says:\n{said}"
    );
    Ok(())
}

/// Returns what watch mode prints until a line says this.
fn until(output: &mut BufReader<ChildStdout>, text: &str) -> Result<String> {
    let mut said = String::new();
    while output.read_line(&mut said)? > 0 {
        if said.contains(text) {
            return Ok(said);
        }
    }
    bail!("watch mode ended before it said `{text}`:\n{said}")
}

/// Returns what is wrong with the outcome of a check.
fn problem(exercise: &Exercise, variant: Variant, passed: bool, said: &str) -> Option<String> {
    let name = exercise.name;
    match variant {
        Variant::Start if passed => Some(format!("{name}: the start passes")),
        Variant::Start => {
            let mut missing = exercise
                .fails()
                .into_iter()
                .filter(|part| !said.contains(part.as_str()));
            let missing = missing.next()?;
            Some(format!(
                "{name}: the start does not fail with `{missing}`, but:\n{said}"
            ))
        }
        Variant::Solution => (!passed).then(|| format!("{name}: the solution fails:\n{said}")),
    }
}

/// Returns what a program printed.
fn text_of(output: &Output) -> String {
    let both = [&output.stdout, &output.stderr];
    both.map(|bytes| String::from_utf8_lossy(bytes)).concat()
}
