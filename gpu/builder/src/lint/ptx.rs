//! PTX as the checks see it: the syntax tree of `lanewise_ptx`, with blocks and loops, and the
//! places of instructions in the Rust source.

use lanewise_ptx::ParseError;
use lanewise_ptx::ast::{self, Body, LabelId, Modifier, Opcode, Operand, Symbol, Target};

use crate::flow::Flow;

/// A module of PTX.
#[derive(Debug)]
pub struct Module<'t> {
    /// Kernels and device functions with a body.
    pub functions: Vec<Function<'t>>,
    /// External functions, each with the line of its declaration.
    pub externs: Vec<(&'t str, usize)>,
    files: Vec<ast::File<'t>>,
}

/// A kernel or device function.
#[derive(Debug)]
pub struct Function<'t> {
    syntax: ast::Function<'t>,
    /// The instruction that each block begins with.
    starts: Vec<usize>,
}

/// A place in the source: the number of the file, line and column.
pub type Loc = (u32, u32, u32);

/// An instruction of a function.
#[derive(Debug, Clone, Copy)]
pub struct Instruction<'f> {
    /// Its opcode and modifiers, and its place in the PTX.
    pub syntax: &'f ast::Instruction,
    /// The block that it is in.
    pub block: usize,
    /// Its index in the body.
    index: usize,
    function: &'f ast::Function<'f>,
    body: &'f Body<'f>,
}

impl<'t> Module<'t> {
    /// Reads a module's text.
    ///
    /// # Errors
    /// The first part of the text that is not PTX.
    pub fn parse(text: &'t str) -> Result<Module<'t>, ParseError> {
        lanewise_ptx::parse(text).map(Module::of)
    }

    pub(super) fn of(syntax: ast::Module<'t>) -> Module<'t> {
        let (defined, declared): (Vec<_>, Vec<_>) =
            (syntax.functions.into_iter()).partition(|function| function.body.is_some());
        let externs = declared
            .iter()
            .filter(|function| function.linkage.name() == Some("extern"))
            .map(|function| (function.name, function.position.line as usize));
        Module {
            functions: defined.into_iter().map(Function::of).collect(),
            externs: externs.collect(),
            files: syntax.files,
        }
    }

    /// Returns the function of this name.
    pub fn function(&self, name: &str) -> Option<&Function<'t>> {
        self.functions
            .iter()
            .find(|function| function.name() == name)
    }

    /// Returns the `file:line` of a place in the source, if it has one.
    pub fn place(&self, loc: Option<Loc>) -> Option<String> {
        let (number, line, _) = loc.filter(|(_, line, _)| *line != 0)?;
        let file = self.files.iter().rfind(|file| file.index == number)?;
        Some(format!("{}:{line}", file.name))
    }
}

impl<'t> Function<'t> {
    fn of(syntax: ast::Function<'t>) -> Function<'t> {
        let mut starts = vec![0];
        if let Some(body) = &syntax.body {
            let labels = body.labels.iter();
            starts.extend(labels.filter_map(|label| match label.target {
                Target::Instruction(at) => Some(at as usize),
                _ => None,
            }));
            let ends = (1..).zip(&body.instructions);
            starts.extend(ends.filter(|(_, at)| ends_block(at)).map(|(next, _)| next));
            starts.sort_unstable();
            starts.dedup();
            // A label at the end begins nothing.
            starts.retain(|at| *at < body.instructions.len());
        }
        Function { syntax, starts }
    }

    /// Returns its name.
    pub fn name(&self) -> &'t str {
        self.syntax.name
    }

    /// Returns its instructions, in order.
    pub fn instructions(&self) -> impl DoubleEndedIterator<Item = Instruction<'_>> {
        let body = self.syntax.body.iter();
        body.flat_map(|body| {
            let instructions = body.instructions.iter().enumerate();
            instructions.map(|(index, syntax)| Instruction {
                syntax,
                block: self.block(index),
                index,
                function: &self.syntax,
                body,
            })
        })
    }

    /// Returns why its first unknown instruction could not be read, and the place in the source.
    pub(super) fn unknown(&self) -> Option<(&ParseError, Option<Loc>)> {
        let body = self.syntax.body.as_ref()?;
        let unknown = body.unknown.as_ref()?;
        let location = unknown
            .location
            .and_then(|at| body.locations.get(at as usize));
        Some((&unknown.error, location.map(loc)))
    }

    /// Returns the loops, each as the numbers of its blocks, the one that it begins with first.
    pub fn loops(&self) -> Vec<Vec<usize>> {
        self.flow().loops()
    }

    /// Returns the function's control flow.
    pub(crate) fn flow(&self) -> Flow {
        Flow::new(self.successors())
    }

    /// Returns the block that an instruction is in.
    fn block(&self, instruction: usize) -> usize {
        self.starts.partition_point(|start| *start <= instruction) - 1
    }

    /// Returns for each block the blocks that may follow it.
    fn successors(&self) -> Vec<Vec<usize>> {
        let Some(body) = &self.syntax.body else {
            return Vec::new();
        };
        let labelled = |label: &LabelId| match body.labels.get(*label as usize)?.target {
            Target::Instruction(at) if (at as usize) < body.instructions.len() => {
                Some(self.block(at as usize))
            }
            _ => None,
        };
        let follow = |block: usize| {
            let end = self.starts.get(block + 1).copied();
            let last = body
                .instructions
                .get(end.unwrap_or(body.instructions.len()) - 1)?;
            let mut next = Vec::new();
            if let Some(Operand::Label(label)) = body.operands(last).last() {
                match body.labels.get(*label as usize).map(|label| label.target) {
                    Some(Target::BranchTargets(list)) => {
                        let list = body.branch_targets.get(list as usize).into_iter().flatten();
                        next.extend(list.filter_map(labelled));
                    }
                    _ => next.extend(labelled(label)),
                }
            }
            if last.guard.is_some() || !ends_block(last) {
                next.push(block + 1);
            }
            Some(next)
        };
        (0..self.starts.len())
            .map(|block| follow(block).unwrap_or_default())
            .collect()
    }
}

fn loc(location: &ast::Location<'_>) -> Loc {
    (location.file, location.line, location.column)
}

/// Returns whether the next instruction begins a block.
fn ends_block(at: &ast::Instruction) -> bool {
    use Opcode::{Bra, Brx, Exit, Ret, Trap};
    matches!(at.opcode, Bra | Brx | Ret | Exit | Trap)
}

/// Returns whether an instruction of these words involves other threads.
pub(crate) fn is_convergent(opcode: Opcode, has: impl Fn(Modifier) -> bool) -> bool {
    matches!(opcode, Opcode::Bar | Opcode::Barrier | Opcode::Wmma)
        || has(Modifier::Sync)
        || has(Modifier::Aligned)
}

impl<'f> Instruction<'f> {
    /// Returns its text without the semicolon.
    pub fn text(self) -> String {
        lanewise_ptx::print_instruction(self.function, self.index).unwrap_or_default()
    }

    /// Returns its line in the PTX, from 1.
    pub fn line(self) -> usize {
        self.syntax.position.line as usize
    }

    /// Returns its place in the source.
    pub fn loc(self) -> Option<Loc> {
        self.body.location(self.syntax).map(loc)
    }

    /// Returns its operands.
    pub fn operands(self) -> &'f [Operand<'f>] {
        self.body.operands(self.syntax)
    }

    /// Returns whether it involves other threads: barriers, shuffles, votes, matrix operations
    /// of a warp.
    pub fn is_convergent(self) -> bool {
        let words = &self.syntax.modifiers;
        is_convergent(self.syntax.opcode, |word| words.has(word))
    }

    /// Returns whether it names this state space. `shared::cluster` and `param::func` are state
    /// spaces with a suffix.
    pub fn names_space(self, space: &str) -> bool {
        let mut words = self.syntax.modifiers.iter();
        words.any(|word| word.name().split(':').next() == Some(space))
    }

    /// Returns the function that it calls by name.
    pub fn callee(self) -> Option<&'f str> {
        let called = self
            .operands()
            .get(1)
            .filter(|_| self.syntax.opcode == Opcode::Call)?;
        match *called {
            Operand::Symbol(Symbol::Module(name), _) => Some(name),
            _ => None,
        }
    }
}
