//! Compares text with a file beside the test.
//!
//! The file is part of the executable, so that a bundle needs no source tree.
//! `LANEWISE_BLESS=1 cargo test` writes the current text to the files. Review the
//! difference like code.

use std::fmt::Write;
use std::path::Path;

/// Asserts that a text equals a file, whose path is relative to the calling
/// file: `expect!(report, "faults/null_pointer.txt")`.
#[macro_export]
macro_rules! expect {
    ($actual:expr, $file:literal) => {
        $crate::expect::same(
            &$actual,
            include_str!($file),
            concat!(env!("CARGO_MANIFEST_DIR"), "/tests/", $file),
        )
    };
}

/// Compares the texts. With `LANEWISE_BLESS`, writes `actual` to `path` instead.
///
/// # Panics
/// If they differ; the message has both texts line by line.
#[track_caller]
pub fn same(actual: &str, expected: &str, path: &str) {
    let (actual, expected) = (actual.trim_end(), expected.trim_end());
    if actual == expected {
        return;
    }
    if std::env::var_os("LANEWISE_BLESS").is_some() {
        let written = std::fs::write(path, format!("{actual}\n"));
        written.unwrap_or_else(|error| panic!("cannot write `{path}`: {error}"));
        return;
    }
    let name = Path::new(path)
        .file_name()
        .map_or(path.into(), |name| name.to_string_lossy());
    let differences = differences(actual, expected);
    panic!(
        "not what {name} says (`-` expected, `+` is):\n{differences}\n(LANEWISE_BLESS=1 cargo test accepts it)"
    );
}

/// Returns the lines of both texts, with the lines that differ marked.
fn differences(actual: &str, expected: &str) -> String {
    let (is, was): (Vec<&str>, Vec<&str>) = (actual.lines().collect(), expected.lines().collect());
    let same_start = is
        .iter()
        .zip(&was)
        .take_while(|(is, was)| is == was)
        .count();
    let rest = is.len().min(was.len()) - same_start;
    let same_end = is
        .iter()
        .rev()
        .zip(was.iter().rev())
        .take(rest)
        .take_while(|(is, was)| is == was)
        .count();
    let mut out = String::new();
    let mut lines = |mark: &str, lines: &[&str]| {
        lines
            .iter()
            .for_each(|line| _ = writeln!(out, "{mark} {line}"))
    };
    lines(" ", &is[..same_start]);
    lines("-", &was[same_start..was.len() - same_end]);
    lines("+", &is[same_start..is.len() - same_end]);
    lines(" ", &is[is.len() - same_end..]);
    out
}

#[cfg(test)]
mod tests {
    use super::differences;

    #[test]
    fn only_the_stretch_that_differs_is_marked() {
        assert_eq!(differences("a\nx\nc", "a\nb\nc"), "  a\n- b\n+ x\n  c\n");
        assert_eq!(differences("a\nb", "a"), "  a\n+ b\n");
        assert_eq!(differences("", "a\na"), "- a\n- a\n");
    }
}
