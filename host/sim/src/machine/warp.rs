//! A warp: its registers, its lanes' places, and the calls that they have open.

use super::asynchronous::pending::Copies;
use super::compute::track::Matrices;
use super::control::frames::Frames;
use super::core::FramePlace;
use super::event::Wait;
use super::lane::LANES;
use super::op::Op;
use super::watch::init::Taints;

/// 64 bytes, aligned: what rows are made of.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Line([u8; 64]);

/// Zeroed bytes, aligned to 64.
#[derive(Default)]
pub(super) struct Bytes {
    lines: Vec<Line>,
}

impl Bytes {
    /// At least `size` bytes; what was there stays, what is new is zero.
    pub(super) fn grow(&mut self, size: usize) {
        let lines = size.div_ceil(64);
        if lines > self.lines.len() {
            self.lines.resize(lines, Line([0; 64]));
        }
    }

    /// The first byte.
    pub(super) fn start(&mut self) -> *mut u8 {
        self.lines.as_mut_ptr().cast()
    }

    /// How many bytes there are.
    pub(super) fn len(&self) -> usize {
        self.lines.len() * 64
    }

    /// The bytes of all lanes' registers.
    pub(super) fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: lines are plain bytes without padding, and they are borrowed for as long as the
        // slice.
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
    /// When they ran last: the longest wait is ended first.
    pub(super) ran: u32,
}

/// One open call of each lane: where to go on.
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
    /// Where lanes are that do not run now.
    pub(super) groups: Vec<Group>,
    /// Open calls, by depth; only lanes that are that deep have an entry of meaning.
    pub(super) calls: Vec<Return>,
    /// Where the frames of open calls lie.
    pub(super) frames: Frames,
    /// Lanes that have arrived at the cluster's barrier in this phase.
    pub(super) cluster_arrived: u32,
    /// Lanes that arrived there in a phase that has ended, and have not waited yet.
    pub(super) cluster_passed: u32,
    /// Whether it arrived there with relaxed order.
    pub(super) cluster_relaxed: bool,
    /// Lanes whose wait for an mbarrier went on for too long: it gives false.
    pub(super) expired: u32,
    /// Waits for mbarriers that were found not ended, one after another.
    pub(super) tests: u32,
    /// The asynchronous copies that are under way.
    pub(super) copies: Copies,
    /// Multiplications of the warpgroup that are under way.
    pub(super) matrices: Matrices,
    /// Registers that hold uninitialised data.
    pub(super) taints: Taints,
    /// Bytes of local memory that were written, a lane each, where that is checked.
    pub(super) local_written: Vec<u32>,
    /// Counts scheduling decisions.
    pub(super) clock: u32,
    /// Whether the entry function's rows are filled: they stay from block to block.
    pub(super) filled: bool,
}

impl Warp {
    /// Whether a group may run.
    pub(super) fn ready(&self) -> bool {
        self.groups.iter().any(|g| g.wait == Wait::Ready)
    }
}
