//! Loads and stores that take their addresses from a register which one before them took them from.
//!
//! Code that was unrolled accesses `[%rd1]`, `[%rd1+4]`, `[%rd1+8]`, ...: whether the lanes'
//! addresses lie side by side or all at one place has to be found out once. What the first
//! operation finds is kept (see `machine::memory::address`) for those behind it, as far as no
//! branch leads between them and nothing writes to the register. That the same lanes run them is
//! looked at when they run: an operation of other lanes in between keeps what it finds in the same
//! place.

use super::assigned::registers;
use super::builder::Builder;
use crate::isa::{Successors, pattern};
use crate::machine::memory::flag;
use crate::machine::program::{Class, SpaceClass};
use crate::ptx::ast::{Base, Instruction, Opcode, Operand, RegisterId, Target};

impl Builder<'_, '_> {
    /// Marks the operations of such loads and stores.
    pub(super) fn repeat_addresses(&mut self) {
        let body = self.body;
        let mut leads = vec![false; body.instructions.len() + 1];
        for label in &body.labels {
            if let Target::Instruction(index) = label.target {
                leads[index as usize] = true;
            }
        }
        // Registers that an operation has taken its addresses from, and which it is.
        let mut slots: [Option<(RegisterId, usize)>; flag::SLOTS] = [None; flag::SLOTS];
        let mut next = 0;
        for (index, instruction) in body.instructions.iter().enumerate() {
            // What stands behind a branch or a call may run without it, or long after it.
            if leads[index] || pattern::successors(instruction) != Successors::Next {
                slots = [None; flag::SLOTS];
            }
            if let Some((register, op)) = self.access(index, instruction) {
                let of = |slot: &Option<(RegisterId, usize)>| slot.is_some_and(|s| s.0 == register);
                match slots.iter().position(of) {
                    Some(slot) => {
                        let place = (slot as u32) << flag::SLOT;
                        let keeps = slots[slot].map_or(op, |(_, keeps)| keeps);
                        let ops = &mut self.program.ops;
                        ops[keeps].aux |= flag::KEEPS | place;
                        ops[op].aux |= flag::AGAIN | place;
                    }
                    // One whose guard is false in all lanes would keep nothing.
                    None if instruction.guard.is_none() => {
                        slots[next] = Some((register, op));
                        next = (next + 1) % flag::SLOTS;
                    }
                    None => {}
                }
            }
            // Whoever names a register otherwise may write to it.
            for operand in body.operands(instruction) {
                if !matches!(operand, Operand::Address(Base::Register(_), _)) {
                    registers(body, operand, &mut |id| {
                        for slot in &mut slots {
                            *slot = slot.filter(|(register, _)| *register != id);
                        }
                    });
                }
            }
        }
    }

    /// The address register of a load or store of memory that has one address for all, and its
    /// operation.
    fn access(&self, index: usize, instruction: &Instruction) -> Option<(RegisterId, usize)> {
        if !matches!(instruction.opcode, Opcode::Ld | Opcode::Ldu | Opcode::St) {
            return None;
        }
        let mut operands = self.body.operands(instruction).iter();
        let register = operands.find_map(|operand| match *operand {
            Operand::Address(Base::Register(id), _) => Some(id),
            _ => None,
        })?;
        let op = (*self.starts.get(index + 1)? as usize).checked_sub(1)?;
        let info = self.program.infos.get(op)?;
        let (Class::Load(space) | Class::Store(space)) = info.class else {
            return None;
        };
        // Generic addresses may be of several memories, and those of local memory are interleaved.
        let plain = matches!(space, SpaceClass::Global | SpaceClass::Shared);
        (plain && self.program.ops[op].a == self.registers[register as usize])
            .then_some((register, op))
    }
}
