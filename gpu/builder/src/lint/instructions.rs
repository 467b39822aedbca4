//! Instructions that do not exist, or not for the target: mistakes in inline assembly, which LLVM
//! does not read. Without this check they are found when the module is loaded.
//!
//! What the ISA has and only the simulator lacks is no mistake.

use lanewise_ptx::ParseError;
use lanewise_ptx::isa::IsaError;

use super::ptx::Module;
use super::{Finding, Rule};

/// The finding of a text that cannot be read.
pub(super) fn no_ptx(error: &ParseError) -> Finding {
    let line = error.position().map_or(0, |at| at.line as usize);
    finding(line, error.to_string())
}

/// The finding of an instruction that the version or the target lacks.
pub(super) fn unknown(module: &Module<'_>, error: &IsaError) -> Finding {
    let line = error.position().map_or(0, |at| at.line as usize);
    let mut functions = module.functions.iter();
    let found = functions.find_map(|function| {
        let at = function.instructions().find(|at| at.line() == line)?;
        Some((function.name().to_owned(), module.place(at)))
    });
    let (function, source) = found.unwrap_or_default();
    Finding {
        function,
        source,
        ..finding(line, error.to_string())
    }
}

fn finding(line: usize, message: String) -> Finding {
    Finding {
        rule: Rule::UnknownInstruction,
        function: String::new(),
        line,
        source: None,
        message,
    }
}
