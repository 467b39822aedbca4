//! Records what warps execute, for [`Recording`]. The counters look at every operation, and each
//! one that they count is a step.

use std::collections::{BTreeMap, HashMap};

use crate::launch::recording::{Instruction, RecordedAccess, RecordedKind, Recording, Step};
use crate::machine::core::Core;
use crate::machine::event::Region;
use crate::machine::frame::op_index;
use crate::machine::lane::{LANES, lanes};
use crate::machine::launch::run::Run;
use crate::machine::op::Op;
use crate::machine::program::{Class, OpInfo};

/// The steps of each block, by its linear index. In them, `instruction` is the operation's number
/// and an access to global memory has the whole addresses as offsets.
pub(in crate::machine) type Steps = BTreeMap<u64, Vec<Step>>;

impl Core<'_> {
    /// Records that lanes of `mask` execute an operation.
    #[cold]
    pub(super) fn record(&mut self, op: *const Op, info: OpInfo, mask: u32) {
        let Some(limits) = self.run.launch.record else {
            return;
        };
        let block = self.team.blocks[self.current.0].linear;
        if block >= limits.blocks || !info.first {
            return;
        }
        let steps = self.checks.steps.entry(block).or_default();
        // One more than is kept: later accesses belong to no step that is.
        if steps.len() <= limits.steps {
            steps.push(Step {
                block,
                warp: self.current.1 as u32,
                instruction: op_index(self.run.program, op),
                active: self.active,
                lanes: mask,
                accesses: Vec::new(),
                sources: None,
            });
        }
    }

    /// Returns the step that is running, if it was recorded.
    fn recorded_step(&mut self) -> Option<&mut Step> {
        let block = self.team.blocks[self.current.0].linear;
        self.checks.steps.get_mut(&block)?.last_mut()
    }

    /// Adds an access to the step that is running.
    #[cold]
    pub(super) fn record_access(
        &mut self,
        (info, region): (OpInfo, Region),
        addresses: &[u64; LANES],
        mask: u32,
        passes: u64,
    ) {
        let start = match region {
            Region::Shared => u64::from(self.run.shared_start + self.run.scratch),
            Region::Global => 0,
            _ => return,
        };
        let Some(step) = self.recorded_step() else {
            return;
        };
        let mut offsets = [0; LANES];
        for lane in lanes(mask) {
            offsets[lane] = addresses[lane].wrapping_sub(start);
        }
        step.accesses.push(RecordedAccess {
            kind: match info.class {
                Class::Load(_) | Class::Rows => RecordedKind::Load,
                Class::Store(_) => RecordedKind::Store,
                _ => RecordedKind::Atomic,
            },
            array: (region == Region::Global).then_some(0),
            bytes: info.bytes,
            lanes: mask,
            passes,
            offsets,
        });
    }

    /// Adds the lanes that a shuffle reads to the step that is running.
    #[cold]
    pub(in crate::machine) fn record_shuffle(&mut self, sources: &[u32; LANES]) {
        if let Some(step) = self.recorded_step() {
            step.sources = Some(*sources);
        }
    }
}

impl Run<'_> {
    /// Returns the record of these steps: with numbers of instructions and arrays in place of
    /// operations and addresses.
    pub(in crate::machine) fn recording(&self, steps: Steps) -> Recording {
        let launch = self.launch;
        let mut recording = Recording {
            kernel: launch.kernel.into(),
            grid: launch.grid,
            block: launch.block,
            sector: self.model.alignment.sector,
            bank_width: self.bank_width,
            ..Recording::default()
        };
        let most = launch.record.unwrap_or_default().steps;
        let (mut numbers, mut bases) = (HashMap::new(), Vec::new());
        let kept = steps
            .into_values()
            .flat_map(|steps| steps.into_iter().take(most));
        for mut step in kept {
            let op = step.instruction;
            step.instruction = *numbers.entry(op).or_insert_with(|| {
                recording.instructions.push(self.instruction(op));
                recording.instructions.len() - 1
            });
            for access in &mut step.accesses {
                if access.array.is_some() {
                    self.relate(access, &mut bases, &mut recording.arrays);
                }
            }
            recording.steps.push(step);
        }
        recording
    }

    /// Returns an operation's instruction.
    fn instruction(&self, index: usize) -> Instruction {
        let program = self.program;
        let at = self.place(&raw const program.ops[index]);
        let known = at.stack.iter().rev().filter(|at| at.line != 0);
        Instruction {
            name: at.text,
            ptx_line: at.line,
            stack: known.map(|at| format!("{}:{}", at.file, at.line)).collect(),
            file: at.source.as_ref().map(|source| source.file.clone()),
            line: at.source.as_ref().map(|source| source.line),
        }
    }

    /// Makes the addresses of an access offsets from the start of the allocation that its first
    /// lane accesses.
    fn relate(&self, access: &mut RecordedAccess, bases: &mut Vec<u64>, arrays: &mut Vec<u64>) {
        let Some(first) = lanes(access.lanes).next() else {
            return;
        };
        let (base, size) = self
            .memory
            .find(access.offsets[first])
            .map_or((0, 0), |allocation| (allocation.base, allocation.size));
        let known = bases.iter().position(|&known| known == base);
        access.array = Some(known.unwrap_or_else(|| {
            bases.push(base);
            arrays.push(size);
            bases.len() - 1
        }));
        for lane in lanes(access.lanes) {
            access.offsets[lane] = access.offsets[lane].wrapping_sub(base);
        }
    }
}
