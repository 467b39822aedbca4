//! Events: the reasons why the running lanes stopped.

use super::op::Op;
use crate::machine::checks::race::AccessKind;

/// What an operation, or the loop, requests from the scheduler.
#[derive(Debug, Default)]
pub(crate) enum Event {
    /// Nothing: no event was raised.
    #[default]
    None,
    /// The lanes go on at this operation, after a look for other lanes.
    Jump(*const Op),
    /// The two halves of a divergent branch, when schedules are explored. Lanes of the mask go to
    /// the first place, the others to the second.
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
    /// The turn is over, and the lanes go on at this operation later.
    Yield(*const Op),
    /// The launch ends with this fault.
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
    /// Other lanes of the warp, named by this mask, at an instruction that matches the one where
    /// these lanes wait.
    Lanes(u32),
}

/// The class of a texture or surface instruction's fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ImageFault {
    /// There is no such object, or it is of another kind.
    Object,
    /// A surface has no such element. An H200 (driver 580.159.04, 2026-11-21) reports
    /// an illegal address.
    Outside,
    /// An address at which no element starts. The same H200 reports a misaligned address, with
    /// `.clamp` and `.zero` too.
    Misaligned,
}

/// A fault as an operation raises it; `report` makes it readable.
#[derive(Debug, Clone)]
pub(crate) struct RawFault {
    /// The operation that was executed.
    pub(crate) op: *const Op,
    /// The lane, or 32 for all lanes.
    pub(crate) lane: usize,
    /// What went wrong.
    pub(crate) what: FaultKind,
}

// SAFETY: the pointer names an operation of the program, which is shared and immutable while
// a launch runs.
unsafe impl Send for RawFault {}

/// The memory that an access was meant for.
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
    /// An access to memory that does not exist, is not live or is not writable.
    Access {
        act: AccessKind,
        region: Region,
        generic: bool,
        address: u64,
        bytes: u32,
    },
    /// An access to an address that is not a multiple of its size.
    Misaligned {
        act: AccessKind,
        region: Region,
        address: u64,
        bytes: u32,
    },
    /// An instruction that is not defined for these operands.
    Illegal { message: String, help: &'static str },
    /// An access of multicast memory at an address that has none.
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
    /// A call through a pointer that is not a function, or that is a function of another signature.
    BadCall { address: u64, why: &'static str },
    /// Too many calls, or too much local memory.
    Stack { message: String },
    /// The kernel called `__assertfail`.
    Assert { message: String },
    /// The kernel executed `trap`.
    Trap,
    /// The kernel executed `brkpt`.
    Breakpoint,
    /// All warps wait. `phases` is whether some of them wait for an mbarrier.
    Deadlock { notes: Vec<String>, phases: bool },
    /// All remaining threads wait or spin, and nothing will change.
    Stuck { notes: Vec<String> },
    /// These threads are in a loop that has no exit.
    Endless { notes: Vec<String> },
    /// The budget is used up.
    Budget { limit: u64 },
    /// A child that began before its parent ended has faulted. The launch's fault is the child's.
    Child,
    /// A bug in the machine itself. It is never expected, and the message says so.
    Internal { message: String },
}
