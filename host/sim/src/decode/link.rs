//! Links several texts into one module: decodes their functions and describes their kernels.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use super::function;
use super::problem::refused;
use super::symbols::{Symbols, declare, initial, kernel, shared};
use crate::isa::{Architecture, Refusal, Suffix};
use crate::load_error::LoadError;
use crate::machine::program::{Program, SourceLine};
use crate::ptx::ParseError;
use crate::ptx::ast;

/// Links and decodes parsed texts.
///
/// `refusals` contains, for each text, the functions with an instruction that the
/// instruction table refuses.
pub(super) fn link<'a>(
    modules: &[ast::Module<'a>],
    refusals: &[Vec<Refusal>],
    texts: &[&str],
) -> Result<Program, LoadError> {
    let mut program = Program {
        text: Arc::from(texts.join("\n")),
        ..Program::default()
    };
    let bases = line_bases(texts);
    target(modules, &mut program);
    let mut symbols = Symbols::default();
    let defined = declare(modules, &bases, &mut symbols, &mut program)?;
    symbols.measure_open(modules);
    let mentions = shared::place(modules, &defined, &mut symbols, &mut program);
    initial::write(modules, &bases, &symbols, &mut program)?;

    let mut files: Vec<HashMap<u32, u32>> = Vec::new();
    for module in modules {
        let mut of = HashMap::new();
        for file in &module.files {
            of.insert(file.index, program.files.len() as u32);
            program.files.push(file.name.to_string());
        }
        files.push(of);
    }
    let seen: RefCell<HashMap<SourceLine, u32>> = RefCell::default();
    for &(m, f) in &defined {
        let function = &modules[m].functions[f];
        let Some(body) = &function.body else { continue };
        let calls: HashMap<_, _> = body.locations.iter().map(|l| (at(l), l)).collect();
        let source = |location: &ast::Location<'a>, program: &mut Program| {
            // The chain goes from the innermost line outwards. An inlined call has its own `.loc`.
            let mut chain = vec![at(location)];
            let mut inlined = location.inlined;
            while let Some(call) = inlined.filter(|_| chain.len() < INLINED) {
                chain.push(call.at);
                inlined = calls.get(&call.at).and_then(|l| l.inlined);
            }
            let mut outer = 0;
            for &(file, line, column) in chain.iter().rev() {
                let Some(&file) = files[m].get(&file) else {
                    continue;
                };
                let key = SourceLine {
                    file,
                    line,
                    column,
                    inlined_at: outer,
                };
                outer = *seen.borrow_mut().entry(key).or_insert_with(|| {
                    program.sources.push(key);
                    program.sources.len() as u32
                });
            }
            outer
        };
        let of_the_table = refusals[m].iter().find(|refusal| refusal.function == f);
        let refused = match (&body.unknown, of_the_table) {
            (Some(error), _) => Some(unknown(error, bases[m])),
            (None, Some(refusal)) => Some(refused(refusal.error.clone(), bases[m])),
            (None, None) => None,
        };
        let decoded = match refused {
            Some(error) => function::refused(function, &mut program, error),
            None => function::decode(&symbols, m, function, body, &mut program, bases[m], &source)?,
        };
        program.functions.push(decoded);
        if function.entry {
            let kernel = kernel::describe(function, body, &program);
            program.kernels.push((kernel, program.functions.len() - 1));
        }
    }
    debug_assert_eq!(program.ops.len(), program.infos.len());
    for at in 0..program.kernels.len() {
        let entry = program.kernels[at].1;
        let mut reached = mentions.functions_of(entry, &symbols);
        let refused = reached.find_map(|f| program.functions[f].refused.clone());
        let mut reached = mentions.functions_of(entry, &symbols);
        let launches = reached.any(|f| program.functions[f].launches);
        let mut reached = mentions.functions_of(entry, &symbols);
        program.functions[entry].reads_asynchronously =
            reached.any(|f| program.functions[f].reads_asynchronously);
        let kernel = &mut program.kernels[at].0;
        (kernel.refused, kernel.launches) = (refused, launches);
    }
    program.launches = program.functions.iter().any(|function| function.launches);
    let newest = modules.iter().map(|module| module.version).max();
    program.newer = newest.filter(|&version| version > crate::ptx::NEWEST);
    Ok(program)
}

/// The most inlined calls in a chain. Reports contain no more.
const INLINED: usize = 32;

/// Returns file, line and column of a `.loc`.
fn at(location: &ast::Location<'_>) -> (u32, u32, u32) {
    (location.file, location.line, location.column)
}

/// Returns the error for an instruction that could not be read, in text of an unknown version.
fn unknown(error: &ParseError, base: u32) -> LoadError {
    let at = error.position().unwrap_or_default();
    LoadError::Syntax {
        line: at.line + base,
        column: at.column,
        message: error.to_string(),
    }
}

/// Returns, for each text, the number of lines of the joined text before it.
fn line_bases(texts: &[&str]) -> Vec<u32> {
    let mut line = 0;
    texts
        .iter()
        .map(|text| {
            let base = line;
            line += text.matches('\n').count() as u32 + 1;
            base
        })
        .collect()
}

/// Finds the newest `.target` of the texts. Of two targets with one number, it is the one that
/// fewer GPUs can run.
fn target(modules: &[ast::Module<'_>], program: &mut Program) {
    for module in modules {
        let named = module
            .targets
            .iter()
            .find_map(|name| Architecture::read(name));
        let strict = |target: Architecture| (target.sm, target.suffix != Suffix::Plain);
        if let Some(target) = named
            && program
                .target
                .is_none_or(|before| strict(before) <= strict(target))
        {
            program.target = Some(target);
        }
    }
}
