//! The kernels of pages in CUDA C++, folded, for readers who know them so.
//!
//! A page's twin is the file of its name in `docs/cuda`, and comes where the page has a line
//! `{{#cuda}}`. `tests/clients/nvcc/twins.py` compiles and runs all of them.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// The line in a page where its twin comes.
const MARK: &str = "{{#cuda}}";

/// Returns a page with its twin in place of the mark. `page` is without `.md`.
pub(super) fn inserted(page: &str, text: &str, root: &Path) -> Result<String> {
    if !text.lines().any(|line| line == MARK) {
        return Ok(text.to_owned());
    }
    let file = file(page, root);
    let twin = fs::read_to_string(&file);
    let twin = twin.with_context(|| format!("the twin `{}`", file.display()))?;
    let folded = format!(
        "<details>\n<summary>The same in CUDA C++</summary>\n\n```cpp\n{}```\n\n</details>",
        twin.trim_start()
    );
    Ok(text.replace(MARK, &folded))
}

/// Returns what is wrong with the mark of a page: it is missing, or there is nothing to show.
pub(super) fn problem(page: &str, text: &str, root: &Path) -> Option<String> {
    let marks = text.lines().filter(|line| *line == MARK).count();
    match (file(page, root).exists(), marks) {
        (true, 1) | (false, 0) => None,
        (true, _) => Some(format!(
            "a page with a twin in `docs/cuda` has one line `{MARK}`"
        )),
        (false, _) => Some(format!(
            "`docs/cuda/{page}.cu` does not exist; remove `{MARK}`"
        )),
    }
}

fn file(page: &str, root: &Path) -> PathBuf {
    root.join("docs/cuda").join(page).with_extension("cu")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace;

    #[test]
    fn a_mark_becomes_the_pages_twin() {
        let page = inserted("basics/vector_add", "a\n\n{{#cuda}}\n", workspace::root());
        let page = page.expect("it has one");
        assert!(page.contains("```cpp\n__global__ void vec_add("), "{page}");
        assert!(inserted("introduction", "{{#cuda}}\n", workspace::root()).is_err());
    }

    #[test]
    fn a_mark_that_is_missing_or_shows_nothing_is_a_problem() {
        let problem = |page, text| problem(page, text, workspace::root());
        assert_eq!(problem("basics/vector_add", "a\n{{#cuda}}\n"), None);
        assert!(problem("basics/vector_add", "a\n").is_some());
        assert!(problem("introduction", "{{#cuda}}\n").is_some());
    }
}
