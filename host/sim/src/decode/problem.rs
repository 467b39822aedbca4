//! Problems of instructions and declarations, and the errors that the user gets for them.

use crate::isa::IsaError;
use crate::load_error::LoadError;

/// A problem with one instruction. The caller that has the place adds it.
#[derive(Debug)]
pub(super) enum Problem {
    /// The machine does not model the instruction. The text is the reason, if the spelling does
    /// not show it.
    Unsupported(Option<String>),
    /// The instruction has no valid meaning, for this reason.
    Invalid(String),
}

pub(super) type Result<T> = std::result::Result<T, Problem>;

/// Returns the error for an unmodelled instruction whose spelling shows the reason.
pub(super) fn unsupported<T>() -> Result<T> {
    Err(Problem::Unsupported(None))
}

/// Returns the error for an instruction that is not modelled for this reason.
pub(super) fn because<T>(why: &str) -> Result<T> {
    Err(Problem::Unsupported(Some(why.into())))
}

/// Returns the error for text that is not valid PTX, for this reason.
pub(super) fn invalid<T>(message: impl Into<String>) -> Result<T> {
    Err(Problem::Invalid(message.into()))
}

/// Returns the error of a problem, with its line in `text` and what that line contains.
pub(super) fn place(problem: Problem, line: u32, text: &str) -> LoadError {
    let text = text
        .lines()
        .nth((line as usize).saturating_sub(1))
        .unwrap_or("")
        .trim();
    let text = text.trim_end_matches(';').to_string();
    match problem {
        Problem::Unsupported(why) => LoadError::Unsupported { line, text, why },
        Problem::Invalid(message) => LoadError::Invalid {
            line,
            text,
            message,
        },
    }
}

/// Returns the error for an instruction that the table does not describe or refuses. The text
/// begins after line `base`.
pub(super) fn refused(error: IsaError, base: u32) -> LoadError {
    let line = error.position().unwrap_or_default().line + base;
    let text = error.spelling().to_owned();
    match error {
        IsaError::Refused { why, .. } => LoadError::Unsupported {
            line,
            text,
            why: Some(why.to_owned()),
        },
        error => LoadError::Invalid {
            line,
            text,
            message: error.to_string(),
        },
    }
}
