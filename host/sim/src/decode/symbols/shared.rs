//! Static shared variables: the offset of each in a block's shared memory.
//!
//! The variables that one kernel can access, directly or through functions that it may call, do not
//! overlap. Variables of different kernels may overlap.

use std::collections::{BTreeSet, HashMap};

use super::initial::{initialised, named};
use super::{Program, Symbols, VariableSpace};
use crate::ptx::ast::{self, Body, Operand, Symbol};

/// Returns the module names and body variables that occur in a body.
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
            Operand::Indexed(indexed) => symbol(indexed.symbol),
            _ => {}
        }
    }
    (names, locals)
}

/// Assigns offsets to static shared variables. Each comes after all others of every kernel that
/// can access it.
pub(in crate::decode) fn place<'a>(
    modules: &[ast::Module<'a>],
    defined: &[(usize, usize)],
    symbols: &mut Symbols<'a>,
    program: &mut Program,
) -> Mentions {
    // The names in each function: variables, and functions as variables.
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
    // A function whose address is in a variable may be called by any kernel that reads the
    // variable. So all kernels count as its callers.
    let indirect: Vec<usize> = initialised(modules)
        .flat_map(|(m, _, variable)| {
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
                    // A kernel that this one launches has its own shared memory.
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
    Mentions { direct, kernels }
}

/// The references between functions.
pub(in crate::decode) struct Mentions {
    /// The names in each function: variables, and functions as variables.
    direct: Vec<BTreeSet<u32>>,
    kernels: Vec<usize>,
}

impl Mentions {
    /// Returns a function together with the functions that it may call by name or whose address it
    /// takes. Kernels that it launches are not included.
    pub(in crate::decode) fn functions_of(
        &self,
        entry: usize,
        symbols: &Symbols<'_>,
    ) -> impl Iterator<Item = usize> {
        let mut seen = BTreeSet::from([entry]);
        let mut todo = vec![entry];
        while let Some(function) = todo.pop() {
            for &variable in &self.direct[function] {
                if let VariableSpace::Function(callee) = symbols.space(variable)
                    && !self.kernels.contains(&callee)
                    && seen.insert(callee)
                {
                    todo.push(callee);
                }
            }
        }
        seen.into_iter()
    }
}
