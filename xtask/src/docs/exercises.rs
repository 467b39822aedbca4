//! The exercises of `cargo lanewise learn` in the book.
//!
//! An exercise names the page that it is about. That page has a line `{{#exercises}}` at its end,
//! which becomes a section with the page's exercises: task, hints, and solution, of which the last
//! two are folded. In the page about the command, the line becomes a table of all.

use std::fmt::Write;

use cargo_lanewise::learn::all::EXERCISES;
use cargo_lanewise::learn::exercise::Exercise;

/// The line in a page where its exercises come.
const MARK: &str = "{{#exercises}}";

/// The page about the command, without `.md`.
const TABLE: &str = "using/learn";

/// Returns a page with its exercises in place of the mark.
pub(super) fn inserted(page: &str, text: &str) -> String {
    let mut out = String::new();
    for line in text.split_inclusive('\n') {
        match line.trim() {
            MARK if page == TABLE => out.push_str(&table()),
            MARK => out.push_str(&section(page)),
            _ => out.push_str(line),
        }
    }
    out
}

/// Returns the exercises of a page.
fn of_page(page: &str) -> impl Iterator<Item = &'static Exercise> {
    EXERCISES
        .iter()
        .filter(move |exercise| exercise.page() == page)
}

/// Returns what is wrong with the marks of a page: one that is missing, or has nothing to show.
pub(super) fn problem(page: &str, text: &str) -> Option<String> {
    let marks = text.lines().filter(|line| line.trim() == MARK).count();
    let is_due = page == TABLE || of_page(page).next().is_some();
    match (is_due, marks) {
        (true, 1) | (false, 0) => None,
        (true, _) => Some(format!("a page with exercises has one line `{MARK}`")),
        (false, _) => Some(format!("no exercise is about this page; remove `{MARK}`")),
    }
}

/// Returns the section of a page.
fn section(page: &str) -> String {
    let up = "../".repeat(page.matches('/').count());
    let mut out = format!(
        "## Exercises\n\nIn the folder that [`cargo lanewise learn`]({up}using/learn.md) makes, `cargo lanewise learn run NAME` checks your solution.\n"
    );
    for exercise in of_page(page) {
        let Exercise { name, group, .. } = exercise;
        // Writing to a string can't fail.
        let _ = write!(
            out,
            "\n### {}\n\n`{name}`, of the group `{group}`. {}\n\n<details>\n<summary>Hints</summary>\n\n",
            exercise.title(),
            exercise.task(),
        );
        for hint in exercise.hints() {
            let _ = writeln!(out, "- {hint}");
        }
        let _ = write!(
            out,
            "\n</details>\n<details>\n<summary>Solution</summary>\n\n```rust,ignore\n{}\n```\n\n</details>\n",
            exercise.solution(),
        );
    }
    out
}

/// Returns the table of all exercises, with links to their pages.
fn table() -> String {
    let mut out = "| group | exercise | task |\n| --- | --- | --- |\n".to_owned();
    for exercise in EXERCISES {
        let (group, name, title) = (exercise.group, exercise.name, exercise.title());
        let page = exercise.page();
        let _ = writeln!(
            out,
            "| {group} | [`{name}`](../{page}.md#exercises) | {title} |"
        );
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_its_own_exercises_and_the_table_has_all() {
        let page = inserted("basics/vector_add", "# T\n\n{{#exercises}}\n");
        assert!(page.starts_with("# T\n\n## Exercises\n"), "{page}");
        assert!(
            page.contains("### Add two vectors") && !page.contains(MARK),
            "{page}"
        );
        assert_eq!(
            page.matches("<details>").count(),
            page.matches("</details>").count()
        );
        let table = inserted(TABLE, MARK);
        assert_eq!(table.lines().count(), 2 + EXERCISES.len());
    }

    #[test]
    fn a_mark_that_is_missing_or_shows_nothing_is_a_problem() {
        assert_eq!(problem("basics/vector_add", "a\n{{#exercises}}\n"), None);
        assert!(problem("basics/vector_add", "a\n").is_some());
        assert!(problem("introduction", "{{#exercises}}").is_some());
    }
}
