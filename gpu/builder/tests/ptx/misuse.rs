//! The errors for people who do not know the rules of kernels yet: rustc's errors, with file, line
//! and a way to fix them.
//!
//! The mistakes are the modules of `fixtures/misuse`, one feature each. They are all built at once:
//! rustc reports each at its place, and a build of one takes as long as a build of all.

use std::sync::LazyLock;

use crate::errors::{message, message_of};
use crate::support::fixture;

macro_rules! mistakes {
    ($($mistake:ident)*) => {
        const MISTAKES: &[&str] = &[$(stringify!($mistake)),*];

        $(#[test]
        fn $mistake() {
            insta::assert_snapshot!(told_of(stringify!($mistake)));
        })*
    };
}

mistakes! {
    asynchronous
    barriers
    bounds
    companion
    const_parameter
    device_mut
    device_type
    fast_math_option
    index_by_number
    method
    not_a_function
    option
    owned_memory
    parameter_mut
    parameter_reference
    parameter_cells
    parameter_elements
    parameter_type
    printf_count
    printf_format
    printf_type
    return_value
    shared_initial
    shared_scalar
    standard_math
    twice
    type_parameter
    unsafe_set
}

/// The whole message, which ends with the builder's own advice.
#[test]
fn atomic_type() {
    insta::assert_snapshot!(message("misuse", "atomic_type"));
}

/// What every Rust programmer types first. Each error names what a kernel uses instead.
#[test]
fn print_macro() {
    insta::assert_snapshot!(message("misuse", "print_macro"));
}

#[test]
fn heap_type() {
    insta::assert_snapshot!(message("misuse", "heap_type"));
}

#[test]
fn index_brackets() {
    insta::assert_snapshot!(message("misuse", "index_brackets"));
}

/// Returns the errors that point into a mistake's module first, in the order of the message
/// on all mistakes.
fn told_of(mistake: &str) -> String {
    static MESSAGE: LazyLock<String> = LazyLock::new(|| message_of("misuse", MISTAKES));
    let module = lines_of(mistake);
    let mut errors: Vec<Vec<&str>> = Vec::new();
    for line in MESSAGE.lines() {
        if ["error", "warning", "For more", "Some errors"]
            .iter()
            .any(|word| line.starts_with(word))
        {
            errors.push(Vec::new());
        }
        if let Some(error) = errors.last_mut() {
            error.push(line);
        }
    }
    let points_into_it = |error: &&Vec<&str>| {
        let mut lines = error.iter();
        let place = lines.find_map(|line| line.trim_start().strip_prefix("--> src/lib.rs:"));
        let line = place.and_then(|place| place.split(':').next()?.parse().ok());
        line.is_some_and(|line: usize| module.contains(&line))
    };
    let own: Vec<String> = errors
        .iter()
        .filter(points_into_it)
        .map(|error| error.join("\n").trim_end().to_owned())
        .collect();
    assert!(!own.is_empty(), "no error is in it:\n{}", *MESSAGE);
    own.join("\n\n")
}

/// The lines of a mistake's module in the fixture, counted from one.
fn lines_of(mistake: &str) -> std::ops::Range<usize> {
    let source = std::fs::read_to_string(fixture("misuse/src/lib.rs")).expect("the fixture");
    let begins = format!("mod {mistake} {{");
    let mut lines = source.lines().zip(1..);
    let (_, first) = lines
        .find(|(line, _)| *line == begins)
        .expect("the fixture has its module");
    let (_, last) = lines
        .find(|(line, _)| *line == "}")
        .expect("a module has an end");
    first..last
}

#[test]
fn shared_module() {
    insta::assert_snapshot!(message("misuse", "shared_module"));
}

#[test]
fn associated() {
    insta::assert_snapshot!(message("misuse", "associated"));
}

#[test]
fn same_name() {
    insta::assert_snapshot!(message("misuse", "same_name"));
}
