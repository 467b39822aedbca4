//! What can be wrong with PTX text. Messages say what; where is in the variant, and in
//! [`ParseError::position`].

use super::position::Position;

/// Why text is not a PTX module.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ParseError {
    /// Something else should stand here.
    #[error("expected {expected}, found {found}")]
    Unexpected {
        /// What the grammar asks for.
        expected: &'static str,
        /// What stands there.
        found: String,
        /// Where in the text it stands.
        at: Position,
    },
    /// No instruction has this opcode, or none of any opcode has this modifier.
    #[error("{}", unknown(.spelling, .word))]
    UnknownInstruction {
        /// The whole dotted word.
        spelling: String,
        /// The part that is not known.
        word: String,
        /// Where the instruction begins.
        at: Position,
    },
    /// More modifiers than any instruction has.
    #[error("instruction `{opcode}` has more than {limit} modifiers")]
    TooManyModifiers {
        /// The opcode, the word before the first dot.
        opcode: &'static str,
        /// The most that an instruction may have.
        limit: usize,
        /// Where the instruction begins.
        at: Position,
    },
    /// A name is used that nothing declares.
    #[error("`{name}` is not declared; PTX wants {kind} declared before its use")]
    NotDeclared {
        /// The name that is meant.
        name: String,
        /// What would have to be declared.
        kind: &'static str,
        /// The first use.
        at: Position,
    },
    /// A label is used that its scope and those around it do not define.
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
        /// The name that is meant.
        name: String,
        /// The first declaration.
        first: Position,
        /// Where the second one stands.
        at: Position,
    },
    /// A byte that no token begins with.
    #[error("character {character:?} cannot stand here{}", if character.is_ascii() { "" } else { "; PTX is ASCII" })]
    Character {
        /// The character that no word begins with.
        character: char,
        /// Where in the text it stands.
        at: Position,
    },
    /// A comment, string or body that begins and does not end.
    #[error("{what} begins here and does not end")]
    Unterminated {
        /// `comment`, `string`, ...
        what: &'static str,
        /// Where it begins.
        at: Position,
    },
    /// A number that cannot be read, or does not fit.
    #[error("`{text}` is not a number: {why}")]
    Number {
        /// The number, as it is written.
        text: String,
        /// Why it cannot be.
        why: &'static str,
        /// Where in the text it stands.
        at: Position,
    },
    /// A value outside what its place allows.
    #[error("{what} is {value}; allowed is {allowed}")]
    Range {
        /// What the value is for.
        what: &'static str,
        /// The value that does not fit.
        value: i128,
        /// What would do.
        allowed: &'static str,
        /// Where in the text it stands.
        at: Position,
    },
    /// Brackets, scopes or lists nested beyond the limit.
    #[error("{what} nested more than {limit} deep")]
    TooDeep {
        /// What is nested.
        what: &'static str,
        /// How deep it may be.
        limit: usize,
        /// Where the limit is passed.
        at: Position,
    },
    /// A variable larger than any memory.
    #[error("`{name}` is larger than {limit} bytes")]
    TooLarge {
        /// The variable's name in the PTX.
        name: String,
        /// The most that a variable may have.
        limit: u64,
        /// Where it is declared.
        at: Position,
    },
    /// An initializer with more elements than its array.
    #[error("the initializer of `{name}` has {elements} elements where the array has {room}")]
    TooManyElements {
        /// The variable's name in the PTX.
        name: String,
        /// How many elements are listed.
        elements: u64,
        /// How many elements there is room for.
        room: u64,
        /// Where it is declared.
        at: Position,
    },
    /// Correct PTX that this parser does not read.
    #[error("{what} is not supported{}{help}", if help.is_empty() { "" } else { "; " })]
    Unsupported {
        /// What is nested.
        what: &'static str,
        /// What to do instead, if there is something.
        help: &'static str,
        /// Where in the text it stands.
        at: Position,
    },
    /// More text than positions can count.
    #[error("the PTX text has {bytes} bytes; at most {limit} can be read")]
    TooLong {
        /// How long it is, in bytes.
        bytes: usize,
        /// The most bytes that it may have.
        limit: usize,
    },
}

impl ParseError {
    /// Where in the text, if it is about a place.
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

/// Text from the source as an error shows it: cut to a length that fits a line.
pub(super) fn excerpt(text: &str) -> String {
    const LIMIT: usize = 60;
    match text.char_indices().nth(LIMIT) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

/// A modifier or an opcode that no instruction has.
fn unknown(spelling: &str, word: &str) -> String {
    match word.starts_with('.') {
        true => format!("`{word}` of `{spelling}` is no modifier of any instruction"),
        false => format!("no instruction is called `{word}`"),
    }
}
