//! The flow of values through each instruction, for the check of uninitialised
//! memory: see `machine::checks::init::flow`.

use super::blocks::writes_first;
use super::builder::Builder;
use crate::isa::{Decoder as By, pattern};
use crate::machine::checks::init::flow::{Flow, FlowKind, FlowOperand};
use crate::ptx::ast::{Base, Class, Instruction, Modifier as M, Opcode, Operand, RegisterId, Type};

/// Returns how the result of an instruction depends on the values that it reads. The row's decoder
/// says it, except where single bits or bytes of the result depend on single ones of the sources.
fn kind(i: &Instruction) -> FlowKind {
    use Opcode as O;
    let types = || i.modifiers.types();
    let last = types().last();
    let signed = last.is_some_and(|ty| ty.class() == Class::Signed);
    let whole = |ty: Type| matches!(ty.class(), Class::Bits | Class::Signed | Class::Unsigned);
    let Some(decoder) = pattern::found(i).and_then(|pattern| pattern.row.decoder) else {
        return FlowKind::Unknown;
    };
    match (decoder, i.opcode) {
        (By::Move | By::AddressConversion, _) => FlowKind::Move,
        (_, O::And) => FlowKind::And,
        (_, O::Or) => FlowKind::Or,
        (_, O::Not | O::Xor) => FlowKind::Not,
        (_, O::Shl) => FlowKind::ShiftLeft,
        (_, O::Shr) => FlowKind::ShiftRight(signed),
        (_, O::Prmt) if i.modifiers.len() == 1 => FlowKind::Permute,
        (_, O::Bfe) if !signed => FlowKind::Extract,
        (By::SelectByPredicate, _) => FlowKind::Select,
        (By::Convert, _)
            if !i.modifiers.has(M::Sat) && types().count() == 2 && types().all(whole) =>
        {
            FlowKind::Widen(last.map_or(0, |ty| ty.size() as u8), signed)
        }
        (By::Shuffle, _) => FlowKind::Shuffle,
        (By::Transfer, O::St) => FlowKind::Store,
        (By::Transfer, _) => FlowKind::Load(signed),
        (By::Atomic, _) => FlowKind::Atomic(i.modifiers.has(M::Exch)),
        (By::MatrixMultiply | By::MatrixTile | By::MatrixRows, _) => FlowKind::Matrix,
        (By::MatrixTranspose | By::WarpgroupMultiply, _) => FlowKind::Matrix,
        (By::Redux | By::IndexedBranch, _) => FlowKind::Decide,
        (By::Vote, _) if !i.modifiers.has(M::Ballot) => FlowKind::Decide,
        (decoder, _) if decoder.is_arithmetic() => FlowKind::Compute,
        _ => FlowKind::Unknown,
    }
}

impl<'a> Builder<'a, '_> {
    /// Records the flow of every instruction of the function.
    pub(super) fn flows(&mut self) {
        let body = self.body;
        for (index, instruction) in body.instructions.iter().enumerate() {
            let (op, end) = (self.starts[index], self.starts[index + 1]);
            if op == end {
                continue;
            }
            let (mut addresses, mut reads, mut writes) = (Vec::new(), Vec::new(), Vec::new());
            let written = usize::from(writes_first(instruction));
            for (place, operand) in body.operands(instruction).iter().enumerate() {
                let to = match place < written {
                    true => &mut writes,
                    false => &mut reads,
                };
                self.parts(operand, to, &mut addresses);
            }
            let mut kind = kind(instruction);
            // The sum of a register and a constant is computed in the operand.
            let sums = |operand: &Operand<'a>| matches!(operand, Operand::Sum(..));
            if kind == FlowKind::Move && body.operands(instruction).iter().any(sums) {
                kind = FlowKind::Compute;
            }
            let count = |parts: &Vec<FlowOperand>| u8::try_from(parts.len());
            let (Ok(a), Ok(r), Ok(w)) = (count(&addresses), count(&reads), count(&writes)) else {
                continue;
            };
            let operands = addresses.into_iter().chain(reads).chain(writes);
            let start = self.code.flow_operands.extend(operands);
            self.code.flows.push(Flow {
                op,
                start,
                addresses: a,
                reads: r,
                writes: w,
                kind,
            });
        }
    }

    /// The part that a register is.
    fn part(&self, id: RegisterId, negated: bool) -> FlowOperand {
        let (register, offset) = (
            &self.body.registers[id as usize],
            self.registers[id as usize],
        );
        match register.ty {
            Type::Pred => FlowOperand::Truth(offset | u32::from(negated)),
            _ if register.vector > 1 => FlowOperand::Nothing,
            ty => FlowOperand::Row(offset, ty.size() as u8),
        }
    }

    fn parts(
        &self,
        operand: &Operand<'a>,
        to: &mut Vec<FlowOperand>,
        addresses: &mut Vec<FlowOperand>,
    ) {
        match *operand {
            Operand::Register(id) | Operand::Sum(id, _) => {
                let register = &self.body.registers[id as usize];
                if register.vector > 1 {
                    let bytes = register.ty.size();
                    let step = bytes.max(4) as u32 * 32;
                    let first = self.registers[id as usize];
                    let rows = (0..u32::from(register.vector)).map(|i| first + i * step);
                    to.extend(rows.map(|row| FlowOperand::Row(row, bytes as u8)));
                } else {
                    to.push(self.part(id, false));
                }
            }
            Operand::Negated(id) => to.push(self.part(id, true)),
            Operand::Element(id, component) => {
                let register = &self.body.registers[id as usize];
                let bytes = register.ty.size();
                let row = self.registers[id as usize] + component as u32 * bytes.max(4) as u32 * 32;
                to.push(FlowOperand::Row(row, bytes as u8));
            }
            Operand::Part(id, _) | Operand::Minus(id, _) => to.push(self.part(id, false)),
            Operand::Pair(first, second) => {
                for id in [first, second].into_iter().flatten() {
                    to.push(self.part(id, false));
                }
            }
            Operand::Int(value) => to.push(FlowOperand::Value(value as u64)),
            Operand::F32(bits) => to.push(FlowOperand::Value(bits.into())),
            Operand::F64(bits) => to.push(FlowOperand::Value(bits)),
            Operand::Address(Base::Register(id), _) => addresses.push(self.part(id, false)),
            Operand::Address(..) => {}
            Operand::Indexed(indexed) => {
                addresses.extend(indexed.register.map(|id| self.part(id, false)));
            }
            Operand::Vector(slice) | Operand::Arguments(slice) => {
                for element in self.body.elements(slice) {
                    self.parts(element, to, addresses);
                }
            }
            Operand::List(slice) => {
                let mut inside = Vec::new();
                for element in self.body.elements(slice) {
                    self.parts(element, &mut inside, &mut Vec::new());
                }
                addresses.extend(inside);
            }
            _ => to.push(FlowOperand::Nothing),
        }
    }
}
