//! Loads, stores and atomics: uninitialised bytes that they move between memory and registers.

use super::report::UnwrittenUse;
use super::taint::{Origin, Taint, all};
use crate::machine::checks::init::flow::{Flow, FlowKind, FlowOperand};
use crate::machine::checks::report::place::index;
use crate::machine::core::Core;
use crate::machine::event::Region;
use crate::machine::lane::{LANES, lanes};
use crate::machine::op::Op;
use crate::machine::program::{Class, OpInfo, Program};

/// Returns an operation's number, and the data flow of its instruction if that is known.
fn flow_of(program: &Program, op: *const Op) -> Option<(u32, Option<&Flow>)> {
    let index = index(program, op)? as u32;
    Some((index, program.flows.of(index)))
}

impl Core<'_> {
    /// Follows lanes' accesses of `info.bytes` bytes to one memory: loads may read uninitialised
    /// data, and stores write memory.
    pub(in crate::machine::checks) fn check_init(
        &mut self,
        op: *const Op,
        info: OpInfo,
        region: Region,
        addresses: &[u64; LANES],
        mask: u32,
    ) {
        let bytes = u32::from(info.bytes);
        match info.class {
            Class::Load(_) => {
                let mut found = [0u32; LANES];
                if self.find_unwritten(op, region, (addresses, mask), bytes, &mut found) {
                    self.bring(op, info, region, addresses, mask, &found);
                }
            }
            Class::Store(_) => {
                self.write_region(op, region, (addresses, mask), bytes);
                if self.checks.tainted {
                    self.carry(op, info, region, addresses, mask);
                }
            }
            Class::Atomic(_) => {
                let mut found = [0u32; LANES];
                if self.find_unwritten(op, region, (addresses, mask), bytes, &mut found) {
                    self.update(op, region, addresses, mask, &found);
                    self.write_region(op, region, (addresses, mask), bytes);
                }
            }
            _ => {}
        }
    }

    /// Follows a load of unwritten bytes into registers.
    #[cold]
    fn bring(
        &mut self,
        op: *const Op,
        info: OpInfo,
        region: Region,
        addresses: &[u64; LANES],
        mask: u32,
        found: &[u32; LANES],
    ) {
        let run = self.run;
        let Some((index, Some(flow))) = flow_of(run.program, op) else {
            return;
        };
        let FlowKind::Load(signed) = flow.kind else {
            return;
        };
        let Some((_, origin)) = Origin::of_first(index, region, addresses, mask, found) else {
            return;
        };
        let writes = run.program.flows.writes(flow);
        let each = u32::from(info.bytes) / (writes.len() as u32).max(1);
        for (e, &part) in writes.iter().enumerate() {
            let FlowOperand::Row(_, size) = part else {
                continue;
            };
            let mut bytes = [0u16; LANES];
            for lane in lanes(mask) {
                let of = (found[lane] >> (e as u32 * each)) as u16 & all(each as u8);
                let fills = signed && u32::from(size) > each && of >> (each - 1) & 1 != 0;
                bytes[lane] = of
                    | if fills {
                        all(size) & !all(each as u8)
                    } else {
                        0
                    };
            }
            if bytes != [0; LANES] {
                self.set_taint(part, mask, &bytes, 0, origin);
            }
            // Of padding beside a field, only a part of an element is unwritten.
            let whole = |&lane: &usize| bytes[lane] & all(each as u8) == all(each as u8);
            if run.launch.checks.strict
                && region != Region::Local
                && let Some(lane) = lanes(mask).find(whole)
            {
                self.read_unwritten(op, origin, lane);
            }
        }
    }

    /// Follows a store of unwritten bytes, or of values that were computed from them.
    #[cold]
    fn carry(
        &mut self,
        op: *const Op,
        info: OpInfo,
        region: Region,
        addresses: &[u64; LANES],
        mask: u32,
    ) {
        let run = self.run;
        let Some((_, Some(flow))) = flow_of(run.program, op) else {
            return;
        };
        if flow.kind != FlowKind::Store {
            return;
        }
        let reads = run.program.flows.reads(flow);
        let each = u32::from(info.bytes) / (reads.len() as u32).max(1);
        for (e, &part) in reads.iter().enumerate() {
            let Some(taint) = self.unwritten(part) else {
                continue;
            };
            let taken = lanes(mask).filter(|&lane| taint.bytes[lane] & all(each as u8) != 0);
            let taken = taken.fold(0u32, |set, lane| set | 1 << lane);
            let computed = match region {
                Region::Local => 0,
                _ => taken & taint.computed,
            };
            if computed != 0 {
                self.used(op, UnwrittenUse::Stored, &taint, computed);
            }
            for lane in lanes(taken & !computed) {
                let of = taint.bytes[lane] & all(each as u8);
                for byte in (0..each).filter(|byte| of >> byte & 1 != 0) {
                    let at = addresses[lane] + u64::from(e as u32 * each + byte);
                    self.unwrite(region, at, lane);
                }
            }
        }
    }

    /// Follows an atomic that reads unwritten bytes.
    #[cold]
    fn update(
        &mut self,
        op: *const Op,
        region: Region,
        addresses: &[u64; LANES],
        mask: u32,
        found: &[u32; LANES],
    ) {
        let Some((index, flow)) = flow_of(self.run.program, op) else {
            return;
        };
        if flow.is_some_and(|flow| flow.kind == FlowKind::Atomic(true)) {
            return;
        }
        let Some((lane, origin)) = Origin::of_first(index, region, addresses, mask, found) else {
            return;
        };
        let mut bytes = [0; LANES];
        bytes[lane] = 1;
        let taint = Taint {
            bytes,
            computed: 0,
            origin,
        };
        self.used(op, UnwrittenUse::Updated, &taint, mask);
    }
}
