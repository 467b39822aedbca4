//! Branches, calls and exits.
//!
//! PTX ISA, "Control Flow Instructions". A branch that all running lanes take the same way is a
//! jump. A divergent branch splits the lanes into two groups (see `schedule`). A call allocates a
//! frame for the calling lanes after the caller's frame (see `frames`). Reported: a call through a
//! pointer that is not a function, and calls nested deeper than the device model allows.

pub(crate) mod builtin;
pub(in crate::machine) mod format;
pub(in crate::machine) mod frames;
pub(crate) mod heap;

use super::core::{Core, FramePlace};
use super::event::{Event, FaultKind, RawFault};
use super::frame;
use super::lane::{LANES, lanes};
use super::op::{Op, STOP};
use super::warp::Return;
use crate::machine::program::{Area, Function};
use crate::memory::window;

impl Core<'_> {
    /// Stops the loop, so that the scheduler handles `event`.
    #[cold]
    #[inline(never)]
    pub(super) fn stop(&mut self, event: Event) -> *const Op {
        self.event = event;
        STOP
    }

    /// Ends the launch with a fault.
    #[cold]
    #[inline(never)]
    pub(super) fn fault(&mut self, op: *const Op, lane: usize, what: FaultKind) -> *const Op {
        self.stop(Event::Fault(Box::new(RawFault { op, lane, what })))
    }

    /// Goes on at `target`, and returns to the scheduler when it is due.
    #[inline(always)]
    fn jump(&mut self, target: *const Op) -> *const Op {
        self.turn.fuel -= 1;
        if self.turn.fuel < 0 {
            return self.stop(Event::Yield(target));
        }
        if self.diverged {
            return self.jump_among_others(target);
        }
        target
    }
}

/// Returns the operation that a branch's `aux` names, in bytes from the branch.
///
/// # Safety
/// `op` must be a branch that the decoder made.
#[inline(always)]
unsafe fn target(op: *const Op) -> *const Op {
    // SAFETY: the decoder made the offset from two operations of one program.
    unsafe { op.byte_offset((*op).jump()) }
}

/// `bra`.
///
/// # Safety
/// As for every handler.
pub(crate) unsafe fn branch(core: &mut Core<'_>, op: *const Op) -> *const Op {
    // SAFETY: `op` is a branch of the running frame; another operation follows it.
    unsafe {
        let mask = core.mask(&*op);
        if mask == core.active {
            return core.jump(target(op));
        }
        if mask == 0 {
            return op.wrapping_add(1);
        }
        core.turn.fuel -= 1;
        core.split(mask, target(op), op.wrapping_add(1))
    }
}

/// `brx.idx`: row `a` holds the index, `aux` the table. An index past the table's end is undefined
/// in the ISA. Here it is a fault.
///
/// # Safety
/// As for every handler.
pub(crate) unsafe fn branch_indexed(core: &mut Core<'_>, op: *const Op) -> *const Op {
    // SAFETY: row `a` is a `u32` row of the running frame.
    let (mask, o) = unsafe { (core.mask(&*op), &*op) };
    let program = core.run.program;
    let table = &program.tables[o.aux as usize];
    if mask == 0 {
        return op.wrapping_add(1);
    }
    // SAFETY: as above.
    let index = unsafe { *core.lanes::<u32>(o.a) };
    if let Some(lane) = lanes(mask).find(|&lane| index[lane] as usize >= table.len()) {
        let message = format!(
            "index {} of a branch table of {} targets",
            index[lane],
            table.len()
        );
        let help = "the compiler promised that the index is in range: look for a match on a value that was never valid";
        return core.fault(op, lane, FaultKind::Illegal { message, help });
    }
    let first = index[mask.trailing_zeros() as usize];
    let to = |index: u32| &raw const program.ops[table[index as usize] as usize];
    let same = lanes(mask)
        .filter(|&lane| index[lane] == first)
        .fold(0, |mask, lane| mask | 1 << lane);
    if same == core.active {
        return core.jump(to(first));
    }
    // Each of the other targets gets its lanes. Lanes whose guard is false go on after the branch.
    core.turn.fuel -= 1;
    let all = core.active;
    let mut left = mask & !same;
    while left != 0 {
        let next = index[left.trailing_zeros() as usize];
        core.active = lanes(left)
            .filter(|&lane| index[lane] == next)
            .fold(0, |mask, lane| mask | 1 << lane);
        left &= !core.active;
        core.park(to(next), super::event::Wait::Ready);
    }
    core.active = all & !mask;
    core.park(op.wrapping_add(1), super::event::Wait::Ready);
    core.active = same;
    core.stop(Event::Jump(to(first)))
}

/// `exit`, and `ret` of a kernel.
///
/// # Safety
/// As for every handler.
pub(crate) unsafe fn exit(core: &mut Core<'_>, op: *const Op) -> *const Op {
    // SAFETY: `op` belongs to the running frame.
    let mask = unsafe { core.mask(&*op) };
    if mask != 0 {
        core.end_lanes(mask);
    }
    if core.active == 0 {
        return core.stop(Event::Ended);
    }
    // If lanes are left, the guard was not always true, and then another operation follows.
    op.wrapping_add(1)
}

/// `trap`.
///
/// # Safety
/// As for every handler.
pub(crate) unsafe fn trap(core: &mut Core<'_>, op: *const Op) -> *const Op {
    // SAFETY: `op` belongs to the running frame; another operation follows it.
    let mask = unsafe { core.mask(&*op) };
    if mask == 0 {
        return op.wrapping_add(1);
    }
    core.fault(op, mask.trailing_zeros() as usize, FaultKind::Trap)
}

/// Replaces the code of a function that contains something that is not modelled; `aux` is the
/// function. Kernels that name such a function are refused before they run, so only a call through
/// a pointer comes here.
///
/// # Safety
/// As for every handler.
pub(crate) unsafe fn refused(core: &mut Core<'_>, op: *const Op) -> *const Op {
    // SAFETY: as above.
    let (mask, o) = unsafe { (core.mask(&*op), &*op) };
    let function = core.run.program.functions.get(o.aux as usize);
    let message = match function.and_then(|f| Some((&f.name, f.refused.as_ref()?))) {
        Some((name, error)) => format!("a call of `{name}`, which cannot run: {error}"),
        None => "a call of a function that cannot run".to_owned(),
    };
    let help =
        "the function was reached through a pointer; take another path to it on the simulator";
    core.fault(
        op,
        mask.trailing_zeros() as usize,
        FaultKind::Illegal { message, help },
    )
}

/// `brkpt`: ends the launch as a trap does, because there is no debugger. The report
/// names a breakpoint.
///
/// # Safety
/// As for every handler.
pub(crate) unsafe fn breakpoint(core: &mut Core<'_>, op: *const Op) -> *const Op {
    // SAFETY: as above.
    let mask = unsafe { core.mask(&*op) };
    if mask == 0 {
        return op.wrapping_add(1);
    }
    core.fault(op, mask.trailing_zeros() as usize, FaultKind::Breakpoint)
}

/// `call` of a function by its name: `aux` is the call site.
///
/// # Safety
/// As for every handler.
pub(crate) unsafe fn call(core: &mut Core<'_>, op: *const Op) -> *const Op {
    // SAFETY: `op` belongs to the running frame.
    let (mask, o) = unsafe { (core.mask(&*op), &*op) };
    let site = &core.run.program.calls[o.aux as usize];
    match site.function {
        _ if mask == 0 => op.wrapping_add(1),
        Some(function) => core.enter_function(op, function, mask),
        None => core.fault(
            op,
            32,
            FaultKind::Internal {
                message: "a direct call without a function".into(),
            },
        ),
    }
}

/// `call` through a pointer in row `a`.
///
/// # Safety
/// As for every handler.
pub(crate) unsafe fn call_indirect(core: &mut Core<'_>, op: *const Op) -> *const Op {
    // SAFETY: `op` belongs to the running frame; row `a` holds `u64`.
    let (mask, o) = unsafe { (core.mask(&*op), &*op) };
    if mask == 0 {
        return op.wrapping_add(1);
    }
    // SAFETY: as above.
    let pointers = unsafe { *core.lanes::<u64>(o.a) };
    let first = mask.trailing_zeros() as usize;
    let address = pointers[first];
    let program = core.run.program;
    let Some((index, function)) =
        window::function(address).and_then(|i| Some((i, program.functions.get(i)?)))
    else {
        return core.fault(
            op,
            first,
            FaultKind::BadCall {
                address,
                why: "is not the address of a function",
            },
        );
    };
    let site = &program.calls[o.aux as usize];
    let sizes = |areas: &[Area]| areas.iter().map(|a| a.size).collect::<Vec<_>>();
    if sizes(&site.arguments) != sizes(&function.params)
        || sizes(&site.results) != sizes(&function.returns)
    {
        return core.fault(
            op,
            first,
            FaultKind::BadCall {
                address,
                why: "is a function with other parameters than the call has",
            },
        );
    }
    let same = lanes(mask)
        .filter(|&lane| pointers[lane] == address)
        .fold(0, |mask, lane| mask | 1 << lane);
    let rest = mask & !same;
    if rest != 0 {
        // The other lanes make their call later. They stay at this operation.
        let all = core.active;
        core.active = rest;
        core.park(op, super::event::Wait::Ready);
        core.active = all & !rest;
    }
    core.enter_function(op, index, same)
}

/// `ret` of a function.
///
/// # Safety
/// As for every handler.
pub(crate) unsafe fn ret(core: &mut Core<'_>, op: *const Op) -> *const Op {
    // SAFETY: `op` belongs to the running frame.
    let mask = unsafe { core.mask(&*op) };
    if mask == 0 {
        return op.wrapping_add(1);
    }
    core.leave_function(op, mask)
}

impl Core<'_> {
    /// Allocates a frame for `function` after the running one, for the lanes of `mask`, and
    /// starts the function.
    fn enter_function(&mut self, op: *const Op, function: usize, mask: u32) -> *const Op {
        let run = self.run;
        let program = run.program;
        let callee = &program.functions[function];
        // SAFETY: `op` is the call.
        let site = &program.calls[unsafe { (*op).aux } as usize];
        let caller = self.at;
        let depth = caller.depth + 1;
        let limits = &run.model.limits;
        if depth > limits.call_depth {
            let message = format!(
                "{depth} calls are open in one thread; the device allows {}",
                limits.call_depth
            );
            return self.fault(
                op,
                mask.trailing_zeros() as usize,
                FaultKind::Stack { message },
            );
        }
        let after = caller.frame + frame::size_of_caller(program, op);
        let first = mask.trailing_zeros() as usize;
        let warp = self.warp();
        let local = lanes(mask)
            .map(|lane| warp.local_top[lane])
            .max()
            .unwrap_or(0)
            .next_multiple_of(16);
        let top = local.saturating_add(callee.local);
        if top > limits.local_per_thread {
            let message = format!(
                "{top} bytes of local memory in one thread; the device has {}",
                limits.local_per_thread
            );
            return self.fault(op, first, FaultKind::Stack { message });
        }
        let Some(frame) = warp.frames.take(function, after, callee.frame, mask) else {
            let message = format!("the registers of {depth} open calls do not fit in a warp");
            return self.fault(op, first, FaultKind::Stack { message });
        };
        warp.registers.grow((frame + callee.frame) as usize);
        warp.local.grow(top as usize * LANES);
        if warp.calls.len() < depth as usize {
            let none = Return {
                call: [std::ptr::null(); LANES],
                frame: [0; LANES],
                local: [0; LANES],
            };
            warp.calls.resize(depth as usize, none);
        }
        let entry = &mut warp.calls[depth as usize - 1];
        for lane in lanes(mask) {
            (entry.call[lane], entry.frame[lane], entry.local[lane]) =
                (op, caller.frame, warp.local_top[lane]);
            warp.local_top[lane] = top;
        }
        if self.active != mask {
            // Lanes that do not call go on after the call.
            let all = self.active;
            self.active = all & !mask;
            self.park(op.wrapping_add(1), super::event::Wait::Ready);
            self.active = mask;
        }
        self.set_frame(FramePlace { frame, depth });
        self.set_local();
        self.fill_frame(callee, &run.rows[function], mask, local);
        self.copy_areas(caller.frame, &site.arguments, frame, &callee.params, mask);
        self.turn.fuel -= 1;
        self.stop(Event::Jump(&raw const program.ops[callee.start as usize]))
    }

    /// Returns the lanes of `mask` to their callers: first those that share a call site,
    /// the others later.
    fn leave_function(&mut self, op: *const Op, mask: u32) -> *const Op {
        let program = self.run.program;
        let FramePlace { frame, depth } = self.at;
        let first = mask.trailing_zeros() as usize;
        let warp = self.warp();
        let Some(entry) = depth
            .checked_sub(1)
            .and_then(|d| warp.calls.get(d as usize))
        else {
            return self.fault(
                op,
                first,
                FaultKind::Internal {
                    message: "a return without a call".into(),
                },
            );
        };
        let (call, caller) = (entry.call[first], entry.frame[first]);
        let same = lanes(mask).filter(|&l| entry.call[l] == call && entry.frame[l] == caller);
        let same = same.fold(0, |mask, lane| mask | 1 << lane);
        for lane in lanes(same) {
            warp.local_top[lane] = entry.local[lane];
        }
        warp.frames.give(frame, same);
        let all = self.active;
        if mask & !same != 0 {
            self.active = mask & !same;
            self.park(op, super::event::Wait::Ready);
        }
        if all & !mask != 0 {
            self.active = all & !mask;
            self.park(op.wrapping_add(1), super::event::Wait::Ready);
        }
        self.active = same;
        // SAFETY: `call` is an operation of the program: `enter_function` wrote it.
        let site = &program.calls[unsafe { (*call).aux } as usize];
        let callee: &Function = frame::function_of(program, op);
        self.copy_areas(frame, &callee.returns, caller, &site.results, same);
        self.set_frame(FramePlace {
            frame: caller,
            depth: depth - 1,
        });
        self.set_local();
        self.turn.fuel -= 1;
        // SAFETY: the decoder puts an operation after every call.
        self.stop(Event::Jump(unsafe { call.add(1) }))
    }
}
