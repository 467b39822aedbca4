//! Why the running lanes stopped.

use super::op::Op;
use crate::checks::race::AccessKind;

/// What an operation, or the loop, asks of the scheduler.
#[derive(Debug, Default)]
pub(crate) enum Event {
    /// Nothing: no event was raised.
    #[default]
    None,
    /// Go on at this operation, after looking for other lanes.
    Jump(*const Op),
    /// The two halves of a divergent branch, where schedules are explored: lanes of the mask go to
    /// the first, the others to the second.
    Split {
        /// Lanes that go to `taken`.
        mask: u32,
        /// Where they go.
        taken: *const Op,
        /// Where the others go.
        other: *const Op,
    },
    /// All of the running lanes have ended.
    Ended,
    /// Time is up; go on at this operation later.
    Yield(*const Op),
    /// The launch ends.
    Fault(Box<RawFault>),
}

/// What lanes wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Wait {
    /// Nothing: they may run.
    Ready,
    /// A barrier of the block.
    Barrier(u8),
    /// The barrier of the cluster.
    Cluster,
    /// The phase of an mbarrier of the block, at this shared address.
    Phase(u32),
    /// Other lanes of the warp, named by this mask, at an instruction like the one that they wait
    /// at.
    Lanes(u32),
}

/// What a fault of a texture or surface instruction counts as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ImageFault {
    /// The object is none, or another.
    Object,
    /// A surface has no such element. On an H200 (driver 580.159.04, 2026-11-21): an illegal
    /// address.
    Outside,
    /// An access that no element starts at. There: a misaligned address, with `.clamp` and `.zero`
    /// too.
    Misaligned,
}

/// A fault as an operation sees it; `report` makes it readable.
#[derive(Debug, Clone)]
pub(crate) struct RawFault {
    /// The operation that was executed.
    pub(crate) op: *const Op,
    /// The lane; 32 for all of them.
    pub(crate) lane: usize,
    /// What happened to the kernel.
    pub(crate) what: FaultKind,
}

// SAFETY: the pointer names an operation of the program, which is shared and immutable while a
// launch runs.
unsafe impl Send for RawFault {}

/// Which memory an access meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Region {
    /// Memory in the global state space.
    Global,
    /// Memory in the shared state space.
    Shared,
    /// Memory in the local state space.
    Local,
    /// Memory in the constant state space.
    Constant,
    /// The kernel's parameters.
    Param,
}

/// What went wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FaultKind {
    /// An access to what is not there, not live or not writable.
    Access {
        act: AccessKind,
        region: Region,
        generic: bool,
        address: u64,
        bytes: u32,
    },
    /// An access to an address that its size does not divide.
    Misaligned {
        act: AccessKind,
        region: Region,
        address: u64,
        bytes: u32,
    },
    /// An instruction without meaning for these operands.
    Illegal { message: String, help: &'static str },
    /// An access of multicast memory where there is none.
    Multicast {
        message: String,
        note: String,
        help: &'static str,
    },
    /// A texture or surface instruction whose object, memory or coordinates are wrong.
    Image {
        /// Which error it is.
        kind: ImageFault,
        message: String,
        notes: Vec<String>,
        help: &'static str,
    },
    /// A call through a pointer that is no function, or one of another shape.
    BadCall { address: u64, why: &'static str },
    /// Too many calls, or too much local memory.
    Stack { message: String },
    /// The kernel called `__assertfail`.
    Assert { message: String },
    /// The kernel executed `trap`.
    Trap,
    /// The kernel executed `brkpt`.
    Breakpoint,
    /// All warps wait; `phases` says whether some of them do for an mbarrier.
    Deadlock { notes: Vec<String>, phases: bool },
    /// All threads that are left wait or spin, and nothing will change.
    Stuck { notes: Vec<String> },
    /// These threads are in a loop that no way leads out of.
    Endless { notes: Vec<String> },
    /// The budget is used up.
    Budget { limit: u64 },
    /// A child that began before its parent ended ended badly; its own fault is the launch's.
    Child,
    /// A bug of ours that was caught: never expected, and said so.
    Internal { message: String },
}
