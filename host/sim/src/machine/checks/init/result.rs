//! Unwritten bytes of an instruction's result, computed from the unwritten bytes of its sources.

use super::taint::{all, width};
use crate::machine::checks::init::flow::{Flow, FlowKind, FlowOperand};
use crate::machine::core::Core;

impl Core<'_> {
    /// Returns the unwritten bytes of a result, or the source that it equals. None if every source
    /// affects the whole result.
    pub(super) fn result(
        &mut self,
        flow: &Flow,
        lane: usize,
        of: &dyn Fn(usize) -> u16,
    ) -> Option<Result<u32, usize>> {
        let flows = &self.run.program.flows;
        let (reads, writes) = (flows.reads(flow), flows.writes(flow));
        let truth = matches!(writes.first(), Some(FlowOperand::Truth(_)));
        let size = writes.first().map_or(0, width);
        match flow.kind {
            FlowKind::Move => {
                // The sources are concatenated.
                let (mut bytes, mut at) = (0u32, 0);
                for i in 0..reads.len() {
                    bytes |= u32::from(of(i)) << at;
                    at += u32::from(size) / reads.len() as u32;
                }
                Some(Ok(bytes))
            }
            FlowKind::Widen(from, signed) => {
                let low = of(0) & all(from);
                let fills = signed && size > from && low >> (from - 1) & 1 != 0;
                let high = if fills { all(size) & !all(from) } else { 0 };
                Some(Ok(u32::from((low | high) & all(size))))
            }
            FlowKind::And | FlowKind::Or => {
                let (a, b) = (of(0), of(1));
                let (x, y) = (
                    self.value(*reads.first()?, lane),
                    self.value(*reads.get(1)?, lane),
                );
                let or = flow.kind == FlowKind::Or;
                if truth {
                    // A written operand may determine the result alone.
                    let alone = |known: u16, value: Option<u64>| {
                        known == 0 && value.is_some_and(|v| (v & 1 != 0) == or)
                    };
                    let decided = alone(a, x) || alone(b, y);
                    return Some(Ok(u32::from(!decided && (a | b) & 1 != 0)));
                }
                let mut bytes = 0;
                for at in 0..u32::from(size.min(8)) {
                    let byte = |value: Option<u64>| value.map(|v| (v >> (8 * at)) as u8);
                    let decides = |known: u16, value: Option<u64>| {
                        known >> at & 1 == 0 && byte(value) == Some(if or { u8::MAX } else { 0 })
                    };
                    let decided = decides(a, x) || decides(b, y);
                    bytes |= u32::from(!decided && (a | b) >> at & 1 != 0) << at;
                }
                Some(Ok(bytes))
            }
            FlowKind::Not => Some(Ok(u32::from(of(0) | of(1)))),
            FlowKind::ShiftLeft | FlowKind::ShiftRight(_) if of(1) == 0 => {
                let by = self.value(*reads.get(1)?, lane)? as u32;
                let (bytes, part) = ((by / 8).min(16), u32::from(!by.is_multiple_of(8)));
                let from = u32::from(of(0));
                let mut to = match flow.kind {
                    FlowKind::ShiftLeft => from << bytes | from << (bytes + part),
                    _ => from >> bytes | from >> (bytes + part).min(31),
                };
                let top = from >> (size.max(1) - 1) & 1 != 0;
                if flow.kind == FlowKind::ShiftRight(true) && top {
                    to |= u32::from(all(size))
                        & (u32::MAX << u32::from(size).saturating_sub(bytes + part));
                }
                Some(Ok(to & u32::from(all(size))))
            }
            FlowKind::Permute if of(2) == 0 => {
                let selectors = self.value(*reads.get(2)?, lane)?;
                let both = u32::from(of(0) & 0xf) | u32::from(of(1) & 0xf) << 4;
                let byte = |at: u32| both >> (selectors >> (4 * at) & 7) & 1;
                Some(Ok((0..4).fold(0, |bytes, at| bytes | byte(at) << at)))
            }
            FlowKind::Extract if of(1) | of(2) == 0 => {
                let at = self.value(*reads.get(1)?, lane)? as u32 & 0xff;
                let length = self.value(*reads.get(2)?, lane)? as u32 & 0xff;
                let end = (at + length).div_ceil(8).min(16);
                let covered = (0..end).filter(|byte| *byte >= at / 8);
                let any = covered.clone().any(|byte| of(0) >> byte & 1 != 0);
                let to = all(length.div_ceil(8).min(u32::from(size)) as u8);
                Some(Ok(if any { to.into() } else { 0 }))
            }
            FlowKind::Select if of(2) == 0 => {
                let chosen = self.value(*reads.get(2)?, lane)?;
                Some(Err(usize::from(chosen == 0)))
            }
            _ => None,
        }
    }
}
