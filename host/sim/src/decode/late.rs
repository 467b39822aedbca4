//! How far a load may fall behind the instructions after it.
//!
//! The PTX memory model lets a load take its value after later stores of its thread, so long as nothing depends on it: no value comes out of thin
//! air (PTX ISA, "Memory Consistency Model", No-Thin-Air). So a load may wait for the first instruction that names its destination or changes
//! what its address and guard were, that acquires, or at which others may arrive. So may an atomic, all of it, and for no fence and no release. (Volatile
//! accesses are relaxed ones to the model: instructions keep their order, and what they do to memory need not.) Explored schedules let it (`machine::explore`).

use super::assigned::{registers, writes_first};
use super::builder::Builder;
use crate::machine::program::{Class, SpaceClass};
use crate::ptx::ast::{Base, Instruction, Opcode, Operand, RegisterId, Target};

/// Instructions that are looked at behind a load.
const AHEAD: usize = 64;

impl Builder<'_, '_> {
    /// Finds the loads that may wait behind a store or an atomic, with the operation before which each has to be done.
    pub(super) fn late_loads(&mut self) {
        let body = self.body;
        let mut leads = vec![false; body.instructions.len() + 1];
        for label in &body.labels {
            if let Target::Instruction(index) = label.target {
                leads[index as usize] = true;
            }
        }
        for (index, instruction) in body.instructions.iter().enumerate() {
            let Some((load, changes)) = self.lone_load(index, instruction) else {
                continue;
            };
            let (mut to, mut from) = (Vec::new(), Vec::new());
            from.extend(instruction.guard.map(|guard| guard.register));
            for (place, operand) in body.operands(instruction).iter().enumerate() {
                let list = if place == 0 { &mut to } else { &mut from };
                registers(body, operand, &mut |id| list.push(id));
            }
            let (mut until, mut stores) = (index + 1, false);
            while until < body.instructions.len() && until - index <= AHEAD && !leads[until] {
                match self.passes(until, changes, (&to, &from)) {
                    None => break,
                    Some(changes) => stores |= changes,
                }
                until += 1;
            }
            if stores {
                let until = self.starts[until];
                self.program.late.push((load, until));
            }
        }
    }

    /// The operation of a load that is nothing besides, or of an atomic, which changes memory: it acquires and releases nothing.
    fn lone_load(&self, index: usize, instruction: &Instruction) -> Option<(u32, bool)> {
        let (start, end) = (self.starts[index], *self.starts.get(index + 1)?);
        let info = self.program.infos.get(start as usize)?;
        let changes = match (info.class, instruction.opcode) {
            (Class::Load(space), Opcode::Ld) if reached(space) => false,
            (Class::Atomic(space), Opcode::Atom) if reached(space) => true,
            _ => return None,
        };
        let plain = !info.acquires && !info.releases;
        (plain && end == start + 1).then_some((start, changes))
    }

    /// Whether a load may wait behind an instruction, or an atomic where it `waits_to_change` memory; and if so whether that changes memory.
    fn passes(
        &self,
        index: usize,
        waits_to_change: bool,
        (to, from): (&[RegisterId], &[RegisterId]),
    ) -> Option<bool> {
        let instruction = &self.body.instructions[index];
        let simple = matches!(
            instruction.opcode,
            Opcode::Ld | Opcode::St | Opcode::Atom | Opcode::Red | Opcode::Fence | Opcode::Membar
        ) || is_arithmetic(instruction.opcode);
        let ops = self.starts[index] as usize..self.starts[index + 1] as usize;
        let mut changes = false;
        for info in &self.program.infos[ops] {
            match info.class {
                // What is released would be without the atomic's part of it.
                Class::Fence if waits_to_change => return None,
                // What a fence acquires is acquired from what was read before it: that is looked at when the load is done.
                Class::Fence => continue,
                Class::Plain | Class::Load(_) => {}
                Class::Store(space) | Class::Atomic(space) => changes |= reached(space),
                _ => return None,
            }
            if info.acquires || info.releases && waits_to_change {
                return None;
            }
        }
        let mut depends = instruction
            .guard
            .is_some_and(|guard| to.contains(&guard.register));
        for (place, operand) in self.body.operands(instruction).iter().enumerate() {
            let writes = place == 0
                && (writes_first(instruction) || is_arithmetic(instruction.opcode))
                && !matches!(operand, Operand::Address(Base::Register(_), _));
            registers(self.body, operand, &mut |id| {
                depends |= to.contains(&id) || writes && from.contains(&id);
            });
        }
        (simple && !depends).then_some(changes)
    }
}

/// Whether others reach this memory.
fn reached(space: SpaceClass) -> bool {
    !matches!(space, SpaceClass::Local | SpaceClass::Constant)
}

/// Instructions that work on registers alone, each lane by itself.
fn is_arithmetic(opcode: Opcode) -> bool {
    use Opcode::*;
    matches!(
        opcode,
        Mov | Add
            | Sub
            | Mul
            | Mad
            | Fma
            | Div
            | Rem
            | And
            | Or
            | Xor
            | Not
            | Shl
            | Shr
            | Setp
            | Selp
            | Cvt
            | Cvta
            | Min
            | Max
            | Neg
            | Abs
    )
}
