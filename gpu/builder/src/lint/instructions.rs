//! Instructions that do not exist, or not for the target: mistakes in inline assembly, which LLVM
//! does not read. Without this check they are found when the module is loaded.

use lanewise_ptx::ast::Position;
use lanewise_ptx::isa;

use super::{Finding, Rule, ptx};

/// Reads the text as the simulator does when it loads it, and returns the first error. What the
/// ISA has and only the simulator lacks is no error.
pub(super) fn check(text: &str) -> Option<Finding> {
    let (at, message) = error(text)?;
    let line = at.map_or(0, |at| at.line as usize);
    let module = ptx::Module::parse(text);
    let found = module.functions.iter().find_map(|function| {
        let here = |it: &&ptx::Instruction| it.line == line;
        let instruction = function.instructions.iter().find(here)?;
        Some((function.name.clone(), module.place(instruction.loc)))
    });
    let (function, source) = found.unwrap_or_default();
    Some(Finding {
        rule: Rule::UnknownInstruction,
        function,
        line,
        source,
        message,
    })
}

fn error(text: &str) -> Option<(Option<Position>, String)> {
    let mut module = match lanewise_ptx::parse(text) {
        Ok(module) => module,
        Err(error) => return Some((error.position(), error.to_string())),
    };
    let error = isa::check(&mut module).err()?;
    Some((error.position(), error.to_string()))
}
