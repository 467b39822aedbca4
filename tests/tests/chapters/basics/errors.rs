//! Errors of the driver: name, text, and the caller's line.

use lanewise_patterns::Setup;
use tests::agree::assert_agrees;

#[test]
fn calls_that_fail_say_cudas_name_and_text_and_the_callers_line() {
    for variant in [
        "error_invalid_value",
        "error_out_of_memory",
        "error_not_found",
    ] {
        assert_agrees(variant, Setup::new(0, 0));
    }
}
