//! What can be wrong with an instruction that the grammar accepts. Messages say what; where is in the variant, and in
//! [`IsaError::position`].

use super::Target;
use crate::ptx::ast::Position;

/// Why an instruction is not one of this machine's.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IsaError {
    /// The opcode does not take these modifiers in this order.
    #[error("instruction `{spelling}` is not known: {}", stuck(.word, .opcode))]
    Unknown {
        /// The instruction.
        spelling: String,
        /// Its opcode.
        opcode: &'static str,
        /// The first modifier that cannot stand where it stands; nothing if one is missing at the end.
        word: Option<&'static str>,
        /// Where.
        at: Position,
    },
    /// The ISA has this instruction, and this machine does not.
    #[error("instruction `{spelling}` is not modelled: {why}")]
    Refused {
        /// The instruction.
        spelling: String,
        /// The reason, and what to use instead.
        why: &'static str,
        /// Where.
        at: Position,
    },
    /// Too many or too few operands.
    #[error("`{spelling}` takes {expected}, not {found} operand{}", if *.found == 1 { "" } else { "s" })]
    OperandCount {
        /// The instruction.
        spelling: String,
        /// How many it takes, and which.
        expected: String,
        /// How many it has.
        found: usize,
        /// Where.
        at: Position,
    },
    /// An operand of the wrong kind or size.
    #[error("operand {number} of `{spelling}` should be {expected}, and is {found}")]
    Operand {
        /// The instruction.
        spelling: String,
        /// Which operand, from 1.
        number: usize,
        /// What it should be.
        expected: String,
        /// What it is.
        found: String,
        /// Where.
        at: Position,
    },
    /// The module's `.version` is older than the instruction.
    #[error("`{spelling}` came with PTX {}.{}, and the module is of `.version {}.{}`", since.0, since.1, version.0, version.1)]
    Version {
        /// The instruction.
        spelling: String,
        /// The version that brought it.
        since: (u32, u32),
        /// The module's version.
        version: (u32, u32),
        /// Where.
        at: Position,
    },
    /// The module's `.target` does not have the instruction.
    #[error("`{spelling}` needs `.target {needs}`{}, and the module is for {target}", if needs.specific { "" } else { " or later" })]
    Target {
        /// The instruction.
        spelling: String,
        /// The first target that has it.
        needs: Target,
        /// The module's target.
        target: String,
        /// Where.
        at: Position,
    },
    /// GPUs from this one on do not have the instruction any more.
    #[error(
        "`{spelling}` without `.sync` is gone from PTX {}.{} for sm_{sm} and later, and the module is for {target}; use the \
         form with `.sync` and a mask of lanes", from.0, from.1
    )]
    Gone {
        /// The instruction.
        spelling: String,
        /// The PTX version that took it away.
        from: (u32, u32),
        /// The first compute capability that does without.
        sm: u32,
        /// The module's target.
        target: String,
        /// Where.
        at: Position,
    },
    /// A `.target` that names no architecture.
    #[error("`.target {target}` names no architecture; it should begin with one such as sm_90")]
    NoTarget {
        /// As written.
        target: String,
    },
}

impl IsaError {
    /// Where in the text, if it is about a place.
    pub fn position(&self) -> Option<Position> {
        use IsaError::*;
        match *self {
            Unknown { at, .. }
            | Refused { at, .. }
            | OperandCount { at, .. }
            | Operand { at, .. }
            | Version { at, .. }
            | Target { at, .. }
            | Gone { at, .. } => Some(at),
            NoTarget { .. } => None,
        }
    }

    /// The instruction with its modifiers, or the `.target`.
    pub fn spelling(&self) -> &str {
        use IsaError::*;
        match self {
            Unknown { spelling, .. }
            | Refused { spelling, .. }
            | OperandCount { spelling, .. }
            | Operand { spelling, .. }
            | Version { spelling, .. }
            | Target { spelling, .. }
            | Gone { spelling, .. } => spelling,
            NoTarget { target } => target,
        }
    }
}

fn stuck(word: &Option<&'static str>, opcode: &str) -> String {
    match word {
        Some(word) => format!("`.{word}` cannot stand there"),
        None => format!("a type or another modifier of `{opcode}` is missing"),
    }
}
