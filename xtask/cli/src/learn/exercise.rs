//! An exercise: one file that holds the task, the start, the solution, the check and the hints.
//!
//! The file is Rust with lines for this module, which begin with `//@`:
//!
//! | line | what it is |
//! | --- | --- |
//! | `//@ hint: TEXT` | a hint; they are shown one after another. A line that begins with `//@   ` goes on |
//! | `//@ fails: TEXT` | a part of the message with which the start fails |
//! | `//@ start` | from here to `//@ solution`: only in the start |
//! | `//@ solution` | from here to `//@ end`: only in the solution |
//!
//! The reader's file has the start and none of these lines. Its head is the task: a title, what to
//! do, and a line `Read: PAGE` with the page of the book.

use std::fmt::Write;

/// A task for the reader of the book, with its check and its solution.
#[derive(Debug, Clone, Copy)]
pub struct Exercise {
    /// What kind of a task it is: `write`, `fix`, `speed`, `port`, `predict` or `prove`.
    pub group: &'static str,
    /// The name of the exercise, of its file and of its module.
    pub name: &'static str,
    text: &'static str,
}

/// Which text of an exercise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variant {
    /// What the reader begins with.
    Start,
    /// What passes the check.
    Solution,
}

const MARK: &str = "//@ ";

impl Exercise {
    pub(super) const fn new(group: &'static str, name: &'static str, text: &'static str) -> Self {
        Self { group, name, text }
    }

    /// Returns the path of the reader's file, in the folder of the exercises.
    pub fn file(&self) -> String {
        format!("src/kernels/{}/{}.rs", self.group, self.name)
    }

    /// Returns the whole file that the reader begins with, or the solved one.
    pub fn text(&self, variant: Variant) -> String {
        let mut text = String::new();
        let mut part = None;
        for line in self.text.lines() {
            match line.trim_start().strip_prefix(MARK) {
                Some("start") => part = Some(Variant::Start),
                Some("solution") => part = Some(Variant::Solution),
                Some("end") => part = None,
                Some(_) => {}
                None if part.is_none_or(|part| part == variant) => {
                    let _ = writeln!(text, "{line}");
                }
                None => {}
            }
        }
        text
    }

    /// Returns the solution without the task and the check: the kernels.
    pub fn solution(&self) -> String {
        let text = self.text(Variant::Solution);
        let lines = text.lines().skip_while(|line| line.starts_with("//!"));
        let kernels: Vec<&str> = lines.take_while(|line| *line != "#[cfg(test)]").collect();
        kernels.join("\n").trim().to_owned()
    }

    /// Returns the task: the lines of the file's head.
    fn task_lines(&self) -> impl Iterator<Item = &'static str> {
        self.text
            .lines()
            .filter_map(|line| line.strip_prefix("//!"))
            .map(str::trim)
    }

    /// Returns the first sentence of the task, without its full stop.
    pub fn title(&self) -> &'static str {
        let title = self.task_lines().next().unwrap_or_default();
        title.trim_end_matches('.')
    }

    /// Returns the task without its title and without the page to read.
    pub fn task(&self) -> String {
        let lines: Vec<&str> = self
            .task_lines()
            .skip(1)
            .filter(|line| !line.starts_with(READ))
            .collect();
        lines.join("\n").trim().to_owned()
    }

    /// Returns the page of the book that the exercise is about, as in `memory/transpose`.
    pub fn page(&self) -> &'static str {
        let mut lines = self.task_lines();
        let page = lines.find_map(|line| line.strip_prefix(READ));
        page.unwrap_or_default().trim()
    }

    /// Returns the hints, in the order in which they are shown.
    pub fn hints(&self) -> Vec<String> {
        self.marked("hint: ")
    }

    /// Returns parts of the message with which the start fails.
    pub fn fails(&self) -> Vec<String> {
        self.marked("fails: ")
    }

    fn marked(&self, kind: &str) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        let mut is_kind = false;
        for line in self.text.lines().filter_map(|line| line.strip_prefix(MARK)) {
            if let Some(text) = line.strip_prefix(kind) {
                is_kind = true;
                found.push(text.to_owned());
            } else if let (true, Some(text), Some(last)) =
                (is_kind, line.strip_prefix("  "), found.last_mut())
            {
                *last = format!("{last} {text}");
            } else {
                is_kind = false;
            }
        }
        found
    }
}

const READ: &str = "Read: ";

#[cfg(test)]
mod tests {
    use super::*;

    const EXERCISE: Exercise = Exercise::new(
        "write",
        "one",
        "//! The title.\n//!\n//! What to do.\n//!\n//! Read: basics/hello\n//@ hint: First\n//@   of all.\n//@ hint: Second.\n//@ fails: found 0\n\n\
         fn f() {\n    //@ start\n    old();\n    //@ solution\n    new();\n    //@ end\n}\n\n#[cfg(test)]\nmod check {}\n",
    );

    #[test]
    fn the_parts_of_a_file_come_apart() {
        assert_eq!(EXERCISE.title(), "The title");
        assert_eq!(EXERCISE.task(), "What to do.");
        assert_eq!(EXERCISE.page(), "basics/hello");
        assert_eq!(EXERCISE.hints(), ["First of all.", "Second."]);
        assert_eq!(EXERCISE.fails(), ["found 0"]);
        assert_eq!(EXERCISE.solution(), "fn f() {\n    new();\n}");
        let start = EXERCISE.text(Variant::Start);
        assert!(start.contains("old();") && !start.contains("new();") && !start.contains("//@"));
    }
}
