//! Operands to frame offsets: registers, immediates, special registers, symbols.
//!
//! PTX ISA, chapter 6, "Instruction Operands". An immediate becomes a constant row of the frame, cut to the operation's
//! width; a symbol's address too, filled in when the module is put on a device.

use super::function::{Builder, Result, invalid, row_bytes, unsupported};
use super::program::{Value, VariableSpace};
use crate::ptx::ast::{Component, Operand, RegisterId, SpecialRegister, Symbol, Type};

/// Bytes of the representation of a value of `size` bytes.
pub(super) fn repr(size: u64) -> u64 {
    size.max(4)
}

impl<'a> Builder<'a, '_> {
    /// The word of a predicate register.
    pub(super) fn predicate_register(&self, id: RegisterId) -> Result<u32> {
        match self.body.registers.get(id as usize) {
            Some(register) if register.ty == Type::Pred => Ok(self.registers[id as usize]),
            Some(register) => invalid(format!("`{}` is no predicate", register.name)),
            None => invalid("a register that is not declared"),
        }
    }

    /// A predicate that is read: offset, with bit 0 set where it is negated.
    pub(super) fn predicate(&self, operand: &Operand<'a>) -> Result<u32> {
        match *operand {
            Operand::Register(id) => self.predicate_register(id),
            Operand::Negated(id) => Ok(self.predicate_register(id)? | 1),
            Operand::Int(value) => Ok(u32::from(value == 0)),
            _ => invalid("a predicate should stand here"),
        }
    }

    /// A predicate that is written.
    pub(super) fn predicate_destination(&self, operand: &Operand<'a>) -> Result<u32> {
        match *operand {
            Operand::Register(id) => self.predicate_register(id),
            Operand::Sink => Ok(self.no_predicate()),
            _ => invalid("a predicate should stand here"),
        }
    }

    /// Bytes of a register, as declared.
    pub(super) fn register_size(&self, operand: &Operand<'a>) -> Option<u64> {
        match *operand {
            Operand::Register(id) | Operand::Element(id, _) => {
                self.body.registers.get(id as usize).map(|r| r.ty.size())
            }
            _ => None,
        }
    }

    /// The row of a register whose lanes take `width` bytes (4, 8 or 16).
    pub(super) fn register(&self, operand: &Operand<'a>, width: u64) -> Result<u32> {
        let (id, component) = match *operand {
            Operand::Register(id) => (id, 0),
            Operand::Element(id, component) => (id, component_index(component)),
            _ => return invalid("a register should stand here"),
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

    /// A row that is written: a register, or one that nobody reads.
    pub(super) fn destination(&mut self, operand: &Operand<'a>, width: u64) -> Result<u32> {
        match operand {
            Operand::Sink => self.scratch(width),
            operand => self.register(operand, width),
        }
    }

    /// A row of our own.
    pub(super) fn scratch(&mut self, width: u64) -> Result<u32> {
        self.reserve(row_bytes(width))
    }

    /// A row that is read, of lanes of `width` bytes. `float` says how literals are meant.
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
                // Integer literals do not stand for floats in PTX, but zero is written so in places.
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
                // Untyped: as many bits as there are, `mov.b64 %rd1, 0d3FF0000000000000`.
                _ if width == 8 => bits(value),
                Some(_) => bits(u64::from((f64::from_bits(value) as f32).to_bits())),
                None => bits(u64::from((f64::from_bits(value) as f32).to_bits())),
            },
            Operand::Special(register, component) => {
                return self.special(register, component, width);
            }
            Operand::Symbol(symbol, offset) => self.address(symbol, offset)?,
            _ => return invalid("a value should stand here"),
        };
        self.constant(value, width)
    }

    /// A special register as a constant row; clocks are read by operations of their own.
    fn special(
        &mut self,
        register: SpecialRegister,
        component: Option<Component>,
        width: u64,
    ) -> Result<u32> {
        use SpecialRegister as S;
        let component = component.map_or(0, component_index) as u8;
        match register {
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
            | S::DynamicSmemSize => self.constant(Value::Special(register, component), width),
            _ => unsupported(),
        }
    }

    fn variable(&self, index: u32, offset: i64) -> Value {
        match self.symbols.space(index) {
            VariableSpace::DynamicShared => Value::DynamicShared(offset),
            _ => Value::Symbol(index, offset),
        }
    }

    /// The address of a symbol, in its own space.
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
            Symbol::Param(_) | Symbol::Return(_) => {
                invalid("the address of a function's parameter cannot be taken")
            }
            Symbol::Module(name) => match self.symbols.find(self.module, name) {
                Some(index) => Ok(self.variable(index, offset)),
                None => invalid(format!(
                    "`{name}` is not defined in this module; link the one that defines it"
                )),
            },
        }
    }
}

/// `.x` to `.w`, or `.r` to `.a`.
pub(super) fn component_index(component: Component) -> u32 {
    component as u32
}
