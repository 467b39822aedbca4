//! Every wrong program of the host's kind is reported as its file says, with several seeds, and
//! every right twin is left alone.

use std::path::Path;

use wrong::case::Language;

/// Each program runs with seed 0 and two others, in processes of its own.
fn hold(check: &str, least: usize) {
    let program = Path::new(env!("CARGO_BIN_EXE_wrong"));
    wrong::simulated::hold(program, (Language::Host, check), least, 2);
}

#[test]
fn work_in_no_order_is_found_and_right_twins_are_silent() {
    hold("race", 17);
}

#[test]
fn uses_of_memory_that_is_gone_are_found_and_right_twins_are_silent() {
    hold("memory", 4);
}

#[test]
fn memory_that_nobody_wrote_is_found_and_right_twins_are_silent() {
    hold("init", 2);
}

#[test]
fn what_is_not_given_back_is_found_and_right_twins_are_silent() {
    hold("leak", 2);
}
