//! The device runtime's functions: `__cudaCDP2GetParameterBufferV2`, `__cudaCDP2LaunchDeviceV2`
//! and their kin.
//!
//! CUDA programming guide, "CUDA Dynamic Parallelism", "CUDA Device Runtime". On a GPU they belong
//! to NVIDIA's `cudadevrt`, which the driver links. Here they are built in. A launch has two steps:
//! allocating a buffer for the parameters, which is one of the slots for pending launches, and the
//! launch itself. [`family`](super::family) runs the child.
//!
//! Each thread has its own last error, a `cudaError_t`. Not supported: streams that a kernel
//! creates, events, copies and queries. PTX that calls functions for them does not load.

use super::family::{Child, Slot, StreamKey};
use crate::launch::{Launch, limits};
use crate::machine::checks::race::AccessKind;
use crate::machine::core::Core;
use crate::machine::event::FaultKind;
use crate::machine::lane::{LANES, lanes};
use crate::machine::op::Op;
use crate::memory::window;

/// The values of `cudaError_t` that launches return.
mod code {
    pub(in crate::machine) const SUCCESS: u32 = 0;
    pub(in crate::machine) const INVALID_VALUE: u32 = 1;
    pub(in crate::machine) const INVALID_CONFIGURATION: u32 = 9;
    pub(in crate::machine) const LAUNCH_PENDING_COUNT_EXCEEDED: u32 = 69;
    pub(in crate::machine) const INVALID_DEVICE_FUNCTION: u32 = 98;
    pub(in crate::machine) const INVALID_RESOURCE_HANDLE: u32 = 400;
}

/// Handles of streams.
const LEGACY: u64 = 1;
const PER_THREAD: u64 = 2;
const TAIL: u64 = 3;
const FIRE_AND_FORGET: u64 = 4;

impl Core<'_> {
    /// Returns the block and the thread index of a lane in its grid.
    fn thread_of(&mut self, lane: usize) -> (u64, u32) {
        let warp = self.current.1;
        (self.block().linear, (warp * LANES + lane) as u32)
    }

    /// Stores an error as the thread's last one, and returns it.
    fn leave_error(&mut self, lane: usize, code: u32) -> u32 {
        if code != code::SUCCESS {
            let thread = self.thread_of(lane);
            self.run.launched().errors.insert(thread, code);
        }
        code
    }

    /// Allocates a slot for a launch of the function at `function`.
    fn slot(&mut self, function: u64, slot: Slot) -> Result<u64, u32> {
        let kernels = &self.run.program.kernels;
        let kernel = window::function(function)
            .and_then(|index| kernels.iter().position(|&(_, entry)| entry == index))
            .ok_or(code::INVALID_DEVICE_FUNCTION)?;
        let slot = Slot { kernel, ..slot };
        self.run
            .family
            .reserve(slot)
            .ok_or(code::LAUNCH_PENDING_COUNT_EXCEEDED)
    }

    /// Launches the child that was reserved at `buffer`, for the call at `op`.
    fn launch_child(
        &mut self,
        op: *const Op,
        lane: usize,
        (buffer, stream): (u64, u64),
    ) -> Result<(), u32> {
        let (block, thread) = self.thread_of(lane);
        let key = match stream {
            0 | LEGACY => StreamKey::Block(block),
            PER_THREAD => StreamKey::Thread(block, thread),
            TAIL => StreamKey::Tail,
            FIRE_AND_FORGET => StreamKey::Alone(self.run.launched().number()),
            _ => return Err(code::INVALID_RESOURCE_HANDLE),
        };
        let run = self.run;
        let slot = run.family.slot(buffer).ok_or(code::INVALID_VALUE)?;
        let (kernel, _) = &run.program.kernels[slot.kernel];
        // The launch reads the parameters as its thread would. The next owner of the slot is
        // ordered after it.
        let bytes = u64::from(kernel.param_bytes);
        self.tell_access(op, lane, AccessKind::Read, ((None, buffer), bytes), false);
        self.memory_returned(buffer, run.family.slot_bytes());
        let parameters = run.family.parameters(buffer, kernel.param_bytes as usize);
        let launch = Launch {
            kernel: &kernel.name,
            grid: slot.grid,
            block: slot.block,
            cluster: [1; 3],
            dynamic_shared: slot.dynamic_shared,
            params: &parameters,
            ..run.launch.clone()
        };
        if limits::check(run.model, kernel, &launch).is_err() {
            run.family.release(Some(buffer));
            return Err(code::INVALID_CONFIGURATION);
        }
        let [bx, by, bz] = self.block().id;
        let [x, y, z] = run.thread(thread / LANES as u32, thread as usize % LANES);
        let child = Child {
            slot,
            parameters,
            buffer,
            key,
            depth: run.depth + 1,
            parent: format!(
                "launched by kernel `{}`, block ({bx},{by},{bz}), thread ({x},{y},{z})",
                run.launch.kernel
            ),
            team: self.team.index,
        };
        run.add_child(child);
        Ok(())
    }
}

/// `__cudaCDP2GetParameterBufferV2(kernel, grid, block, bytes of shared memory)`: returns null if
/// there is no free slot.
///
/// # Safety
/// As for every handler.
pub(crate) unsafe fn parameter_buffer(core: &mut Core<'_>, op: *const Op) -> *const Op {
    // SAFETY: `op` belongs to the running frame; another operation follows it.
    let (mask, next) = unsafe { (core.mask(&*op), op.wrapping_add(1)) };
    for lane in lanes(mask) {
        let slot = Slot {
            kernel: 0,
            grid: core.argument(op, lane, 1),
            block: core.argument(op, lane, 2),
            dynamic_shared: core.argument(op, lane, 3),
        };
        let function = core.argument(op, lane, 0);
        let buffer = match core.slot(function, slot) {
            Ok(buffer) => {
                core.memory_given(buffer, core.run.family.slot_bytes());
                buffer
            }
            Err(code) => {
                core.leave_error(lane, code);
                0
            }
        };
        core.give(op, lane, buffer);
    }
    next
}

/// `__cudaCDP2LaunchDeviceV2(buffer, stream)`.
///
/// # Safety
/// As for every handler.
pub(crate) unsafe fn launch(core: &mut Core<'_>, op: *const Op) -> *const Op {
    // SAFETY: the caller guarantees this.
    unsafe { launch_on(core, op, 0) }
}

/// `__cudaCDP2LaunchDeviceV2_ptsz`: the same, but stream 0 is the thread's own.
///
/// # Safety
/// As for every handler.
pub(crate) unsafe fn launch_per_thread(core: &mut Core<'_>, op: *const Op) -> *const Op {
    // SAFETY: the caller guarantees this.
    unsafe { launch_on(core, op, PER_THREAD) }
}

/// # Safety
/// As for every handler.
unsafe fn launch_on(core: &mut Core<'_>, op: *const Op, null: u64) -> *const Op {
    // SAFETY: as above.
    let (mask, next) = unsafe { (core.mask(&*op), op.wrapping_add(1)) };
    core.step_races();
    for lane in lanes(mask) {
        core.turn.effects += 1;
        let (buffer, stream) = (core.argument(op, lane, 0), core.argument(op, lane, 1));
        let stream = if stream == 0 { null } else { stream };
        let code = match core.launch_child(op, lane, (buffer, stream)) {
            Ok(()) => code::SUCCESS,
            Err(code) => core.leave_error(lane, code),
        };
        core.give(op, lane, code);
        if core.run.family.has_failed() {
            return core.fault(op, lane, FaultKind::Child);
        }
    }
    next
}

/// `__cudaCDP2GetLastError()`: returns the thread's last error, and clears it.
///
/// # Safety
/// As for every handler.
pub(crate) unsafe fn get_last_error(core: &mut Core<'_>, op: *const Op) -> *const Op {
    // SAFETY: as above.
    let (mask, next) = unsafe { (core.mask(&*op), op.wrapping_add(1)) };
    for lane in lanes(mask) {
        let thread = core.thread_of(lane);
        let code = core.run.launched().errors.remove(&thread);
        core.give(op, lane, code.unwrap_or(code::SUCCESS));
    }
    next
}

/// `__cudaCDP2PeekAtLastError()`.
///
/// # Safety
/// As for every handler.
pub(crate) unsafe fn peek_at_last_error(core: &mut Core<'_>, op: *const Op) -> *const Op {
    // SAFETY: as above.
    let (mask, next) = unsafe { (core.mask(&*op), op.wrapping_add(1)) };
    for lane in lanes(mask) {
        let thread = core.thread_of(lane);
        let code = core.run.launched().errors.get(&thread).copied();
        core.give(op, lane, code.unwrap_or(code::SUCCESS));
    }
    next
}
