//! The record of a launch: what each warp executed, step by step, with the lanes that took part and
//! the addresses that they accessed.
//!
//! Counters sum up a launch. A record shows one of its warps: which sectors and banks its lanes
//! accessed, which lanes ran a branch, and which lane a shuffle read. `lanewise figure` draws it.
//! Addresses are offsets from the start of an allocation or of the block's shared memory, so the
//! record of a launch is the same in every process.

use serde::Serialize;

/// How much of a launch is recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordLimits {
    /// The first blocks of the grid, in the order of their linear index.
    pub blocks: u64,
    /// The first steps of each of these blocks.
    pub steps: usize,
}

impl Default for RecordLimits {
    /// Enough for the first blocks of a pattern; some megabytes as JSON.
    fn default() -> Self {
        Self {
            blocks: 16,
            steps: 4096,
        }
    }
}

/// What the warps of a launch executed, as far as the limits allowed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[non_exhaustive]
pub struct Recording {
    /// The name of the kernel.
    pub kernel: String,
    /// Blocks in x, y and z.
    pub grid: [u32; 3],
    /// Threads of a block in x, y and z.
    pub block: [u32; 3],
    /// Bytes of a sector of global memory.
    pub sector: u32,
    /// Bytes of a bank of shared memory.
    pub bank_width: u64,
    /// The sizes in bytes of the allocations in global memory that steps accessed, in the order of
    /// their first access.
    pub arrays: Vec<u64>,
    /// The instructions that steps executed, in the order of their first execution.
    pub instructions: Vec<Instruction>,
    /// The steps, block by block, each in the order of execution.
    pub steps: Vec<Step>,
}

/// An instruction of the PTX.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Instruction {
    /// Its name with modifiers: `ld.global.u32`.
    pub name: String,
    /// Its line of the PTX.
    pub ptx_line: u32,
    /// The source file, if the PTX names one.
    pub file: Option<String>,
    /// The line in that file.
    pub line: Option<u32>,
    /// Its place and those of the calls that were inlined around it, as `src/kernels.rs:12`. The
    /// kernel's own line is the first.
    pub stack: Vec<String>,
}

/// One instruction that one warp executed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Step {
    /// The block's linear index in the grid.
    pub block: u64,
    /// The warp's index in the block.
    pub warp: u32,
    /// Which of the record's instructions it is.
    pub instruction: usize,
    /// The lanes that were at the instruction, a bit for each.
    pub active: u32,
    /// The lanes whose guard was true: those that executed it.
    pub lanes: u32,
    /// Its accesses to memory. A generic access to several memories is one for each of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub accesses: Vec<RecordedAccess>,
    /// For a shuffle, the lane that each lane read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sources: Option<[u32; 32]>,
}

/// An access of a warp to one memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct RecordedAccess {
    /// What it does.
    pub kind: RecordedKind,
    /// Which of the record's arrays it accesses; `None` for the block's shared memory.
    pub array: Option<usize>,
    /// Bytes of one lane.
    pub bytes: u8,
    /// The lanes that access it, a bit for each.
    pub lanes: u32,
    /// The sectors that it touches in global memory, or its wavefronts in shared memory.
    pub passes: u64,
    /// The offset of each lane in the array or in shared memory, in bytes; 0 for other lanes.
    pub offsets: [u64; 32],
}

/// The kind of an access.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RecordedKind {
    /// The lanes read memory.
    Load,
    /// The lanes write memory.
    Store,
    /// It reads and writes as one step.
    Atomic,
}
