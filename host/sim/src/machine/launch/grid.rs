//! One grid, from the launch's arguments to its results: finds the kernel, checks the limits, lays
//! out the memory, and runs it.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize};
use std::sync::{Arc, Mutex, PoisonError};

use super::family::{Family, LaunchedGrids};
use super::run::Run;
use crate::checks::{Checks, FindingKind};
use crate::kernel::Kernel;
use crate::launch::{BankWidth, ExecutionSummary, Launch, limits};
use crate::machine::checks::memory::bounds::array_bounds;
use crate::machine::checks::watchers::watchers;
use crate::machine::explore::EXPLORED_BUDGET;
use crate::machine::program::{Program, VariableSpace};
use crate::model::DeviceModel;
use crate::report::{Fault, LaunchError};

/// The default limit of warp instructions of a launch: minutes of running.
const BUDGET: u64 = 1 << 36;
/// The bytes that cooperative groups need in the shared memory that the system reserves.
const SCRATCH: u32 = 288;

/// Returns the number of warp instructions that a launch may run.
pub(in crate::machine) fn budget(launch: &Launch<'_>) -> u64 {
    let most = match launch.is_explored() {
        true => EXPLORED_BUDGET,
        false => BUDGET,
    };
    launch.budget.unwrap_or(most)
}

/// Checks a grid against the device's limits and runs it, without its children.
pub(in crate::machine) fn grid(
    family: &Family<'_>,
    launch: &Launch<'_>,
    depth: u32,
    parent: Option<&str>,
) -> Result<LaunchedGrids, Fault> {
    let (kernel, entry) = find(family.program, launch.kernel)?;
    let threads = limits::check(family.model, kernel, launch)?;
    let run = prepare(family, launch, (kernel, entry, threads), (depth, parent));
    run.go();
    finish(run)
}

/// Returns the kernel of this name, with the index of its function.
fn find<'p>(program: &'p Program, name: &str) -> Result<(&'p Kernel, usize), LaunchError> {
    let kernels = &program.kernels;
    let Some((kernel, entry)) = kernels.iter().find(|(kernel, _)| kernel.name == name) else {
        return Err(LaunchError::UnknownKernel {
            name: name.into(),
            known: kernels.iter().map(|(k, _)| k.name.clone()).collect(),
        });
    };
    match &kernel.refused {
        Some(error) => Err(LaunchError::Refused {
            kernel: kernel.name.clone(),
            source: Box::new(error.clone()),
        }),
        None => Ok((kernel, *entry)),
    }
}

/// Prepares the grid, before any of its teams has begun.
fn prepare<'l>(
    family: &'l Family<'l>,
    launch: &'l Launch<'l>,
    (kernel, entry, threads): (&Kernel, usize, u32),
    (depth, parent): (u32, Option<&'l str>),
) -> Run<'l> {
    let Family {
        model,
        memory,
        images,
        program,
        ..
    } = *family;
    let function = &program.functions[entry];
    let cluster = kernel.cluster.unwrap_or(launch.cluster);
    let shared = SharedLayout::of(model, program, kernel, launch);
    let is_checked =
        launch.count || launch.checks != Checks::default() || !program.touches.is_empty();
    let watchers = match is_checked {
        true => watchers((program, function), launch, cluster),
        false => Arc::default(),
    };
    let arrays = match launch.checks.memory {
        true => array_bounds(program),
        false => &[],
    };
    Run {
        program,
        function,
        rows: family.rows,
        entry,
        launch,
        cluster,
        model,
        memory,
        snapshot: memory.snapshot(),
        images: images.snapshot(),
        params: params(kernel, launch),
        threads,
        shared_start: shared.start,
        shared_bytes: shared.bytes,
        scratch: shared.scratch,
        dynamic_shared: shared.dynamic,
        teams: count(launch.grid) / count(cluster),
        next: AtomicU64::new(0),
        budget: &family.budget,
        failed: AtomicU64::new(u64::MAX),
        fault: Mutex::default(),
        is_checked,
        watchers,
        arrays,
        prints: program.prints,
        output: Mutex::default(),
        heap: family.heap,
        findings: Mutex::default(),
        used_reads: Mutex::default(),
        footprint: Mutex::default(),
        bank_width: bank_width(model, launch.bank_width),
        counters: Mutex::default(),
        summary: Mutex::default(),
        halt: AtomicBool::new(false),
        resident: resident(model, threads, shared.bytes - shared.scratch, cluster),
        begun: AtomicU64::new(0),
        working: AtomicUsize::new(0),
        frozen: AtomicUsize::new(0),
        thaws: AtomicUsize::new(0),
        rests: AtomicBool::new(false),
        awaits_host: AtomicBool::new(false),
        family,
        depth,
        parent,
        launched: Mutex::default(),
        steps: Mutex::default(),
        recorded: Mutex::default(),
    }
}

/// The layout of a block's shared memory: the part that cooperative groups reserve, static arrays,
/// and dynamic shared memory.
struct SharedLayout {
    /// The shared address at which it starts.
    start: u32,
    /// The size in bytes of all of it.
    bytes: u32,
    /// The size in bytes of the part that the system reserves.
    scratch: u32,
    /// The shared address at which dynamic shared memory starts.
    dynamic: u64,
}

impl SharedLayout {
    fn of(model: &DeviceModel, program: &Program, kernel: &Kernel, launch: &Launch<'_>) -> Self {
        let dynamic_arrays = program
            .variables
            .iter()
            .filter(|variable| variable.space == VariableSpace::DynamicShared);
        let align = dynamic_arrays.map(|variable| variable.align).max();
        let align = align.unwrap_or(16).clamp(16, 1 << 16);
        let fixed = u64::from(kernel.static_shared).next_multiple_of(align);
        let reserved = model.limits.shared_reserved;
        let scratch = match program.asks_for_reserved {
            true => SCRATCH.min(reserved),
            false => 0,
        };
        Self {
            start: reserved - scratch,
            bytes: scratch + fixed as u32 + launch.dynamic_shared,
            scratch,
            dynamic: u64::from(reserved) + fixed,
        }
    }
}

/// Returns the parameters, padded to words.
fn params(kernel: &Kernel, launch: &Launch<'_>) -> Vec<u64> {
    let word = |bytes: &[u8]| {
        let mut padded = [0; 8];
        padded[..bytes.len()].copy_from_slice(bytes);
        u64::from_le_bytes(padded)
    };
    let bytes = &launch.params[..kernel.param_bytes as usize];
    bytes.chunks(8).map(word).collect()
}

/// Adds the grid's counters and findings to the family. Returns its children, or its fault.
fn finish(run: Run<'_>) -> Result<LaunchedGrids, Fault> {
    fn inner<T>(of: Mutex<T>) -> T {
        of.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
    let (family, launch) = (run.family, run.launch);
    run.output().flush(&launch.printf);
    if let Some(fault) = family.failure().take() {
        return Err(fault);
    }
    let failure = run
        .fault
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .take();
    if let Some(failure) = failure {
        return Err(run.explain(failure));
    }
    if launch.record.is_some() {
        let steps = std::mem::take(&mut *run.recorded());
        family.keep_recording(run.recording(steps));
    }
    let summary = ExecutionSummary {
        blocks: count(launch.grid),
        ..inner(run.summary)
    };
    let (mut findings, used) = (inner(run.findings), inner(run.used_reads));
    findings
        .retain(|(kind, read, _), _| *kind != FindingKind::UnwrittenRead || !used.contains(read));
    family.add(
        inner(run.steps),
        inner(run.counters),
        summary,
        (findings, inner(run.footprint)),
    );
    Ok(inner(run.launched))
}

/// Returns the number of elements in three dimensions.
fn count(extents: [u32; 3]) -> u64 {
    extents.iter().map(|&n| u64::from(n)).product()
}

/// Returns how many teams the device holds at a time. Registers are left out, because it is not
/// known how many a GPU's compiler would use.
fn resident(model: &DeviceModel, threads: u32, shared: u32, cluster: [u32; 3]) -> u64 {
    let blocks = u64::from(model.occupancy(threads, 0, shared).blocks.max(1));
    (blocks * u64::from(model.multiprocessors) / count(cluster)).max(1)
}

/// Returns the width of a bank in bytes: the requested width, if the device has it.
fn bank_width(model: &DeviceModel, asked: BankWidth) -> u64 {
    let widths = &model.multiprocessor.bank_widths;
    let wanted = match asked {
        BankWidth::Default => widths.first().copied().unwrap_or(4),
        BankWidth::Four => 4,
        BankWidth::Eight => 8,
    };
    u64::from(if widths.contains(&wanted) { wanted } else { 4 })
}
