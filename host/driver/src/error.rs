//! Why a simulated call failed: the code that the program sees, and the words that help its author.
//!
//! The driver API has room for a number only. The words go to [`crate::last_message`] and, as
//! [`crate::log`] says, to stderr. A message says what was wrong with the values and what to do
//! about it; the entry point puts the call's name in front of it.

use crate::abi::CUresult;
use std::fmt;

/// The outcome of a simulated call.
pub(crate) type Result<T = ()> = std::result::Result<T, Error>;

/// A failed call.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub(crate) struct Error {
    /// What the call returns.
    pub(crate) code: CUresult,
    /// What was wrong, and what to do.
    pub(crate) message: String,
    /// Whether this is said on stderr unasked: a fault of a kernel, code that does not load, a
    /// setting that cannot be met.
    pub(crate) loud: bool,
}

impl Error {
    /// A failure that the caller can handle.
    pub(crate) fn new(code: CUresult, message: impl fmt::Display) -> Error {
        Error {
            code,
            message: message.to_string(),
            loud: false,
        }
    }

    /// The same failure, printed unless `LANEWISE_LOG=off`.
    pub(crate) fn aloud(self) -> Error {
        Error { loud: true, ..self }
    }

    /// A failure that is printed unless `LANEWISE_LOG=off`.
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

/// [`fail!`] unless the condition holds.
macro_rules! ensure {
    ($condition:expr, $code:ident, $($message:tt)+) => {
        if !$condition {
            $crate::error::fail!($code, $($message)+);
        }
    };
}

pub(crate) use {ensure, fail};
