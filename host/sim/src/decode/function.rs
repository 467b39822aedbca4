//! Decodes one function: its frame, its constant rows, its labels, its operations.

use std::collections::HashMap;

use super::arrays::Arrays;
use super::builder::{Builder, Operands, row_bytes};
use super::problem::{Problem, Result, because, invalid, place};
use super::symbols::Symbols;
use super::{instructions, signature};
use crate::isa::Successors;
use crate::load_error::LoadError;
use crate::machine::control as run;
use crate::machine::op::Op;
use crate::machine::program::{Area, Function, OpInfo, Program};
use crate::ptx::ast::{self, Body, Instruction, LabelId, Operand, Space, Symbol, Target, Type};

/// Decodes a function with a body and adds it to the program. A function that contains something
/// that is not modelled becomes one operation that reports it. The rest of its module can run.
pub(super) fn decode<'a>(
    symbols: &Symbols<'a>,
    module: usize,
    function: &ast::Function<'a>,
    body: &Body<'a>,
    program: &mut Program,
    line_base: u32,
    source_base: &dyn Fn(&ast::Location<'a>, &mut Program) -> u32,
) -> std::result::Result<Function, LoadError> {
    let start = program.ops.len();
    match modelled(
        symbols,
        module,
        function,
        body,
        program,
        line_base,
        source_base,
    ) {
        Err(error @ LoadError::Unsupported { .. }) => {
            program.ops.truncate(start);
            program.infos.truncate(start);
            Ok(refused(function, program, error))
        }
        result => result,
    }
}

/// Adds a function that cannot run. It is one operation that ends the launch, because a program may
/// reach it through a pointer.
pub(super) fn refused(
    function: &ast::Function<'_>,
    program: &mut Program,
    error: LoadError,
) -> Function {
    let mut out = Function {
        name: function.name.into(),
        start: program.ops.len() as u32,
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
        program.ops.push(Op {
            run,
            guard: 0,
            d: 0,
            a: 0,
            b: 0,
            c: 0,
            aux: program.functions.len() as u32,
        });
        program.infos.push(OpInfo {
            line,
            first: true,
            successors: Successors::None,
            ..OpInfo::default()
        });
    }
    out.refused = Some(error);
    out
}

fn modelled<'a>(
    symbols: &Symbols<'a>,
    module: usize,
    function: &ast::Function<'a>,
    body: &Body<'a>,
    program: &mut Program,
    line_base: u32,
    source_base: &dyn Fn(&ast::Location<'a>, &mut Program) -> u32,
) -> std::result::Result<Function, LoadError> {
    let mut builder = Builder {
        symbols,
        function,
        body,
        program,
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
    let at =
        |problem: Problem, line: u32, program: &Program| place(problem, line + line_base, program);
    builder
        .layout()
        .map_err(|p| at(p, function.position.line, builder.program))?;
    builder.out.start = builder.program.ops.len() as u32;
    let arrays = Arrays {
        symbols,
        module,
        function,
        body,
    };
    let origins = arrays.origins();
    builder.info.line = function.position.line + line_base;
    builder
        .enter()
        .map_err(|p| at(p, function.position.line, builder.program))?;
    for instruction in &body.instructions {
        builder.starts.push(builder.program.ops.len() as u32);
        let line = instruction.position.line + line_base;
        let source = body
            .location(instruction)
            .map_or(0, |l| source_base(l, builder.program));
        builder.info = OpInfo {
            line,
            column: instruction.position.column,
            source,
            first: true,
            ..OpInfo::default()
        };
        builder
            .instruction(instruction)
            .map_err(|p| at(p, instruction.position.line, builder.program))?;
        if let Some(copied) = arrays.copied(instruction, &origins) {
            builder.copies(copied);
        } else if let Some(meant) = arrays.accessed(instruction, &origins) {
            let line = instruction.position.line;
            builder
                .accesses(meant)
                .map_err(|p| at(p, line, builder.program))?;
        }
    }
    builder.starts.push(builder.program.ops.len() as u32);
    // If the last instruction does not jump, the function returns, as compilers expect. A guarded
    // last instruction also needs an operation after it.
    builder.info = OpInfo {
        line: body.end.line + line_base,
        first: false,
        ..OpInfo::default()
    };
    builder.guard = 0;
    builder
        .leave()
        .map_err(|p| at(p, body.end.line, builder.program))?;
    let end = if function.entry { run::exit } else { run::ret };
    builder.info.successors = Successors::None;
    builder.emit(end, Operands::default());
    builder
        .resolve()
        .map_err(|p| at(p, body.end.line, builder.program))?;
    builder.track();
    builder.flows();
    builder.late_loads();
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
            self.program.ops[from].aux = bytes as u32;
        }
        for table in std::mem::take(&mut self.tables) {
            let labels = std::mem::take(&mut self.program.tables[table]);
            let targets = labels
                .into_iter()
                .map(|label| self.label(label))
                .collect::<Result<_>>()?;
            self.program.tables[table] = targets;
        }
        Ok(())
    }

    fn finish(mut self) -> Function {
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
        self.out
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
