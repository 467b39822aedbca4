//! Decodes the syntax tree into operations with numbered operands.
//!
//! The result of decoding is a [`Program`](crate::machine::program::Program). An instruction
//! becomes one operation if possible, and otherwise a few. Anything that the machine does not model
//! is an error here, with line and text, so it cannot occur while the program runs. Decoding also
//! checks a condition of the machine's memory safety: each operand's register is as wide as the
//! operation that reads or writes it.
//!
//! | file | what it is |
//! | --- | --- |
//! | `link` | several texts as one module; the functions of the module, one after another |
//! | `symbols` | module variables and functions: which text defines a name |
//! | `function` | one function: its frame, its labels, its instructions one after another |
//! | `instructions` | the instructions, one file for each subject; the row of the instruction table selects it |
//! | `registers` in it, and `table` | instructions that work on registers alone, by their spelling |
//! | `builder` | the function that is being decoded, to which these add operations |
//! | `code` | the operations and tables of one function, which join the program's at its end |
//! | `sources` | the source lines that `.loc` names |
//! | `signature` | parameters and results of functions |
//! | `problem` | what is wrong with the text, and the error for it |
//! | `operand` | operands to frame offsets |
//! | `arrays` | which shared or local array an address is computed from |
//! | `assigned`, `late`, `repeated`, `flows`, `polls`, `bounds` | what is known of registers, loads and constants before the program runs |

mod arrays;
mod assigned;
mod blocks;
mod bounds;
mod builder;
mod code;
mod flows;
mod function;
mod instructions;
mod late;
mod link;
mod live;
mod operand;
mod polls;
mod problem;
mod repeated;
mod signature;
mod sources;
mod symbols;
pub(crate) mod table;

pub(crate) use instructions::functions;
pub(crate) use link::{link, lower};

use crate::isa::Refusal;
use crate::load_error::LoadError;
use crate::ptx::ast;

/// Reads a text. Addresses must have 64 bits.
pub(crate) fn parse(text: &str) -> Result<ast::Module<'_>, LoadError> {
    let module = crate::ptx::parse(text).map_err(|error| {
        let at = error.position().unwrap_or_default();
        LoadError::Syntax {
            line: at.line,
            column: at.column,
            message: error.to_string(),
        }
    })?;
    match module.address_size {
        64 => Ok(module),
        _ => Err(narrow(text)),
    }
}

/// Checks the instructions of a text against the instruction table. Returns the functions with an
/// instruction that the table refuses.
pub(crate) fn check(module: &mut ast::Module<'_>) -> Result<Vec<Refusal>, LoadError> {
    crate::isa::check(module).map_err(|error| problem::refused(error, 0))
}

/// Returns the error for a module of 32-bit addresses, declared so or without `.address_size`.
/// Memory here has the host's addresses, and NVIDIA's assembler and drivers do not accept such
/// modules any more.
fn narrow(text: &str) -> LoadError {
    let find = |word: &str| {
        text.lines()
            .position(|line| line.trim_start().starts_with(word))
    };
    let line = find(".address_size").or_else(|| find(".target"));
    LoadError::Unsupported {
        line: line.map_or(1, |line| line as u32 + 1),
        text: ".address_size 32".to_owned(),
        why: Some(
            "generic and global addresses have 64 bits; compile for `.address_size 64`".to_owned(),
        ),
    }
}
