//! Registers of a warp that hold uninitialised bytes: for each its bytes, its lanes, and the load
//! that they came from.

use crate::machine::core::Core;
use crate::machine::event::Region;
use crate::machine::lane::{LANES, lanes};
use crate::machine::watch::flow::FlowOperand;

/// Where uninitialised bytes came from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Origin {
    /// The operation that read them.
    pub(super) op: u32,
    pub(super) region: Region,
    /// The first of them.
    pub(super) address: u64,
    /// Which of those that were read, a bit each.
    pub(super) bytes: u32,
}

impl Origin {
    /// The first of these lanes that found unwritten bytes, and where they come from; none if no
    /// lane did.
    pub(super) fn of_first(
        op: u32,
        region: Region,
        addresses: &[u64; LANES],
        mask: u32,
        found: &[u32; LANES],
    ) -> Option<(usize, Self)> {
        let lane = lanes(mask).find(|&lane| found[lane] != 0)?;
        let origin = Self {
            op,
            region,
            address: addresses[lane] + u64::from(found[lane].trailing_zeros()),
            bytes: found[lane],
        };
        Some((lane, origin))
    }
}

/// A register that holds such bytes.
#[derive(Debug, Clone, Copy)]
pub(in crate::machine) struct Taint {
    /// Which, a bit each, by lane; of a predicate the lowest bit.
    pub(super) bytes: [u16; LANES],
    /// Lanes whose value was computed, and is no copy.
    pub(super) computed: u32,
    pub(super) origin: Origin,
}

/// The registers of a warp that hold such bytes, by their place in its register file.
pub(in crate::machine) type Taints = Vec<(u32, Taint)>;

/// The bits of `size` bytes.
pub(super) fn all(size: u8) -> u16 {
    ((1u32 << size.min(16)) - 1) as u16
}

/// Bytes of one lane of a part.
pub(super) fn width(part: &FlowOperand) -> u8 {
    match *part {
        FlowOperand::Row(_, size) => size,
        FlowOperand::Truth(_) => 1,
        _ => 0,
    }
}

impl Core<'_> {
    pub(super) fn taint(&mut self, row: u32) -> Option<&mut Taint> {
        let key = self.at.frame + (row & !1);
        let found = self.warp().taints.iter_mut().find(|(at, _)| *at == key);
        found.map(|(_, taint)| taint)
    }

    /// The lanes of `mask` of a register hold what was written.
    pub(super) fn cleanse(&mut self, row: u32, mask: u32) {
        let key = self.at.frame + (row & !1);
        let taints = &mut self.warp().taints;
        let Some(at) = taints.iter().position(|(at, _)| *at == key) else {
            return;
        };
        let taint = &mut taints[at].1;
        lanes(mask).for_each(|lane| taint.bytes[lane] = 0);
        if taint.bytes == [0; LANES] {
            taints.swap_remove(at);
            self.tainted = !self.warp().taints.is_empty();
        }
    }

    /// The lanes of `mask` of a register become `bytes`.
    pub(super) fn set_taint(
        &mut self,
        part: FlowOperand,
        mask: u32,
        bytes: &[u16; LANES],
        computed: u32,
        origin: Origin,
    ) {
        let row = match part {
            FlowOperand::Row(row, _) | FlowOperand::Truth(row) => row,
            _ => return,
        };
        if lanes(mask).all(|lane| bytes[lane] == 0) {
            return self.cleanse(row, mask);
        }
        let key = self.at.frame + (row & !1);
        let taints = &mut self.warp().taints;
        let at = taints.iter().position(|(at, _)| *at == key);
        let at = at.unwrap_or_else(|| {
            let taint = Taint {
                bytes: [0; LANES],
                computed: 0,
                origin,
            };
            taints.push((key, taint));
            taints.len() - 1
        });
        let taint = &mut taints[at].1;
        for lane in lanes(mask) {
            taint.bytes[lane] = bytes[lane];
        }
        taint.computed = taint.computed & !mask | computed & mask;
        taint.origin = origin;
        self.tainted = true;
    }

    /// What is known of a part: its unwritten bytes by lane.
    pub(super) fn unwritten(&mut self, part: FlowOperand) -> Option<Taint> {
        match part {
            FlowOperand::Row(row, _) | FlowOperand::Truth(row) => self.taint(row).copied(),
            _ => None,
        }
    }

    /// One lane's value of a part.
    pub(in crate::machine::watch) fn value(
        &mut self,
        part: FlowOperand,
        lane: usize,
    ) -> Option<u64> {
        // SAFETY: parts are operands of an operation of the running frame.
        unsafe {
            match part {
                FlowOperand::Row(row, 8) => Some(self.lanes::<u64>(row)[lane]),
                FlowOperand::Row(row, 1..=4) => Some(self.lanes::<u32>(row)[lane].into()),
                FlowOperand::Truth(row) => Some(u64::from(self.predicate(row) >> lane & 1)),
                FlowOperand::Value(value) => Some(value),
                _ => None,
            }
        }
    }
}
