//! From the syntax tree to operations with numbered operands.
//!
//! What decoding gives is a [`Program`](crate::machine::program::Program). Every instruction becomes one operation where it can and a few where it must; what the machine does not model is an
//! error here, with line and text, and never met while running. Decoding also checks what memory safety of the machine
//! rests on: that each operand's register is as wide as the operation that reads or writes it.
//!
//! | file | what it is |
//! | --- | --- |
//! | `link` | several texts as one module |
//! | `symbols` | module variables and functions: who defines a name |
//! | `function` | one function: its frame, its labels, its instructions one after another |
//! | `dispatch` | an instruction to the part that its row of the table names |
//! | `builder` | the function on its way: what those parts add to |
//! | `signature` | parameters and results of functions |
//! | `problem` | what was wrong, and the error of it |
//! | `operand` | operands to frame offsets |
//! | `arrays` | which shared array an address is computed from |
//! | `assigned` | which registers have to be cleared |
//! | `registers`, `table` | instructions that work on registers alone, by their spelling |
//! | `compare`, `convert`, `memory`, `addresses`, `atomic`, `asynchronous`, `matrix`, `tensor`, `texture`, `video`, `warpgroup`, `control`, `calls`, `sync`, `moves` | the others, by subject |

mod addresses;
mod arrays;
mod assigned;
mod asynchronous;
mod atomic;
mod bounds;
mod builder;
mod calls;
mod compare;
mod control;
mod convert;
mod dispatch;
mod flows;
mod function;
mod late;
mod link;
mod matrix;
mod memory;
mod moves;
mod multimem;
mod operand;
mod problem;
mod registers;
mod repeated;
mod signature;
mod symbols;
mod sync;
pub(crate) mod table;
mod tensor;
mod texture;
mod video;
mod warpgroup;

use crate::load_error::LoadError;
use crate::machine::program::Program;

/// Reads and decodes PTX texts as one module.
pub(crate) fn decode(texts: &[&str]) -> Result<Program, LoadError> {
    let mut modules = Vec::with_capacity(texts.len());
    for text in texts {
        let mut module = crate::ptx::parse(text).map_err(|error| {
            let at = error.position().unwrap_or_default();
            LoadError::Syntax {
                line: at.line,
                column: at.column,
                message: error.to_string(),
            }
        })?;
        if module.address_size != 64 {
            return Err(narrow(text));
        }
        let refusals =
            crate::isa::check(&mut module).map_err(|error| problem::refused(error, 0))?;
        modules.push((module, refusals));
    }
    let (modules, refusals): (Vec<_>, Vec<_>) = modules.into_iter().unzip();
    link::link(&modules, &refusals, texts)
}

/// A module of 32-bit addresses, said or by leaving `.address_size` out: memory here has addresses of the host's, and NVIDIA's
/// assembler and drivers no longer take such modules either.
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
