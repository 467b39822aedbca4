//! Converts operands to frame offsets: registers, immediates, special registers, symbols.
//!
//! PTX ISA, chapter 6, "Instruction Operands". An immediate becomes a constant row of the frame,
//! truncated to the operation's width. A symbol's address also becomes a constant row, which is
//! filled in when the module is instantiated on a device.

use super::builder::{Builder, Operands, row_bytes};
use super::problem::{Result, invalid, unsupported};
use super::table;
use crate::machine::compute::alu;
use crate::machine::program::{Value, VariableSpace};
use crate::ptx::ast::{
    Class, Component, Indexed, Operand, RegisterId, SpecialRegister, Symbol, Type, Variable,
};

/// Returns the bytes of the representation of a value of `size` bytes.
pub(super) fn repr(size: u64) -> u64 {
    size.max(4)
}

impl<'a> Builder<'a, '_> {
    /// Returns the word of a predicate register.
    pub(super) fn predicate_register(&self, id: RegisterId) -> Result<u32> {
        match self.body.registers.get(id as usize) {
            Some(register) if register.ty == Type::Pred => Ok(self.registers[id as usize]),
            Some(register) => invalid(format!("`{}` is no predicate", register.name)),
            None => invalid("a register that is not declared"),
        }
    }

    /// Returns a predicate that is read: its offset, with bit 0 set if it is negated.
    pub(super) fn predicate(&self, operand: &Operand<'a>) -> Result<u32> {
        match *operand {
            Operand::Register(id) => self.predicate_register(id),
            Operand::Negated(id) => Ok(self.predicate_register(id)? | 1),
            Operand::Int(value) => Ok(u32::from(value == 0)),
            _ => invalid("expected a predicate"),
        }
    }

    /// Returns a predicate that is written.
    pub(super) fn predicate_destination(&self, operand: &Operand<'a>) -> Result<u32> {
        match *operand {
            Operand::Register(id) => self.predicate_register(id),
            Operand::Sink => Ok(self.no_predicate()),
            _ => invalid("expected a predicate"),
        }
    }

    /// Returns the declared size of a register, in bytes.
    pub(super) fn register_size(&self, operand: &Operand<'a>) -> Option<u64> {
        match *operand {
            Operand::Register(id) | Operand::Element(id, _) => {
                self.body.registers.get(id as usize).map(|r| r.ty.size())
            }
            _ => None,
        }
    }

    /// Returns the row of a register whose lanes have `width` bytes (4, 8 or 16).
    pub(super) fn register(&self, operand: &Operand<'a>, width: u64) -> Result<u32> {
        let (id, component) = match *operand {
            Operand::Register(id) => (id, 0),
            Operand::Element(id, component) => (id, component_index(component)),
            _ => return invalid("expected a register"),
        };
        let Some(register) = self.body.registers.get(id as usize) else {
            return invalid("a register that is not declared");
        };
        if register.ty == Type::Pred {
            return invalid(format!(
                "`{}` is a predicate, where a value of {width} bytes should stand",
                register.name
            ));
        }
        if repr(register.ty.size()) != width {
            let size = register.ty.size();
            return invalid(format!(
                "`{}` has {size} bytes, where {width} are read or written",
                register.name
            ));
        }
        let elements = u32::from(register.vector);
        let whole = matches!(operand, Operand::Register(_)) && elements > 1;
        if component >= elements || whole {
            return invalid(format!("`{}` is a vector of {elements}", register.name));
        }
        Ok(self.registers[id as usize] + component * row_bytes(width))
    }

    /// Returns a row that is written: a register, or a row that nothing reads.
    pub(super) fn destination(&mut self, operand: &Operand<'a>, width: u64) -> Result<u32> {
        match operand {
            Operand::Sink => self.scratch(width),
            operand => self.register(operand, width),
        }
    }

    /// Reserves a row for the decoder's own use.
    pub(super) fn scratch(&mut self, width: u64) -> Result<u32> {
        self.reserve(row_bytes(width))
    }

    /// Returns a row that is read, of lanes of `width` bytes. `float` is the float
    /// type of literals.
    pub(super) fn source(
        &mut self,
        operand: &Operand<'a>,
        width: u64,
        float: Option<Type>,
    ) -> Result<u32> {
        let bits = |value: u64| {
            Value::Bits(u128::from(if width == 4 {
                value & 0xffff_ffff
            } else {
                value
            }))
        };
        let value = match *operand {
            Operand::Register(_) | Operand::Element(..) => return self.register(operand, width),
            Operand::Int(value) => match float {
                // In PTX, integer literals cannot stand for floats, except for zero in some places.
                _ if width == 16 => Value::Bits(value as i128 as u128),
                _ => bits(value as u64),
            },
            Operand::F32(value) => match float {
                Some(Type::F64) => bits(f64::from(f32::from_bits(value)).to_bits()),
                _ => bits(u64::from(value)),
            },
            Operand::F64(value) => match float {
                Some(Type::F64) => bits(value),
                Some(Type::F16) => bits(u64::from(
                    half::f16::from_f64(f64::from_bits(value)).to_bits(),
                )),
                Some(Type::Bf16) => bits(u64::from(
                    half::bf16::from_f64(f64::from_bits(value)).to_bits(),
                )),
                // An untyped constant has as many bits as the operand: `mov.b64 %rd1,
                // 0d3FF0000000000000`.
                _ if width == 8 => bits(value),
                Some(_) => bits(u64::from((f64::from_bits(value) as f32).to_bits())),
                None => bits(u64::from((f64::from_bits(value) as f32).to_bits())),
            },
            Operand::Special(register, component) => {
                return self.special(register, component, width);
            }
            Operand::Symbol(symbol, offset) => self.address(symbol, offset)?,
            Operand::Sum(id, offset) => return self.sum(id, offset, width),
            Operand::Indexed(indexed) => return self.element_address(indexed, width),
            _ => return invalid("expected a value"),
        };
        self.constant(value, width)
    }

    /// Returns the constant row of a special register. Clocks are read by operations of their own.
    fn special(
        &mut self,
        register: SpecialRegister,
        component: Option<Component>,
        width: u64,
    ) -> Result<u32> {
        use SpecialRegister as S;
        let component = component.map_or(0, component_index) as u8;
        match register {
            S::ReservedSmemOffsetBegin
            | S::ReservedSmemOffsetEnd
            | S::ReservedSmemOffsetCap
            | S::ReservedSmemOffset0
            | S::ReservedSmemOffset1 => {
                self.code.asks_for_reserved = true;
                self.constant(Value::Special(register, component), width)
            }
            S::Clock
            | S::ClockHi
            | S::Clock64
            | S::Globaltimer
            | S::GlobaltimerLo
            | S::GlobaltimerHi => unsupported(),
            S::Tid
            | S::Ntid
            | S::Ctaid
            | S::Nctaid
            | S::Laneid
            | S::Warpid
            | S::Nwarpid
            | S::Smid
            | S::Nsmid
            | S::Gridid
            | S::LanemaskEq
            | S::LanemaskLe
            | S::LanemaskLt
            | S::LanemaskGe
            | S::LanemaskGt
            | S::IsExplicitCluster
            | S::Clusterid
            | S::Nclusterid
            | S::ClusterCtaid
            | S::ClusterNctaid
            | S::ClusterCtarank
            | S::ClusterNctarank
            | S::TotalSmemSize
            | S::AggrSmemSize
            | S::DynamicSmemSize
            | S::Envreg1
            | S::Envreg2 => self.constant(Value::Special(register, component), width),
            _ => unsupported(),
        }
    }

    fn variable(&self, index: u32, offset: i64) -> Value {
        match self.symbols.space(index) {
            VariableSpace::DynamicShared => Value::DynamicShared(offset),
            _ => Value::Symbol(index, offset),
        }
    }

    /// Adds an operation of the table that computes a row from two.
    fn binary(&mut self, spelling: &str, a: u32, b: u32, width: u64) -> Result<u32> {
        let Some(entry) = table::find(spelling) else {
            return unsupported();
        };
        let d = self.scratch(width)?;
        self.emit(entry.run, Operands::to(d).a(a).b(b));
        Ok(d)
    }

    /// Returns the sum of a register and an offset, as in `%r1+4`.
    fn sum(&mut self, id: RegisterId, offset: i64, width: u64) -> Result<u32> {
        let row = self.register(&Operand::Register(id), width)?;
        let (add, offset) = match width {
            4 => ("add.u32", u128::from(offset as u32)),
            8 => ("add.u64", u128::from(offset as u64)),
            _ => return unsupported(),
        };
        let by = self.constant(Value::Bits(offset), width)?;
        self.binary(add, row, by, width)
    }

    /// Returns the bytes from an array's start to the constant part of an index.
    pub(super) fn scaled(&self, indexed: Indexed<'a>) -> Result<i64> {
        Ok(indexed
            .index
            .wrapping_mul(self.element_size(indexed.symbol)? as i64))
    }

    /// Returns the bytes of one element of an array variable.
    fn element_size(&self, symbol: Symbol<'a>) -> Result<u64> {
        let of = |variable: Option<&Variable<'a>>| {
            let variable = variable.filter(|variable| !variable.dims.is_empty())?;
            Some(variable.ty.size())
        };
        let size = match symbol {
            Symbol::Local(index) => of(self.body.variables.get(index as usize)),
            Symbol::Param(index) => of(self.function.params.get(index as usize)),
            Symbol::Return(index) => of(self.function.returns.get(index as usize)),
            Symbol::Module(name) => {
                let index = self.symbols.find(self.module, name);
                index.and_then(|index| self.symbols.element_size(index))
            }
        };
        size.map_or_else(|| invalid("an index behind what is no array"), Ok)
    }

    /// Returns the address of an element, as a row of 4 or 8 bytes.
    fn element_address(&mut self, indexed: Indexed<'a>, width: u64) -> Result<u32> {
        let size = self.element_size(indexed.symbol)?;
        let offset = self.scaled(indexed)?;
        let base = self.address(indexed.symbol, offset)?;
        let base = self.constant(base, width)?;
        let Some(id) = indexed.register else {
            return Ok(base);
        };
        let index = Operand::Register(id);
        let declared = self
            .body
            .registers
            .get(id as usize)
            .map(|register| register.ty);
        let signed = declared.is_some_and(|ty| ty.class() == Class::Signed);
        let row = match self.register_size(&index) {
            Some(bytes) if bytes == width => self.register(&index, bytes)?,
            Some(bytes @ (2 | 4)) => {
                let a = self.register(&index, 4)?;
                let d = self.scratch(width)?;
                let run = match (bytes, width, signed) {
                    (2, 4, false) => alu::unary_rare(|a: u16| u32::from(a)),
                    (2, 4, true) => alu::unary_rare(|a: i16| i32::from(a)),
                    (2, _, false) => alu::unary_rare(|a: u16| u64::from(a)),
                    (2, _, true) => alu::unary_rare(|a: i16| i64::from(a)),
                    (_, _, false) => alu::unary_rare(|a: u32| u64::from(a)),
                    (_, _, true) => alu::unary_rare(|a: i32| i64::from(a)),
                };
                self.emit(run, Operands::to(d).a(a));
                d
            }
            Some(8) => {
                // A 64-bit index is added to a 32-bit address with its lower half.
                let a = self.register(&index, 8)?;
                let d = self.scratch(4)?;
                self.emit(alu::unary_rare(|a: u64| a as u32), Operands::to(d).a(a));
                d
            }
            _ => return invalid("expected an index of 16, 32 or 64 bits"),
        };
        let by = self.constant(Value::Bits(size.into()), width)?;
        let (multiply, add) = match width {
            4 => ("mul.lo.u32", "add.u32"),
            _ => ("mul.lo.u64", "add.u64"),
        };
        let scaled = self.binary(multiply, row, by, width)?;
        self.binary(add, base, scaled, width)
    }

    /// Returns the row of an element's address, in 64 bits.
    pub(super) fn indexed(&mut self, indexed: Indexed<'a>) -> Result<u32> {
        self.element_address(indexed, 8)
    }

    /// Returns the address of a symbol, in its own state space.
    pub(super) fn address(&mut self, symbol: Symbol<'a>, offset: i64) -> Result<Value> {
        match symbol {
            Symbol::Local(index) => {
                if let Some(place) = self.locals[index as usize] {
                    return Ok(Value::Local(place.wrapping_add(offset as u32)));
                }
                match self
                    .symbols
                    .body_variable(self.module, self.function.name, index)
                {
                    Some(variable) => Ok(self.variable(variable, offset)),
                    None => invalid("the address of a parameter of a call cannot be taken"),
                }
            }
            Symbol::Param(index) if self.function.entry => {
                let start = self.symbols.param_offset(self.function, index as usize);
                Ok(Value::Bits(u128::from(
                    (crate::memory::window::PARAM + u64::from(start)).wrapping_add_signed(offset),
                )))
            }
            Symbol::Param(index) => match self.param_copies[index as usize] {
                Some(place) => Ok(Value::Local(place.wrapping_add(offset as u32))),
                None => invalid("the address of this parameter cannot be taken"),
            },
            Symbol::Return(_) => invalid("the address of a function's result cannot be taken"),
            Symbol::Module(name) => match self.symbols.find(self.module, name) {
                Some(index) => Ok(self.variable(index, offset)),
                None => invalid(format!(
                    "`{name}` is not defined in this module; link the one that defines it"
                )),
            },
        }
    }
}

/// Returns the index of `.x` to `.w`, or of `.r` to `.a`.
pub(super) fn component_index(component: Component) -> u32 {
    component as u32
}
