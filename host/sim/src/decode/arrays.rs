//! Finds the shared or local array that an access is meant for.
//!
//! An address belongs to an array if it is computed from that array's address and from no value
//! that could be another address: through moves, additions and conversions. Every assignment of a
//! register counts, wherever it is. A value from memory, from parameters or from other instructions
//! may be any address, and accesses through it are not checked. The same holds for a value that is
//! computed from the distance of two arrays, because it leads from one array to the other.

use super::symbols::Symbols;
use crate::machine::program::VariableSpace;
use crate::ptx::ast::{
    self, Base, Body, Instruction, Modifier, Opcode, Operand, RegisterId, Space, Symbol,
};

/// A variable that a function refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NamedVariable {
    /// A static shared variable, by its index among the program's.
    Shared(u32),
    /// A local variable, by its index among the body's.
    Local(u32),
}

/// The origin of a register's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Origin {
    /// No assignment was found yet.
    #[default]
    Unset,
    /// The address of this variable, plus numbers.
    Array(NamedVariable),
    /// The distance from a variable to another address, or a value computed from such a distance.
    Distance,
    /// Any origin is possible.
    Any,
}

impl Origin {
    /// Returns the origin of a value that is one of the two.
    fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::Unset, one) | (one, Self::Unset) => one,
            (Self::Distance, _) | (_, Self::Distance) => Self::Distance,
            (a, b) if a == b => a,
            _ => Self::Any,
        }
    }

    /// Returns the origin of a sum.
    fn plus(self, other: Self) -> Self {
        match (self, other) {
            (Self::Distance, _) | (_, Self::Distance) => Self::Distance,
            (Self::Array(a), Self::Any) | (Self::Any, Self::Array(a)) => Self::Array(a),
            // An origin that is not known yet may turn out to be a number.
            (Self::Unset, _) | (_, Self::Unset) => Self::Unset,
            _ => Self::Any,
        }
    }
}

/// The inputs of the search, from a function's body.
pub(super) struct Arrays<'a, 'm> {
    pub(super) symbols: &'m Symbols<'a>,
    pub(super) module: usize,
    pub(super) function: &'m ast::Function<'a>,
    pub(super) body: &'m Body<'a>,
}

impl<'a> Arrays<'a, '_> {
    /// Returns the static shared or the local variable that a symbol refers to.
    fn named(&self, symbol: Symbol<'a>) -> Option<NamedVariable> {
        if let Symbol::Local(index) = symbol {
            let variable = self.body.variables.get(index as usize);
            if variable.is_some_and(|variable| variable.space == Space::Local) {
                return Some(NamedVariable::Local(index));
            }
        }
        let variable = match symbol {
            Symbol::Module(name) => self.symbols.find(self.module, name),
            Symbol::Local(index) => {
                self.symbols
                    .body_variable(self.module, self.function.name, index)
            }
            _ => None,
        }?;
        matches!(self.symbols.space(variable), VariableSpace::Shared(_))
            .then_some(NamedVariable::Shared(variable))
    }

    /// Returns each register's origin. The list is empty if the function refers to no such array.
    pub(super) fn origins(&self) -> Vec<Origin> {
        let names = |operand: &Operand<'a>| matches!(*operand, Operand::Symbol(s, _) if self.named(s).is_some());
        let mut operands = self.body.operands.iter().chain(&self.body.elements);
        if !operands.any(names) {
            return Vec::new();
        }
        let mut origins = vec![Origin::Unset; self.body.registers.len()];
        loop {
            let mut changed = false;
            for instruction in &self.body.instructions {
                let Some((&to, _)) = self.body.operands(instruction).split_first() else {
                    continue;
                };
                let value = self.value(instruction, &origins);
                let mut assign = |register: RegisterId| {
                    let at = &mut origins[register as usize];
                    let now = at.or(value);
                    changed |= now != *at;
                    *at = now;
                };
                match to {
                    Operand::Register(register) | Operand::Element(register, _) => assign(register),
                    Operand::Pair(first, second) => {
                        first.into_iter().chain(second).for_each(assign)
                    }
                    Operand::Vector(slice) | Operand::VectorPair(slice, _) => {
                        for element in self.body.elements(slice) {
                            if let Operand::Register(register) = *element {
                                assign(register);
                            }
                        }
                    }
                    _ => {}
                }
            }
            if !changed {
                return origins;
            }
        }
    }

    /// Returns the origin of an instruction's result.
    fn value(&self, instruction: &Instruction, origins: &[Origin]) -> Origin {
        let of = |operand: &Operand<'a>| match *operand {
            Operand::Register(register) => origins[register as usize],
            Operand::Symbol(symbol, _) => self.named(symbol).map_or(Origin::Any, Origin::Array),
            _ => Origin::Any,
        };
        let operands = self.body.operands(instruction);
        // A value in memory may be anything, whatever its address is computed from.
        let sources = match instruction.opcode {
            Opcode::Ld | Opcode::Atom => &[],
            _ => operands.get(1..).unwrap_or_default(),
        };
        if sources.iter().any(|source| of(source) == Origin::Distance) {
            return Origin::Distance;
        }
        match (instruction.opcode, operands) {
            (Opcode::Mov | Opcode::Cvt | Opcode::Cvta, [_, a]) => of(a),
            // Compilers use `or` for an addition whose bits do not overlap.
            (Opcode::Add | Opcode::Or, [_, a, b]) => of(a).plus(of(b)),
            (Opcode::Sub, [_, _, b]) if matches!(of(b), Origin::Array(_)) => Origin::Distance,
            (Opcode::Sub, [_, a, b]) => of(a).plus(of(b)),
            (Opcode::Mad, [_, _, _, c]) => of(c).plus(Origin::Any),
            (Opcode::Selp, [_, a, b, _]) => of(a).or(of(b)),
            _ => Origin::Any,
        }
    }

    /// Returns the array that an operand is meant for, if the operand is an address.
    fn meant(&self, operand: &Operand<'a>, origins: &[Origin]) -> Option<NamedVariable> {
        let Operand::Address(base, _) = *operand else {
            return None;
        };
        match base {
            Base::Register(register) => match origins.get(register as usize) {
                Some(&Origin::Array(array)) => Some(array),
                _ => None,
            },
            Base::Symbol(symbol) => self.named(symbol),
            Base::Absolute => None,
        }
    }

    /// Returns the indices of the shared arrays that an asynchronous copy or store writes and
    /// reads: those of its first operand and of its second.
    pub(super) fn copied(
        &self,
        instruction: &Instruction,
        origins: &[Origin],
    ) -> Option<[Option<u32>; 2]> {
        let copies = instruction.opcode == Opcode::Cp
            || instruction.modifiers.has(Modifier::Async)
                && matches!(instruction.opcode, Opcode::St | Opcode::Red);
        let operands = self.body.operands(instruction);
        let of = |place: usize| match self.meant(operands.get(place)?, origins)? {
            NamedVariable::Shared(array) => Some(array),
            NamedVariable::Local(_) => None,
        };
        let arrays = [of(0), of(1)];
        (copies && arrays != [None; 2]).then_some(arrays)
    }

    /// Returns the array that an instruction's address is meant for.
    pub(super) fn accessed(
        &self,
        instruction: &Instruction,
        origins: &[Origin],
    ) -> Option<NamedVariable> {
        let mut found = None;
        for operand in self.body.operands(instruction) {
            if let Operand::Address(..) = *operand {
                let array = self.meant(operand, origins);
                // For an instruction with two addresses, it is not known here which
                // access uses which.
                if found.is_some() {
                    return None;
                }
                found = Some(array);
            }
        }
        found.flatten()
    }
}
