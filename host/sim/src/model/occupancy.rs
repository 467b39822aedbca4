//! How many blocks of a kernel a multiprocessor holds at once.
//!
//! This is the theoretical occupancy, by the rules of NVIDIA's `cuda_occupancy.h` (12.9). Registers
//! are allocated to warps in units, and each scheduler has a part of them. Shared memory is
//! allocated to blocks in units, with the system's reserve on top. The scarcest of registers,
//! shared memory, warps and blocks sets the limit. The occupancy that a run achieves depends on
//! time and is not modelled.

use std::fmt;

use super::DeviceModel;

/// Blocks and warps that are resident on one multiprocessor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Occupancy {
    /// Resident blocks; 0 if one block does not fit.
    pub blocks: u32,
    /// The most warps that are resident at once.
    pub warps: u32,
    /// The most warps that a multiprocessor can hold.
    pub max_warps: u32,
    /// The number of blocks that each resource alone would allow.
    pub allows: Allowance,
}

/// The number of resident blocks that each resource of a multiprocessor alone would allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Allowance {
    /// Blocks that the limit of resident warps allows.
    pub warps: u32,
    /// Blocks that the 32-bit registers allow.
    pub registers: u32,
    /// Blocks that the shared memory allows, static and dynamic together.
    pub shared: u32,
    /// Blocks that the limit of resident blocks allows.
    pub blocks: u32,
}

/// A resource of a multiprocessor that blocks share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Resource {
    /// The limit of resident warps is reached first.
    Warps,
    /// The registers are used up first.
    Registers,
    /// The shared memory is used up first.
    SharedMemory,
    /// The limit of resident blocks is reached first.
    Blocks,
}

impl fmt::Display for Resource {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Warps => "warps",
            Self::Registers => "registers",
            Self::SharedMemory => "shared memory",
            Self::Blocks => "blocks",
        })
    }
}

impl Allowance {
    fn of(&self, resource: Resource) -> u32 {
        match resource {
            Resource::Warps => self.warps,
            Resource::Registers => self.registers,
            Resource::SharedMemory => self.shared,
            Resource::Blocks => self.blocks,
        }
    }
}

impl Occupancy {
    /// Returns the resident warps as a fraction of the most possible.
    pub fn fraction(&self) -> f64 {
        f64::from(self.warps) / f64::from(self.max_warps)
    }

    /// Returns the resources that prevent another block from being resident. There are several if
    /// they are used up at the same time.
    pub fn limited_by(&self) -> Vec<Resource> {
        use Resource::{Blocks, Registers, SharedMemory, Warps};
        let mut tightest = vec![Warps, Registers, SharedMemory, Blocks];
        tightest.retain(|&resource| self.allows.of(resource) == self.blocks);
        tightest
    }
}

impl DeviceModel {
    /// Returns the occupancy of blocks of `threads` threads with `registers` each and `shared`
    /// bytes of shared memory.
    pub fn occupancy(&self, threads: u32, registers: u32, shared: u32) -> Occupancy {
        let sm = &self.multiprocessor;
        let max_warps = self.warps_per_multiprocessor();
        let warps = threads.div_ceil(self.warp_size);
        let allows = Allowance {
            warps: match warps {
                0 => 0,
                _ if threads > self.limits.threads_per_block => 0,
                _ => max_warps / warps,
            },
            registers: self.blocks_by_registers(warps, registers),
            shared: self.blocks_by_shared(shared),
            blocks: sm.blocks,
        };
        let blocks = allows
            .warps
            .min(allows.registers)
            .min(allows.shared)
            .min(allows.blocks);
        Occupancy {
            blocks,
            warps: blocks * warps,
            max_warps,
            allows,
        }
    }

    /// Returns the blocks that the registers allow. Registers are allocated to each warp in units,
    /// from the part of its scheduler.
    fn blocks_by_registers(&self, warps: u32, registers: u32) -> u32 {
        let sm = &self.multiprocessor;
        if registers > sm.registers_per_thread {
            return 0;
        }
        if registers == 0 || warps == 0 {
            return sm.blocks;
        }
        let a_warp = (registers * self.warp_size).next_multiple_of(sm.register_unit);
        let a_block = a_warp.saturating_mul(warps.next_multiple_of(sm.schedulers));
        if a_block > self.limits.registers_per_block {
            return 0;
        }
        sm.registers / sm.schedulers / a_warp * sm.schedulers / warps
    }

    /// Returns the blocks that the shared memory allows. It is allocated to each block in units,
    /// the system's reserve included.
    fn blocks_by_shared(&self, shared: u32) -> u32 {
        let sm = &self.multiprocessor;
        let a_block = shared
            .saturating_add(self.limits.shared_reserved)
            .checked_next_multiple_of(sm.shared_unit);
        match a_block {
            Some(_) if shared > self.limits.shared_per_block_optin => 0,
            Some(0) => sm.blocks,
            Some(a_block) => sm.shared / a_block,
            None => 0,
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

    #[test]
    fn what_limits_is_named() {
        let h200 = DeviceModel::h200();
        let by =
            |threads, registers, shared| h200.occupancy(threads, registers, shared).limited_by();
        assert_eq!(by(256, 32, 0), [Resource::Warps, Resource::Registers]);
        assert_eq!(by(256, 16, 0), [Resource::Warps]);
        assert_eq!(by(32, 16, 0), [Resource::Blocks]);
        assert_eq!(by(256, 64, 0), [Resource::Registers]);
        assert_eq!(by(256, 32, 48 * 1024), [Resource::SharedMemory]);
        assert_eq!(by(1025, 16, 0), [Resource::Warps], "no such block");
    }

    #[test]
    fn no_figures_make_it_panic() {
        for name in DeviceModel::names() {
            let model = DeviceModel::named(name).expect("a built-in model");
            let odd = [0, 1, 31, 255, 256, 1024, 1025, 1 << 20, u32::MAX];
            for (threads, registers) in odd.iter().flat_map(|&a| odd.map(|b| (a, b))) {
                for shared in odd {
                    let found = model.occupancy(threads, registers, shared);
                    assert!(found.warps <= found.max_warps, "{name}: {found:?}");
                }
            }
        }
    }
}
