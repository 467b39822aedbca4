//! A warp: its registers, the places of its lanes, and their open calls.

use super::asynchronous::pending::Copies;
use super::compute::track::Matrices;
use super::control::frames::Frames;
use super::core::FramePlace;
use super::event::Wait;
use super::lane::LANES;
use super::op::Op;
use crate::machine::checks::init::Taints;

/// A unit of 64 aligned bytes, of which rows are made.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Line([u8; 64]);

/// Zeroed bytes, aligned to 64.
#[derive(Default)]
pub(super) struct Bytes {
    lines: Vec<Line>,
}

impl Bytes {
    /// Makes it at least `size` bytes long. Old bytes keep their values, and new bytes are zero.
    pub(super) fn grow(&mut self, size: usize) {
        let lines = size.div_ceil(64);
        if lines > self.lines.len() {
            self.lines.resize(lines, Line([0; 64]));
        }
    }

    /// Returns a pointer to the first byte.
    pub(super) fn start(&mut self) -> *mut u8 {
        self.lines.as_mut_ptr().cast()
    }

    /// Returns the number of bytes.
    pub(super) fn len(&self) -> usize {
        self.lines.len() * 64
    }

    /// Returns the bytes of all lanes' registers.
    pub(super) fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: lines are plain bytes without padding, and the borrow of `self` lasts as long
        // as the slice.
        unsafe {
            std::slice::from_raw_parts_mut(self.lines.as_mut_ptr().cast(), self.lines.len() * 64)
        }
    }
}

/// Lanes at one place.
#[derive(Debug, Clone, Copy)]
pub(super) struct Group {
    /// The next operation.
    pub(super) op: *const Op,
    /// The lanes that are here, a bit each.
    pub(super) mask: u32,
    /// The frame of the function that they are in.
    pub(super) at: FramePlace,
    /// What they wait for.
    pub(super) wait: Wait,
    /// When they ran last. The group that has waited longest goes first.
    pub(super) ran: u32,
}

/// One open call of each lane: where the lane goes on when the call returns.
#[derive(Clone)]
pub(super) struct Return {
    /// The call operation, by lane.
    pub(super) call: [*const Op; LANES],
    /// The caller's frame, by lane.
    pub(super) frame: [u32; LANES],
    /// The caller's local memory in use, by lane.
    pub(super) local: [u32; LANES],
}

#[derive(Default)]
pub(super) struct Warp {
    /// Registers of all frames.
    pub(super) registers: Bytes,
    /// Local memory: word `w` of lane `l` is word `w * 32 + l`.
    pub(super) local: Bytes,
    /// Bytes of local memory that each lane has in use.
    pub(super) local_top: [u32; LANES],
    /// Lanes that exist and have not ended.
    pub(super) live: u32,
    /// Lanes that exist.
    pub(super) exist: u32,
    /// The places of the lanes that do not run now.
    pub(super) groups: Vec<Group>,
    /// Open calls, by depth. An entry is valid only for lanes that are that deep.
    pub(super) calls: Vec<Return>,
    /// The layout of the frames of open calls.
    pub(super) frames: Frames,
    /// Lanes that have arrived at the cluster's barrier in this phase.
    pub(super) cluster_arrived: u32,
    /// Lanes that arrived there in a phase that has ended, and that have not waited yet.
    pub(super) cluster_passed: u32,
    /// Whether it arrived there with relaxed order.
    pub(super) cluster_relaxed: bool,
    /// Lanes whose wait for an mbarrier has taken too long. Their wait returns false.
    pub(super) expired: u32,
    /// Consecutive waits for mbarriers that found the phase not ended.
    pub(super) tests: u32,
    /// The asynchronous copies that are under way.
    pub(super) copies: Copies,
    /// Multiplications of the warpgroup that are under way.
    pub(super) matrices: Matrices,
    /// Registers that hold uninitialised data.
    pub(super) taints: Taints,
    /// The written bytes of local memory, one entry per lane, where that is checked.
    pub(super) local_written: Vec<u32>,
    /// The number of scheduling decisions.
    pub(super) clock: u32,
    /// Whether the entry function's rows are filled. They stay filled from block to block.
    pub(super) filled: bool,
}

impl Warp {
    /// Returns whether a group may run.
    pub(super) fn ready(&self) -> bool {
        self.groups.iter().any(|g| g.wait == Wait::Ready)
    }
}
