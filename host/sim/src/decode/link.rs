//! Links several texts into one module, and compiles the functions of the module.

use std::sync::Arc;

use super::function::{self, Source};
use super::problem::refused;
use super::sources::Sources;
use super::symbols::shared::{self, Mentions};
use super::symbols::{Symbols, declare, initial, kernel};
use crate::isa::{Architecture, Refusal, Suffix};
use crate::load_error::LoadError;
use crate::machine::program::Program;
use crate::ptx::ParseError;
use crate::ptx::ast;

/// Several texts as one module: each name has its definition, each variable its place.
pub(crate) struct Linked<'a, 'm> {
    modules: &'m [ast::Module<'a>],
    /// For each text, the number of lines of the joined text before it.
    bases: Vec<u32>,
    symbols: Symbols<'a>,
    /// The functions with a body, by text and index in the text.
    defined: Vec<(usize, usize)>,
    mentions: Mentions,
    /// The program without its code.
    program: Program,
}

/// Links texts: decides which text defines each name, and places the variables.
pub(crate) fn link<'a, 'm>(
    modules: &'m [ast::Module<'a>],
    texts: &[&str],
) -> Result<Linked<'a, 'm>, LoadError> {
    let mut program = Program {
        text: Arc::from(texts.join("\n")),
        ..Program::default()
    };
    let bases = line_bases(texts);
    target(modules, &mut program);
    let newest = modules.iter().map(|module| module.version).max();
    program.newer = newest.filter(|&version| version > crate::ptx::NEWEST);
    let mut symbols = Symbols::default();
    let defined = declare(modules, &bases, &mut symbols, &mut program)?;
    symbols.measure_open(modules);
    let mentions = shared::place(modules, &defined, &mut symbols, &mut program);
    initial::write(modules, &bases, &symbols, &mut program)?;
    Ok(Linked {
        modules,
        bases,
        symbols,
        defined,
        mentions,
        program,
    })
}

/// Compiles the functions of linked texts, one after another, and describes the kernels.
///
/// `refusals` contains, for each text, the functions with an instruction that the
/// instruction table refuses.
pub(crate) fn lower(
    linked: Linked<'_, '_>,
    refusals: &[Vec<Refusal>],
) -> Result<Program, LoadError> {
    let Linked {
        modules,
        bases,
        symbols,
        defined,
        mentions,
        mut program,
    } = linked;
    let mut sources = Sources::new(modules, &mut program);
    for &(m, f) in &defined {
        let function = &modules[m].functions[f];
        let Some(body) = &function.body else { continue };
        let of_the_table = refusals[m].iter().find(|refusal| refusal.function == f);
        let refused = match (&body.unknown, of_the_table) {
            (Some(it), _) => Some(unknown(&it.error, bases[m])),
            (None, Some(refusal)) => Some(refused(refusal.error.clone(), bases[m])),
            (None, None) => None,
        };
        let source = Source {
            symbols: &symbols,
            module: m,
            line_base: bases[m],
            function,
            body,
        };
        let compiled = match refused {
            Some(error) => function::refused(function, &program, error),
            None => function::compile(source, &program, &mut sources)?,
        };
        compiled.code.append(compiled.function, &mut program);
        if function.entry {
            let kernel = kernel::describe(function, body, &program);
            program.kernels.push((kernel, program.functions.len() - 1));
        }
    }
    program.sources = sources.into_lines();
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
    Ok(program)
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
