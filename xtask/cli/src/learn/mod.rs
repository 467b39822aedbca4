//! `cargo lanewise learn`: exercises, in the manner of rustlings.
//!
//! | module | what it is |
//! | --- | --- |
//! | [`exercise`] | an exercise: task, start, solution, check and hints in one file |
//! | [`all`] | the list of them |
//! | `course` | the crate that the reader works in, and the reader's progress |
//! | `check` | builds an exercise and runs its test |
//! | `show` | what is printed |
//! | `watch` | checks an exercise whenever its file changes |
//!
//! The crate is an ordinary project. Only the current exercise is part of it
//! (`src/kernels/mod.rs`). So a change is compiled and checked in about two seconds, and an
//! exercise that does not compile is in the way of no other.

pub mod all;
mod check;
mod course;
pub mod exercise;
mod show;
mod watch;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use serde::Serialize;

use crate::new::source;
use crate::output::{for_shell, say, say_json};
use check::Outcome;
use course::Course;

/// Exercises: kernels to write, fix, speed up, port, predict and prove
///
/// With a folder, makes a crate of exercises there. In that crate and without arguments, shows the
/// current exercise and checks it whenever its file changes. No GPU is needed.
#[derive(Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Examples:\n  cargo lanewise learn exercises && cd exercises\n  cargo lanewise learn                # shows an exercise, checks it whenever you save it\n  cargo lanewise learn run guard\n  cargo lanewise learn hint"
)]
pub struct Args {
    /// The folder to make
    #[arg(value_name = "FOLDER")]
    folder: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long, global = true)]
    json: bool,
    #[command(flatten)]
    source: source::Args,
    #[command(subcommand)]
    action: Option<Action>,
}

/// What to do with the exercises of the current folder.
#[derive(Debug, clap::Subcommand)]
enum Action {
    /// List the exercises, with what is done
    #[command(after_help = "Example:\n  cargo lanewise learn list --json")]
    List,
    /// Check an exercise once, and make it the current one
    #[command(
        after_help = "The exit code is 0 if it passes.\n\nExample:\n  cargo lanewise learn run guard"
    )]
    Run(Which),
    /// Show a hint, and one more each time
    #[command(after_help = "Example:\n  cargo lanewise learn hint guard")]
    Hint(Which),
    /// Show the solution of an exercise that has passed
    #[command(after_help = "Example:\n  cargo lanewise learn solution guard --force")]
    Solution {
        #[command(flatten)]
        which: Which,
        /// Show it although the exercise has not passed
        #[arg(long)]
        force: bool,
    },
    /// Write an exercise's file as it was at the start
    #[command(after_help = "Example:\n  cargo lanewise learn reset guard")]
    Reset(Which),
}

/// The exercise of an action.
#[derive(Debug, clap::Args)]
struct Which {
    /// The name of the exercise [default: the current one]
    name: Option<String>,
}

/// Makes the crate, or works in it.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    if let Some(folder) = &args.folder {
        return make(folder, args).map(|()| ExitCode::SUCCESS);
    }
    let here = std::env::current_dir().context("there is no current folder")?;
    let mut course = Course::open(&here)?;
    match &args.action {
        None if args.json => bail!("watch mode prints no JSON; `learn run --json` does"),
        None => watch::run(&mut course)?,
        Some(Action::List) => show::list(&course, args.json)?,
        Some(Action::Run(which)) => return run_once(&mut course, which, args.json),
        Some(Action::Hint(which)) => {
            let exercise = course.exercise(which.name.as_deref())?;
            show::hint(&mut course, exercise, args.json)?;
        }
        Some(Action::Solution { which, force }) => {
            let exercise = course.exercise(which.name.as_deref())?;
            show::solution(&course, exercise, *force, args.json)?;
        }
        Some(Action::Reset(which)) => {
            let exercise = course.exercise(which.name.as_deref())?;
            course.reset(exercise)?;
            match args.json {
                true => say_json(&exercise.file())?,
                false => say(format_args!(
                    "{} is as it was at the start",
                    exercise.file()
                )),
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Makes the crate in a folder.
fn make(folder: &Path, args: &Args) -> Result<()> {
    /// What was made.
    #[derive(Serialize)]
    struct Made<'a> {
        folder: &'a Path,
        exercises: usize,
    }
    Course::make(folder, &args.source.chosen()?)?;
    let exercises = all::EXERCISES.len();
    if args.json {
        return say_json(&Made { folder, exercises });
    }
    say(format_args!(
        "made `{}` with {exercises} exercises in src/kernels\n\n  cd {} && cargo lanewise learn",
        folder.display(),
        for_shell(folder),
    ));
    Ok(())
}

/// Checks an exercise once. After one that passes, the next one is the current one.
fn run_once(course: &mut Course, which: &Which, json: bool) -> Result<ExitCode> {
    /// The document that `--json` prints.
    #[derive(Serialize)]
    struct Ran<'a> {
        exercise: &'a str,
        #[serde(flatten)]
        outcome: &'a Outcome,
    }
    let exercise = course.exercise(which.name.as_deref())?;
    course.choose(exercise)?;
    if !json {
        show::heading(course, exercise);
    }
    let outcome = check::run(course.folder())?;
    if json {
        if outcome == Outcome::Passed {
            course.pass(exercise)?;
        }
        say_json(&Ran {
            exercise: exercise.name,
            outcome: &outcome,
        })?;
    } else {
        show::outcome(course, exercise, &outcome)?;
    }
    if outcome != Outcome::Passed {
        return Ok(ExitCode::FAILURE);
    }
    if let Some(next) = course.next() {
        course.choose(next)?;
    }
    Ok(ExitCode::SUCCESS)
}
