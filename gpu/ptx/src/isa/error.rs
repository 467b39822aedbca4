//! Errors in instructions that the grammar accepts. The message of an error describes it. The place
//! is in the variant, and in [`IsaError::position`].

use super::Target;
use crate::ast::Position;

/// The reason why an instruction cannot run on this machine.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IsaError {
    /// The opcode does not take these modifiers in this order.
    #[error("there is no instruction `{spelling}`: {}", stuck(.missed))]
    Unknown {
        /// The instruction with its modifiers, as it is written.
        spelling: String,
        /// Its opcode, the word before the first dot.
        opcode: &'static str,
        /// The difference from the nearest row of the table.
        missed: Missed,
        /// The place in the text.
        at: Position,
    },
    /// The ISA has this instruction, but this machine does not model it.
    #[error("instruction `{spelling}` is not modelled: {why}")]
    Refused {
        /// The instruction with its modifiers, as it is written.
        spelling: String,
        /// The reason, and what to use instead.
        why: &'static str,
        /// The place in the text.
        at: Position,
    },
    /// Too many or too few operands.
    #[error("`{spelling}` takes {expected}, not {found} operand{}", if *.found == 1 { "" } else { "s" })]
    OperandCount {
        /// The instruction with its modifiers, as it is written.
        spelling: String,
        /// The number of operands that the instruction takes, and their kinds.
        expected: String,
        /// The number of operands in the text.
        found: usize,
        /// The place in the text.
        at: Position,
    },
    /// An operand of the wrong kind or size.
    #[error("operand {number} of `{spelling}` should be {expected}, and is {found}")]
    Operand {
        /// The instruction with its modifiers, as it is written.
        spelling: String,
        /// The number of the operand, from 1.
        number: usize,
        /// What the instruction requires.
        expected: String,
        /// What the text contains.
        found: String,
        /// The place in the text.
        at: Position,
    },
    /// The module's `.version` is older than the instruction.
    #[error("`{spelling}` came with PTX {}.{}, and the module is of `.version {}.{}`", since.0, since.1, version.0, version.1)]
    Version {
        /// The instruction with its modifiers, as it is written.
        spelling: String,
        /// The version that introduced the instruction.
        since: (u32, u32),
        /// The module's version.
        version: (u32, u32),
        /// The place in the text.
        at: Position,
    },
    /// The module's `.target` does not have the instruction.
    #[error("`{spelling}` needs `.target {needs}`{}, and the module is for {target}", if needs.specific { "" } else { " or later" })]
    Target {
        /// The instruction with its modifiers, as it is written.
        spelling: String,
        /// The first target that has it.
        needs: Target,
        /// The module's target.
        target: String,
        /// The place in the text.
        at: Position,
    },
    /// GPUs from a compute capability on do not have the instruction any more.
    #[error(
        "`{spelling}` without `.sync` is gone from PTX {}.{} for sm_{sm} and later, and the module is for {target}; use the \
         form with `.sync` and a mask of lanes", from.0, from.1
    )]
    Gone {
        /// The instruction with its modifiers, as it is written.
        spelling: String,
        /// The PTX version that removed the instruction.
        from: (u32, u32),
        /// The first compute capability without the instruction.
        sm: u32,
        /// The module's target.
        target: String,
        /// The place in the text.
        at: Position,
    },
    /// A `.target` that is not the name of an architecture.
    #[error("`.target {target}` names no architecture; it should begin with one such as sm_90")]
    NoTarget {
        /// The name, as written.
        target: String,
    },
}

impl IsaError {
    /// Returns the place in the text, if the error has one.
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

    /// Returns the instruction with its modifiers, or the `.target`.
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

/// The difference between an instruction's modifiers and the nearest row of the table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Missed {
    /// All modifiers are valid, but no assembler accepts their order. The string is a valid order.
    Order(String),
    /// One of these is missing.
    Needs(Vec<String>),
    /// Another word is in the place of one of these.
    Instead(&'static str, Vec<String>),
    /// The first words have no place in the row. The second ones could be added to the others.
    Extra(Vec<&'static str>, Vec<String>),
}

fn stuck(missed: &Missed) -> String {
    match missed {
        Missed::Order(right) => format!("its modifiers stand in another order, `{right}`"),
        Missed::Needs(words) => format!("{} is missing", one_of(words)),
        Missed::Instead(word, words) => {
            format!("it has `.{word}`, where {} could stand", one_of(words))
        }
        Missed::Extra(words, could) => {
            let go = if words.len() == 1 { "does" } else { "do" };
            let words: Vec<String> = words.iter().map(|word| format!("`.{word}`")).collect();
            let could = match &could[..] {
                [] => String::new(),
                could => format!("; {} could stand with them", one_of(could)),
            };
            format!(
                "{} {go} not go with its other modifiers{could}",
                words.join(" and ")
            )
        }
    }
}

/// Formats a list as "`.a`", "`.a` or `.b`", "one of `.a`, `.b`, `.c`".
fn one_of(words: &[String]) -> String {
    const SHOWN: usize = 16;
    match words {
        [word] => format!("`{word}`"),
        [one, other] => format!("`{one}` or `{other}`"),
        words => {
            let shown: Vec<String> = words
                .iter()
                .take(SHOWN)
                .map(|word| format!("`{word}`"))
                .collect();
            let more = if words.len() > SHOWN { ", ..." } else { "" };
            format!("one of {}{more}", shown.join(", "))
        }
    }
}
