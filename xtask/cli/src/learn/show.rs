//! What the reader sees of an exercise: the task, the outcome, hints, the solution, the list.

use anyhow::{Result, ensure};
use serde::Serialize;

use super::all::EXERCISES;
use super::check::Outcome;
use super::course::Course;
use super::exercise::Exercise;
use crate::output::{say, say_json, with_header};

/// Prints which exercise comes now, and its task.
pub(super) fn heading(course: &Course, exercise: &Exercise) {
    let (group, name, title) = (exercise.group, exercise.name, exercise.title());
    let number = EXERCISES.iter().position(|it| it.name == name).unwrap_or(0) + 1;
    say(format_args!(
        "\n{number} of {}   {group}: {name}   {title}\n{}\n\n{}\nThe book: {}\n",
        EXERCISES.len(),
        course.path(exercise).display(),
        exercise.task(),
        exercise.page(),
    ));
}

/// Prints how the check ended, and what comes next.
pub(super) fn outcome(course: &mut Course, exercise: &Exercise, outcome: &Outcome) -> Result<()> {
    let name = exercise.name;
    match outcome {
        Outcome::DoesNotCompile(message) => {
            say(format_args!("{message}\n\n{name} does not compile"))
        }
        Outcome::Fails(message) => say(format_args!("{message}\n\n{name} fails")),
        Outcome::Passed => {
            course.pass(exercise)?;
            let (passed, all) = (course.passed(), EXERCISES.len());
            say(format_args!("{name} passes: {passed} of {all} are done"));
            match course.next() {
                Some(next) => say(format_args!(
                    "the next one is `{}`: {}",
                    next.name,
                    next.title()
                )),
                None => say("these were all exercises"),
            }
        }
    }
    Ok(())
}

/// Prints one hint more than the last time.
pub(super) fn hint(course: &mut Course, exercise: &Exercise, json: bool) -> Result<()> {
    let (hints, all) = (course.hints(exercise)?, exercise.hints().len());
    if json {
        return say_json(&hints);
    }
    for (number, hint) in hints.iter().enumerate() {
        say(format_args!("hint {} of {all}: {hint}", number + 1));
    }
    Ok(())
}

/// Prints the solution if the exercise has passed, or if the reader insists.
pub(super) fn solution(
    course: &Course,
    exercise: &Exercise,
    force: bool,
    json: bool,
) -> Result<()> {
    ensure!(
        force || course.has_passed(exercise),
        "`{0}` has not passed yet; `cargo lanewise learn hint {0}` helps, and `solution {0} --force` shows the solution all the same",
        exercise.name
    );
    match json {
        true => say_json(&exercise.solution()),
        false => {
            say(exercise.solution());
            Ok(())
        }
    }
}

/// A line of the list.
#[derive(Serialize)]
struct Line<'a> {
    group: &'a str,
    name: &'a str,
    title: &'a str,
    file: String,
    passed: bool,
    current: bool,
}

/// Prints all exercises with the reader's progress.
pub(super) fn list(course: &Course, json: bool) -> Result<()> {
    if json {
        let lines = EXERCISES.iter().map(|exercise| Line {
            group: exercise.group,
            name: exercise.name,
            title: exercise.title(),
            file: exercise.file(),
            passed: course.has_passed(exercise),
            current: course.is_current(exercise),
        });
        return say_json(&lines.collect::<Vec<_>>());
    }
    let mut table = with_header(&["", "group", "exercise", "task"], &[]);
    for exercise in EXERCISES {
        let state = match (course.has_passed(exercise), course.is_current(exercise)) {
            (_, true) => "now",
            (true, _) => "done",
            _ => "",
        };
        table.add_row([state, exercise.group, exercise.name, exercise.title()]);
    }
    say(table);
    say(format_args!(
        "{} of {} are done",
        course.passed(),
        EXERCISES.len()
    ));
    Ok(())
}
