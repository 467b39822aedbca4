//! Reports as text that can be compared: the parts that vary from run to run are replaced.

use std::error::Error;

/// Returns an error with its causes, one per line: the whole text that a user would read.
pub fn whole(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let line = error.to_string();
        // A transparent variant repeats its source.
        if !text.ends_with(&line) {
            text += "\ncaused by: ";
            text += &line;
        }
        cause = error.source();
    }
    text
}

/// Replaces addresses by `0x...`, and the line numbers of test files by `LINE`.
pub fn stable(text: &str) -> String {
    let text = numbers_after(
        text,
        "0x",
        |c| c.is_ascii_hexdigit(),
        |digits| match digits.len() {
            // Short ones are values, not addresses.
            0..8 => digits.to_owned(),
            _ => "...".to_owned(),
        },
    );
    let place = |c: char| c.is_ascii_digit() || c == ':';
    let lines = text
        .lines()
        .map(|line| match line.contains("tests/tests/") {
            true => numbers_after(line, ".rs:", place, |_| "LINE".to_owned()),
            false => line.to_owned(),
        });
    lines.collect::<Vec<_>>().join("\n")
}

/// Replaces lines of PTX by `N`: for kernels in the embedded PTX, where each kernel moves
/// those after it.
pub fn without_ptx_lines(text: &str) -> String {
    numbers_after(
        text,
        "ptx line ",
        |c| c.is_ascii_digit(),
        |_| "N".to_owned(),
    )
}

/// Replaces the numbers of allocations by `#N`: for programs whose tests share a device, where each
/// test's buffers change the others' numbers.
pub fn without_allocations(text: &str) -> String {
    numbers_after(
        text,
        "allocation #",
        |c| c.is_ascii_digit(),
        |_| "N".to_owned(),
    )
}

/// Returns a report as the book shows it, without what varies and without a mark in its place.
pub fn exhibit(text: &str) -> String {
    without_allocations(&without_ptx_lines(&stable(text)))
        .replace(".rs:LINE", ".rs")
        .replace("(ptx line N, ", "(")
        .replace("into allocation #N:", "into an allocation of")
}

/// Replaces what follows each `mark`, up to the first character of another kind.
fn numbers_after(
    text: &str,
    mark: &str,
    part: fn(char) -> bool,
    replace: impl Fn(&str) -> String,
) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(mark) {
        let (before, number) = rest.split_at(start + mark.len());
        let end = number.find(|c| !part(c)).unwrap_or(number.len());
        out += before;
        out += &replace(&number[..end]);
        rest = &number[end..];
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_varies_is_taken_out_and_the_rest_stays() {
        let text =
            "at tests/tests/faults.rs:17:5 reading 0x7f3a00001000 of 0x2a\n--> gpu/src/a.rs:3";
        let expected = "at tests/tests/faults.rs:LINE reading 0x... of 0x2a\n--> gpu/src/a.rs:3";
        assert_eq!(stable(text), expected);
        let text = "(ptx line 6675, `ret`)";
        assert_eq!(without_ptx_lines(text), "(ptx line N, `ret`)");
        let text = "4 bytes into allocation #12: 256 bytes";
        assert_eq!(
            without_allocations(text),
            "4 bytes into allocation #N: 256 bytes"
        );
        let text = "--> a.rs:3 (ptx line 17, `ret`), 4 bytes into allocation #12: 256 bytes, made at tests/tests/a.rs:7";
        assert_eq!(
            exhibit(text),
            "--> a.rs (`ret`), 4 bytes into an allocation of 256 bytes, made at tests/tests/a.rs"
        );
    }
}
