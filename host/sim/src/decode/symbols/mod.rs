//! Module variables and functions: the definition of each name, its place, and
//! its initial contents.
//!
//! PTX ISA, "Linking Directives" and "Variables". Several texts are linked into one module. An
//! `.extern` name refers to the `.visible` or `.weak` definition in any of them. Other names are
//! local to their text.

pub(super) mod initial;
pub(super) mod kernel;
pub(super) mod shared;

use std::collections::HashMap;

use super::problem::{Problem, place};
use super::signature::{self, Formal};
use crate::load_error::LoadError;
use crate::machine::program::{Program, Reference, Variable, VariableSpace};
use crate::ptx::ast::{self, Attribute, Linkage, Opcode, Operand, Space, Symbol, Type};

/// The scope of a name: one text, or all texts.
type Scope = Option<usize>;

/// The names of all linked texts.
#[derive(Default)]
pub(super) struct Symbols<'a> {
    /// Variables and functions with an address, by scope and name: an
    /// index into `Program::variables`.
    names: HashMap<(Scope, &'a str), u32>,
    /// Functions with a body, by scope and name.
    functions: HashMap<(Scope, &'a str), usize>,
    /// Variables declared in bodies: text, function, index in the body.
    in_bodies: HashMap<(usize, &'a str, u32), u32>,
    /// Each function's parameters and results.
    signatures: Vec<(Vec<Formal>, Vec<Formal>)>,
    /// Bytes of one element, for variables that are arrays.
    elements: HashMap<u32, u64>,
    /// The size of the longest argument for an open last parameter, by function.
    open: HashMap<usize, u32>,
    /// The state space of each variable.
    spaces: Vec<VariableSpace>,
}

impl<'a> Symbols<'a> {
    /// Returns the variable or function of this name, as seen from a text.
    pub(super) fn find(&self, module: usize, name: &str) -> Option<u32> {
        self.names
            .get(&(Some(module), name))
            .or_else(|| self.names.get(&(None, name)))
            .copied()
    }

    /// Returns the function of this name, if it has a body.
    pub(super) fn function(&self, module: usize, name: &str) -> Option<usize> {
        self.functions
            .get(&(Some(module), name))
            .or_else(|| self.functions.get(&(None, name)))
            .copied()
    }

    /// Returns a variable of a function's body that is not in the frame.
    pub(super) fn body_variable(&self, module: usize, function: &str, index: u32) -> Option<u32> {
        self.in_bodies.get(&(module, function, index)).copied()
    }

    /// Returns a function's parameters and results.
    pub(super) fn signature(&self, index: usize) -> (Vec<Formal>, Vec<Formal>) {
        self.signatures[index].clone()
    }

    /// Returns the bytes of one element of a variable that is an array.
    pub(super) fn element_size(&self, variable: u32) -> Option<u64> {
        self.elements.get(&variable).copied()
    }

    /// Returns the most bytes that a call passes for a function's open last parameter.
    pub(super) fn open_parameter(&self, module: usize, function: &str) -> u32 {
        let index = self.function(module, function);
        index
            .and_then(|index| self.open.get(&index))
            .copied()
            .unwrap_or(0)
    }

    /// Measures the arguments that calls pass to functions with a variable number of arguments.
    pub(super) fn measure_open(&mut self, modules: &[ast::Module<'a>]) {
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
                        let bytes = signature::area_bytes(&body.variables[v as usize]);
                        let most = self.open.entry(index).or_default();
                        *most = bytes.max(*most);
                    }
                }
            }
        }
    }

    /// Returns the state space of a variable.
    pub(super) fn space(&self, variable: u32) -> VariableSpace {
        self.spaces[variable as usize]
    }

    /// Returns the offset of a kernel's parameter.
    pub(super) fn param_offset(&self, function: &ast::Function<'a>, index: usize) -> u32 {
        kernel::params(function)
            .0
            .get(index)
            .map_or(0, |p| p.offset)
    }
}

fn scope(module: usize, linkage: Linkage) -> Scope {
    match linkage {
        Linkage::Internal => Some(module),
        _ => None,
    }
}

/// Assigns an index to every variable and every function with a body. Returns the functions, by
/// text and index in the text.
pub(super) fn declare<'a>(
    modules: &[ast::Module<'a>],
    bases: &[u32],
    symbols: &mut Symbols<'a>,
    program: &mut Program,
) -> Result<Vec<(usize, usize)>, LoadError> {
    let mut defined = Vec::new();
    for (m, module) in modules.iter().enumerate() {
        for variable in &module.variables {
            declare_variable(variable, (m, bases[m]), symbols, program)?;
        }
        for (f, function) in module.functions.iter().enumerate() {
            let Some(body) = &function.body else { continue };
            let key = (scope(m, function.linkage), function.name);
            if symbols.functions.contains_key(&key) {
                if function.linkage == Linkage::Weak {
                    continue;
                }
                let problem = Problem::Invalid(format!("`{}` is defined twice", function.name));
                let line = function.position.line + bases[m];
                return Err(place(problem, line, &program.text));
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
            let inside = body.variables.iter().zip(0..);
            for (variable, v) in inside.filter(|(variable, _)| is_of_module(variable)) {
                let key = (m, function.name, v);
                symbols
                    .in_bodies
                    .insert(key, program.variables.len() as u32);
                let made = made(variable, is_dynamic(variable), bases[m], program)?;
                program.variables.push(Variable {
                    visible: false,
                    ..made
                });
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

/// Declares a variable of the module with index `m`, or adds to its earlier declaration.
fn declare_variable<'a>(
    variable: &ast::Variable<'a>,
    (m, base): (usize, u32),
    symbols: &mut Symbols<'a>,
    program: &mut Program,
) -> Result<(), LoadError> {
    let dynamic = is_dynamic(variable);
    if variable.linkage == Linkage::Extern && !dynamic {
        return Ok(());
    }
    let key = (scope(m, variable.linkage), variable.name);
    if let Some(&before) = symbols.names.get(&key) {
        let old = &mut program.variables[before as usize];
        match variable.linkage {
            // All declarations of dynamic shared memory are one variable, whatever
            // their names are.
            _ if dynamic => old.align = old.align.max(variable.alignment()),
            Linkage::Common => old.size = old.size.max(variable.size()),
            Linkage::Weak => {}
            _ => {
                let problem = Problem::Invalid(format!("`{}` is defined twice", variable.name));
                let line = variable.position.line + base;
                return Err(place(problem, line, &program.text));
            }
        }
        return Ok(());
    }
    let made = made(variable, dynamic, base, program)?;
    let index = program.variables.len() as u32;
    symbols.names.insert(key, index);
    if !variable.dims.is_empty() {
        symbols.elements.insert(index, variable.ty.size());
    }
    program.variables.push(made);
    Ok(())
}

/// Returns whether a variable is dynamic shared memory.
fn is_dynamic(variable: &ast::Variable<'_>) -> bool {
    variable.space == Space::Shared && variable.dims.first() == Some(&None)
}

/// Returns whether a variable of a body exists once, as those of the module do.
fn is_of_module(variable: &ast::Variable<'_>) -> bool {
    matches!(variable.space, Space::Shared | Space::Global | Space::Const)
}

/// Creates a variable as [`make`] does, with the place of an error.
fn made(
    variable: &ast::Variable<'_>,
    dynamic: bool,
    base: u32,
    program: &Program,
) -> Result<Variable, LoadError> {
    make(variable, dynamic).map_err(|message| {
        let line = variable.position.line + base;
        place(Problem::Invalid(message), line, &program.text)
    })
}

/// Creates a variable without its place and contents.
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
