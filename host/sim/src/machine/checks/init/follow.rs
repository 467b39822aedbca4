//! Data flow between registers: which results are uninitialised after an operation, and which
//! operations use such a value.

use super::report::UnwrittenUse;
use super::taint::{Taint, all, width};
use crate::machine::checks::init::flow::{Flow, FlowKind, FlowOperand};
use crate::machine::checks::report::place::index;
use crate::machine::core::Core;
use crate::machine::lane::{LANES, lanes};
use crate::machine::op::Op;
use crate::machine::program::{Class, OpInfo};

impl Core<'_> {
    /// Follows values through an operation that is about to run. For memory accesses it follows
    /// addresses and results only.
    #[cold]
    pub(in crate::machine::checks) fn follow(&mut self, op: *const Op, info: OpInfo, mask: u32) {
        let run = self.run;
        let Some(index) = index(run.program, op).map(|index| index as u32) else {
            return;
        };
        // SAFETY: `op` is an operation of the program.
        let guard = unsafe { (*op).guard };
        if guard != 0
            && let Some(taint) = self.unwritten(FlowOperand::Truth(guard))
        {
            let active = self.active;
            let of = match run.place(op).text.starts_with("bra") {
                true => UnwrittenUse::Branch,
                false => UnwrittenUse::Guard,
            };
            self.used(op, of, &taint, active);
            self.cleanse(guard, active);
        }
        let flows = &run.program.flows;
        let Some(flow) = flows.of(index) else {
            return;
        };
        let accesses = matches!(
            info.class,
            Class::Load(_) | Class::Store(_) | Class::Atomic(_)
        );
        if mask == 0 || flow.op != index && !accesses {
            return;
        }
        for &part in flows.addresses(flow) {
            if let Some(taint) = self.unwritten(part) {
                self.used(op, UnwrittenUse::Address, &taint, mask);
                if let FlowOperand::Row(row, _) = part {
                    self.cleanse(row, mask);
                }
            }
        }
        match flow.kind {
            FlowKind::Store => {}
            FlowKind::Atomic(_) | FlowKind::Decide => {
                for &part in flows.reads(flow) {
                    if let (Some(taint), FlowOperand::Row(row, _) | FlowOperand::Truth(row)) =
                        (self.unwritten(part), part)
                    {
                        let of = match flow.kind {
                            FlowKind::Decide => UnwrittenUse::Decision,
                            _ => UnwrittenUse::Operand,
                        };
                        self.used(op, of, &taint, mask);
                        self.cleanse(row, mask);
                    }
                }
                self.cleanse_all(flow, mask);
            }
            // The instruction's handler computes the flow.
            FlowKind::Shuffle | FlowKind::Matrix => {}
            FlowKind::Load(_) | FlowKind::Unknown => self.cleanse_all(flow, mask),
            _ => self.compute(flow, mask),
        }
    }

    fn cleanse_all(&mut self, flow: &Flow, mask: u32) {
        for &part in self.run.program.flows.writes(flow) {
            if let FlowOperand::Row(row, _) | FlowOperand::Truth(row) = part {
                self.cleanse(row, mask);
            }
        }
    }

    /// Computes which bytes of an instruction's results are unwritten.
    fn compute(&mut self, flow: &Flow, mask: u32) {
        let flows = &self.run.program.flows;
        let (reads, writes) = (flows.reads(flow), flows.writes(flow));
        let mut taints = [None; 6];
        for (to, &part) in taints.iter_mut().zip(reads) {
            *to = self.unwritten(part);
        }
        let Some(first) = taints.iter().flatten().next().copied() else {
            return self.cleanse_all(flow, mask);
        };
        let of = |i: usize, lane: usize| taints[i].as_ref().map_or(0, |t| t.bytes[lane]);
        let is_computed = |lane: usize| {
            let of = |t: &&Taint| t.bytes[lane] != 0 && t.computed >> lane & 1 != 0;
            taints.iter().flatten().any(|t| of(&t))
        };
        let mut results = vec![[0u16; LANES]; writes.len()];
        let (mut computed, mut origin) = (0u32, first.origin);
        for lane in lanes(mask) {
            let Some(taint) = taints.iter().flatten().find(|t| t.bytes[lane] != 0) else {
                continue;
            };
            origin = taint.origin;
            let found = self.result(flow, lane, &|i| of(i, lane));
            // A combination of two values is not a copy of one of them.
            let joins = flow.kind == FlowKind::Not && reads.len() > 1;
            computed |= u32::from(joins || is_computed(lane)) << lane;
            match found {
                Some(Ok(bytes)) => {
                    let mut from = 0;
                    for (result, part) in results.iter_mut().zip(writes) {
                        let (size, truth) = match *part {
                            FlowOperand::Row(_, size) => (size, false),
                            FlowOperand::Truth(_) => (1, true),
                            _ => (reads.first().map_or(0, width), false),
                        };
                        let bytes = (u64::from(bytes) >> from) as u16 & all(size);
                        result[lane] = if truth { u16::from(bytes != 0) } else { bytes };
                        from += u32::from(size);
                    }
                }
                Some(Err(i)) => {
                    // The result is one whole source.
                    computed = computed & !(1 << lane)
                        | taints[i].as_ref().map_or(0, |t| t.computed & 1 << lane);
                    results.iter_mut().for_each(|r| r[lane] = of(i, lane));
                }
                None => {
                    computed |= 1 << lane;
                    for (result, part) in results.iter_mut().zip(writes) {
                        result[lane] = match *part {
                            FlowOperand::Row(_, size) => all(size),
                            _ => 1,
                        };
                    }
                }
            }
        }
        for (&part, bytes) in writes.iter().zip(&results) {
            self.set_taint(part, mask, bytes, computed, origin);
        }
    }

    /// Follows a shuffle, which gives each lane of `mask` the value of the lane in `from`.
    #[cold]
    pub(in crate::machine) fn shuffled(&mut self, op: *const Op, from: &[u32; LANES], mask: u32) {
        // SAFETY: `op` is an operation of the program.
        let (d, a) = unsafe { ((*op).d, (*op).a) };
        let Some(taint) = self.taint(a).copied() else {
            return self.cleanse(d, mask);
        };
        let (mut bytes, mut computed) = ([0; LANES], 0);
        for lane in lanes(mask) {
            let from = from[lane] as usize % LANES;
            bytes[lane] = taint.bytes[from];
            computed |= (taint.computed >> from & 1) << lane;
        }
        self.set_taint(FlowOperand::Row(d, 4), mask, &bytes, computed, taint.origin);
    }

    /// Marks results as written, for lanes that converge from different instructions: their
    /// operands are not followed.
    #[cold]
    pub(in crate::machine) fn forget_results(
        &mut self,
        frame: u32,
        rows: &[(u32, u32)],
        mask: u32,
    ) {
        let at = std::mem::replace(&mut self.at.frame, frame);
        rows.iter().for_each(|(row, _)| self.cleanse(*row, mask));
        self.at.frame = at;
    }
}
