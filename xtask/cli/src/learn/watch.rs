//! Watch mode: checks the current exercise whenever its file changes, and takes commands.
//!
//! One file is watched, so asking for its time a few times a second is enough. That needs no
//! dependency, and works where notifications of the system do not: on network drives, in
//! containers, and with editors that replace the file.

use std::io::BufRead;
use std::path::Path;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, SystemTime};

use anyhow::Result;

use super::course::Course;
use super::{check, show};
use crate::output::say;

/// The time between two looks at the file: short for a reader, long for a processor.
const LOOK: Duration = Duration::from_millis(200);

/// What to do next.
enum Next {
    Check,
    Command(String),
    End,
}

/// Checks the current exercise now and after each change of its file, until the reader ends it.
pub(super) fn run(course: &mut Course) -> Result<()> {
    let lines = lines_of_input();
    let mut open = true;
    loop {
        let exercise = course.exercise(None)?;
        let file = course.path(exercise);
        let seen = time_of(&file);
        show::heading(course, exercise);
        let outcome = check::run(course.folder())?;
        show::outcome(course, exercise, &outcome)?;
        say(
            "\n[Enter] next or again   [h] hint   [s] solution   [l] list   [q] quit   (saving the file checks it)",
        );
        loop {
            match wait(&file, seen, &lines, &mut open) {
                Next::Check => break,
                Next::End => return Ok(()),
                Next::Command(line) => match line.trim() {
                    "q" => return Ok(()),
                    "h" => show::hint(course, exercise, false)?,
                    "l" => show::list(course, false)?,
                    "s" => show::solution(course, exercise, false, false)
                        .unwrap_or_else(|error| say(format_args!("{error:#}"))),
                    "" => {
                        if let Some(next) = course.next().filter(|_| course.has_passed(exercise)) {
                            course.choose(next)?;
                        }
                        break;
                    }
                    other => say(format_args!(
                        "`{other}` is no command: h, s, l, q, or Enter"
                    )),
                },
            }
        }
    }
}

/// Waits for a change of the file or for a line. Without further input, only changes count.
fn wait(file: &Path, seen: Option<SystemTime>, lines: &Receiver<String>, open: &mut bool) -> Next {
    loop {
        if *open {
            match lines.recv_timeout(LOOK) {
                Ok(line) => return Next::Command(line),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => *open = false,
            }
        } else {
            std::thread::sleep(LOOK);
        }
        if !file.parent().is_some_and(Path::is_dir) {
            return Next::End;
        }
        // An editor that replaces the file leaves a moment without one.
        let now = time_of(file);
        if now.is_some() && now != seen {
            return Next::Check;
        }
    }
}

/// Returns the time of a file's last change.
fn time_of(file: &Path) -> Option<SystemTime> {
    file.metadata().and_then(|file| file.modified()).ok()
}

/// Reads lines in a thread of its own, which ends with the program.
fn lines_of_input() -> Receiver<String> {
    let (send, lines) = mpsc::channel();
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            if send.send(line).is_err() {
                return;
            }
        }
    });
    lines
}
