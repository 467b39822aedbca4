//! One launch: what the caller asks for, and the result.

pub mod limits;
pub mod outside;
pub mod recording;

use std::sync::Arc;

use outside::Outside;
use recording::{RecordLimits, Recording};

use crate::checks::Footprint;
use crate::{Checks, Counters, Exploration, Finding, Schedule, Strategy};

/// The width of a bank of shared memory for the conflict counters (`cuCtxSetSharedMemConfig`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BankWidth {
    /// The device model's default: its first width.
    #[default]
    Default,
    /// Banks of four bytes.
    Four,
    /// Banks of eight bytes if the model has them, else of four.
    Eight,
}

/// A launch: the kernel, its shape and parameters, and how to run it.
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
    /// Whether the cluster may be larger than the size that all devices of its
    /// kind support (`CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED`).
    pub non_portable_cluster: bool,
    /// Whether the blocks wait for each other, so that all of them must be resident at once.
    pub cooperative: bool,
    /// Bytes of dynamic shared memory.
    pub dynamic_shared: u32,
    /// The limit of dynamic shared memory in bytes; `None` for the device's own limit.
    pub dynamic_shared_limit: Option<u32>,
    /// The parameters, in the layout that [`Param`](crate::Param) describes. Extra bytes are
    /// ignored; missing bytes are an error.
    pub params: &'a [u8],
    /// The seed that chooses the interleaving of warps. One seed always gives the same result.
    pub seed: u64,
    /// How threads are scheduled at memory accesses. The seed makes the choices.
    pub schedule: Schedule,
    /// The search through all schedules that this launch is part of. It then makes the choices
    /// instead of the schedule and the seed.
    pub exploration: Option<Arc<Exploration>>,
    /// About how many warp instructions all blocks together may run; `None` for the default.
    pub budget: Option<u64>,
    /// The checks to run, in addition to those that always run.
    pub checks: Checks,
    /// Whether to keep counters, which costs time.
    pub count: bool,
    /// How much to record of what warps execute. The counters do it, so it needs `count`.
    pub record: Option<RecordLimits>,
    /// The width of banks for the counters.
    pub bank_width: BankWidth,
    /// Bytes of the heap for `malloc` in kernels; `None` for the model's default.
    pub heap: Option<u64>,
    /// How many launches from kernels may be pending at once; `None` for CUDA's default.
    pub pending_launches: Option<u32>,
    /// Receives what the kernel prints, one call for each `printf` of a thread.
    pub printf: &'a (dyn Fn(&[u8]) + Sync),
    /// Sets the graph condition with this handle. Returns whether there is one.
    pub conditions: &'a (dyn Fn(u64, u32) -> bool + Sync),
    /// What else may change memory while the launch runs.
    pub outside: &'a dyn Outside,
}

impl<'a> Launch<'a> {
    /// Returns a launch with seed 0, without dynamic shared memory or clusters, that prints to the
    /// standard output of the process. Nothing else changes memory while it runs.
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
            record: None,
            bank_width: BankWidth::Default,
            heap: None,
            pending_launches: None,
            printf: &print,
            conditions: &|_, _| false,
            outside: &outside::Nothing,
        }
    }
}

impl Launch<'_> {
    /// Returns whether threads stop at each access to memory, so that the scheduler can choose
    /// which thread runs next.
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

/// Totals of a launch, from which the modelled time is computed. They cost no extra time to keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct ExecutionSummary {
    /// Instructions of the PTX that warps have executed.
    pub instructions: u64,
    /// Bytes that threads requested from global memory: active lanes times width.
    pub global_read: u64,
    /// Bytes that threads wrote to global memory.
    pub global_written: u64,
    /// Thread blocks that ran.
    pub blocks: u64,
    /// Grids that kernels launched.
    pub device_launches: u64,
    /// The length of the longest chain of grids that had to run one after another. The grid that
    /// the host launched is part of it.
    pub chain: u64,
}

/// The result of a launch that ran to its end.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Report {
    /// The counters, if the launch asked for them.
    pub counters: Option<Counters>,
    /// What the checks found. A finding does not end the launch.
    pub findings: Vec<Finding>,
    /// What is allowed and may not be meant. The check `sync` adds to it.
    pub notes: Vec<Finding>,
    /// The bytes of global memory that were accessed. Filled only by the race check.
    pub footprint: Footprint,
    /// Whether a thread waited for earlier launches (`griddepcontrol.wait`).
    pub waits_for_grids: bool,
    /// Whether a thread let the next launch begin (`griddepcontrol.launch_dependents`).
    pub releases_grids: bool,
    /// How much work the launch did.
    pub summary: ExecutionSummary,
    /// What warps executed, if the launch asked for it. Grids that kernels launched are not in it.
    pub recording: Option<Recording>,
    /// The steps of the schedule, if it was not the plain one. Each line contains the thread, the
    /// place, and the access to memory. The middle of a long list is left out.
    pub steps: Vec<String>,
}
