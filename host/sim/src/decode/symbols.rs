//! Module variables and functions: who defines a name, where it lives, what it holds at first.
//!
//! PTX ISA, "Linking Directives" and "Variables". Several texts link as one: `.extern` names find the `.visible` or `.weak`
//! definition of any of them, other names stay in their text. Static shared variables get their place here: variables
//! that one kernel reaches (through the functions that it may call) do not overlap, those of different kernels may.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::function;
use super::program::{ImageAddress, OpInfo, Program, Reference, Variable, VariableSpace};
use crate::module::{Kernel, LoadError, Param};
use crate::ptx::ast::{
    self, Attribute, Body, Directive, Initializer, Linkage, Operand, Space, Symbol, Type,
};

/// Where a name counts: in one text, or in all.
type Scope = Option<usize>;

/// All names of the linked texts.
#[derive(Default)]
pub(super) struct Symbols<'a> {
    /// Variables and functions with an address, by scope and name: an index into `Program::variables`.
    names: HashMap<(Scope, &'a str), u32>,
    /// Functions with a body, by scope and name.
    functions: HashMap<(Scope, &'a str), usize>,
    /// Variables declared in bodies: text, function, index in the body.
    in_bodies: HashMap<(usize, &'a str, u32), u32>,
    /// Bytes of each function's parameters and results.
    signatures: Vec<(Vec<u32>, Vec<u32>)>,
    /// Where variables live.
    spaces: Vec<VariableSpace>,
}

impl<'a> Symbols<'a> {
    /// The variable or function of this name, as seen from a text.
    pub(super) fn find(&self, module: usize, name: &str) -> Option<u32> {
        self.names
            .get(&(Some(module), name))
            .or_else(|| self.names.get(&(None, name)))
            .copied()
    }

    /// The function with a body of this name.
    pub(super) fn function(&self, module: usize, name: &str) -> Option<usize> {
        self.functions
            .get(&(Some(module), name))
            .or_else(|| self.functions.get(&(None, name)))
            .copied()
    }

    /// A variable of a function's body that does not live in the frame.
    pub(super) fn body_variable(&self, module: usize, function: &str, index: u32) -> Option<u32> {
        self.in_bodies.get(&(module, function, index)).copied()
    }

    /// Bytes of a function's parameters and results.
    pub(super) fn signature(&self, index: usize) -> (Vec<u32>, Vec<u32>) {
        self.signatures[index].clone()
    }

    /// Where a variable lives.
    pub(super) fn space(&self, variable: u32) -> VariableSpace {
        self.spaces[variable as usize]
    }

    /// Where a kernel's parameter starts.
    pub(super) fn param_offset(&self, function: &ast::Function<'a>, index: usize) -> u32 {
        params(function).0.get(index).map_or(0, |p| p.offset)
    }
}

/// A kernel's parameters with their offsets, and the bytes of all of them.
fn params(function: &ast::Function<'_>) -> (Vec<Param>, u32) {
    let mut end = 0u32;
    let params = function.params.iter().map(|p| {
        let (size, align) = (
            p.size().min(1 << 20) as u32,
            p.alignment().clamp(1, 1 << 20) as u32,
        );
        let offset = end.next_multiple_of(align);
        end = offset + size;
        Param {
            name: p.name.into(),
            size,
            align,
            offset,
        }
    });
    (params.collect(), end)
}

/// Links and decodes parsed texts.
pub(super) fn link<'a>(modules: &[ast::Module<'a>], texts: &[&str]) -> Result<Program, LoadError> {
    let mut program = Program {
        text: Arc::from(texts.join("\n")),
        ..Program::default()
    };
    let bases = line_bases(texts);
    target(modules, &mut program);
    let mut symbols = Symbols::default();
    let defined = declare(modules, &bases, &mut symbols, &mut program)?;
    place_shared(modules, &defined, &mut symbols, &mut program);
    initialise(modules, &bases, &symbols, &mut program)?;

    let mut files: Vec<HashMap<u32, u32>> = Vec::new();
    for module in modules {
        let mut of = HashMap::new();
        for file in &module.files {
            of.insert(file.index, program.files.len() as u32);
            program.files.push(file.name.to_string());
        }
        files.push(of);
    }
    let seen: RefCell<HashMap<(u32, u32, u32), u32>> = RefCell::default();
    for &(m, f) in &defined {
        let function = &modules[m].functions[f];
        let Some(body) = &function.body else { continue };
        let source = |location: &ast::Location<'a>, program: &mut Program| {
            // Code that was inlined is reported where it stands in the source, not where it was inlined to.
            let Some(&file) = files[m].get(&location.file) else {
                return 0;
            };
            let key = (file, location.line, location.column);
            *seen.borrow_mut().entry(key).or_insert_with(|| {
                program.sources.push(key);
                program.sources.len() as u32
            })
        };
        let decoded =
            function::decode(&symbols, m, function, body, &mut program, bases[m], &source)?;
        program.functions.push(decoded);
        if function.entry {
            let kernel = kernel(function, body, &program);
            program.kernels.push((kernel, program.functions.len() - 1));
        }
    }
    debug_assert_eq!(program.ops.len(), program.infos.len());
    let _: Option<&OpInfo> = program.infos.first();
    Ok(program)
}

/// The line of the joined text before each text's first.
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

/// The newest `.target` of the texts.
fn target(modules: &[ast::Module<'_>], program: &mut Program) {
    for module in modules {
        let Some(target) = module.targets.iter().find(|t| t.starts_with("sm_")) else {
            continue;
        };
        let number = target
            .trim_start_matches("sm_")
            .trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let sm = number.parse().unwrap_or(0);
        if sm >= program.target.0 {
            program.target = (sm, target.to_string());
        }
    }
}

fn scope(module: usize, linkage: Linkage) -> Scope {
    match linkage {
        Linkage::Internal => Some(module),
        _ => None,
    }
}

/// Gives every variable and function with a body an index. Returns the functions, by text and place in it.
fn declare<'a>(
    modules: &[ast::Module<'a>],
    bases: &[u32],
    symbols: &mut Symbols<'a>,
    program: &mut Program,
) -> Result<Vec<(usize, usize)>, LoadError> {
    let mut defined = Vec::new();
    for (m, module) in modules.iter().enumerate() {
        for variable in &module.variables {
            let at = |message: String, program: &Program| {
                function::place(
                    function::Problem::Invalid(message),
                    variable.position.line + bases[m],
                    program,
                )
            };
            let dynamic = variable.space == Space::Shared && variable.dims.first() == Some(&None);
            if variable.linkage == Linkage::Extern && !dynamic {
                continue;
            }
            let key = (scope(m, variable.linkage), variable.name);
            if let Some(&before) = symbols.names.get(&key) {
                let old = &mut program.variables[before as usize];
                match variable.linkage {
                    // Dynamic shared memory is one, whatever it is called and however often.
                    _ if dynamic => old.align = old.align.max(variable.alignment()),
                    Linkage::Common => old.size = old.size.max(variable.size()),
                    Linkage::Weak => {}
                    _ => return Err(at(format!("`{}` is defined twice", variable.name), program)),
                }
                continue;
            }
            let made = make(variable, dynamic).map_err(|message| at(message, program))?;
            symbols.names.insert(key, program.variables.len() as u32);
            program.variables.push(made);
        }
        for (f, function) in module.functions.iter().enumerate() {
            let Some(body) = &function.body else { continue };
            let key = (scope(m, function.linkage), function.name);
            if symbols.functions.contains_key(&key) {
                if function.linkage == Linkage::Weak {
                    continue;
                }
                let problem =
                    function::Problem::Invalid(format!("`{}` is defined twice", function.name));
                return Err(function::place(
                    problem,
                    function.position.line + bases[m],
                    program,
                ));
            }
            let index = defined.len();
            defined.push((m, f));
            symbols.functions.insert(key, index);
            let sizes = |list: &[ast::Variable<'_>]| list.iter().map(|v| v.size() as u32).collect();
            symbols
                .signatures
                .push((sizes(&function.params), sizes(&function.returns)));
            symbols.names.insert(key, program.variables.len() as u32);
            program.variables.push(Variable {
                name: function.name.into(),
                space: VariableSpace::Function(index),
                size: 0,
                align: 1,
                image: Vec::new(),
                addresses: Vec::new(),
                visible: false,
            });
            for (v, variable) in body.variables.iter().enumerate() {
                if matches!(variable.space, Space::Shared | Space::Global | Space::Const) {
                    let dynamic =
                        variable.space == Space::Shared && variable.dims.first() == Some(&None);
                    let made = make(variable, dynamic).map_err(|message| {
                        function::place(
                            function::Problem::Invalid(message),
                            variable.position.line + bases[m],
                            program,
                        )
                    })?;
                    symbols
                        .in_bodies
                        .insert((m, function.name, v as u32), program.variables.len() as u32);
                    program.variables.push(Variable {
                        visible: false,
                        ..made
                    });
                }
            }
        }
    }
    for (m, module) in modules.iter().enumerate() {
        for alias in &module.aliases {
            if let (Some(of), Some(variable)) =
                (symbols.function(m, alias.of), symbols.find(m, alias.of))
            {
                symbols.functions.insert((None, alias.name), of);
                symbols.names.insert((None, alias.name), variable);
            }
        }
    }
    symbols.spaces = program.variables.iter().map(|v| v.space).collect();
    Ok(defined)
}

/// A variable, still without its place and contents.
fn make(variable: &ast::Variable<'_>, dynamic: bool) -> Result<Variable, String> {
    let space = match variable.space {
        _ if variable.ty == Type::Samplerref => {
            return Err(
                "a sampler of its own; CUDA's textures have theirs with them (texmode_unified)"
                    .into(),
            );
        }
        Space::Global if variable.ty == Type::Texref => {
            VariableSpace::Reference(Reference::Texture)
        }
        Space::Global if variable.ty == Type::Surfref => {
            VariableSpace::Reference(Reference::Surface)
        }
        Space::Tex => VariableSpace::Reference(Reference::Texture),
        Space::Shared if dynamic => VariableSpace::DynamicShared,
        Space::Shared => VariableSpace::Shared(0),
        Space::Const => VariableSpace::Constant,
        Space::Global if variable.attributes.contains(&Attribute::Managed) => {
            VariableSpace::Managed
        }
        Space::Global => VariableSpace::Global,
        _ => {
            return Err(format!(
                "a variable of .{} at module scope",
                variable.space.name()
            ));
        }
    };
    Ok(Variable {
        name: variable.name.into(),
        space,
        size: variable.size(),
        align: variable.alignment().max(1),
        image: Vec::new(),
        addresses: Vec::new(),
        visible: variable.linkage != Linkage::Internal
            || space == VariableSpace::Constant
            || space == VariableSpace::Global,
    })
}

/// The module names and body variables that a body mentions.
fn mentions<'a>(body: &Body<'a>) -> (BTreeSet<&'a str>, BTreeSet<u32>) {
    let (mut names, mut locals) = (BTreeSet::new(), BTreeSet::new());
    let mut symbol = |symbol: Symbol<'a>| match symbol {
        Symbol::Module(name) => drop(names.insert(name)),
        Symbol::Local(index) => drop(locals.insert(index)),
        _ => {}
    };
    for operand in body.operands.iter().chain(&body.elements) {
        match *operand {
            Operand::Symbol(s, _) => symbol(s),
            Operand::Address(ast::Base::Symbol(s), _) => symbol(s),
            _ => {}
        }
    }
    (names, locals)
}

/// Gives static shared variables offsets: behind all others of every kernel that reaches them.
fn place_shared<'a>(
    modules: &[ast::Module<'a>],
    defined: &[(usize, usize)],
    symbols: &mut Symbols<'a>,
    program: &mut Program,
) {
    // What each function mentions: variables, and functions as variables.
    let direct: Vec<BTreeSet<u32>> = defined
        .iter()
        .map(|&(m, f)| {
            let function = &modules[m].functions[f];
            let Some(body) = &function.body else {
                return BTreeSet::new();
            };
            let (names, locals) = mentions(body);
            let names = names.into_iter().filter_map(|name| symbols.find(m, name));
            let locals = locals
                .into_iter()
                .filter_map(|v| symbols.body_variable(m, function.name, v));
            names.chain(locals).collect()
        })
        .collect();
    // A function whose address is in a variable may be called by whoever reads it: all kernels count as callers.
    let indirect: Vec<usize> = modules
        .iter()
        .enumerate()
        .flat_map(|(m, module)| module.variables.iter().map(move |v| (m, v)))
        .flat_map(|(m, variable)| {
            let mut found = Vec::new();
            named(variable.initializer.as_ref(), &mut found);
            found
                .into_iter()
                .filter_map(|name| symbols.function(m, name))
                .collect::<Vec<_>>()
        })
        .collect();
    let kernels: Vec<usize> = (0..defined.len())
        .filter(|&i| modules[defined[i].0].functions[defined[i].1].entry)
        .collect();
    let mut users: HashMap<u32, Vec<usize>> = HashMap::new();
    for (k, &kernel) in kernels.iter().enumerate() {
        let mut seen = vec![false; defined.len()];
        let mut todo = vec![kernel];
        todo.extend(&indirect);
        while let Some(function) = todo.pop() {
            if std::mem::replace(&mut seen[function], true) {
                continue;
            }
            for &variable in &direct[function] {
                match symbols.space(variable) {
                    // A kernel that this one launches has shared memory of its own.
                    VariableSpace::Function(callee) if kernels.contains(&callee) => {}
                    VariableSpace::Function(callee) => todo.push(callee),
                    VariableSpace::Shared(_) => {
                        let users = users.entry(variable).or_default();
                        if users.last() != Some(&k) {
                            users.push(k);
                        }
                    }
                    _ => {}
                }
            }
        }
    }
    let mut tops = vec![0u64; kernels.len()];
    for (index, variable) in program.variables.iter_mut().enumerate() {
        let VariableSpace::Shared(offset) = &mut variable.space else {
            continue;
        };
        let Some(users) = users.get(&(index as u32)) else {
            continue;
        };
        let start = users
            .iter()
            .map(|&k| tops[k])
            .max()
            .unwrap_or(0)
            .next_multiple_of(variable.align);
        *offset = start.min(u64::from(u32::MAX)) as u32;
        for &k in users {
            tops[k] = start + variable.size;
        }
    }
    program.shared = kernels
        .iter()
        .zip(&tops)
        .map(|(&k, &top)| (k, top.min(u64::from(u32::MAX)) as u32))
        .collect();
    symbols.spaces = program.variables.iter().map(|v| v.space).collect();
}

/// The names in an initializer.
fn named<'a>(initializer: Option<&Initializer<'a>>, found: &mut Vec<&'a str>) {
    match initializer {
        Some(Initializer::List(list)) => list.iter().for_each(|one| named(Some(one), found)),
        Some(Initializer::Address(address)) => found.push(address.symbol),
        _ => {}
    }
}

/// Writes initial contents.
fn initialise<'a>(
    modules: &[ast::Module<'a>],
    bases: &[u32],
    symbols: &Symbols<'a>,
    program: &mut Program,
) -> Result<(), LoadError> {
    for (m, module) in modules.iter().enumerate() {
        for variable in &module.variables {
            let Some(initializer) = &variable.initializer else {
                continue;
            };
            let Some(index) = symbols.find(m, variable.name) else {
                continue;
            };
            let mut image = Image {
                variable,
                symbols,
                module: m,
                bytes: Vec::new(),
                addresses: Vec::new(),
            };
            image
                .write(initializer, 0, variable.dims.len())
                .map_err(|message| {
                    function::place(
                        function::Problem::Invalid(message),
                        variable.position.line + bases[m],
                        program,
                    )
                })?;
            let (bytes, addresses) = (image.bytes, image.addresses);
            let to = &mut program.variables[index as usize];
            (to.image, to.addresses) = (bytes, addresses);
        }
    }
    Ok(())
}

/// A variable's contents on their way.
struct Image<'s, 'a> {
    variable: &'s ast::Variable<'a>,
    symbols: &'s Symbols<'a>,
    module: usize,
    bytes: Vec<u8>,
    addresses: Vec<ImageAddress>,
}

impl Image<'_, '_> {
    /// Writes one initializer at `at`; `depth` dimensions are left inside it.
    fn write(
        &mut self,
        initializer: &Initializer<'_>,
        at: usize,
        depth: usize,
    ) -> Result<(), String> {
        let size = self.variable.ty.size() as usize;
        match initializer {
            Initializer::List(list) => {
                let inner = self.variable.dims.len() - depth.saturating_sub(1);
                let stride = self
                    .variable
                    .dims
                    .get(inner..)
                    .unwrap_or(&[])
                    .iter()
                    .flatten()
                    .product::<u64>() as usize
                    * size;
                let stride = if depth == 0 {
                    size
                } else {
                    stride * usize::from(self.variable.vector)
                };
                list.iter().enumerate().try_for_each(|(i, one)| {
                    self.write(one, at + i * stride, depth.saturating_sub(1))
                })
            }
            Initializer::Int(value) => self.put(at, &value.to_le_bytes(), size),
            Initializer::F32(bits) if size == 4 => self.put(at, &bits.to_le_bytes(), size),
            Initializer::F32(bits) => self.put(
                at,
                &f64::from(f32::from_bits(*bits)).to_bits().to_le_bytes(),
                size,
            ),
            Initializer::F64(bits) if size == 8 => self.put(at, &bits.to_le_bytes(), size),
            Initializer::F64(bits) if size == 2 => {
                let value = half::f16::from_f64(f64::from_bits(*bits));
                self.put(at, &value.to_bits().to_le_bytes(), size)
            }
            Initializer::F64(bits) => self.put(
                at,
                &(f64::from_bits(*bits) as f32).to_bits().to_le_bytes(),
                size,
            ),
            Initializer::Address(address) => {
                let Some(variable) = self.symbols.find(self.module, address.symbol) else {
                    return Err(format!(
                        "`{}` is not defined in this module; link the one that defines it",
                        address.symbol
                    ));
                };
                let shift = address.mask.map_or(0, u64::trailing_zeros);
                let (offset, generic) = (address.offset, address.generic);
                self.put(at, &[0; 8], size)?;
                self.addresses.push(ImageAddress {
                    at,
                    width: size,
                    variable,
                    offset,
                    generic,
                    shift,
                });
                Ok(())
            }
        }
    }

    fn put(&mut self, at: usize, bytes: &[u8], size: usize) -> Result<(), String> {
        let end = at + size;
        if end as u64 > self.variable.size() || size > bytes.len() {
            return Err(format!(
                "the initializer of `{}` does not fit",
                self.variable.name
            ));
        }
        if self.bytes.len() < end {
            self.bytes.resize(end, 0);
        }
        self.bytes[at..end].copy_from_slice(&bytes[..size]);
        Ok(())
    }
}

/// What a host program may know of a kernel.
fn kernel(function: &ast::Function<'_>, body: &Body<'_>, program: &Program) -> Kernel {
    let (params, param_bytes) = params(function);
    let index = program.functions.len() - 1;
    let decoded = &program.functions[index];
    let static_shared = program
        .shared
        .iter()
        .find(|(f, _)| *f == index)
        .map_or(0, |(_, bytes)| *bytes);
    let mut kernel = Kernel {
        name: function.name.into(),
        params,
        param_bytes,
        static_shared,
        local_bytes: decoded.local,
        registers: registers(body),
        ..Kernel::default()
    };
    for directive in &function.directives {
        match *directive {
            Directive::MaxThreads([x, y, z]) => {
                kernel.max_threads = Some(x.saturating_mul(y).saturating_mul(z))
            }
            Directive::RequiredThreads(extent) => kernel.required_threads = Some(extent),
            Directive::MinBlocksPerSm(n) => kernel.min_blocks = Some(n),
            Directive::RequiredCluster(extent) => kernel.cluster = Some(extent),
            _ => {}
        }
    }
    kernel.registers = kernel.registers.min(registers_within_bounds(&kernel));
    kernel
}

/// The registers that a compiler may use where a kernel promises small blocks or asks for several on a multiprocessor: what
/// spills beyond that goes to local memory. PTX ISA, "Performance-Tuning Directives: .maxntid, .minnctapersm".
fn registers_within_bounds(kernel: &Kernel) -> u32 {
    // Of every multiprocessor from compute capability 3.5 on, in units of 8 a thread.
    const REGISTERS: u32 = 65_536;
    const UNIT: u32 = 8;
    let required = kernel
        .required_threads
        .map(|extent| extent.iter().fold(1, |all: u32, n| all.saturating_mul(*n)));
    let Some(threads) = required.or(kernel.max_threads) else {
        return u32::MAX;
    };
    let resident = threads
        .max(1)
        .checked_next_multiple_of(32)
        .and_then(|threads| threads.checked_mul(kernel.min_blocks.unwrap_or(1).max(1)));
    (REGISTERS / resident.unwrap_or(u32::MAX) / UNIT * UNIT).max(16)
}

/// An estimate of the 32-bit registers that a GPU's compiler needs: the most that are in use at once, from each one's first to
/// its last mention in the text, and a few for addresses and calls.
fn registers(body: &Body<'_>) -> u32 {
    let mut spans: Vec<Option<(usize, usize)>> = vec![None; body.registers.len()];
    for (at, instruction) in body.instructions.iter().enumerate() {
        let mut mention = |id: u32| {
            let span = spans[id as usize].get_or_insert((at, at));
            span.1 = at;
        };
        for operand in body.operands(instruction) {
            match *operand {
                Operand::Register(id)
                | Operand::Element(id, _)
                | Operand::Part(id, _)
                | Operand::Minus(id, _)
                | Operand::Address(ast::Base::Register(id), _) => mention(id),
                Operand::Pair(a, b) => a.into_iter().chain(b).for_each(&mut mention),
                Operand::Vector(slice) => body.elements(slice).iter().for_each(|e| {
                    if let Operand::Register(id) = *e {
                        mention(id);
                    }
                }),
                _ => {}
            }
        }
    }
    let mut change = vec![0i64; body.instructions.len() + 1];
    for (register, span) in body.registers.iter().zip(spans) {
        if let (Some((first, last)), true) = (span, register.ty != Type::Pred) {
            let words = register.ty.size().div_ceil(4) as i64;
            change[first] += words;
            change[last] -= words;
        }
    }
    let (mut now, mut most) = (0, 0);
    for step in change {
        now += step;
        most = most.max(now);
    }
    (most as u32 + 8).clamp(16, 255)
}
