//! What is wrong with an instruction or a declaration, and the error that a user gets of it.

use crate::isa::IsaError;
use crate::load_error::LoadError;
use crate::machine::program::Program;

/// What went wrong with one instruction; the place is added by whoever knows it.
#[derive(Debug)]
pub(super) enum Problem {
    /// The machine does not model it; the reason, where that is not plain.
    Unsupported(Option<String>),
    /// The instruction makes no sense, for this reason.
    Invalid(String),
}

pub(super) type Result<T> = std::result::Result<T, Problem>;

/// Not modelled, and the spelling says it all.
pub(super) fn unsupported<T>() -> Result<T> {
    Err(Problem::Unsupported(None))
}

/// Not modelled for this reason.
pub(super) fn because<T>(why: &str) -> Result<T> {
    Err(Problem::Unsupported(Some(why.into())))
}

/// The text is no valid PTX, for this reason.
pub(super) fn invalid<T>(message: impl Into<String>) -> Result<T> {
    Err(Problem::Invalid(message.into()))
}

/// A problem with its line and the line's text.
pub(super) fn place(problem: Problem, line: u32, program: &Program) -> LoadError {
    let text = program
        .text
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

/// An instruction that the table does not describe or refuses by name, in a text that begins behind
/// line `base`.
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
