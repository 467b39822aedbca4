//! Module variables and functions: who defines a name, where it lives, what it holds at first.
//!
//! PTX ISA, "Linking Directives" and "Variables". Several texts link as one: `.extern` names find the `.visible` or `.weak`
//! definition of any of them, other names stay in their text.

mod initial;
mod kernel;
mod shared;

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use super::calls::{self, Formal};
use super::program::{Program, Reference, SourceLine, Variable, VariableSpace};
use super::{function, refused};
use crate::isa::{Architecture, Refusal, Suffix};
use crate::module::LoadError;
use crate::ptx::ParseError;
use crate::ptx::ast::{self, Attribute, Linkage, Opcode, Operand, Space, Symbol, Type};

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
    /// Each function's parameters and results.
    signatures: Vec<(Vec<Formal>, Vec<Formal>)>,
    /// Bytes of one element of variables that are arrays.
    elements: HashMap<u32, u64>,
    /// The longest argument for the last parameter of functions that leave its length open.
    open: HashMap<usize, u32>,
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

    /// A function's parameters and results.
    pub(super) fn signature(&self, index: usize) -> (Vec<Formal>, Vec<Formal>) {
        self.signatures[index].clone()
    }

    /// Bytes of one element of a variable that is an array.
    pub(super) fn element_size(&self, variable: u32) -> Option<u64> {
        self.elements.get(&variable).copied()
    }

    /// The most bytes that a call passes for a function's last parameter, which leaves its length open.
    pub(super) fn open_parameter(&self, module: usize, function: &str) -> u32 {
        let index = self.function(module, function);
        index
            .and_then(|index| self.open.get(&index))
            .copied()
            .unwrap_or(0)
    }

    /// Notes what calls pass to functions that take any number of arguments.
    fn measure_open(&mut self, modules: &[ast::Module<'a>]) {
        if !self
            .signatures
            .iter()
            .any(|(params, _)| params.iter().any(|formal| formal.open))
        {
            return;
        }
        for (m, module) in modules.iter().enumerate() {
            for body in module
                .functions
                .iter()
                .filter_map(|function| function.body.as_ref())
            {
                let calls = body
                    .instructions
                    .iter()
                    .filter(|i| i.opcode == Opcode::Call);
                for call in calls {
                    let [
                        _,
                        Operand::Symbol(Symbol::Module(name), 0),
                        Operand::Arguments(list),
                        ..,
                    ] = *body.operands(call)
                    else {
                        continue;
                    };
                    let last = body.elements(list).last();
                    if let (Some(index), Some(&Operand::Symbol(Symbol::Local(v), 0))) =
                        (self.function(m, name), last)
                    {
                        let bytes = calls::area_bytes(&body.variables[v as usize]);
                        let most = self.open.entry(index).or_default();
                        *most = bytes.max(*most);
                    }
                }
            }
        }
    }

    /// Where a variable lives.
    pub(super) fn space(&self, variable: u32) -> VariableSpace {
        self.spaces[variable as usize]
    }

    /// Where a kernel's parameter starts.
    pub(super) fn param_offset(&self, function: &ast::Function<'a>, index: usize) -> u32 {
        kernel::params(function)
            .0
            .get(index)
            .map_or(0, |p| p.offset)
    }
}

/// Links and decodes parsed texts.
///
/// `refusals` are, for each text, the functions that hold what the instruction table refuses.
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
    let reach = shared::place(modules, &defined, &mut symbols, &mut program);
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
            // From the innermost line outwards: a call that was inlined names its own `.loc`.
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
        let mut reached = reach.functions_of(entry, &symbols);
        let refused = reached.find_map(|f| program.functions[f].refused.clone());
        program.kernels[at].0.refused = refused;
    }
    let newest = modules.iter().map(|module| module.version).max();
    program.newer = newest.filter(|&version| version > crate::ptx::NEWEST);
    Ok(program)
}

/// Calls that were inlined into one another, at most, of which reports tell.
const INLINED: usize = 32;

/// File, line and column of a `.loc`.
fn at(location: &ast::Location<'_>) -> (u32, u32, u32) {
    (location.file, location.line, location.column)
}

/// An instruction that could not be read, in text of a version that is not known.
fn unknown(error: &ParseError, base: u32) -> LoadError {
    let at = error.position().unwrap_or_default();
    LoadError::Syntax {
        line: at.line + base,
        column: at.column,
        message: error.to_string(),
    }
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

/// The newest `.target` of the texts; of two of one number, that which fewer GPUs run.
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
            let index = program.variables.len() as u32;
            symbols.names.insert(key, index);
            if !variable.dims.is_empty() {
                symbols.elements.insert(index, variable.ty.size());
            }
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
            let formals = |list: &[ast::Variable<'_>]| list.iter().map(Formal::of).collect();
            symbols
                .signatures
                .push((formals(&function.params), formals(&function.returns)));
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
