//! The reason why a simulated call failed: the code for the program, and a message for its author.
//!
//! The driver API has room for a number only. The message goes to [`crate::last_message`] and, as
//! [`crate::log`] describes, to stderr. A message states what was wrong with the values and what to
//! do about it. The entry point adds the call's name in front of it.

use crate::abi::CUresult;
use std::fmt;

/// The outcome of a simulated call.
pub(crate) type Result<T = ()> = std::result::Result<T, Error>;

/// The failure of a call.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub(crate) struct Error {
    /// The code that the call returns.
    pub(crate) code: CUresult,
    /// What was wrong, and what to do about it.
    pub(crate) message: String,
    /// Whether the message is printed on stderr by default. This holds for a fault of a kernel,
    /// code that does not load, and a setting that cannot be met.
    pub(crate) loud: bool,
}

impl Error {
    /// Makes a failure that the caller can handle.
    pub(crate) fn new(code: CUresult, message: impl fmt::Display) -> Error {
        Error {
            code,
            message: message.to_string(),
            loud: false,
        }
    }

    /// Returns the same failure, to be printed unless `LANEWISE_LOG=off`.
    pub(crate) fn aloud(self) -> Error {
        Error { loud: true, ..self }
    }

    /// Makes the failure of a call or an operation that panicked.
    pub(crate) fn panicked() -> Error {
        Error::loud(
            CUresult::ERROR_UNKNOWN,
            "a bug in the simulated driver (the panic above says where); please report it",
        )
    }

    /// Makes a failure that is printed unless `LANEWISE_LOG=off`.
    pub(crate) fn loud(code: CUresult, message: impl fmt::Display) -> Error {
        Error {
            code,
            message: message.to_string(),
            loud: true,
        }
    }
}

/// Returns from the function with an [`Error`]:
/// `fail!(ERROR_INVALID_VALUE, "the pointer {p:#x} is ..")`.
macro_rules! fail {
    ($code:ident, $($message:tt)+) => {
        return Err($crate::error::Error::new($crate::abi::CUresult::$code, format_args!($($message)+)))
    };
}

/// Returns with an error, as [`fail!`] does, unless the condition holds.
macro_rules! ensure {
    ($condition:expr, $code:ident, $($message:tt)+) => {
        if !$condition {
            $crate::error::fail!($code, $($message)+);
        }
    };
}

pub(crate) use {ensure, fail};
