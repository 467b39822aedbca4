//! Finds loads that poll: a loop repeats them at one address until their value changes.
//!
//! `while (!flag) {}` with a volatile flag is how CUDA programs waited before atomics had orders.
//! The race check leaves such flags alone. A load polls if some branch jumps back over it, the loop
//! between writes no memory and not the register of the address, and a branch of the loop depends
//! on the loaded value.

use std::collections::BTreeSet;

use super::blocks::{registers, writes_first};
use super::builder::Builder;
use crate::isa::{Decoder as By, pattern};
use crate::machine::program::{Class, SpaceClass};
use crate::ptx::ast::{Base, Instruction, Modifier, Opcode, Operand, RegisterId};

/// The most instructions of a loop that polls.
const LONGEST: usize = 64;

impl Builder<'_, '_> {
    /// Marks the operations of volatile loads that poll.
    pub(super) fn polls(&mut self) {
        let body = self.body;
        let volatile =
            |i: &Instruction| i.opcode == Opcode::Ld && i.modifiers.has(Modifier::Volatile);
        let loads = body.instructions.iter().enumerate();
        let loads: Vec<usize> = loads
            .filter(|(_, i)| volatile(i))
            .map(|(at, _)| at)
            .collect();
        if loads.is_empty() {
            return;
        }
        let branches = body.instructions.iter().enumerate();
        let back: Vec<(usize, usize)> = branches
            .filter(|(_, i)| pattern::decoder(i) == Some(By::Branch))
            .filter_map(|(from, i)| Some((self.target(i)?, from)))
            .filter(|(to, from)| to <= from && from - to <= LONGEST)
            .collect();
        for load in loads {
            let around = |&&(to, from): &&(usize, usize)| (to..=from).contains(&load);
            if back
                .iter()
                .filter(around)
                .any(|&way| self.polls_in(load, way))
            {
                let ops = self.starts[load] as usize..self.starts[load + 1] as usize;
                for op in ops {
                    self.code.infos[op].polls = true;
                }
            }
        }
    }

    /// Returns whether a load polls in the loop from one instruction to another.
    fn polls_in(&self, load: usize, (first, last): (usize, usize)) -> bool {
        let body = self.body;
        let repeated = &body.instructions[first..=last];
        let mut address = Vec::new();
        for operand in body.operands(&body.instructions[load]) {
            if let Operand::Address(Base::Register(id), _) = *operand {
                address.push(id);
            }
        }
        // The registers that depend on the loaded value.
        let mut depends: BTreeSet<RegisterId> = self.writes(&body.instructions[load]).collect();
        let mut before = 0;
        while before != depends.len() {
            before = depends.len();
            for instruction in repeated {
                if self.reads(instruction).any(|id| depends.contains(&id)) {
                    depends.extend(self.writes(instruction));
                }
            }
        }
        let leaves = |i: &Instruction| {
            let guard = i.guard.map(|guard| guard.register);
            pattern::decoder(i) == Some(By::Branch) && guard.is_some_and(|id| depends.contains(&id))
        };
        let ops = self.starts[first] as usize..self.starts[last + 1] as usize;
        let quiet = ops
            .filter_map(|op| self.code.infos.get(op))
            .all(|info| match info.class {
                Class::Store(space) | Class::Atomic(space) => space == SpaceClass::Local,
                Class::Barrier => false,
                _ => true,
            });
        quiet
            && repeated.iter().any(leaves)
            && !repeated
                .iter()
                .any(|i| self.writes(i).any(|id| address.contains(&id)))
    }

    /// Returns the registers that an instruction writes.
    fn writes(&self, instruction: &Instruction) -> impl Iterator<Item = RegisterId> + use<> {
        let count = usize::from(writes_first(instruction));
        self.in_operands(instruction, 0..count)
    }

    /// Returns the registers that an instruction reads.
    fn reads(&self, instruction: &Instruction) -> impl Iterator<Item = RegisterId> + use<> {
        let count = usize::from(writes_first(instruction));
        let guard = instruction.guard.map(|guard| guard.register);
        self.in_operands(instruction, count..usize::MAX)
            .chain(guard)
    }

    fn in_operands(
        &self,
        instruction: &Instruction,
        places: std::ops::Range<usize>,
    ) -> impl Iterator<Item = RegisterId> + use<> {
        let mut found = Vec::new();
        for (place, operand) in self.body.operands(instruction).iter().enumerate() {
            if places.contains(&place) {
                registers(self.body, operand, &mut |id| found.push(id));
            }
        }
        found.into_iter()
    }
}
