//! The rules of thumb for the shape of a launch, as a check.
//!
//! They are a starting point and do not find the fastest shape. A shape that breaks a rule may be
//! right; a measurement decides.
//! Source: CUDA C++ Best Practices Guide, "Thread and Block Heuristics"; Professional CUDA C
//! Programming, chapter 3.

use std::fmt;

use crate::{DeviceProperties, LaunchConfig};

/// A rule that a launch does not follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Guideline {
    /// The last warp of each block has lanes without a thread.
    PartialWarp {
        /// Lanes that idle in each block.
        idle: u32,
    },
    /// Blocks have fewer than 128 threads. A multiprocessor then reaches its limit of blocks before
    /// its limit of warps.
    SmallBlock {
        /// Threads of a block.
        threads: u64,
    },
    /// There are too few blocks to keep every multiprocessor busy to the end.
    FewBlocks {
        /// Blocks of the grid.
        blocks: u64,
        /// Multiprocessors of the device.
        multiprocessors: u32,
    },
}

/// The fewest blocks for each multiprocessor with which the multiprocessors end at about
/// the same time.
const BLOCKS_EACH: u64 = 4;

/// The fewest threads of a block that is not small.
const SMALL: u64 = 128;

impl fmt::Display for Guideline {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PartialWarp { idle } => write!(
                out,
                "{idle} lanes of each block idle: use a multiple of 32 threads"
            ),
            Self::SmallBlock { threads } => write!(
                out,
                "blocks of {threads} threads are small: start with 128 or 256"
            ),
            Self::FewBlocks {
                blocks,
                multiprocessors,
            } => write!(
                out,
                "{blocks} blocks for {multiprocessors} multiprocessors: have several for each"
            ),
        }
    }
}

/// Returns the rules that this launch does not follow on this device.
pub fn broken(config: LaunchConfig, device: &DeviceProperties) -> Vec<Guideline> {
    let (threads, blocks) = (config.block.count(), config.grid.count());
    let warp = u64::from(device.warp_size.max(1));
    let mut broken = Vec::new();
    if !threads.is_multiple_of(warp) {
        let idle = (warp - threads % warp) as u32;
        broken.push(Guideline::PartialWarp { idle });
    }
    if threads < SMALL {
        broken.push(Guideline::SmallBlock { threads });
    }
    let multiprocessors = device.multiprocessors;
    if blocks < BLOCKS_EACH * u64::from(multiprocessors) {
        broken.push(Guideline::FewBlocks {
            blocks,
            multiprocessors,
        });
    }
    broken
}
