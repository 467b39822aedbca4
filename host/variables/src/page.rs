//! The book's page of variables.

use std::fmt::Write;

use crate::{ALL, Group};

/// Returns the page as Markdown, with a table for each group.
pub fn page() -> String {
    let mut page = String::from(
        "# Environment variables\n\nEvery variable that Lanewise reads. They hold for any program that uses the driver: one of \
         this repository, one of your own, and any other started by [`lanewise exec`](../simulator/exec.md). A variable whose name begins with \
         `LANEWISE_` and that is not here is answered with a warning; `cargo xtask doctor` shows which ones are set. The page is made \
         from the table that the programs read (`host/variables`).\n",
    );
    let mut groups: Vec<Group> = ALL.iter().map(|variable| variable.group).collect();
    groups.dedup();
    for group in groups {
        // Writing to a string cannot fail.
        let _ = write!(
            page,
            "\n## {}\n\n| variable | values | without it | what it does |\n| --- | --- | --- | --- |\n",
            group.title()
        );
        for variable in ALL.iter().filter(|variable| variable.group == group) {
            let crate::Variable {
                name,
                values,
                default,
                what,
                ..
            } = variable;
            let _ = writeln!(page, "| `{name}` | {values} | {default} | {what} |");
        }
    }
    page
}
