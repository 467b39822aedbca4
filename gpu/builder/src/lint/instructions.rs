//! Instructions that do not exist, or not for the target: mistakes in inline assembly, which LLVM
//! does not read. Without this check they are found when the module is loaded.
//!
//! What the ISA has and only the simulator lacks is no mistake.

use lanewise_ptx::ParseError;
use lanewise_ptx::ast::Position;
use lanewise_ptx::isa::IsaError;

use super::ptx::Module;
use super::{Finding, Rule};

/// Returns what is wrong with the instructions of a module, which has been compared with the table
/// of instructions.
pub(super) fn check(module: &Module<'_>, refused: Option<&IsaError>) -> Vec<Finding> {
    let unread = module.functions.iter().filter_map(|function| {
        let (error, loc) = function.unknown()?;
        let found = finding(error.position(), error.to_string());
        Some(Finding {
            function: function.name().to_owned(),
            source: module.place(loc),
            ..found
        })
    });
    let mut findings: Vec<Finding> = unread.collect();
    findings.extend(refused.map(|error| {
        let found = finding(error.position(), error.to_string());
        let place = module.functions.iter().find_map(|function| {
            let at = function.instructions().find(|at| at.line() == found.line)?;
            Some((function.name().to_owned(), module.place(at.loc())))
        });
        let (function, source) = place.unwrap_or_default();
        Finding {
            function,
            source,
            ..found
        }
    }));
    findings
}

/// The finding of a text that is no module.
pub(super) fn no_ptx(error: &ParseError) -> Finding {
    finding(error.position(), error.to_string())
}

fn finding(at: Option<Position>, message: String) -> Finding {
    Finding {
        rule: Rule::UnknownInstruction,
        function: String::new(),
        line: at.map_or(0, |at| at.line as usize),
        source: None,
        message,
    }
}
