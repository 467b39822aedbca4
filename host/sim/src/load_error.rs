//! Why PTX could not be loaded.

/// Why a module could not be loaded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The text is not valid PTX.
    #[error("ptx line {line}, column {column}: {message}")]
    Syntax {
        /// The line, from 1.
        line: u32,
        /// The column, from 1.
        column: u32,
        /// What is wrong, and what would be correct.
        message: String,
    },
    /// The machine does not model this instruction; the kernel may still be right on a GPU.
    #[error("ptx line {line}: `{text}` is not modelled{} (the coverage page lists what is)", .why.as_ref().map(|w| format!(": {w}")).unwrap_or_default())]
    Unsupported {
        /// The line, from 1.
        line: u32,
        /// The instruction or directive.
        text: String,
        /// The part of it that is not modelled, if the text does not show that.
        why: Option<String>,
    },
    /// The text has the syntax of PTX, but it has no meaning.
    #[error("ptx line {line}: {message}{}", place(.text, .message))]
    Invalid {
        /// The line, from 1.
        line: u32,
        /// The instruction or directive.
        text: String,
        /// What is wrong, and what would be correct.
        message: String,
    },
}

/// Returns text that names the instruction, or nothing if the message contains it already.
fn place(text: &str, message: &str) -> String {
    match message.contains(&format!("`{text}`")) {
        true => String::new(),
        false => format!(", in `{text}`"),
    }
}
