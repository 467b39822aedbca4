//! The source lines that `.loc` names, as numbers.

use std::collections::HashMap;

use crate::machine::program::{Program, SourceLine};
use crate::ptx::ast::{self, Body};

/// The most inlined calls in a chain. Reports contain no more.
const INLINED: usize = 32;

/// File, line and column of a `.loc`.
type At = (u32, u32, u32);

fn at(location: &ast::Location<'_>) -> At {
    (location.file, location.line, location.column)
}

/// The source lines that functions have named so far.
pub(super) struct Sources {
    /// For each text, the index of each file in [`Program::files`].
    files: Vec<HashMap<u32, u32>>,
    /// The number of each line, counted from 1.
    numbers: HashMap<SourceLine, u32>,
    lines: Vec<SourceLine>,
}

impl Sources {
    /// Adds the files of the texts to the program.
    pub(super) fn new(modules: &[ast::Module<'_>], program: &mut Program) -> Self {
        let mut files = Vec::new();
        for module in modules {
            let mut of = HashMap::new();
            for file in &module.files {
                of.insert(file.index, program.files.len() as u32);
                program.files.push(file.name.to_string());
            }
            files.push(of);
        }
        Self {
            files,
            numbers: HashMap::new(),
            lines: Vec::new(),
        }
    }

    /// Returns the source lines of the instructions of a function of the text `module`.
    pub(super) fn of<'s, 'm, 'a>(
        &'s mut self,
        module: usize,
        body: &'m Body<'a>,
    ) -> FunctionSources<'s, 'm, 'a> {
        FunctionSources {
            calls: body.locations.iter().map(|l| (at(l), l)).collect(),
            sources: self,
            module,
        }
    }

    /// Returns the lines, in the order of their numbers.
    pub(super) fn into_lines(self) -> Vec<SourceLine> {
        self.lines
    }
}

/// The source lines of one function.
pub(super) struct FunctionSources<'s, 'm, 'a> {
    sources: &'s mut Sources,
    module: usize,
    /// The locations of inlined calls.
    calls: HashMap<At, &'m ast::Location<'a>>,
}

impl FunctionSources<'_, '_, '_> {
    /// Returns the number of a location, and 0 if its file is not declared.
    pub(super) fn number(&mut self, location: &ast::Location<'_>) -> u32 {
        // The chain goes from the innermost line outwards. An inlined call has its own `.loc`.
        let mut chain = vec![at(location)];
        let mut inlined = location.inlined;
        while let Some(call) = inlined.filter(|_| chain.len() < INLINED) {
            chain.push(call.at);
            inlined = self.calls.get(&call.at).and_then(|l| l.inlined);
        }
        let Sources {
            files,
            numbers,
            lines,
        } = &mut *self.sources;
        let mut outer = 0;
        for &(file, line, column) in chain.iter().rev() {
            let Some(&file) = files[self.module].get(&file) else {
                continue;
            };
            let key = SourceLine {
                file,
                line,
                column,
                inlined_at: outer,
            };
            outer = *numbers.entry(key).or_insert_with(|| {
                lines.push(key);
                lines.len() as u32
            });
        }
        outer
    }
}
