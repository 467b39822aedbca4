//! Finds loads and stores that use the same address register as an earlier load or store.
//!
//! Unrolled code accesses `[%rd1]`, `[%rd1+4]`, `[%rd1+8]`, ... For all of these, the test
//! whether the lanes' addresses are adjacent or all equal is needed only once. The result of the
//! first operation is kept (see `machine::memory::address`) for the operations after it, if no
//! branch leads between them and nothing writes to the register. When they run, each checks that
//! the same lanes are active, because an operation of other lanes in between stores its result in
//! the same place.

use super::blocks::registers;
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
        // The registers that operations have used for their addresses, each with its operation.
        let mut slots: [Option<(RegisterId, usize)>; flag::SLOTS] = [None; flag::SLOTS];
        let mut next = 0;
        for (index, instruction) in body.instructions.iter().enumerate() {
            // The code after a branch or a call may run without the earlier operation, or
            // long after it.
            if leads[index] || pattern::successors(instruction) != Successors::Next {
                slots = [None; flag::SLOTS];
            }
            if let Some((register, op)) = self.access(index, instruction) {
                let of = |slot: &Option<(RegisterId, usize)>| slot.is_some_and(|s| s.0 == register);
                match slots.iter().position(of) {
                    Some(slot) => {
                        let place = (slot as u32) << flag::SLOT;
                        let keeps = slots[slot].map_or(op, |(_, keeps)| keeps);
                        let ops = &mut self.code.ops;
                        ops[keeps].aux |= flag::KEEPS | place;
                        ops[op].aux |= flag::AGAIN | place;
                    }
                    // An operation whose guard is false in all lanes would store no result.
                    None if instruction.guard.is_none() => {
                        slots[next] = Some((register, op));
                        next = (next + 1) % flag::SLOTS;
                    }
                    None => {}
                }
            }
            // An instruction that uses a register in another way may write to it.
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

    /// Returns the address register and the operation of a load or store, if all its elements share
    /// one address register.
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
        let info = self.code.infos.get(op)?;
        let (Class::Load(space) | Class::Store(space)) = info.class else {
            return None;
        };
        // A generic address may belong to several memories, and local memory is interleaved.
        let plain = matches!(space, SpaceClass::Global | SpaceClass::Shared);
        (plain && self.code.ops[op].a == self.registers[register as usize])
            .then_some((register, op))
    }
}
