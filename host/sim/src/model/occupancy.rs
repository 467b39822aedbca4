//! How many blocks of a kernel a multiprocessor holds at once.
//!
//! Theoretical occupancy, by the rules that NVIDIA's `cuda_occupancy.h` (12.9) states: registers are given to warps in
//! units and come from one part for each scheduler; shared memory is given to blocks in units, with the system's part
//! on top; the tightest of registers, shared memory, warps and blocks decides. What a run achieves is a matter of time and is not
//! modelled.

use super::DeviceModel;

/// Blocks and warps that are resident on one multiprocessor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Occupancy {
    /// Resident blocks; 0 when one block does not fit.
    pub blocks: u32,
    /// Resident warps.
    pub warps: u32,
    /// The most warps that could be.
    pub max_warps: u32,
}

impl Occupancy {
    /// Resident warps as a fraction of the most there could be.
    pub fn fraction(&self) -> f64 {
        f64::from(self.warps) / f64::from(self.max_warps)
    }
}

impl DeviceModel {
    /// The occupancy of blocks of `threads` threads with `registers` each and `shared` bytes of shared memory.
    pub fn occupancy(&self, threads: u32, registers: u32, shared: u32) -> Occupancy {
        let sm = &self.multiprocessor;
        let max_warps = self.warps_per_multiprocessor();
        let warps = threads.div_ceil(self.warp_size);
        if warps == 0
            || threads > self.limits.threads_per_block
            || registers > sm.registers_per_thread
        {
            return Occupancy {
                blocks: 0,
                warps: 0,
                max_warps,
            };
        }
        let by_warps = max_warps / warps;
        let by_registers = if registers == 0 {
            sm.blocks
        } else {
            let a_warp = (registers * self.warp_size).next_multiple_of(sm.register_unit);
            if a_warp * warps.next_multiple_of(sm.schedulers) > self.limits.registers_per_block {
                0
            } else {
                sm.registers / sm.schedulers / a_warp * sm.schedulers / warps
            }
        };
        let a_block = shared
            .saturating_add(self.limits.shared_reserved)
            .checked_next_multiple_of(sm.shared_unit);
        let by_shared = match a_block {
            Some(_) if shared > self.limits.shared_per_block_optin => 0,
            Some(0) => sm.blocks,
            Some(a_block) => sm.shared / a_block,
            None => 0,
        };
        let blocks = by_warps.min(by_registers).min(by_shared).min(sm.blocks);
        Occupancy {
            blocks,
            warps: blocks * warps,
            max_warps,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_limit_can_be_the_tightest() {
        let h200 = DeviceModel::h200();
        let blocks = |threads, registers, shared| h200.occupancy(threads, registers, shared).blocks;
        assert_eq!(blocks(256, 32, 0), 8, "64 warps, 8 a block");
        assert_eq!(blocks(32, 16, 0), 32, "32 blocks at most");
        assert_eq!(
            blocks(256, 64, 0),
            4,
            "a warp takes 2048 of a scheduler's 16384 registers: 8 warps each"
        );
        assert_eq!(
            blocks(256, 32, 48 * 1024),
            4,
            "49 KiB with the system's part, of 228 KiB"
        );
        assert_eq!(
            blocks(1024, 255, 0),
            0,
            "more registers than a block may have"
        );
        assert_eq!(blocks(0, 16, 0), 0);
        assert_eq!(h200.occupancy(256, 64, 0).fraction(), 0.5);
    }
}
