//! Names of a function body: registers, variables and labels, with their scopes.
//!
//! PTX ISA 4.4 and 7.1. A declaration hides those of the same name in the scopes around it, until
//! its `}`. `.reg .b32 %r<10>` declares a family of registers. Its members take memory only when
//! they are used, so a large count is not a problem. Labels may be used before their definition. A
//! label that a scope does not define is looked up in the scope around it.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use crate::ast::{
    Body, Item, Label, LabelId, Operand, Position, Register, RegisterDeclaration, RegisterId,
    Target,
};
use crate::error::{ParseError, excerpt};

pub(super) type Map<K, V> = HashMap<K, V, RandomState>;

/// The meaning of a name at this place.
#[derive(Clone, Copy, Debug)]
pub(super) enum Named {
    Register(RegisterId),
    Variable(u32),
    Param(u32),
    Return(u32),
}

/// The item that a name is bound to.
#[derive(Clone, Copy)]
enum Bound {
    /// A family of registers: an index into `families`.
    Family(u32),
    /// A parameter declared `.reg`.
    Register(RegisterId),
    Variable(u32),
    Param(u32),
    Return(u32),
}

#[derive(Clone, Copy)]
struct Binding {
    bound: Bound,
    /// The number of scopes around the declaration. Two equal names at one depth are an error.
    depth: usize,
    /// The number of the declaration. Later declarations hide earlier ones.
    serial: u32,
    at: Position,
}

/// A declared register, or a declared family of registers.
struct Family<'a> {
    declaration: RegisterDeclaration<'a>,
    /// Numbers of the members, [`UNUSED`] for those that were not used yet. The list
    /// grows with use.
    members: Vec<RegisterId>,
    /// Members whose index is far beyond those that were used so far.
    far: Map<u32, RegisterId>,
}

const UNUSED: RegisterId = RegisterId::MAX;
const UNDEFINED: Target = Target::Instruction(u32::MAX);
const SCOPES: usize = 256;

/// The names of one function.
#[derive(Default)]
pub(super) struct Names<'a> {
    /// Single registers, variables and parameters.
    exact: Map<&'a str, Binding>,
    /// Families of registers, by prefix.
    prefixes: Map<&'a str, Binding>,
    families: Vec<Family<'a>>,
    serial: u32,
    /// Whether a name may have several divisions into prefix and number: the name of a single
    /// register ends in a digit, or a prefix does. Compilers do neither.
    ambiguous: bool,
    scopes: Vec<Scope<'a>>,
    /// Labels that turned out to be labels of an outer scope.
    same: Vec<(LabelId, LabelId)>,
}

#[derive(Default)]
struct Scope<'a> {
    /// The bindings that `exact` and `prefixes` get back at the end of the scope.
    hidden: Vec<(bool, &'a str, Option<Binding>)>,
    labels: Map<&'a str, LabelId>,
}

impl<'a> Names<'a> {
    /// Enters a scope. The first one is the function's own.
    pub(super) fn enter(&mut self, at: Position) -> Result<(), ParseError> {
        if self.scopes.len() == SCOPES {
            return Err(ParseError::TooDeep {
                what: "scopes",
                limit: SCOPES,
                at,
            });
        }
        self.scopes.push(Scope::default());
        Ok(())
    }

    /// Leaves the innermost scope. Returns false at the end of the function's own scope.
    pub(super) fn leave(&mut self, body: &mut Body<'a>) -> Result<bool, ParseError> {
        let Some(mut scope) = self.scopes.pop() else {
            return Ok(false);
        };
        while let Some((family, name, before)) = scope.hidden.pop() {
            let map = if family {
                &mut self.prefixes
            } else {
                &mut self.exact
            };
            match before {
                Some(binding) => map.insert(name, binding),
                None => map.remove(name),
            };
        }
        let open = scope
            .labels
            .into_iter()
            .filter(|&(_, id)| body.labels[id as usize].target == UNDEFINED);
        let Some(outer) = self.scopes.last_mut() else {
            // Report the first one in the text, because the order of the map is random.
            return match open
                .map(|(_, id)| body.labels[id as usize])
                .min_by_key(|label| label.position)
            {
                Some(label) => Err(ParseError::NoLabel {
                    name: excerpt(label.name),
                    at: label.position,
                }),
                None => Ok(false),
            };
        };
        for (name, id) in open {
            match outer.labels.get(name) {
                Some(&same) => self.same.push((id, same)),
                None => drop(outer.labels.insert(name, id)),
            }
        }
        Ok(true)
    }

    fn bind(
        &mut self,
        family: bool,
        name: &'a str,
        bound: Bound,
        at: Position,
    ) -> Result<(), ParseError> {
        let depth = self.scopes.len();
        let digit = name.ends_with(|last: char| last.is_ascii_digit());
        self.ambiguous |= digit && (family || name.starts_with('%'));
        let binding = Binding {
            bound,
            depth,
            serial: self.serial,
            at,
        };
        self.serial += 1;
        let map = if family {
            &mut self.prefixes
        } else {
            &mut self.exact
        };
        let before = map.insert(name, binding);
        if let Some(Binding { at: first, .. }) = before.filter(|before| before.depth == depth) {
            return Err(ParseError::Duplicate {
                name: excerpt(name),
                first,
                at,
            });
        }
        if let Some(scope) = self.scopes.last_mut() {
            scope.hidden.push((family, name, before));
        }
        Ok(())
    }

    /// Declares a register or a family of them.
    pub(super) fn declare(
        &mut self,
        declaration: RegisterDeclaration<'a>,
        at: Position,
    ) -> Result<(), ParseError> {
        let family = Bound::Family(self.families.len() as u32);
        self.families.push(Family {
            declaration,
            members: Vec::new(),
            far: Map::default(),
        });
        self.bind(declaration.count.is_some(), declaration.name, family, at)
    }

    /// Binds the name of a variable of the body.
    pub(super) fn variable(
        &mut self,
        name: &'a str,
        index: u32,
        at: Position,
    ) -> Result<(), ParseError> {
        self.bind(false, name, Bound::Variable(index), at)
    }

    /// Binds the name of a parameter that is a register.
    pub(super) fn parameter_register(
        &mut self,
        name: &'a str,
        id: RegisterId,
        at: Position,
    ) -> Result<(), ParseError> {
        self.bind(false, name, Bound::Register(id), at)
    }

    /// Binds the name of a parameter.
    pub(super) fn param(
        &mut self,
        name: &'a str,
        index: u32,
        at: Position,
    ) -> Result<(), ParseError> {
        self.bind(false, name, Bound::Param(index), at)
    }

    /// Binds the name of a return parameter.
    pub(super) fn result(
        &mut self,
        name: &'a str,
        index: u32,
        at: Position,
    ) -> Result<(), ParseError> {
        self.bind(false, name, Bound::Return(index), at)
    }

    /// Returns the meaning of a name in the innermost scope. A register gets its number here when
    /// it is first used.
    pub(super) fn find(&mut self, name: &'a str, body: &mut Body<'a>) -> Option<Named> {
        let mut found = None;
        let digits = name.bytes().rev().take_while(u8::is_ascii_digit).count();
        if digits == 0 || !name.starts_with('%') || self.ambiguous {
            found = self.exact.get(name).map(|&binding| (binding, 0));
        }
        // Numbers with more than ten digits exceed any family.
        let mut length = digits.min(10);
        while length > 0 {
            let (prefix, number) = name.split_at(name.len() - length);
            if let Some(binding) = self.member(prefix, number)
                && found.is_none_or(|(other, _)| other.serial < binding.0.serial)
            {
                found = Some(binding);
            }
            length = if self.ambiguous { length - 1 } else { 0 };
        }
        let (binding, number) = found?;
        Some(match binding.bound {
            Bound::Family(family) => {
                Named::Register(self.families[family as usize].register(number, name, body))
            }
            Bound::Register(id) => Named::Register(id),
            Bound::Variable(index) => Named::Variable(index),
            Bound::Param(index) => Named::Param(index),
            Bound::Return(index) => Named::Return(index),
        })
    }

    /// Returns the family of this prefix, if the number is one of its members.
    fn member(&self, prefix: &str, number: &str) -> Option<(Binding, u32)> {
        let binding = *self.prefixes.get(prefix)?;
        let Bound::Family(family) = binding.bound else {
            return None;
        };
        let canonical = number.len() == 1 || !number.starts_with('0');
        let number = number.parse().ok().filter(|_| canonical)?;
        let count = self.families[family as usize].declaration.count?;
        (number < count).then_some((binding, number))
    }

    /// Returns the label of this name. It may be defined now or later.
    pub(super) fn label(&mut self, name: &'a str, at: Position, body: &mut Body<'a>) -> LabelId {
        let Some(scope) = self.scopes.last_mut() else {
            return 0;
        };
        *scope.labels.entry(name).or_insert_with(|| {
            body.labels.push(Label {
                name,
                target: UNDEFINED,
                position: at,
            });
            body.labels.len() as u32 - 1
        })
    }

    /// Defines a label.
    pub(super) fn define(
        &mut self,
        name: &'a str,
        target: Target,
        at: Position,
        body: &mut Body<'a>,
    ) -> Result<LabelId, ParseError> {
        let id = self.label(name, at, body);
        let label = &mut body.labels[id as usize];
        if label.target != UNDEFINED {
            return Err(ParseError::Duplicate {
                name: excerpt(name),
                first: label.position,
                at,
            });
        }
        (label.target, label.position) = (target, at);
        Ok(id)
    }

    /// Gives labels that are the same one number, after the function's end.
    pub(super) fn join_labels(&self, body: &mut Body<'a>) {
        if self.same.is_empty() {
            return;
        }
        // A label may be joined to a label of an outer scope that is itself joined later. So the
        // list is processed from the last to the first.
        let mut number: Vec<LabelId> = (0..body.labels.len() as u32).collect();
        for &(inner, outer) in self.same.iter().rev() {
            number[inner as usize] = number[outer as usize];
        }
        let mut kept = vec![0; number.len()];
        let mut labels = Vec::with_capacity(number.len());
        for (old, &new) in number.iter().enumerate() {
            if old as u32 == new {
                kept[old] = labels.len() as u32;
                labels.push(body.labels[old]);
            }
        }
        body.labels = labels;
        let renumber = |id: &mut LabelId| *id = kept[number[*id as usize] as usize];
        for operand in body.operands.iter_mut().chain(&mut body.elements) {
            if let Operand::Label(id) = operand {
                renumber(id);
            }
        }
        body.branch_targets.iter_mut().flatten().for_each(renumber);
        for item in &mut body.items {
            if let Item::Label(id) = item {
                renumber(id);
            }
        }
    }
}

impl<'a> Family<'a> {
    /// Returns the number of a member. Assigns one if this is the member's first use.
    fn register(&mut self, member: u32, name: &'a str, body: &mut Body<'a>) -> RegisterId {
        let index = member as usize;
        let known = match self.members.get(index) {
            Some(&id) if id != UNUSED => return id,
            _ if self.far.is_empty() => None,
            _ => self.far.get(&member).copied(),
        };
        if let Some(id) = known {
            return id;
        }
        let id = body.registers.len() as RegisterId;
        let RegisterDeclaration { ty, vector, .. } = self.declaration;
        body.registers.push(Register { name, ty, vector });
        // Compilers use members nearly in order, so a plain array is enough. It cannot become much
        // larger than the text.
        if index <= 2 * self.members.len() + 64 {
            if index >= self.members.len() {
                self.members.resize(index + 1, UNUSED);
            }
            self.members[index] = id;
        } else {
            self.far.insert(member, id);
        }
        id
    }
}
