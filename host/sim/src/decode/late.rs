//! How far a load may fall behind the instructions after it.
//!
//! The PTX memory model lets a load take its value after later stores of its thread, so long as
//! nothing depends on it: no value comes out of thin air (PTX ISA, "Memory Consistency Model",
//! No-Thin-Air). So a load may wait, across branches too, for the first instruction that names its
//! destination or changes what its address and guard were, or at which others may arrive. Where it
//! acquires itself, or passes what does, it reads nothing that it would have acquired: that is
//! looked at when it is done. An atomic may wait as well, all of it, but not beyond a fence or
//! another release, and not around a loop, in which its thread may wait for what only that atomic
//! brings about. (Volatile accesses are relaxed ones to the model: instructions keep their order,
//! and what they do to memory need not.) Explored schedules let it (`machine::explore`).

use std::collections::BTreeSet;

use super::assigned::{registers, writes_first};
use super::builder::Builder;
use crate::isa::{Decoder as By, pattern};
use crate::machine::program::{Class, LateLoad, SpaceClass};
use crate::ptx::ast::{Base, Instruction, Operand, RegisterId, Target};

/// Instructions that are looked at behind a load.
const AHEAD: usize = 64;

/// What an instruction is to a load that waits.
struct Passed {
    /// It changes memory that others reach.
    changes: bool,
    /// It is a fence that acquires.
    acquires: bool,
    /// Where it may jump to.
    jump: Option<usize>,
    /// It goes on to the next one.
    goes_on: bool,
}

impl Builder<'_, '_> {
    /// Finds the loads that may wait behind a store or an atomic, with the operations before which
    /// each has to be done.
    pub(super) fn late_loads(&mut self) {
        let body = self.body;
        for (index, instruction) in body.instructions.iter().enumerate() {
            let Some((load, changes)) = self.lone_load(index, instruction) else {
                continue;
            };
            let (mut to, mut from) = (Vec::new(), Vec::new());
            from.extend(instruction.guard.map(|guard| guard.register));
            let result = usize::from(writes_first(instruction));
            for (place, operand) in body.operands(instruction).iter().enumerate() {
                let list = if place < result { &mut to } else { &mut from };
                registers(body, operand, &mut |id| list.push(id));
            }
            let (mut until, mut fences, mut stores) = (Vec::new(), Vec::new(), false);
            let (mut seen, mut todo) = (BTreeSet::new(), vec![index + 1]);
            while let Some(at) = todo.pop() {
                if !seen.insert(at) {
                    continue;
                }
                let near = at < body.instructions.len() && seen.len() <= AHEAD;
                let passed = near.then(|| self.passes(at, changes, (&to, &from)));
                match passed.flatten() {
                    None => until.push(self.starts[at]),
                    Some(passed) => {
                        stores |= passed.changes;
                        fences.extend((passed.acquires && stores).then_some(self.starts[at]));
                        todo.extend(passed.jump);
                        todo.extend(passed.goes_on.then_some(at + 1));
                    }
                }
            }
            if stores {
                self.program.late.push(LateLoad {
                    op: load,
                    until,
                    fences,
                });
            }
        }
    }

    /// The operation of a load that is nothing besides, or of an atomic, which changes memory.
    fn lone_load(&self, index: usize, instruction: &Instruction) -> Option<(u32, bool)> {
        let (start, end) = (self.starts[index], *self.starts.get(index + 1)?);
        let info = self.program.infos.get(start as usize)?;
        let changes = match (info.class, pattern::decoder(instruction)?) {
            (Class::Load(space), By::Transfer) if reached(space) => false,
            (Class::Atomic(space), By::Atomic) if reached(space) => true,
            _ => return None,
        };
        (end == start + 1).then_some((start, changes))
    }

    /// What an instruction is to a load that waits behind it, or to an atomic, which
    /// `waits_to_change` memory; none where they may not.
    fn passes(
        &self,
        index: usize,
        waits_to_change: bool,
        (to, from): (&[RegisterId], &[RegisterId]),
    ) -> Option<Passed> {
        let instruction = &self.body.instructions[index];
        let mut passed = Passed {
            changes: false,
            acquires: false,
            jump: None,
            goes_on: true,
        };
        let decoder = pattern::decoder(instruction)?;
        if decoder == By::Branch {
            let guard = instruction.guard.map(|guard| guard.register);
            let target = self.target(instruction)?;
            passed.jump = Some(target);
            passed.goes_on = guard.is_some();
            let depends = guard.is_some_and(|guard| to.contains(&guard));
            let around = target <= index && waits_to_change;
            return (!depends && !around).then_some(passed);
        }
        let simple =
            matches!(decoder, By::Transfer | By::Atomic | By::Fence) || decoder.is_arithmetic();
        let ops = self.starts[index] as usize..self.starts[index + 1] as usize;
        for info in &self.program.infos[ops] {
            match info.class {
                // What is released would be without the atomic's part of it.
                Class::Fence if waits_to_change => return None,
                // What a fence acquires is acquired from what was read before it: that is looked at
                // when the load is done.
                Class::Fence => {
                    passed.acquires |= info.acquires;
                    continue;
                }
                Class::Plain | Class::Load(_) => {}
                Class::Store(space) | Class::Atomic(space) => passed.changes |= reached(space),
                _ => return None,
            }
            if info.releases && waits_to_change {
                return None;
            }
        }
        let mut depends = instruction
            .guard
            .is_some_and(|guard| to.contains(&guard.register));
        for (place, operand) in self.body.operands(instruction).iter().enumerate() {
            let writes = place == 0
                && writes_first(instruction)
                && !matches!(operand, Operand::Address(Base::Register(_), _));
            registers(self.body, operand, &mut |id| {
                depends |= to.contains(&id) || writes && from.contains(&id);
            });
        }
        (simple && !depends).then_some(passed)
    }

    /// Where a branch goes.
    fn target(&self, branch: &Instruction) -> Option<usize> {
        let target = |operand: &Operand<'_>| match *operand {
            Operand::Label(label) => match self.body.labels.get(label as usize)?.target {
                Target::Instruction(index) => Some(index as usize),
                _ => None,
            },
            _ => None,
        };
        self.body.operands(branch).iter().find_map(target)
    }
}

/// Whether others reach this memory.
fn reached(space: SpaceClass) -> bool {
    !matches!(space, SpaceClass::Local | SpaceClass::Constant)
}
