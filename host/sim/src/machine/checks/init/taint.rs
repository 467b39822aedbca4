//! Registers of a warp that hold uninitialised bytes. For each register there are its bytes, its
//! lanes, and the load that the bytes came from.

use crate::machine::checks::init::flow::FlowOperand;
use crate::machine::core::Core;
use crate::machine::event::Region;
use crate::machine::lane::{LANES, lanes};

/// The origin of uninitialised bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Origin {
    /// The operation that read them.
    pub(super) op: u32,
    pub(super) region: Region,
    /// The address of the first byte that was read.
    pub(super) address: u64,
    /// Which of the bytes that were read are unwritten, a bit each.
    pub(super) bytes: u32,
}

impl Origin {
    /// Returns the first of these lanes that found unwritten bytes, and the origin of these bytes.
    /// None if no lane found any.
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

/// A register that holds uninitialised bytes.
#[derive(Debug, Clone, Copy)]
pub(in crate::machine) struct Taint {
    /// The uninitialised bytes of each lane, a bit each. For a predicate, the lowest bit.
    pub(super) bytes: [u16; LANES],
    /// Lanes whose value was computed, and is not a copy.
    pub(super) computed: u32,
    pub(super) origin: Origin,
}

/// The registers of a warp that hold uninitialised bytes, by their offset in its register file.
pub(in crate::machine) type Taints = Vec<(u32, Taint)>;

/// Returns a bit set of `size` bytes.
pub(super) fn all(size: u8) -> u16 {
    ((1u32 << size.min(16)) - 1) as u16
}

/// Returns how many bytes of each lane an operand has.
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

    /// Marks the lanes of `mask` of a register as written.
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
            self.checks.tainted = !self.warp().taints.is_empty();
        }
    }

    /// Sets the uninitialised bytes of the lanes of `mask` of a register to `bytes`.
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
        self.checks.tainted = true;
    }

    /// Returns the unwritten bytes of an operand, by lane.
    pub(super) fn unwritten(&mut self, part: FlowOperand) -> Option<Taint> {
        match part {
            FlowOperand::Row(row, _) | FlowOperand::Truth(row) => self.taint(row).copied(),
            _ => None,
        }
    }

    /// Returns one lane's value of an operand.
    pub(in crate::machine::checks) fn value(
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
