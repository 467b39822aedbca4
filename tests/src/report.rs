//! Reports as text that can be compared: what varies from run to run is taken out.

use std::error::Error;

/// An error with its causes, one a line. The whole of what a user would read.
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

/// The text with addresses as `0x...` and the line numbers of test files as `LINE`.
pub fn stable(text: &str) -> String {
    lines_of_tests(&addresses(text))
}

fn addresses(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(start) = rest.find("0x") {
        let (before, number) = rest.split_at(start + 2);
        let digits = number
            .find(|c: char| !c.is_ascii_hexdigit())
            .unwrap_or(number.len());
        out += before;
        // Short ones are values, not addresses.
        out += if digits >= 8 {
            "..."
        } else {
            &number[..digits]
        };
        rest = &number[digits..];
    }
    out + rest
}

fn lines_of_tests(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(start) = rest.find("tests/tests/") {
        let from = &rest[start..];
        let Some(colon) = from.find(".rs:").map(|at| at + 4) else {
            break;
        };
        let digits = from[colon..]
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(from.len() - colon);
        out += &rest[..start + colon];
        out += "LINE";
        rest = &from[colon + digits..];
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_varies_is_taken_out_and_the_rest_stays() {
        let text = "at tests/tests/faults.rs:17 reading 0x7f3a00001000 of value 0x2a, tests/tests/a.rs:3:5";
        let expected =
            "at tests/tests/faults.rs:LINE reading 0x... of value 0x2a, tests/tests/a.rs:LINE:5";
        assert_eq!(stable(text), expected);
    }
}
