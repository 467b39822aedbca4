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

use super::function;
use super::program::{Program, Reference, Variable, VariableSpace};
use crate::module::LoadError;
use crate::ptx::ast::{self, Attribute, Linkage, Space, Type};

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
        kernel::params(function)
            .0
            .get(index)
            .map_or(0, |p| p.offset)
    }
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
    shared::place(modules, &defined, &mut symbols, &mut program);
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
            let kernel = kernel::describe(function, body, &program);
            program.kernels.push((kernel, program.functions.len() - 1));
        }
    }
    debug_assert_eq!(program.ops.len(), program.infos.len());
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
