//! Kernel launches that were checked: the kernel, its shape and its parameters; and how
//! to run them.
//!
//! A launch in a stream runs once. A launch in a graph's node runs each time that the
//! graph is launched.

use super::module::Function;
use crate::objects::condition;
use crate::objects::context::Context;
use crate::objects::fault;
use crate::objects::memory;
use crate::objects::order;
use crate::settings::OnFinding;

use crate::abi::c_void;
use crate::abi::enums::{limit, shared_config};
use crate::error::Result;
use crate::observe::{self, LaunchTerms, Observed};
use crate::quiescence::Process;
use crate::time::model;
use crate::time::operation::Cost;
use crate::{calling, log, output, record, summary};
use lanewise_sim::{BankWidth, DeviceModel, Launch};
use std::panic::Location;
use std::sync::Arc;

/// The number and arrangement of threads, and the amount of shared memory.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shape {
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    /// All zeros if the launch does not set it.
    pub(crate) cluster: [u32; 3],
    pub(crate) shared: u32,
    pub(crate) cooperative: bool,
    /// Whether it may begin before the previous kernel in the stream has ended.
    pub(crate) early: bool,
}

impl Shape {
    pub(crate) fn new(grid: [u32; 3], block: [u32; 3], shared: u32) -> Shape {
        Shape {
            grid,
            block,
            cluster: [0; 3],
            shared,
            cooperative: false,
            early: false,
        }
    }

    pub(crate) fn threads(&self) -> u64 {
        self.block.iter().map(|&extent| u64::from(extent)).product()
    }
}

/// The values of a kernel's parameters, and the address of each.
///
/// A graph's node gives the program pointers to them (`cuGraphKernelNodeGetParams`), so they do not
/// move while the node has them.
#[derive(Debug)]
pub(crate) struct Params {
    bytes: Box<[u8]>,
    addresses: Box<[usize]>,
}

impl Params {
    fn new(function: &Function, bytes: &[u8]) -> Params {
        let bytes: Box<[u8]> = bytes.into();
        let start = bytes.as_ptr().expose_provenance();
        let addresses = function
            .kernel
            .params
            .iter()
            .map(|param| start + param.offset as usize)
            .collect();
        Params { bytes, addresses }
    }

    /// Returns the list for `kernelParams`: a pointer to each value.
    pub(crate) fn list(&self) -> *mut *mut c_void {
        self.addresses.as_ptr().cast_mut().cast()
    }
}

/// A launch that was checked.
#[derive(Debug, Clone)]
pub(crate) struct KernelLaunch {
    pub(crate) context: Arc<Context>,
    pub(crate) function: Arc<Function>,
    pub(crate) shape: Shape,
    pub(crate) params: Arc<Params>,
    how: LaunchTerms,
    /// The line of the program, if it was set.
    at: Option<&'static Location<'static>>,
}

impl KernelLaunch {
    /// Makes a launch of `function` with the current settings.
    pub(crate) fn new(
        context: &Arc<Context>,
        function: &Arc<Function>,
        shape: Shape,
        params: &[u8],
    ) -> KernelLaunch {
        KernelLaunch {
            context: context.clone(),
            function: function.clone(),
            shape,
            params: Arc::new(Params::new(function, params)),
            how: observe::now(),
            at: calling::call_site(),
        }
    }

    /// Runs the kernel to its end.
    pub(crate) fn run(&self) -> Result<Cost> {
        run(
            &self.context,
            &self.function,
            self.shape,
            &self.params.bytes,
            &self.how,
        )
        .map_err(|mut error| {
            // Usually a later call reports a fault, so this adds the line of the launch
            // that caused it.
            if let Some(at) = self.at {
                let name = &self.function.kernel.name;
                error.message = format!("{}\nkernel `{name}` was launched at {at}", error.message);
            }
            error
        })
    }
}

/// Returns the simulator's launch for this shape, with the settings of the function. The cluster is
/// that of the shape, or else the one that the kernel was compiled for or that was set. If only
/// some of its extents are zero, the simulator refuses the launch, as an H200 does. Three zeros
/// mean no cluster.
pub(crate) fn asked<'a>(
    model: &DeviceModel,
    function: &'a Function,
    shape: Shape,
    params: &'a [u8],
) -> Launch<'a> {
    let dynamic_limit = function.dynamic_shared_limit(model);
    let settings = function.settings.lock();
    let cluster = match shape.cluster {
        [0, 0, 0] => settings.cluster.map(|extent| extent.max(1)),
        given => given,
    };
    let mut launch = Launch::new(&function.kernel.name, shape.grid, shape.block, params);
    launch.cluster = cluster;
    launch.non_portable_cluster = settings.non_portable_cluster;
    launch.cooperative = shape.cooperative;
    launch.dynamic_shared = shape.shared;
    launch.dynamic_shared_limit = Some(dynamic_limit);
    launch
}

/// Returns how many blocks of a launch a multiprocessor holds at once.
pub(crate) fn resident(context: &Context, function: &Function, shape: &Shape) -> u32 {
    let shared = function.kernel.static_shared + shape.shared;
    context
        .device
        .sim
        .model()
        .occupancy(shape.threads() as u32, function.kernel.registers, shared)
        .blocks
}

/// Runs a kernel to its end.
fn run(
    context: &Context,
    function: &Function,
    shape: Shape,
    params: &[u8],
    how: &LaunchTerms,
) -> Result<Cost> {
    let device = context.device;
    let settings = context.settings.lock().clone();
    let shared_config = function
        .settings
        .lock()
        .shared_config
        .unwrap_or(settings.shared);
    let mut launch = asked(device.sim.model(), function, shape, params);
    launch.seed = how.launches.seed;
    launch.schedule = how.launches.schedule;
    launch.exploration = how.exploration.clone();
    launch.budget = how.launches.budget;
    launch.checks = how.launches.checks;
    // The check of leaks does not apply to launches.
    launch.checks.leak = false;
    launch.count = how.launches.count;
    if how.launches.record {
        launch.record = record::wanted(&function.kernel.name);
    }
    launch.bank_width = match shared_config {
        shared_config::FOUR_BYTE_BANK_SIZE => BankWidth::Four,
        shared_config::EIGHT_BYTE_BANK_SIZE => BankWidth::Eight,
        _ => BankWidth::Default,
    };
    launch.heap = Some(settings.limits[limit::MALLOC_HEAP_SIZE as usize]);
    let pending = settings.limits[limit::DEV_RUNTIME_PENDING_LAUNCH_COUNT as usize];
    launch.pending_launches = Some(u32::try_from(pending).unwrap_or(u32::MAX));
    launch.printf = &output::write;
    launch.conditions = &condition::set;
    let process = Process {
        kernel: &function.kernel.name,
    };
    launch.outside = &process;
    order::mark_kernel();
    let report = device.sim.launch(&function.instance, &launch);
    output::flush();
    let name = function.kernel.name.clone();
    let mut report = report.map_err(|mut fault| {
        if let Some(place) = &function.panics {
            place.tell(&function.instance, &mut fault);
        }
        summary::faulted(&name, &fault);
        fault::error(&fault)
    })?;
    if let Some(recording) = report.recording.take() {
        record::ran(recording);
    }
    let mut footprint = std::mem::take(&mut report.footprint);
    let talks = memory::of_program(&mut footprint);
    order::touched(footprint, talks);
    order::dependent(
        shape.early && !report.waits_for_grids,
        report.releases_grids,
    );
    if how.launches.steps {
        log::steps(&name, &report.steps);
    }
    let sectors = report.counters.map(|counters| {
        [
            counters.global_loads,
            counters.global_stores,
            counters.global_atomics,
        ]
        .iter()
        .map(|access| access.sectors)
        .sum()
    });
    let cost = model::kernel(
        device.sim.model(),
        &report.summary,
        sectors,
        resident(context, function, &shape),
    );
    let observed = Observed {
        kernel: name,
        counters: report.counters,
        findings: report.findings,
        notes: report.notes,
    };
    how.keep(&observed);
    summary::ran(&observed);
    if !how.launches.quiet {
        observed.notes.iter().for_each(log::noted);
    }
    let findings = observed.findings;
    match how.launches.on_finding {
        OnFinding::Fault if !findings.is_empty() => Err(fault::found(&findings)),
        OnFinding::Report if !how.launches.quiet => {
            findings.iter().for_each(log::found);
            Ok(cost)
        }
        _ => Ok(cost),
    }
}
