//! Every wrong kernel in Rust is reported as its file says, with every seed, and every right twin
//! is left alone.

use std::path::Path;

use wrong::case::Language;

/// Each kernel runs with seed 0 and two others.
fn hold(check: &str, least: usize) {
    let program = Path::new(env!("CARGO_BIN_EXE_wrong"));
    wrong::simulated::hold(program, (Language::Rust, check), least, 2);
}

#[test]
fn races_are_found_and_their_twins_are_silent() {
    hold("race", 22);
}

#[test]
fn wrong_meetings_are_found_and_their_twins_are_silent() {
    hold("sync", 14);
}

#[test]
fn wrong_accesses_are_found_and_their_twins_are_silent() {
    hold("memory", 10);
}

#[test]
fn uses_of_what_nobody_wrote_are_found_and_their_twins_are_silent() {
    hold("init", 14);
}
