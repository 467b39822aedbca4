//! Functions that the machine provides: `vprintf`, `malloc`,
//! `free`, `cudaGraphSetConditional`, `__assertfail`.
//!
//! CUDA C++ Programming Guide, "Formatted Output", "Dynamic Global Memory Allocation", "Conditional
//! Graph Nodes", "Assertion". Compilers declare these as external functions. The decoder turns
//! calls of them into these operations, with the call site's areas as operands.

use super::format;
use crate::machine::checks::race::AccessKind;
use crate::machine::core::{Core, View};
use crate::machine::event::{FaultKind, Region};
use crate::machine::lane::{LANES, lanes};
use crate::machine::memory::local::{read_words, write_words};
use crate::machine::op::Op;
use crate::memory::window::{self, Window};

/// The longest string that is read from a kernel's memory, in bytes.
const LONGEST: usize = 1 << 16;

impl Core<'_> {
    /// Reads `len` bytes at a generic address of one lane.
    pub(in crate::machine) fn peek(
        &mut self,
        lane: usize,
        address: u64,
        len: usize,
    ) -> Option<Vec<u8>> {
        let size = len as u64;
        match window::of(address) {
            Window::Global => {
                let range = self
                    .run
                    .snapshot
                    .find(address)
                    .filter(|r| r.holds(address, size))?;
                if range.heap && !self.run.heap.is_live(address, size) {
                    return None;
                }
                // SAFETY: the bytes are in a live allocation; they are copied as plain bytes.
                Some(unsafe { std::slice::from_raw_parts(address as *const u8, len) }.to_vec())
            }
            Window::Shared => {
                let View {
                    host,
                    start,
                    size: top,
                } = self.memory.shared;
                let offset = (address - window::SHARED).checked_sub(start)?;
                if offset >= top || size > top - offset {
                    return None;
                }
                // SAFETY: the bytes are in the block's shared memory.
                Some(unsafe { std::slice::from_raw_parts(host.add(offset as usize), len) }.to_vec())
            }
            Window::Local => {
                let View {
                    host,
                    start,
                    size: top,
                } = self.memory.local;
                let at = address - window::LOCAL;
                let offset = at.checked_sub(start)?;
                if offset >= top || size > top - offset {
                    return None;
                }
                // SAFETY: the bytes are in the thread's local memory.
                let byte = |i: usize| unsafe { read_words::<u8>(host, lane, at as usize + i) };
                Some((0..len).map(byte).collect())
            }
            Window::Param => None,
        }
    }

    /// Reads the bytes at a generic address of one lane, up to a zero.
    pub(in crate::machine) fn text(&mut self, lane: usize, address: u64) -> Option<Vec<u8>> {
        let mut text = Vec::new();
        while text.len() < LONGEST {
            match self.peek(lane, address + text.len() as u64, 1)?[0] {
                0 => return Some(text),
                byte => text.push(byte),
            }
        }
        Some(text)
    }

    /// Reads argument `i` of the call at `op`, for one lane.
    pub(in crate::machine) fn argument<T: Copy + Default>(
        &mut self,
        op: *const Op,
        lane: usize,
        i: usize,
    ) -> T {
        // SAFETY: `op` is a call that the decoder made for a function with these parameters, whose
        // sizes it checked.
        unsafe {
            let site = &self.run.program.calls[(*op).aux as usize];
            read_words(self.frame.add(site.arguments[i].offset as usize), lane, 0)
        }
    }

    /// Writes the result of the call at `op`, if the call uses it.
    pub(in crate::machine) fn give<T: Copy>(&mut self, op: *const Op, lane: usize, value: T) {
        // SAFETY: as for `argument`.
        unsafe {
            let site = &self.run.program.calls[(*op).aux as usize];
            if let Some(area) = site.results.first() {
                write_words(self.frame.add(area.offset as usize), lane, 0, value);
            }
        }
    }
}

/// `vprintf(format, arguments)`: prints one text for each lane, in the lanes' order.
///
/// # Safety
/// As for every handler.
pub(crate) unsafe fn vprintf(core: &mut Core<'_>, op: *const Op) -> *const Op {
    // SAFETY: `op` belongs to the running frame; another operation follows it.
    let (mask, next) = unsafe { (core.mask(&*op), op.wrapping_add(1)) };
    for lane in lanes(mask) {
        let (format, arguments) = (
            core.argument::<u64>(op, lane, 0),
            core.argument::<u64>(op, lane, 1),
        );
        let wrong = |address| FaultKind::Access {
            act: AccessKind::Read,
            region: Region::Global,
            generic: true,
            address,
            bytes: 1,
        };
        let Some(text) = core.text(lane, format) else {
            return core.fault(op, lane, wrong(format));
        };
        let mut at = 0u64;
        let formatted = format::format(&text, |need| match need {
            format::FormatRequest::Bytes(size) => {
                at = at.next_multiple_of(size as u64);
                let bytes = core.peek(lane, arguments.wrapping_add(at), size);
                at += size as u64;
                bytes
            }
            format::FormatRequest::Text(address) => core.text(lane, address),
        });
        match formatted {
            Some((text, conversions)) => {
                if !text.is_empty() {
                    core.turn.effects += 1;
                    core.run.print(core.team.index, text);
                }
                core.give(op, lane, conversions);
            }
            None => return core.fault(op, lane, wrong(arguments.wrapping_add(at))),
        }
    }
    next
}

/// `malloc(size)`.
///
/// # Safety
/// As for every handler.
pub(crate) unsafe fn malloc(core: &mut Core<'_>, op: *const Op) -> *const Op {
    // SAFETY: as above.
    let (mask, next) = unsafe { (core.mask(&*op), op.wrapping_add(1)) };
    for lane in lanes(mask) {
        core.turn.effects += 1;
        let size = core.argument::<u64>(op, lane, 0);
        let address = core.run.heap.allocate(size);
        if address != 0 {
            core.given_out(address, size.max(1));
            core.memory_given(address, size.max(1));
        }
        core.give(op, lane, address);
    }
    next
}

/// `free(pointer)`.
///
/// # Safety
/// As for every handler.
pub(crate) unsafe fn free(core: &mut Core<'_>, op: *const Op) -> *const Op {
    // SAFETY: as above.
    let (mask, next) = unsafe { (core.mask(&*op), op.wrapping_add(1)) };
    for lane in lanes(mask) {
        core.turn.effects += 1;
        let address = core.argument::<u64>(op, lane, 0);
        if let Some((start, bytes)) = core.run.heap.piece(address) {
            core.memory_returned(start, bytes);
        }
        if !core.run.heap.free(address) {
            let message = format!(
                "free of {address:#x}, which `malloc` did not return or which is already free"
            );
            let help = "free memory from a kernel's `malloc` in a kernel, and only once";
            return core.fault(op, lane, FaultKind::Illegal { message, help });
        }
    }
    next
}

/// `cudaGraphSetConditional(handle, value)`.
///
/// # Safety
/// As for every handler.
pub(crate) unsafe fn set_condition(core: &mut Core<'_>, op: *const Op) -> *const Op {
    // SAFETY: as above.
    let (mask, next) = unsafe { (core.mask(&*op), op.wrapping_add(1)) };
    for lane in lanes(mask) {
        core.turn.effects += 1;
        let (handle, value) = (
            core.argument::<u64>(op, lane, 0),
            core.argument::<u32>(op, lane, 1),
        );
        if !core.run.set_condition(handle, value) {
            let message = format!("{handle:#x} is no condition of a graph");
            let help = "pass the handle that `cuGraphConditionalHandleCreate` returned for a graph that still exists";
            return core.fault(op, lane, FaultKind::Illegal { message, help });
        }
    }
    next
}

/// `__assertfail(message, file, line, function, size of a character)`.
///
/// # Safety
/// As for every handler.
pub(crate) unsafe fn assert_fail(core: &mut Core<'_>, op: *const Op) -> *const Op {
    // SAFETY: as above.
    let (mask, next) = unsafe { (core.mask(&*op), op.wrapping_add(1)) };
    if mask == 0 {
        return next;
    }
    let lane = mask.trailing_zeros() as usize;
    let mut text = |i: usize| {
        let address = core.argument::<u64>(op, lane, i);
        core.text(lane, address).map_or("?".into(), |text| {
            String::from_utf8_lossy(&text).into_owned()
        })
    };
    let (message, file, function) = (text(0), text(1), text(3));
    let line = core.argument::<u32>(op, lane, 2);
    let place = if function.is_empty() {
        String::new()
    } else {
        format!(" in `{function}`")
    };
    core.fault(
        op,
        lane,
        FaultKind::Assert {
            message: format!("`{message}` failed at {file}:{line}{place}"),
        },
    )
}

const _: () = assert!(LANES == 32);
