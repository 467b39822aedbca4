//! One launch: what is asked for, what can be wrong with that, what comes back.

use crate::{Checks, Counters, Finding};

/// How wide a bank of shared memory is for the conflict counters (`cuCtxSetSharedMemConfig`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BankWidth {
    /// The device model's default: its first width.
    #[default]
    Default,
    /// Four bytes.
    Four,
    /// Eight bytes, where the model has them; four elsewhere.
    Eight,
}

/// What is asked of a launch.
#[derive(Clone)]
pub struct Launch<'a> {
    /// The kernel's name.
    pub kernel: &'a str,
    /// Blocks in x, y and z.
    pub grid: [u32; 3],
    /// Threads of a block in x, y and z.
    pub block: [u32; 3],
    /// Blocks of a cluster in x, y and z; ones for no clusters.
    pub cluster: [u32; 3],
    /// Whether the cluster may be larger than every device of its kind takes
    /// (`CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED`).
    pub non_portable_cluster: bool,
    /// Whether the blocks wait for each other, so that all of them have to be resident.
    pub cooperative: bool,
    /// Bytes of dynamic shared memory.
    pub dynamic_shared: u32,
    /// Bytes of dynamic shared memory that the kernel may have; none for all that the device has.
    pub dynamic_shared_limit: Option<u32>,
    /// The parameters, laid out as [`Param`](crate::Param) says. Bytes past the end are ignored, missing ones an error.
    pub params: &'a [u8],
    /// Chooses the interleaving of warps; one seed, one result.
    pub seed: u64,
    /// Warp instructions that all blocks together may run, about; none for the default.
    pub budget: Option<u64>,
    /// What to look for besides what is always looked for.
    pub checks: Checks,
    /// Whether to count; it costs time.
    pub count: bool,
    /// The width of banks for the counters.
    pub bank_width: BankWidth,
    /// Bytes of the heap for `malloc` in kernels; none for the model's default.
    pub heap: Option<u64>,
    /// Launches from kernels that may be pending at once; none for CUDA's default.
    pub pending_launches: Option<u32>,
    /// Gets what the kernel prints, one call for each `printf` of a thread.
    pub printf: &'a (dyn Fn(&[u8]) + Sync),
}

impl<'a> Launch<'a> {
    /// A launch with seed 0, no dynamic shared memory, no clusters, and output to the process' own.
    pub fn new(kernel: &'a str, grid: [u32; 3], block: [u32; 3], params: &'a [u8]) -> Self {
        Self {
            kernel,
            grid,
            block,
            cluster: [1; 3],
            non_portable_cluster: false,
            cooperative: false,
            dynamic_shared: 0,
            dynamic_shared_limit: None,
            params,
            seed: 0,
            budget: None,
            checks: Checks::default(),
            count: false,
            bank_width: BankWidth::Default,
            heap: None,
            pending_launches: None,
            printf: &print,
        }
    }
}

/// Writes to the process' standard output, as CUDA's `printf` does.
fn print(text: &[u8]) {
    use std::io::Write;
    // A closed standard output is no reason to end a kernel.
    let _ = std::io::stdout().lock().write_all(text);
}

impl std::fmt::Debug for Launch<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            kernel,
            grid,
            block,
            cluster,
            dynamic_shared,
            seed,
            ..
        } = self;
        write!(
            f,
            "{kernel}<<<{grid:?}, {block:?}, {dynamic_shared}, cluster {cluster:?}>>> seed {seed}"
        )
    }
}

/// Why nothing ran.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LaunchError {
    /// The module has no such kernel.
    #[error("no kernel `{name}` in the module; it has {}", list(.known))]
    UnknownKernel {
        /// What was asked for.
        name: String,
        /// What there is.
        known: Vec<String>,
    },
    /// The kernel, or a function that it names, holds what is not modelled.
    #[error("kernel `{kernel}` cannot run here")]
    Refused {
        /// The kernel.
        kernel: String,
        /// What, with its line.
        source: Box<crate::LoadError>,
    },
    /// The instance belongs to another device.
    #[error("the module was loaded on another device; load it on this one")]
    OtherDevice,
    /// A grid or block of no threads, or wider than the device takes.
    #[error("{what} of ({}, {}, {}); each extent is from 1 to ({}, {}, {})", .asked[0], .asked[1], .asked[2], .limit[0], .limit[1], .limit[2])]
    Extent {
        /// `a grid`, `a block` or `a cluster`.
        what: &'static str,
        /// What was asked for.
        asked: [u32; 3],
        /// The device's limits.
        limit: [u32; 3],
    },
    /// More threads in a block than the device or the kernel takes.
    #[error(
        "a block of {asked} threads; {who} takes {limit} at most; use smaller blocks and more of them"
    )]
    Threads {
        /// What was asked for.
        asked: u64,
        /// The limit.
        limit: u32,
        /// Who sets it: the device, or the kernel by its launch bounds.
        who: String,
    },
    /// A block whose shape is not the one that the kernel was compiled for.
    #[error(
        "a block of ({}, {}, {}) threads; the kernel was compiled for ({}, {}, {}) exactly (.reqntid)",
        .asked[0], .asked[1], .asked[2], .required[0], .required[1], .required[2]
    )]
    RequiredThreads {
        /// What was asked for.
        asked: [u32; 3],
        /// What the kernel requires.
        required: [u32; 3],
    },
    /// More threads in a block than there are registers for.
    #[error(
        "a block of {asked} threads; with {registers} registers a thread it can have {limit} at most"
    )]
    Registers {
        /// What was asked for.
        asked: u32,
        /// Registers of a thread.
        registers: u32,
        /// The limit.
        limit: u32,
    },
    /// More shared memory than a block of the kernel may have.
    #[error(
        "{dynamic} bytes of dynamic shared memory and {fixed} static; {allowed} dynamic bytes are allowed{}",
        if .most > .allowed { format!(", and up to {most} after the kernel's attribute for it is set") } else { String::new() }
    )]
    Shared {
        /// Static bytes.
        fixed: u32,
        /// Dynamic bytes.
        dynamic: u32,
        /// The limit of dynamic bytes that holds.
        allowed: u32,
        /// The limit that the device has beside the static bytes.
        most: u32,
    },
    /// Too few bytes of parameters.
    #[error("{given} bytes of parameters; the kernel takes {wanted}")]
    Params {
        /// Bytes given.
        given: usize,
        /// Bytes taken.
        wanted: usize,
    },
    /// A cluster that the grid is no multiple of, or larger than the device takes.
    #[error("clusters of ({}, {}, {}) blocks in a grid of ({}, {}, {}); {reason}",
        .cluster[0], .cluster[1], .cluster[2], .grid[0], .grid[1], .grid[2])]
    Cluster {
        /// The cluster's extents.
        cluster: [u32; 3],
        /// The grid's extents.
        grid: [u32; 3],
        /// What is wrong.
        reason: String,
    },
    /// More blocks in a cooperative launch than are resident at once.
    #[error("a cooperative launch of {asked} blocks; {device} holds {limit} of them at once")]
    Cooperative {
        /// Blocks of the grid.
        asked: u64,
        /// Blocks that are resident.
        limit: u64,
        /// The device model's name.
        device: String,
    },
    /// More local memory than the device has for a thread.
    #[error("the kernel needs {asked} bytes of local memory a thread; the device has {limit}")]
    Local {
        /// What it needs.
        asked: u32,
        /// The limit.
        limit: u32,
    },
    /// The host has no memory for the launch.
    #[error("no memory for the launch")]
    Memory(#[from] crate::MemoryError),
}

/// "`a`, `b` and 3 more".
fn list(names: &[String]) -> String {
    match names {
        [] => "none".into(),
        names => {
            let shown: Vec<_> = names.iter().take(8).map(|n| format!("`{n}`")).collect();
            let more = names.len() - shown.len();
            shown.join(", ")
                + &if more > 0 {
                    format!(" and {more} more")
                } else {
                    String::new()
                }
        }
    }
}

/// What a launch did, in sums that cost nothing to keep: the modelled time is computed from them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct ExecutionSummary {
    /// Warp instructions of the PTX.
    pub instructions: u64,
    /// Bytes that threads asked global memory for: active lanes times width.
    pub global_read: u64,
    /// Bytes that threads wrote to global memory.
    pub global_written: u64,
    /// Blocks that ran.
    pub blocks: u64,
    /// Grids that kernels launched.
    pub device_launches: u64,
    /// Grids that had to run one after another, the host's included: the longest such chain.
    pub chain: u64,
}

/// What a launch gives back.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Report {
    /// Counts, where they were asked for.
    pub counters: Option<Counters>,
    /// What the checks found; the launch ran to its end all the same.
    pub findings: Vec<Finding>,
    /// What there was to do.
    pub summary: ExecutionSummary,
}
