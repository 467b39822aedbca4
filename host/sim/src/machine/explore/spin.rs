//! Threads that spin. A thread that returns to an access in the same state as before, and has only
//! read in between, will do the same again until something that it has read changes. Until then it
//! gets no turn.
//!
//! Without this, a schedule could let a thread poll for ever. It also finds a deadlock of spinning
//! threads at once: no thread can go on, and the report lists what each thread waits for.

use std::hash::{BuildHasher, Hash, Hasher};

use foldhash::fast::FixedState;

use super::{Explore, ThreadId};
use crate::machine::core::{Core, FramePlace};
use crate::machine::frame::function_of;
use crate::machine::lane::lanes;
use crate::machine::memory::strong;
use crate::machine::op::Op;

/// The most reads that are recorded.
const TRAIL: usize = 64;
/// Jumps without an access to memory after which a thread's state is compared.
const JUMPS: u64 = 1 << 8;

/// One read of a loop that may spin.
#[derive(Debug, Clone)]
pub(super) struct Poll {
    pub(super) op: *const Op,
    /// The hash of the thread's state before it; 0 if it was not computed.
    pub(super) state: u64,
    /// The host address of the bytes.
    pub(super) host: u64,
    pub(super) bytes: Vec<u8>,
    /// Under weak memory, the version of the write that was read.
    pub(super) version: u64,
}

/// The state of a thread that may wait by reading.
#[derive(Debug, Default)]
pub(super) struct Spinner {
    /// Its reads since it last did anything else.
    trail: Vec<Poll>,
    /// The reads of the loop that it has run at least once.
    round: Vec<Poll>,
    /// The number of changes when it was allowed to go on although it waits.
    pub(super) again: Option<u64>,
    /// Whether it is in an empty loop, in which nothing will ever change.
    pub(super) lost: bool,
    /// The hash of its state at its next access, if that was computed.
    looked: Option<u64>,
}

impl Spinner {
    /// Returns the reads that it waits for.
    pub(super) fn waits(&self) -> &[Poll] {
        &self.round
    }

    /// Records that it has done something else than to read.
    pub(super) fn moved(&mut self) {
        self.trail.clear();
        self.round.clear();
        (self.looked, self.again) = (None, None);
    }

    /// Returns the hash of its state at the access that it is at; 0 if it was not computed.
    pub(super) fn state(&self) -> u64 {
        self.looked.unwrap_or(0)
    }

    /// Records a read.
    pub(super) fn read(&mut self, poll: Poll) {
        if self.trail.len() >= TRAIL {
            self.trail.clear();
        }
        self.trail.push(poll);
        self.round.clear();
        (self.looked, self.again) = (None, None);
    }

    /// Returns the latest version of a place that it has read in the loop that it is
    /// about to repeat.
    pub(super) fn seen(&self, host: u64) -> u64 {
        let of = self.round.iter().filter(|poll| poll.host == host);
        of.map(|poll| poll.version).max().unwrap_or(0)
    }

    /// Records its state before an access to memory, and finds a loop if it was in
    /// this state before.
    fn looks(&mut self, op: *const Op, state: u64) {
        self.looked = Some(state);
        let same = |poll: &Poll| poll.op == op && poll.state == state;
        if let Some(at) = self.trail.iter().position(same) {
            self.round = self.trail.split_off(at);
        }
    }
}

impl Explore {
    /// Returns whether a thread waits for bytes that have not changed.
    pub(super) fn is_waiting(&mut self, who: ThreadId) -> bool {
        let Some(spinner) = self.spinners.get(&who) else {
            return false;
        };
        if spinner.lost {
            return true;
        }
        if spinner.round.is_empty() || spinner.again == Some(self.changes) {
            return false;
        }
        let weak = &mut self.weak;
        spinner.round.iter().all(|poll| {
            let mut now = vec![0; poll.bytes.len()];
            // SAFETY: it read these bytes, which stay readable while the launch runs. Blocks that
            // end keep their shared memory.
            unsafe { strong::read(poll.host as *const u8, &mut now) };
            let newest = weak.as_mut().map_or(0, |weak| weak.newest(poll.host, &now));
            now == poll.bytes && newest == poll.version
        })
    }
}

impl Core<'_> {
    /// Checks whether the lanes of `mask` of the running warp are in a loop. They are about to run
    /// `op`, which reads memory.
    pub(super) fn look_round(&mut self, op: *const Op, at: FramePlace, mask: u32) {
        let who = self.who(mask);
        let Some(explore) = &mut self.explore else {
            return;
        };
        let spinner = explore.spinners.entry(who).or_default();
        if spinner.looked.is_some() || spinner.trail.iter().all(|poll| poll.op != op) {
            return;
        }
        let state = self.state_of(op, at, mask);
        if let Some(explore) = &mut self.explore {
            explore.spinners.entry(who).or_default().looks(op, state);
        }
    }

    /// Checks whether the running lanes jump for ever without an access to memory.
    pub(super) fn jumps_in_circles(&mut self, op: *const Op) {
        let Some(explore) = &mut self.explore else {
            return;
        };
        explore.jumps.0 += 1;
        let count = explore.jumps.0;
        // A loop is looked for after each power of two: an endless loop passes many of them.
        let behind = count - (1 << count.ilog2());
        if count < JUMPS || behind > JUMPS {
            return;
        }
        let state = self.state_of(op, self.at, self.active);
        let who = self.who(self.active);
        let Some(explore) = &mut self.explore else {
            return;
        };
        if explore.jumps.1 == state {
            explore.spinners.entry(who).or_default().lost = true;
        } else if count.is_power_of_two() {
            explore.jumps.1 = state;
        }
    }

    /// Returns a hash of everything that decides what lanes of the running warp do next, except
    /// memory that other threads reach: registers of all open calls, and local memory.
    pub(super) fn state_of(&mut self, op: *const Op, at: FramePlace, mask: u32) -> u64 {
        let program = self.run.program;
        let warp = self.warp();
        let mut hash = FixedState::default().build_hasher();
        (op as usize, at).hash(&mut hash);
        let lowest = mask.trailing_zeros() as usize;
        let mut frames = vec![(op, at.frame)];
        for call in warp.calls.iter().take(at.depth as usize) {
            frames.push((call.call[lowest], call.frame[lowest]));
        }
        let registers = warp.registers.bytes();
        for (op, frame) in frames {
            let function = function_of(program, op);
            let bytes = |offset: usize, width: usize| {
                let from = frame as usize + offset;
                registers.get(from..from + width).unwrap_or(&[])
            };
            for word in (4..function.words as usize).step_by(4) {
                let word = bytes(word, 4).try_into().map_or(0, u32::from_le_bytes);
                hash.write_u32(word & mask);
            }
            for &(offset, width) in &function.registers {
                for lane in lanes(mask) {
                    let width = width as usize;
                    hash.write(bytes(offset as usize + lane * width, width));
                }
            }
        }
        let local = warp.local.bytes();
        for lane in lanes(mask) {
            let words = warp.local_top[lane] as usize / 4;
            for word in 0..words {
                let from = (word * 32 + lane) * 4;
                hash.write(local.get(from..from + 4).unwrap_or(&[]));
            }
        }
        hash.finish()
    }
}
