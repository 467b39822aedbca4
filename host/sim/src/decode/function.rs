//! One function: its frame, its constant rows, its labels, its operations.

use std::collections::HashMap;

use super::arrays::Arrays;
use super::program::{Area, CallSite, Class, Function, OpInfo, Program, Row, Value};
use super::symbols::Symbols;
use super::{
    addresses, asynchronous, atomic, compare, control, convert, matrix, memory, moves, sync, table,
    tensor, texture, video, warpgroup,
};
use crate::machine::control as run;
use crate::machine::meeting::together::{Meeting, Place};
use crate::machine::op::{Handler, Op};
use crate::module::LoadError;
use crate::ptx::ast::{
    self, Body, Instruction, LabelId, Opcode, Operand, Space, Symbol, Target, Type,
};

/// What went wrong with one instruction; the place is added by whoever knows it.
#[derive(Debug)]
pub(super) enum Problem {
    /// Not modelled; why, where that is not plain.
    Unsupported(Option<String>),
    /// Makes no sense.
    Invalid(String),
}

pub(super) type Result<T> = std::result::Result<T, Problem>;

/// Not modelled, and the spelling says it all.
pub(super) fn unsupported<T>() -> Result<T> {
    Err(Problem::Unsupported(None))
}

/// Not modelled for this reason.
pub(super) fn because<T>(why: &str) -> Result<T> {
    Err(Problem::Unsupported(Some(why.into())))
}

/// Wrong.
pub(super) fn invalid<T>(message: impl Into<String>) -> Result<T> {
    Err(Problem::Invalid(message.into()))
}

/// Frames are no larger than this: offsets of predicates must fit in 24 bits, and host memory is finite.
const LARGEST: u32 = 1 << 26;

/// Operands of an operation, before they are put in place.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Operands {
    pub(super) d: u32,
    pub(super) a: u32,
    pub(super) b: u32,
    pub(super) c: u32,
    pub(super) aux: u32,
}

/// A function on its way.
pub(super) struct Builder<'a, 'm> {
    pub(super) symbols: &'m Symbols<'a>,
    pub(super) function: &'m ast::Function<'a>,
    pub(super) body: &'m Body<'a>,
    pub(super) program: &'m mut Program,
    /// Frame offset of each register: a word for predicates, a row for others.
    pub(super) registers: Vec<u32>,
    /// Frame areas of `.param` variables: parameters, returns, and those of the body.
    pub(super) params: Vec<Area>,
    pub(super) returns: Vec<Area>,
    pub(super) areas: Vec<Option<Area>>,
    /// Local addresses of `.local` variables of the body, as offsets in the function's local memory.
    pub(super) locals: Vec<Option<u32>>,
    /// The same of parameters whose address is taken; they are copied there when the function begins.
    pub(super) param_copies: Vec<Option<u32>>,
    rows: HashMap<(Value, u32), u32>,
    out: Function,
    /// Branches whose target is not known yet: operation and label.
    jumps: Vec<(usize, LabelId)>,
    /// Index of the first operation of each instruction; one more for the end.
    pub(super) starts: Vec<u32>,
    guard: u32,
    info: OpInfo,
    words: u32,
    /// Branch tables of this function whose labels are not resolved yet.
    tables: Vec<usize>,
    /// The module of the function, for names that each text has to itself.
    pub(super) module: usize,
}

/// Decodes a function with a body and adds it to the program. One that holds what is not modelled becomes one operation
/// that says so: the rest of its module runs.
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

/// A function that cannot run: one operation that ends the launch, for those who reach it through a pointer.
pub(super) fn refused(
    function: &ast::Function<'_>,
    program: &mut Program,
    error: LoadError,
) -> Function {
    let mut out = Function {
        name: function.name.into(),
        start: program.ops.len() as u32,
        entry: function.entry,
        words: 128,
        frame: 128,
        ..Function::default()
    };
    // A call copies its arguments before the callee's code is met.
    let mut areas = |list: &[ast::Variable<'_>]| -> Vec<Area> {
        let area = |variable: &ast::Variable<'_>| {
            let size = super::calls::area_bytes(variable);
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
        _ => 0,
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
            source,
            first: true,
            ..OpInfo::default()
        };
        builder
            .instruction(instruction)
            .map_err(|p| at(p, instruction.position.line, builder.program))?;
        if let Some(array) = arrays.accessed(instruction, &origins) {
            builder.accesses_array(array);
        }
    }
    builder.starts.push(builder.program.ops.len() as u32);
    // Running off the end returns, as compilers expect; and a guarded last instruction needs something behind it.
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
    builder.emit(end, Operands::default());
    builder
        .resolve()
        .map_err(|p| at(p, body.end.line, builder.program))?;
    builder.track();
    Ok(builder.finish())
}

/// A problem with its line and the line's text.
pub(super) fn place(problem: Problem, line: u32, program: &Program) -> LoadError {
    let text = program
        .text
        .lines()
        .nth((line as usize).saturating_sub(1))
        .unwrap_or("")
        .trim();
    let text = text.trim_end_matches(';').to_string();
    match problem {
        Problem::Unsupported(why) => LoadError::Unsupported { line, text, why },
        Problem::Invalid(message) => LoadError::Invalid {
            line,
            text,
            message,
        },
    }
}

impl<'a> Builder<'a, '_> {
    /// Gives every register and `.param` variable its place.
    fn layout(&mut self) -> Result<()> {
        let predicates = self
            .body
            .registers
            .iter()
            .filter(|r| r.ty == Type::Pred)
            .count() as u32;
        // Two words that every frame has, the predicates, one for results that nobody wants, and two of our own.
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
                // As long as the longest that any call passes.
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

    /// The parameters of a function whose address is taken: named otherwise than in `ld.param` and calls.
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

    /// The area of a parameter; kernels' parameters are not in the frame.
    fn variable_area(&mut self, variable: &ast::Variable<'a>) -> Result<Area> {
        if variable.size() > 1 << 16 {
            return invalid("a parameter of more than 64 KiB");
        }
        let size = super::calls::area_bytes(variable);
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

    /// Takes bytes of the frame.
    pub(super) fn reserve(&mut self, bytes: u32) -> Result<u32> {
        let offset = self.out.frame;
        self.out.frame = offset + bytes.next_multiple_of(128);
        if self.out.frame > LARGEST {
            return invalid("more registers than the machine has room for");
        }
        Ok(offset)
    }

    /// The row that holds `value` in lanes of `width` bytes, made when it is first asked for.
    pub(super) fn constant(&mut self, value: Value, width: u64) -> Result<u32> {
        let width = width.max(4) as u32;
        if let Some(&offset) = self.rows.get(&(value, width)) {
            return Ok(offset);
        }
        let offset = self.reserve(row_bytes(u64::from(width)))?;
        self.rows.insert((value, width), offset);
        self.out.rows.push(Row {
            offset,
            width,
            value,
        });
        Ok(offset)
    }

    /// A predicate for results that nobody reads.
    pub(super) fn no_predicate(&self) -> u32 {
        self.words
    }

    /// Two predicates for what one operation of an instruction leaves to its next.
    pub(super) fn scratch_predicates(&self) -> [u32; 2] {
        [self.words + 4, self.words + 8]
    }

    /// Adds an operation.
    pub(super) fn emit(&mut self, run: Handler, o: Operands) {
        let Operands { d, a, b, c, aux } = o;
        self.program.ops.push(Op {
            run,
            guard: self.guard,
            d,
            a,
            b,
            c,
            aux,
        });
        self.program.infos.push(self.info);
        self.info.first = false;
    }

    /// Says what the next operation does to memory or control.
    pub(super) fn classify(&mut self, class: Class, bytes: u64) {
        self.info.class = class;
        self.info.bytes = bytes as u8;
    }

    /// Says whether the next operation is a load through the first-level cache.
    pub(super) fn through_l1(&mut self, through: bool) {
        self.info.through_l1 = through;
    }

    /// Takes what the next operation orders, and for whom, from the instruction's words.
    pub(super) fn orders(&mut self, i: &Instruction) {
        use ast::Modifier as M;
        let has = |word| i.modifiers.has(word);
        self.info.releases = has(M::Release) || has(M::AcqRel);
        self.info.acquires = has(M::Acquire) || has(M::AcqRel);
        self.info.narrow = has(M::Cta);
    }

    /// Says that lanes meet at the next operation, which is that of `i`, wherever the instruction stands: results and sources.
    pub(super) fn meets(&mut self, i: &Instruction, results: &[Place], sources: &[Place]) {
        let mut words: Vec<&str> = i.modifiers.iter().map(|word| word.name()).collect();
        words.sort_unstable();
        words.insert(0, i.opcode.name());
        self.program.meetings.push(Meeting {
            op: self.program.ops.len() as u32,
            words: words.join("."),
            results: results.to_vec(),
            sources: sources.to_vec(),
        });
    }

    /// Says that the operations of the last instruction access this shared array.
    fn accesses_array(&mut self, array: u32) {
        let first = self.starts.last().copied().unwrap_or(0);
        let end = self.program.ops.len() as u32;
        self.program
            .arrays
            .extend((first..end).map(|op| (op, array)));
    }

    /// Remembers that the next operation goes to `label`.
    pub(super) fn jump_to(&mut self, label: LabelId) {
        self.jumps.push((self.program.ops.len(), label));
    }

    /// A list of frame offsets in the program's table.
    pub(super) fn list(&mut self, offsets: &[u32]) -> u32 {
        let start = self.program.lists.len() as u32;
        self.program.lists.extend_from_slice(offsets);
        start
    }

    /// A call site in the program's table.
    pub(super) fn call_site(&mut self, site: CallSite) -> u32 {
        self.program.calls.push(site);
        self.program.calls.len() as u32 - 1
    }

    /// A branch table, to be filled with operations when all are known.
    pub(super) fn table(&mut self, labels: &[LabelId]) -> u32 {
        self.program.tables.push(labels.to_vec());
        self.tables.push(self.program.tables.len() - 1);
        self.program.tables.len() as u32 - 1
    }

    fn label(&self, label: LabelId) -> Result<u32> {
        match self.body.labels.get(label as usize).map(|l| l.target) {
            Some(Target::Instruction(index)) => Ok(self.starts[index as usize]),
            _ => invalid("a branch to what is no instruction"),
        }
    }

    /// Points branches at operations.
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
        use Opcode as O;
        let i = instruction;
        match i.opcode {
            O::Cp if i.modifiers.has(ast::Modifier::Tensor) => tensor::tensor(self, i),
            O::Tensormap => tensor::tensormap(self, i),
            O::Cp | O::Mbarrier => asynchronous::asynchronous(self, i),
            O::St | O::Red if i.modifiers.has(ast::Modifier::Async) => {
                asynchronous::asynchronous(self, i)
            }
            O::St if i.modifiers.has(ast::Modifier::Bulk) => asynchronous::fill(self, i),
            O::Ld | O::Ldu | O::St => memory::transfer(self, i),
            O::Atom | O::Red => atomic::atomic(self, i),
            O::Tex | O::Tld4 | O::Txq | O::Suq | O::Istypep | O::Suld | O::Sust | O::Sured => {
                texture::texture(self, i)
            }
            O::Mma | O::Wmma | O::Ldmatrix | O::Stmatrix | O::Movmatrix => matrix::matrix(self, i),
            O::Wgmma => warpgroup::warpgroup(self, i),
            O::Bra | O::Brx | O::Call | O::Ret | O::Exit | O::Trap | O::Brkpt => {
                control::control(self, i)
            }
            O::Cvt => convert::convert(self, i),
            opcode if opcode.is_video() => video::video(self, i),
            O::Bar
            | O::Barrier
            | O::Shfl
            | O::Vote
            | O::Match
            | O::Redux
            | O::Activemask
            | O::Elect
            | O::Membar
            | O::Fence
            | O::Nanosleep => sync::sync(self, i),
            O::Mov
            | O::Selp
            | O::Slct
            | O::Prefetch
            | O::Prefetchu
            | O::Applypriority
            | O::Discard
            | O::Pmevent
            | O::Griddepcontrol
            | O::Setmaxnreg => moves::moves(self, i),
            O::Cvta
            | O::Isspacep
            | O::Mapa
            | O::Getctarank
            | O::Createpolicy
            | O::Stacksave
            | O::Stackrestore
            | O::Alloca => addresses::addresses(self, i),
            O::Setp => compare::setp(self, i),
            O::Set => compare::set(self, i),
            O::Testp => compare::testp(self, i),
            O::Lop3
                if i.modifiers.has(ast::Modifier::And) || i.modifiers.has(ast::Modifier::Or) =>
            {
                compare::lop3(self, i)
            }
            O::And | O::Or | O::Xor | O::Not if i.modifiers.has(ast::Modifier::Pred) => {
                moves::predicates(self, i)
            }
            _ => self.tabled(i),
        }
    }

    /// The instruction's words as PTX has them.
    pub(super) fn spelling(i: &Instruction) -> String {
        let mut spelling = i.opcode.name().to_string();
        for word in i.modifiers.iter() {
            spelling.push('.');
            spelling.push_str(word.name());
        }
        spelling
    }

    /// An instruction of the table.
    pub(super) fn tabled(&mut self, i: &Instruction) -> Result<()> {
        let mut spelling = Self::spelling(i);
        let operands = self.body.operands(i);
        if matches!(i.opcode, Opcode::Min | Opcode::Max) && operands.len() == 4 {
            spelling.push_str("(a,b,c)");
        }
        let Some(entry) = table::find(&spelling) else {
            return unsupported();
        };
        let sources = entry.sources.iter().take_while(|&&w| w > 0).count();
        let [d, from @ ..] = operands else {
            return invalid("no operands");
        };
        if from.len() != sources {
            return invalid(format!(
                "{} operands, where `{spelling}` takes {}",
                operands.len(),
                sources + 1
            ));
        }
        let literal = literal_type(i);
        let mut rows = [0; 4];
        for (row, (operand, &width)) in rows.iter_mut().zip(from.iter().zip(&entry.sources)) {
            *row = self.source(operand, width, literal)?;
        }
        let d = self.destination(d, entry.d)?;
        let [a, b, c, mut aux] = rows;
        if entry.shape == table::Shape::Carry {
            aux = u32::from(i.modifiers.has(ast::Modifier::Cc));
        }
        self.emit(entry.run, Operands { d, a, b, c, aux });
        Ok(())
    }
}

/// The float type of which decimal constants are: what is read, which stands last but in sums of f32 and a half, where
/// only the f32 can be a constant.
pub(super) fn literal_type(i: &Instruction) -> Option<Type> {
    let mut types = i.modifiers.types();
    let ty = match i.opcode {
        Opcode::Add | Opcode::Sub | Opcode::Fma => types.next(),
        _ => types.last(),
    };
    ty.filter(|ty| ty.class() == ast::Class::Float)
}

/// Bytes of a row whose lanes have `size` bytes.
pub(super) fn row_bytes(size: u64) -> u32 {
    (size.max(4) as u32) * 32
}
