//! Every wrong kernel in PTX is reported as the file beside it says, with several seeds, and every
//! right twin is left alone.

use std::path::Path;

use wrong::case::Language;

/// Each case runs with seed 0 and three others.
fn check(folder: &str, least: usize) {
    let program = Path::new(env!("CARGO_BIN_EXE_wrong"));
    wrong::simulated::hold(program, (Language::Ptx, folder), least, 3);
}

#[test]
fn races_are_found_and_their_twins_are_silent() {
    check("race", 66);
}

#[test]
fn wrong_meetings_are_found_and_their_twins_are_silent() {
    check("sync", 40);
}

#[test]
fn wrong_accesses_are_found_and_their_twins_are_silent() {
    check("memory", 50);
}

#[test]
fn uses_of_what_nobody_wrote_are_found_and_their_twins_are_silent() {
    check("init", 36);
}

#[test]
fn launches_without_a_future_are_found_and_their_twins_are_silent() {
    check("progress", 6);
}
