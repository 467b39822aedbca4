//! `gpu_assert!`: an assertion whose failure is reported to the host.
//!
//! A failed assertion prints file, line, block, thread and text, and ends the launch with
//! `CUDA_ERROR_ASSERT`. Nothing more can be launched in that context. CUDA C++
//! Programming Guide, "Assertion".

use core::ffi::CStr;

use crate::intrinsics;

/// Ends the launch with `CUDA_ERROR_ASSERT` if a condition is false:
/// `gpu_assert!(n > 0, "nothing to sum")`.
#[macro_export]
macro_rules! gpu_assert {
    ($condition:expr $(,)?) => {
        $crate::gpu_assert!($condition, stringify!($condition))
    };
    ($condition:expr, $message:expr $(,)?) => {
        if !$condition {
            $crate::assert::fail(
                const { $crate::assert::c_string(concat!($message, "\0")) },
                const { $crate::assert::c_string(concat!(file!(), "\0")) },
                line!(),
                const { $crate::assert::c_string(concat!(module_path!(), "\0")) },
            );
        }
    };
}

/// Calls the driver's function for a failed assertion, which ends the launch.
#[doc(hidden)]
#[cold]
pub fn fail(message: &CStr, file: &CStr, line: u32, function: &CStr) -> ! {
    let [message, file, function] =
        [message, file, function].map(|text| text.as_ptr().cast::<u8>());
    // SAFETY: the three strings end in a zero byte, and their characters have one byte.
    unsafe { intrinsics::__assertfail(message, file, line, function, 1) }
}

/// Returns the text as a C string. The zero at its end is checked at compile time.
#[doc(hidden)]
#[must_use]
pub const fn c_string(text: &'static str) -> &'static CStr {
    match CStr::from_bytes_with_nul(text.as_bytes()) {
        Ok(text) => text,
        Err(_) => panic!("the text of an assertion cannot hold a zero byte"),
    }
}
