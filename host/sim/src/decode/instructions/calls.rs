//! Calls whose arguments and results are parameters, registers or constants, and functions whose
//! parameters are registers.
//!
//! PTX ISA 7.1 "Function Declarations and Definitions" and 9.7.12 "call". A call passes values
//! through `.param` areas of the two frames. A value without an area gets an area of its own, with
//! a store before the call or a load after it. A function whose parameters are registers loads them
//! when it begins, and stores its results when it returns.

use super::memory::width;
use crate::decode::builder::{Builder, Operands};
use crate::decode::operand::repr;
use crate::decode::problem::{Result, invalid, unsupported};
use crate::decode::signature::Formal;
use crate::decode::table;
use crate::machine::compute::alu;
use crate::machine::memory::transfer::{self, TransferSpace};
use crate::machine::program::{Area, Class, SpaceClass, Value};
use crate::ptx::ast::{Operand, Space, Symbol, Type};

/// A result that is copied from its area to a register after the call.
pub(super) struct Delivery<'a> {
    to: Operand<'a>,
    area: Area,
    ty: Type,
}

impl<'a> Builder<'a, '_> {
    /// Moves one element between a row and an area.
    fn move_element(
        &mut self,
        area: Area,
        at: u32,
        ty: Type,
        row: u32,
        lane: u64,
        store: bool,
    ) -> Result<()> {
        let Some(width) = width(ty) else {
            return unsupported();
        };
        let handler = match store {
            true => transfer::store(TransferSpace::Area, width, lane),
            false => transfer::load(TransferSpace::Area, width, lane),
        };
        let Some(run) = handler else {
            return invalid("a register of this width does not hold the type");
        };
        self.emit(run, Operands::to(row).a(area.offset).c(at));
        Ok(())
    }

    /// Returns the area of an operand that is a parameter itself.
    fn named_area(&self, operand: &Operand<'a>) -> Option<Area> {
        match *operand {
            Operand::Symbol(Symbol::Local(index), 0) => self.areas[index as usize],
            Operand::Symbol(Symbol::Param(index), 0) if !self.function.entry => {
                let of_space = self.function.params[index as usize].space == Space::Param;
                of_space.then(|| self.params[index as usize])
            }
            Operand::Symbol(Symbol::Return(index), 0) => Some(self.returns[index as usize]),
            _ => None,
        }
    }

    /// Returns the type of an argument's element: the type that the function declares, or else
    /// the register's own.
    fn passed(&self, element: &Operand<'a>, formal: Option<&Formal>) -> Result<Type> {
        let own = match *element {
            Operand::Register(id) | Operand::Element(id, _) => self
                .body
                .registers
                .get(id as usize)
                .map(|register| register.ty),
            _ => None,
        };
        match (own, formal) {
            (Some(ty), Some(formal)) if ty.size() == formal.ty.size() => Ok(formal.ty),
            (Some(ty), _) => Ok(ty),
            (None, Some(formal)) if formal.ty != Type::Pred => Ok(formal.ty),
            _ => invalid("a constant for a parameter whose type is not known here"),
        }
    }

    /// Returns the areas of a call's arguments. A value without an area is stored to a
    /// new one first.
    pub(super) fn arguments(
        &mut self,
        list: &Operand<'a>,
        formals: Option<&[Formal]>,
    ) -> Result<Vec<Area>> {
        let Operand::Arguments(slice) = *list else {
            return invalid("expected a list");
        };
        let body = self.body;
        let mut areas = Vec::new();
        for (at, argument) in body.elements(slice).iter().enumerate() {
            if let Some(area) = self.named_area(argument) {
                areas.push(area);
                continue;
            }
            let formal = formals.and_then(|formals| formals.get(at));
            let elements = self.elements(argument);
            let mut types = Vec::with_capacity(elements.len());
            for element in &elements {
                types.push(self.passed(element, formal)?);
            }
            let size = |ty: &Type| {
                if *ty == Type::Pred {
                    4
                } else {
                    ty.size() as u32
                }
            };
            let bytes = types.iter().map(size).sum::<u32>();
            let area = self.area(bytes)?;
            let mut offset = 0;
            for (element, ty) in elements.iter().zip(&types) {
                if *ty == Type::Pred {
                    let row = self.truth(element)?;
                    self.move_element(area, offset, Type::U32, row, 4, true)?;
                } else {
                    let lane = repr(ty.size());
                    let row = self.source(element, lane, Some(*ty))?;
                    self.move_element(area, offset, *ty, row, lane, true)?;
                }
                offset += size(ty);
            }
            areas.push(area);
        }
        Ok(areas)
    }

    /// Returns the areas of a call's results, and the loads that follow the call.
    pub(super) fn results(
        &mut self,
        list: &Operand<'a>,
        formals: Option<&[Formal]>,
    ) -> Result<(Vec<Area>, Vec<Delivery<'a>>)> {
        let Operand::Arguments(slice) = *list else {
            return invalid("expected a list");
        };
        let body = self.body;
        let (mut areas, mut deliveries) = (Vec::new(), Vec::new());
        for (at, result) in body.elements(slice).iter().enumerate() {
            if let Some(area) = self.named_area(result) {
                areas.push(area);
                continue;
            }
            let formal = formals.and_then(|formals| formals.get(at));
            let ty = match (result, formal) {
                (Operand::Sink, Some(formal)) => {
                    areas.push(self.area(formal.bytes)?);
                    continue;
                }
                (Operand::Sink, None) => {
                    return invalid("`_` for a result whose size is not known here");
                }
                (result, formal) => match self.elements(result).first() {
                    Some(element) => self.passed(element, formal)?,
                    None => return invalid("an empty vector"),
                },
            };
            let many = self.elements(result).len() as u32;
            let size = if ty == Type::Pred {
                4
            } else {
                ty.size() as u32
            };
            let area = self.area(size * many)?;
            areas.push(area);
            deliveries.push(Delivery {
                to: *result,
                area,
                ty,
            });
        }
        Ok((areas, deliveries))
    }

    /// Loads the results of a call into registers.
    pub(super) fn deliver(&mut self, deliveries: Vec<Delivery<'a>>) -> Result<()> {
        for Delivery { to, area, ty } in deliveries {
            let mut offset = 0;
            for element in &self.elements(&to) {
                if ty == Type::Pred {
                    let row = self.scratch(4)?;
                    self.move_element(area, offset, Type::U32, row, 4, false)?;
                    let d = self.predicate_destination(element)?;
                    self.test(row, d)?;
                    offset += 4;
                    continue;
                }
                let lane = repr(ty.size());
                let row = self.destination(element, lane)?;
                self.move_element(area, offset, ty, row, lane, false)?;
                offset += ty.size() as u32;
            }
        }
        Ok(())
    }

    /// Returns a row that is one where a predicate is true and zero elsewhere.
    fn truth(&mut self, operand: &Operand<'a>) -> Result<u32> {
        let c = self.predicate(operand)?;
        let (yes, no) = (
            self.constant(Value::Bits(1), 4)?,
            self.constant(Value::Bits(0), 4)?,
        );
        let d = self.scratch(4)?;
        self.emit(alu::choose::<u32>(), Operands::to(d).a(yes).b(no).c(c));
        Ok(d)
    }

    /// Sets a predicate to true where a row is not zero.
    fn test(&mut self, row: u32, d: u32) -> Result<()> {
        let zero = self.constant(Value::Bits(0), 4)?;
        let Some(not_zero) = table::find("setp.ne.u32") else {
            return unsupported();
        };
        self.emit(not_zero.run, Operands::to(d).a(row).b(zero));
        Ok(())
    }

    /// Adds the start of a function: loads the parameters that are registers, and copies those
    /// whose address is taken to local memory.
    pub(in crate::decode) fn enter(&mut self) -> Result<()> {
        if self.function.entry {
            return Ok(());
        }
        let function = self.function;
        for (index, param) in function.params.iter().enumerate() {
            let area = self.params[index];
            if let Some(id) = param.register {
                let to = Operand::Register(id);
                self.deliver(vec![Delivery {
                    to,
                    area,
                    ty: param.ty,
                }])?;
            }
            if let Some(place) = self.param_copies[index] {
                self.copy_to_local(area, place)?;
            }
        }
        Ok(())
    }

    /// Adds the end of a function: stores the results that are registers.
    pub(in crate::decode) fn leave(&mut self) -> Result<()> {
        let function = self.function;
        for (index, result) in function.returns.iter().enumerate() {
            let Some(id) = result.register else { continue };
            let (area, mut offset) = (self.returns[index], 0);
            for element in &self.elements(&Operand::Register(id)) {
                if result.ty == Type::Pred {
                    let row = self.truth(element)?;
                    self.move_element(area, offset, Type::U32, row, 4, true)?;
                    continue;
                }
                let lane = repr(result.ty.size());
                let row = self.register(element, lane)?;
                self.move_element(area, offset, result.ty, row, lane, true)?;
                offset += result.ty.size() as u32;
            }
        }
        Ok(())
    }

    /// Copies a parameter to the local memory that its address refers to.
    fn copy_to_local(&mut self, area: Area, place: u32) -> Result<()> {
        let row = self.scratch(4)?;
        let address = self.constant(Value::Local(place), 8)?;
        for at in (0..area.size).step_by(4) {
            let left = area.size - at;
            // Copy whole words first, and then the remaining bytes.
            let steps: &[(Type, u32)] = if left >= 4 {
                &[(Type::U32, 0)]
            } else {
                &[(Type::U8, 0), (Type::U8, 1), (Type::U8, 2)]
            };
            for &(ty, byte) in steps
                .iter()
                .filter(|(ty, byte)| u64::from(byte + at) + ty.size() <= u64::from(area.size))
            {
                self.move_element(area, at + byte, ty, row, 4, false)?;
                let Some(run) =
                    width(ty).and_then(|width| transfer::store(TransferSpace::Local, width, 4))
                else {
                    return unsupported();
                };
                self.classify(Class::Store(SpaceClass::Local), ty.size());
                self.emit(run, Operands::to(row).a(address).c(at + byte));
                self.classify(Class::Plain, 0);
            }
        }
        Ok(())
    }

    /// Reserves an area of the frame for a value that a call passes.
    fn area(&mut self, bytes: u32) -> Result<Area> {
        let offset = self.reserve(bytes.div_ceil(4).max(1) * 128)?;
        Ok(Area {
            offset,
            size: bytes,
        })
    }
}
