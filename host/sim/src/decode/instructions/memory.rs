//! `ld`, `ldu`, `st`.
//!
//! PTX ISA, "Data Movement and Conversion: ld, ldu, st". Cache operators, eviction priorities and
//! prefetch sizes are hints. `.volatile`, `.relaxed`, `.acquire`, `.release` and `.mmio` make an
//! access of global memory an atomic operation of the host (`machine::memory::strong`), and tell
//! the scheduler that a thread may be in a spin loop.

use super::addresses;
use crate::decode::builder::{Builder, Operands};
use crate::decode::operand::repr;
use crate::decode::problem::{Result, invalid, unsupported};
use crate::decode::table;
use crate::machine::memory::transfer::{self, NOWHERE, TransferSpace, Width};
use crate::machine::memory::{flag, strong};
use crate::machine::program::{Class, SpaceClass, Value, VariableSpace};
use crate::ptx::ast::{
    Base, Component, Instruction, Modifier as M, Opcode, Operand, Space, Symbol, Type,
};

/// An address operand, in the form that operations take.
pub(super) struct Address {
    /// The row of addresses, or the area of a parameter.
    pub(super) row: u32,
    /// The offset that is added to the addresses: the operation's `c`.
    pub(super) offset: u32,
    /// The flags: `flag::NARROW` or none.
    pub(super) flags: u32,
}

/// Returns the memory that the modifiers specify.
pub(super) fn place(i: &Instruction) -> Result<TransferSpace> {
    let mut place = TransferSpace::Generic;
    for word in i.modifiers.iter() {
        place = match word {
            M::Global => TransferSpace::Global,
            M::Shared | M::SharedCta | M::SharedCluster => TransferSpace::Shared,
            M::Local => TransferSpace::Local,
            M::Const => TransferSpace::Constant,
            M::Param | M::ParamEntry | M::ParamFunc => TransferSpace::Param,
            _ => continue,
        };
    }
    Ok(place)
}

/// Returns the width of a type in memory.
pub(super) fn width(ty: Type) -> Option<Width> {
    Some(match ty {
        Type::S8 => Width::I8,
        Type::S16 => Width::I16,
        Type::S32 => Width::I32,
        Type::Pred | Type::Texref | Type::Samplerref | Type::Surfref => return None,
        ty => match ty.size() {
            1 => Width::U8,
            2 => Width::U16,
            4 => Width::U32,
            8 => Width::U64,
            16 => Width::U128,
            _ => return None,
        },
    })
}

/// Returns the class of a memory for the counters.
pub(super) fn class_of(place: TransferSpace) -> SpaceClass {
    match place {
        TransferSpace::Global => SpaceClass::Global,
        TransferSpace::Shared => SpaceClass::Shared,
        TransferSpace::Local => SpaceClass::Local,
        TransferSpace::Constant | TransferSpace::Param | TransferSpace::Area => {
            SpaceClass::Constant
        }
        TransferSpace::Generic => SpaceClass::Generic,
    }
}

impl<'a> Builder<'a, '_> {
    /// Returns the row of an address operand, for memory that has addresses.
    pub(super) fn address_operand(&mut self, operand: &Operand<'a>) -> Result<Address> {
        let (base, offset) = match *operand {
            Operand::Address(base, offset) => (base, offset),
            Operand::Indexed(indexed) => {
                let row = self.indexed(indexed)?;
                return Ok(Address {
                    row,
                    offset: 0,
                    flags: 0,
                });
            }
            _ => return invalid("expected an address"),
        };
        let (row, narrow) = match base {
            Base::Register(id) => {
                let operand = Operand::Register(id);
                match self.register_size(&operand) {
                    Some(4) => (self.register(&operand, 4)?, true),
                    Some(8) => (self.register(&operand, 8)?, false),
                    _ => return invalid("an address has 32 or 64 bits"),
                }
            }
            Base::Symbol(symbol) => {
                let value = self.address(symbol, offset)?;
                let row = self.constant(value, 8)?;
                return Ok(Address {
                    row,
                    offset: 0,
                    flags: 0,
                });
            }
            Base::Absolute => {
                let row = self.constant(Value::Bits(u128::from(offset as u64)), 8)?;
                return Ok(Address {
                    row,
                    offset: 0,
                    flags: 0,
                });
            }
        };
        let flags = if narrow { flag::NARROW } else { 0 };
        if let Ok(offset) = i32::try_from(offset) {
            return Ok(Address {
                row,
                offset: offset as u32,
                flags,
            });
        }
        if narrow {
            return invalid("an offset of more than 32 bits to an address of 32 bits");
        }
        let b = self.constant(Value::Bits(u128::from(offset as u64)), 8)?;
        let d = self.scratch(8)?;
        let Some(add) = table::find("add.u64") else {
            return unsupported();
        };
        self.emit(add.run, Operands::to(d).a(row).b(b));
        Ok(Address {
            row: d,
            offset: 0,
            flags,
        })
    }

    /// Returns the elements of a vector operand, which is in braces or a vector register, or
    /// the single operand.
    pub(super) fn elements(&self, operand: &Operand<'a>) -> Vec<Operand<'a>> {
        match *operand {
            Operand::Vector(slice) | Operand::VectorPair(slice, _) => {
                self.body.elements(slice).to_vec()
            }
            Operand::Register(id) if self.is_vector(operand) => {
                let many = self.body.registers[id as usize].vector;
                let components = Component::ALL.iter().take(many.into());
                components
                    .map(|&component| Operand::Element(id, component))
                    .collect()
            }
            one => vec![one],
        }
    }
}

impl<'a> Builder<'a, '_> {
    /// Returns whether an operand is a vector register.
    pub(super) fn is_vector(&self, operand: &Operand<'a>) -> bool {
        match *operand {
            Operand::Register(id) => {
                let register = self.body.registers.get(id as usize);
                register.is_some_and(|register| register.vector > 1)
            }
            Operand::Vector(_) => true,
            _ => false,
        }
    }

    /// Returns the memory of an access without a state space. As in ptxas, it is the memory of the
    /// variable that the access refers to.
    pub(super) fn place_of(
        &self,
        place: TransferSpace,
        address: &Operand<'a>,
    ) -> Result<TransferSpace> {
        let symbol = match *address {
            Operand::Address(Base::Symbol(symbol), _) => symbol,
            Operand::Indexed(indexed) => indexed.symbol,
            _ => return Ok(place),
        };
        if place != TransferSpace::Generic {
            return Ok(place);
        }
        match self.space_of(symbol) {
            Some(Space::Shared) => Ok(TransferSpace::Shared),
            Some(Space::Local) => Ok(TransferSpace::Local),
            Some(Space::Global) => Ok(TransferSpace::Global),
            Some(space) => invalid(format!(
                "the variable is in .{0} memory, which has no generic addresses here; say `.{0}`",
                space.name()
            )),
            None => Ok(place),
        }
    }

    /// Returns the state space of a symbol, or `None` for functions.
    fn space_of(&self, symbol: Symbol<'a>) -> Option<Space> {
        match symbol {
            Symbol::Local(index) => self.body.variables.get(index as usize).map(|v| v.space),
            Symbol::Param(_) | Symbol::Return(_) => Some(Space::Param),
            Symbol::Module(name) => {
                let index = self.symbols.find(self.module, name)?;
                match self.symbols.space(index) {
                    VariableSpace::Global | VariableSpace::Managed => Some(Space::Global),
                    VariableSpace::Constant => Some(Space::Const),
                    VariableSpace::Shared(_) | VariableSpace::DynamicShared => Some(Space::Shared),
                    VariableSpace::Function(_) | VariableSpace::Reference(_) => None,
                }
            }
        }
    }
}

/// Decodes `ld`, `ldu`, `st`.
pub(super) fn transfer<'a>(b: &mut Builder<'a, '_>, i: &Instruction) -> Result<()> {
    let store = i.opcode == Opcode::St;
    if i.modifiers.has(M::Unified) {
        return unsupported();
    }
    let Some(ty) = i.modifiers.types().last() else {
        return invalid("no type");
    };
    let Some(width) = width(ty) else {
        return unsupported();
    };
    let operands = b.body.operands(i);
    let (address, value) = match (store, operands) {
        (true, [address, value, ..]) => (address, value),
        (false, [value, address, ..]) => (address, value),
        _ => return invalid("expected an address and a value"),
    };
    let (rows, register) = values(b, i, value, (ty, store))?;
    let count = rows.len();
    let mut place = b.place_of(place(i)?, address)?;
    let bytes = ty.size() * count as u64;
    // Whether the address of a kernel's parameter is in a register.
    let mut of_kernel = false;
    let mut at = None;
    let indexed = match *address {
        Operand::Indexed(indexed) if indexed.register.is_none() => {
            let offset = b.scaled(indexed)?;
            Some(Operand::Address(Base::Symbol(indexed.symbol), offset))
        }
        _ => None,
    };
    let address = indexed.as_ref().unwrap_or(address);
    if place == TransferSpace::Param
        && let Operand::Address(Base::Symbol(symbol), offset) = *address
    {
        at = Some(param(b, symbol, offset, bytes, store, &mut place)?);
    } else if place == TransferSpace::Param {
        of_kernel = b.function.entry;
        // The address of a function's parameter is that of a copy in local memory.
        place = match of_kernel {
            true => TransferSpace::Generic,
            false => TransferSpace::Local,
        };
    }
    let Address { row, offset, flags } = match (at, address) {
        (Some(at), _) => at,
        (None, &Operand::Address(Base::Register(id), _)) if of_kernel => Address {
            row: addresses::of_parameter(b, &Operand::Register(id))?,
            flags: 0,
            ..b.address_operand(address)?
        },
        (None, address) => b.address_operand(address)?,
    };
    let strong = [M::Volatile, M::Relaxed, M::Acquire, M::Release, M::Mmio];
    let spins = strong.iter().any(|&m| i.modifiers.has(m));
    let handler = match (spins, store) {
        (true, true) => strong::store(place, width, register),
        (true, false) => strong::load(place, width, register),
        (false, _) => None,
    };
    let handler = handler.or_else(|| match store {
        true => transfer::store(place, width, register),
        false => transfer::load(place, width, register),
    });
    let Some(run) = handler else {
        return invalid("a register of this width does not hold the type");
    };
    let aux = flags | if spins { flag::SPINS } else { 0 } | (count as u32 - 1) << flag::ELEMENTS;
    let d = if count == 1 { rows[0] } else { b.list(&rows) };
    let class = class_of(place);
    b.orders(i);
    // The default is `.ca`, and `.cs` only causes an earlier eviction. The read-only path is
    // separate, and strong accesses are not cached in L1.
    let past_l1 = [M::Cg, M::Cv, M::Nc];
    b.through_l1(!store && !spins && !past_l1.iter().any(|&m| i.modifiers.has(m)));
    b.read_only(i.modifiers.has(M::Nc));
    b.classify(
        if store {
            Class::Store(class)
        } else {
            Class::Load(class)
        },
        bytes,
    );
    b.emit(run, Operands::to(d).a(row).c(offset).aux(aux));
    Ok(())
}

/// Returns the rows of the values that an instruction moves, and the width of their registers.
fn values<'a>(
    b: &mut Builder<'a, '_>,
    i: &Instruction,
    value: &Operand<'a>,
    (ty, store): (Type, bool),
) -> Result<(Vec<u32>, u64)> {
    let elements = b.elements(value);
    let count = match () {
        () if i.modifiers.has(M::V2) => 2,
        () if i.modifiers.has(M::V4) => 4,
        () if i.modifiers.has(M::V8) => 8,
        () => 1,
    };
    if elements.len() != count {
        return invalid(format!(
            "{} values, where the instruction moves {count}",
            elements.len()
        ));
    }
    // All elements have the same width. An immediate or `_` has the width of the type.
    let register = elements
        .iter()
        .find_map(|e| b.register_size(e))
        .map_or(repr(ty.size()), repr);
    let mut rows = Vec::with_capacity(count);
    for element in &elements {
        rows.push(match element {
            Operand::Sink if count > 1 => NOWHERE,
            element if store => b.source(element, register, Some(ty))?,
            element => b.destination(element, register)?,
        });
    }
    Ok((rows, register))
}

/// Decodes an access of a parameter by its name: of the kernel, of the function, or of a call.
fn param<'a>(
    b: &mut Builder<'a, '_>,
    symbol: Symbol<'a>,
    offset: i64,
    bytes: u64,
    store: bool,
    place: &mut TransferSpace,
) -> Result<Address> {
    let (area, base) = match symbol {
        Symbol::Param(index) if b.function.entry => {
            if store {
                return invalid("a kernel's parameters cannot be written");
            }
            let size = b.function.params[index as usize].size() as u32;
            let offset = b.symbols.param_offset(b.function, index as usize);
            (crate::machine::program::Area { offset: 0, size }, offset)
        }
        Symbol::Param(index) => (b.params[index as usize], 0),
        Symbol::Return(index) => (b.returns[index as usize], 0),
        Symbol::Local(index) => match b.areas[index as usize] {
            Some(area) => (area, 0),
            None => return invalid("a variable that is no parameter"),
        },
        Symbol::Module(name) => return invalid(format!("`{name}` is no parameter")),
    };
    let kernel = matches!(symbol, Symbol::Param(_)) && b.function.entry;
    let end = u64::try_from(offset)
        .ok()
        .and_then(|o| o.checked_add(bytes));
    if end.is_none_or(|end| end > u64::from(area.size)) {
        return invalid(format!(
            "byte {offset} and {bytes} bytes of a parameter that has {}",
            area.size
        ));
    }
    if !(offset as u64).is_multiple_of(bytes.min(4)) {
        return invalid(format!("{bytes} bytes at byte {offset}: not aligned"));
    }
    *place = if kernel {
        TransferSpace::Param
    } else {
        TransferSpace::Area
    };
    Ok(Address {
        row: area.offset,
        offset: base + offset as u32,
        flags: 0,
    })
}
