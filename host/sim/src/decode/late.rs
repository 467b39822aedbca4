//! Finds how long a load may be delayed after the instructions that follow it.
//!
//! The PTX memory model lets a load take its value after later stores of its thread, if nothing
//! depends on the load: no value comes out of thin air (PTX ISA, "Memory Consistency Model",
//! No-Thin-Air). So a load may wait, also across branches. It must be done before the first
//! instruction that uses its destination, that changes the registers of its address or guard, or
//! that can be reached by another path. If the load itself is an acquire, or waits across an
//! acquire, it must not read a value older than the acquire allows; that is checked when the load
//! is done. An atomic may also wait, as a whole. It must not wait across a fence or another
//! release. It must not wait around a loop either, because its thread may wait there for the
//! effect of that atomic. (Volatile accesses are relaxed in the memory model: the instructions
//! keep their order, but their effects on memory need not.) Explored schedules delay loads in
//! this way (`machine::explore`).

use std::collections::BTreeSet;

use super::blocks::{registers, writes_first};
use super::builder::Builder;
use crate::isa::{Decoder as By, pattern};
use crate::machine::program::{Class, LateLoad, SpaceClass};
use crate::ptx::ast::{Base, Instruction, Operand, RegisterId, Target};

/// The number of instructions after a load that are examined.
const AHEAD: usize = 64;

/// The properties of an instruction that a load waits across.
struct Passed {
    /// Whether it changes memory that other threads can access.
    changes: bool,
    /// Whether it is a fence that acquires.
    acquires: bool,
    /// The target of its jump, if it can jump.
    jump: Option<usize>,
    /// Whether it can continue with the next instruction.
    goes_on: bool,
}

impl Builder<'_, '_> {
    /// Finds the loads that may wait until after a store or an atomic. Records the operations
    /// before which each load must be done.
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
                self.code.late.push(LateLoad {
                    op: load,
                    until,
                    fences,
                });
            }
        }
    }

    /// Returns the operation of a load that does nothing else, or of an atomic,
    /// which changes memory.
    fn lone_load(&self, index: usize, instruction: &Instruction) -> Option<(u32, bool)> {
        let (start, end) = (self.starts[index], *self.starts.get(index + 1)?);
        let info = self.code.infos.get(start as usize)?;
        let changes = match (info.class, pattern::decoder(instruction)?) {
            (Class::Load(space), By::Transfer) if reached(space) => false,
            (Class::Atomic(space), By::Atomic) if reached(space) => true,
            _ => return None,
        };
        (end == start + 1).then_some((start, changes))
    }

    /// Returns the properties of an instruction that a load waits across. `waits_to_change` is true
    /// if an atomic waits, which changes memory. Returns `None` if they must not wait.
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
        for info in ops.filter_map(|op| self.code.infos.get(op)) {
            match info.class {
                // A release would not include the effect of the atomic.
                Class::Fence if waits_to_change => return None,
                // A fence acquires from the values that were read before it. That is checked when
                // the load is done.
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

    /// Returns the target of a branch.
    pub(super) fn target(&self, branch: &Instruction) -> Option<usize> {
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

/// Returns whether other threads can access this memory.
fn reached(space: SpaceClass) -> bool {
    !matches!(space, SpaceClass::Local | SpaceClass::Constant)
}
