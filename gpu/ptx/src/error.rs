//! Errors in PTX text. The message of an error describes it. The place is in the variant,
//! and in [`ParseError::position`].

use super::position::Position;

/// The reason why a text is not a PTX module.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ParseError {
    /// The grammar requires something else at this place.
    #[error("expected {expected}, found {found}")]
    Unexpected {
        /// What the grammar requires.
        expected: &'static str,
        /// What the text contains there.
        found: String,
        /// The place in the text.
        at: Position,
    },
    /// No instruction has this opcode, or no opcode has this modifier.
    #[error("{}", unknown(.spelling, .word))]
    UnknownInstruction {
        /// The whole dotted word.
        spelling: String,
        /// The unknown part.
        word: String,
        /// The place where the instruction begins.
        at: Position,
    },
    /// More modifiers than any instruction has.
    #[error("instruction `{opcode}` has more than {limit} modifiers")]
    TooManyModifiers {
        /// The opcode, the word before the first dot.
        opcode: &'static str,
        /// The most that an instruction may have.
        limit: usize,
        /// The place where the instruction begins.
        at: Position,
    },
    /// A name is used without a declaration.
    #[error("`{name}` is not declared; PTX wants {kind} declared before its use")]
    NotDeclared {
        /// The name that is used.
        name: String,
        /// The kind of declaration that is missing.
        kind: &'static str,
        /// The first use.
        at: Position,
    },
    /// A label is used that neither its scope nor the scopes around it define.
    #[error(
        "label `{name}` is not defined in this function, or only in a scope that cannot be seen from here"
    )]
    NoLabel {
        /// The label's name.
        name: String,
        /// The first use.
        at: Position,
    },
    /// A name is declared twice in one scope.
    #[error("`{name}` is declared a second time; the first is at {first}")]
    Duplicate {
        /// The name that is declared.
        name: String,
        /// The first declaration.
        first: Position,
        /// The place of the second declaration.
        at: Position,
    },
    /// A byte with which no token begins.
    #[error("character {character:?} cannot stand here{}", if character.is_ascii() { "" } else { "; PTX is ASCII" })]
    Character {
        /// The character with which no token begins.
        character: char,
        /// The place in the text.
        at: Position,
    },
    /// A comment, string or body without an end.
    #[error("{what} begins here and does not end")]
    Unterminated {
        /// `comment`, `string`, ...
        what: &'static str,
        /// The place where it begins.
        at: Position,
    },
    /// A number that cannot be read, or does not fit.
    #[error("`{text}` is not a number: {why}")]
    Number {
        /// The number, as it is written.
        text: String,
        /// The reason why it cannot be read.
        why: &'static str,
        /// The place in the text.
        at: Position,
    },
    /// A value outside the range that is allowed.
    #[error("{what} is {value}; allowed is {allowed}")]
    Range {
        /// What the value is for.
        what: &'static str,
        /// The value that is out of range.
        value: i128,
        /// The values that are allowed.
        allowed: &'static str,
        /// The place in the text.
        at: Position,
    },
    /// Brackets, scopes or lists nested beyond the limit.
    #[error("{what} nested more than {limit} deep")]
    TooDeep {
        /// The kind of nesting.
        what: &'static str,
        /// The largest depth that is allowed.
        limit: usize,
        /// The place where the limit is exceeded.
        at: Position,
    },
    /// A variable that is larger than any memory.
    #[error("`{name}` is larger than {limit} bytes")]
    TooLarge {
        /// The variable's name in the PTX.
        name: String,
        /// The largest size of a variable, in bytes.
        limit: u64,
        /// The place of the declaration.
        at: Position,
    },
    /// An initializer with more elements than its array.
    #[error("the initializer of `{name}` has {elements} elements where the array has {room}")]
    TooManyElements {
        /// The variable's name in the PTX.
        name: String,
        /// The number of elements in the list.
        elements: u64,
        /// The number of elements of the array.
        room: u64,
        /// The place of the declaration.
        at: Position,
    },
    /// Correct PTX that this parser does not read.
    #[error("{what} is not supported{}{help}", if help.is_empty() { "" } else { "; " })]
    Unsupported {
        /// The feature that is not supported.
        what: &'static str,
        /// What to do instead, if there is something.
        help: &'static str,
        /// The place in the text.
        at: Position,
    },
    /// Text that is too long for the positions of the parser.
    #[error("the PTX text has {bytes} bytes; at most {limit} can be read")]
    TooLong {
        /// The length of the text, in bytes.
        bytes: usize,
        /// The largest length, in bytes.
        limit: usize,
    },
}

impl ParseError {
    /// Returns the place in the text, if the error has one.
    pub fn position(&self) -> Option<Position> {
        use ParseError::*;
        match *self {
            Unexpected { at, .. }
            | UnknownInstruction { at, .. }
            | TooManyModifiers { at, .. }
            | NotDeclared { at, .. }
            | NoLabel { at, .. }
            | Duplicate { at, .. }
            | Character { at, .. }
            | Unterminated { at, .. }
            | Number { at, .. }
            | Range { at, .. }
            | TooDeep { at, .. }
            | TooLarge { at, .. }
            | TooManyElements { at, .. }
            | Unsupported { at, .. } => Some(at),
            TooLong { .. } => None,
        }
    }
}

/// Cuts text from the source to a length that fits a line of an error message.
pub(super) fn excerpt(text: &str) -> String {
    const LIMIT: usize = 60;
    match text.char_indices().nth(LIMIT) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

/// Formats the message for an unknown modifier or opcode.
fn unknown(spelling: &str, word: &str) -> String {
    match word.starts_with('.') {
        true => format!("`{word}` of `{spelling}` is no modifier of any instruction"),
        false => format!("no instruction is called `{word}`"),
    }
}
