//! The result of a driver call.

use lanewise_driver::abi::CUresult;

/// Fails the test, with the driver's message, if a call did not succeed.
#[track_caller]
pub(crate) fn ok(code: CUresult) {
    assert_eq!(
        code,
        CUresult::SUCCESS,
        "{:?}",
        lanewise_driver::last_message()
    );
}
