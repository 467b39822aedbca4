//! Compiles one function: its frame, its constant rows, its labels, its operations.

use std::collections::HashMap;

use super::arrays::Arrays;
use super::builder::{Builder, Operands, row_bytes};
use super::code::Code;
use super::problem::{Problem, Result, because, invalid, place};
use super::sources::Sources;
use super::symbols::Symbols;
use super::{instructions, signature};
use crate::isa::Successors;
use crate::load_error::LoadError;
use crate::machine::control as run;
use crate::machine::op::Op;
use crate::machine::program::{Area, Function, OpInfo, Program};
use crate::ptx::ast::{self, Body, Instruction, LabelId, Operand, Space, Symbol, Target, Type};

/// A function with a body, and its place in the texts.
#[derive(Clone, Copy)]
pub(super) struct Source<'a, 'm> {
    pub(super) symbols: &'m Symbols<'a>,
    /// The text that it is in.
    pub(super) module: usize,
    /// The number of lines of the joined text before that text.
    pub(super) line_base: u32,
    pub(super) function: &'m ast::Function<'a>,
    pub(super) body: &'m Body<'a>,
}

/// A compiled function.
pub(super) struct Compiled {
    pub(super) function: Function,
    pub(super) code: Code,
}

/// Compiles a function. The code continues that of `program`. A function that contains something
/// that is not modelled becomes one operation that reports it. The rest of its module can run.
pub(super) fn compile<'a>(
    source: Source<'a, '_>,
    program: &Program,
    sources: &mut Sources,
) -> std::result::Result<Compiled, LoadError> {
    match modelled(source, program, sources) {
        Err(error @ LoadError::Unsupported { .. }) => Ok(refused(source.function, program, error)),
        result => result,
    }
}

/// Returns a function that cannot run. It is one operation that ends the launch, because a program
/// may reach it through a pointer.
pub(super) fn refused(
    function: &ast::Function<'_>,
    program: &Program,
    error: LoadError,
) -> Compiled {
    let mut code = Code::after(program);
    let mut out = Function {
        name: function.name.into(),
        start: code.ops.next() as u32,
        entry: function.entry,
        launches: false,
        words: 128,
        frame: 128,
        ..Function::default()
    };
    // A call copies its arguments before the callee's code runs.
    let mut areas = |list: &[ast::Variable<'_>]| -> Vec<Area> {
        let area = |variable: &ast::Variable<'_>| {
            let size = signature::area_bytes(variable);
            let offset = out.frame;
            out.frame += size.div_ceil(4).max(1) * 128;
            Area { offset, size }
        };
        list.iter().map(area).collect()
    };
    if !function.entry {
        let (params, returns) = (areas(&function.params), areas(&function.returns));
        (out.params, out.returns) = (params, returns);
    }
    let line = match &error {
        LoadError::Unsupported { line, .. } | LoadError::Syntax { line, .. } => *line,
        LoadError::Invalid { line, .. } => *line,
    };
    for run in [run::refused, run::exit] {
        code.ops.push(Op {
            run,
            guard: 0,
            d: 0,
            a: 0,
            b: 0,
            c: 0,
            aux: program.functions.len() as u32,
        });
        code.infos.push(OpInfo {
            line,
            first: true,
            successors: Successors::None,
            ..OpInfo::default()
        });
    }
    out.refused = Some(error);
    Compiled {
        function: out,
        code,
    }
}

fn modelled<'a>(
    source: Source<'a, '_>,
    program: &Program,
    sources: &mut Sources,
) -> std::result::Result<Compiled, LoadError> {
    let Source {
        symbols,
        module,
        line_base,
        function,
        body,
    } = source;
    let mut builder = Builder {
        symbols,
        function,
        body,
        code: Code::after(program),
        registers: Vec::new(),
        params: Vec::new(),
        returns: Vec::new(),
        areas: Vec::new(),
        locals: Vec::new(),
        param_copies: Vec::new(),
        rows: HashMap::new(),
        out: Function {
            name: function.name.into(),
            entry: function.entry,
            launches: false,
            ..Function::default()
        },
        jumps: Vec::new(),
        starts: Vec::with_capacity(body.instructions.len() + 1),
        guard: 0,
        info: OpInfo::default(),
        words: 0,
        tables: Vec::new(),
        module,
    };
    let at = |line: u32| {
        let text = &program.text;
        move |problem: Problem| place(problem, line + line_base, text)
    };
    let begin = at(function.position.line);
    builder.layout().map_err(&begin)?;
    builder.out.start = builder.code.ops.next() as u32;
    let arrays = Arrays {
        symbols,
        module,
        function,
        body,
    };
    let origins = arrays.origins();
    let mut sources = sources.of(module, body);
    builder.info.line = function.position.line + line_base;
    builder.enter().map_err(begin)?;
    for instruction in &body.instructions {
        builder.starts.push(builder.code.ops.next() as u32);
        let position = instruction.position;
        let source = body.location(instruction);
        builder.info = OpInfo {
            line: position.line + line_base,
            column: position.column,
            source: source.map_or(0, |location| sources.number(location)),
            first: true,
            ..OpInfo::default()
        };
        builder
            .instruction(instruction)
            .map_err(at(position.line))?;
        if let Some(copied) = arrays.copied(instruction, &origins) {
            builder.copies(copied);
        } else if let Some(meant) = arrays.accessed(instruction, &origins) {
            builder.accesses(meant).map_err(at(position.line))?;
        }
    }
    builder.starts.push(builder.code.ops.next() as u32);
    // If the last instruction does not jump, the function returns, as compilers expect. A guarded
    // last instruction also needs an operation after it.
    builder.info = OpInfo {
        line: body.end.line + line_base,
        first: false,
        ..OpInfo::default()
    };
    builder.guard = 0;
    let end = at(body.end.line);
    builder.leave().map_err(&end)?;
    builder.info.successors = Successors::None;
    let leave = if function.entry { run::exit } else { run::ret };
    builder.emit(leave, Operands::NONE);
    builder.resolve().map_err(end)?;
    builder.track();
    builder.flows();
    builder.late_loads();
    builder.polls();
    builder.repeat_addresses();
    Ok(builder.finish())
}

impl<'a> Builder<'a, '_> {
    /// Assigns a place to every register and `.param` variable.
    fn layout(&mut self) -> Result<()> {
        let predicates = self
            .body
            .registers
            .iter()
            .filter(|r| r.ty == Type::Pred)
            .count() as u32;
        // Every frame has two words first, then the predicates, one predicate for unused results,
        // and two for the decoder's own use.
        self.words = 8;
        let end = (8 + 4 * predicates + 12).next_multiple_of(128);
        self.out.words = end;
        self.out.frame = end;
        for register in &self.body.registers {
            let offset = if register.ty == Type::Pred {
                self.words += 4;
                self.words - 4
            } else {
                let size = register.ty.size();
                if size == 0 || size > 16 {
                    return because("registers of this type");
                }
                let row = row_bytes(size);
                let first = self.reserve(row * u32::from(register.vector))?;
                let width = size.max(4) as u32;
                let rows = (0..u32::from(register.vector)).map(|i| (first + i * row, width));
                self.out.registers.extend(rows);
                first
            };
            self.registers.push(offset);
        }
        let mut params = Vec::new();
        for param in &self.function.params {
            let mut area = self.variable_area(param)?;
            if param.dims.first() == Some(&None) {
                // The size is that of the longest argument in any call.
                area.size = self.symbols.open_parameter(self.module, self.function.name);
                area.offset = self.reserve(area.size.div_ceil(4).max(1) * 128)?;
            }
            params.push(area);
            self.param_copies.push(None);
        }
        let mut returns = Vec::new();
        for param in &self.function.returns {
            returns.push(self.variable_area(param)?);
        }
        (self.params, self.returns) = (params, returns);
        let mut local = 0u64;
        for variable in &self.body.variables {
            let (mut area, mut place) = (None, None);
            match variable.space {
                Space::Param => area = Some(self.variable_area(variable)?),
                Space::Local => {
                    local = local.next_multiple_of(variable.alignment().max(1));
                    place = Some(local as u32);
                    local += variable.size();
                    if local > 1 << 24 {
                        return invalid("more local memory than a thread can have");
                    }
                }
                _ => {}
            }
            self.areas.push(area);
            self.locals.push(place);
        }
        for index in self.addressed_params() {
            local = local.next_multiple_of(self.function.params[index].alignment().max(1));
            self.param_copies[index] = Some(local as u32);
            local += u64::from(self.params[index].size);
        }
        self.out.local = local.next_multiple_of(16) as u32;
        Ok(())
    }

    /// Returns the parameters of a function whose address is taken: they occur elsewhere than in
    /// `ld.param` and calls.
    fn addressed_params(&self) -> Vec<usize> {
        if self.function.entry {
            return Vec::new();
        }
        let mut found = vec![false; self.function.params.len()];
        for instruction in &self.body.instructions {
            for operand in self.body.operands(instruction) {
                match *operand {
                    Operand::Symbol(Symbol::Param(index), _) => found[index as usize] = true,
                    Operand::Indexed(indexed) if indexed.register.is_some() => {
                        if let Symbol::Param(index) = indexed.symbol {
                            found[index as usize] = true;
                        }
                    }
                    _ => {}
                }
            }
        }
        (0..found.len()).filter(|&index| found[index]).collect()
    }

    /// Returns the area of a parameter. Parameters of kernels are not in the frame.
    fn variable_area(&mut self, variable: &ast::Variable<'a>) -> Result<Area> {
        if variable.size() > 1 << 16 {
            return invalid("a parameter of more than 64 KiB");
        }
        let size = signature::area_bytes(variable);
        let offset =
            if self.function.entry && variable.space == Space::Param && !self.in_body(variable) {
                0
            } else {
                self.reserve(size.div_ceil(4).max(1) * 128)?
            };
        Ok(Area { offset, size })
    }

    fn in_body(&self, variable: &ast::Variable<'a>) -> bool {
        self.body
            .variables
            .iter()
            .any(|v| std::ptr::eq(v, variable))
    }

    fn label(&self, label: LabelId) -> Result<u32> {
        match self.body.labels.get(label as usize).map(|l| l.target) {
            Some(Target::Instruction(index)) => Ok(self.starts[index as usize]),
            _ => invalid("a branch to what is no instruction"),
        }
    }

    /// Sets the target operations of the branches.
    fn resolve(&mut self) -> Result<()> {
        for (from, label) in std::mem::take(&mut self.jumps) {
            let to = self.label(label)?;
            let bytes = (i64::from(to) - from as i64) * size_of::<Op>() as i64;
            let Ok(bytes) = i32::try_from(bytes) else {
                return invalid("a branch farther than 2 GiB");
            };
            self.code.ops[from].aux = bytes as u32;
        }
        for table in std::mem::take(&mut self.tables) {
            let labels = std::mem::take(&mut self.code.tables[table]);
            let targets = labels
                .into_iter()
                .map(|label| self.label(label))
                .collect::<Result<_>>()?;
            self.code.tables[table] = targets;
        }
        Ok(())
    }

    fn finish(mut self) -> Compiled {
        if !self.out.entry {
            self.out.params = self.params;
            self.out.returns = self.returns;
        }
        let first = super::assigned::maybe_unassigned(self.body);
        for (index, register) in self.body.registers.iter().enumerate() {
            if first[index] && register.ty != Type::Pred {
                let width = register.ty.size().max(4) as u32;
                let rows =
                    (0..u32::from(register.vector)).map(|i| self.registers[index] + i * width * 32);
                self.out.cleared.extend(rows.map(|row| (row, width)));
            }
        }
        Compiled {
            function: self.out,
            code: self.code,
        }
    }

    /// Decodes one instruction.
    fn instruction(&mut self, instruction: &Instruction) -> Result<()> {
        self.guard = match instruction.guard {
            Some(guard) => self.predicate_register(guard.register)? | u32::from(guard.negated),
            None => 0,
        };
        instructions::instruction(self, instruction)
    }
}
