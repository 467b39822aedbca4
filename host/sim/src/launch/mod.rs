//! One launch: what the caller asks for, and what it gets back.

pub mod limits;

use std::sync::Arc;

use crate::checks::Footprint;
use crate::{Checks, Counters, Exploration, Finding, Schedule, Strategy};

/// How wide a bank of shared memory is for the conflict counters (`cuCtxSetSharedMemConfig`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BankWidth {
    /// The device model's default: its first width.
    #[default]
    Default,
    /// Banks of four bytes.
    Four,
    /// Eight bytes, where the model has them; four elsewhere.
    Eight,
}

/// What is asked of a launch.
#[derive(Clone)]
pub struct Launch<'a> {
    /// The name of the kernel in its module.
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
    /// Who goes on where threads meet at memory; the seed makes its choices.
    pub schedule: Schedule,
    /// A search through all schedules that this launch is a part of: it makes the choices then, in place of schedule and seed.
    pub exploration: Option<Arc<Exploration>>,
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
    /// Sets the condition of a graph that has this handle, and says whether there is one.
    pub conditions: &'a (dyn Fn(u64, u32) -> bool + Sync),
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
            schedule: Schedule::default(),
            exploration: None,
            budget: None,
            checks: Checks::default(),
            count: false,
            bank_width: BankWidth::Default,
            heap: None,
            pending_launches: None,
            printf: &print,
            conditions: &|_, _| false,
        }
    }
}

impl Launch<'_> {
    /// Whether threads stop at each access to memory for somebody to choose who goes on.
    pub(crate) fn is_explored(&self) -> bool {
        self.exploration.is_some() || self.schedule.strategy != Strategy::Plain
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

/// What a launch did, in sums that cost nothing to keep: the modelled time is computed from them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct ExecutionSummary {
    /// Instructions of the PTX that warps have executed.
    pub instructions: u64,
    /// Bytes that threads asked global memory for: active lanes times width.
    pub global_read: u64,
    /// Bytes that threads wrote to global memory.
    pub global_written: u64,
    /// Thread blocks that ran.
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
    /// Where races were looked for, which bytes of global memory were accessed.
    pub footprint: Footprint,
    /// Whether a thread waited for the launches ahead (`griddepcontrol.wait`).
    pub waits_for_grids: bool,
    /// Whether a thread let the next launch begin (`griddepcontrol.launch_dependents`).
    pub releases_grids: bool,
    /// What there was to do.
    pub summary: ExecutionSummary,
    /// Where the schedule was not the plain one, its steps, a line each: who, where, and what it did to memory. The middle of a
    /// long one is left out.
    pub steps: Vec<String>,
}
