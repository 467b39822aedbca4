//! Every wrong kernel in Rust is reported as its file says, with every seed, and every right twin is left alone.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use wrong::case::Language;

/// Held by the test that runs: devices that live side by side have addresses of their own, and reports say addresses.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Each kernel runs with seed 0 and two others.
fn hold(check: &str, least: usize) {
    let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let program = Path::new(env!("CARGO_BIN_EXE_wrong"));
    wrong::simulated::hold(program, (Language::Rust, check), least, 2);
}

#[test]
fn races_are_found_and_their_twins_are_silent() {
    hold("race", 22);
}

#[test]
fn wrong_meetings_are_found_and_their_twins_are_silent() {
    hold("sync", 13);
}

#[test]
fn wrong_accesses_are_found_and_their_twins_are_silent() {
    hold("memory", 10);
}

#[test]
fn uses_of_what_nobody_wrote_are_found_and_their_twins_are_silent() {
    hold("init", 14);
}
