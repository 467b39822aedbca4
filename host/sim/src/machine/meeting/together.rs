//! Lanes that converge at one `.sync` instruction although they took different paths to it.
//!
//! PTX ISA, "Parallel Synchronization and Communication Instructions": a thread waits until all
//! threads that the mask names and that have not ended run the instruction "with the same
//! qualifiers and the same mask". The ISA does not require that the instruction is at the same
//! place in the text, or that the same calls are open (measured on an H200: one function's vote,
//! reached by half of a warp directly and by the other half through a wrapper, gives one answer).
//!
//! Lanes of one frame at one instruction form one group, and need nothing of this. For other lanes
//! the instruction runs once, in the frame of the group that comes last. The others' operands are
//! copied into that frame, and the results are copied back.

use crate::machine::core::{Core, FramePlace};
use crate::machine::event::Wait;
use crate::machine::frame::{function_of, op_index};
use crate::machine::lane::lanes;
use crate::machine::op::{Op, STOP};
use crate::machine::program::Program;
use crate::machine::warp::Group;

/// An operand in a frame: its offset, and the bytes of a lane. The bytes are 0 for a predicate.
pub(crate) type OperandPlace = (u32, u32);

/// An instruction at which lanes converge from different places.
#[derive(Debug, Clone)]
pub(crate) struct MeetingPoint {
    /// The index of its operation.
    pub(crate) op: u32,
    /// The instruction's words, in an order that does not depend on how they are written.
    pub(crate) words: String,
    /// The operands that it writes.
    pub(crate) results: Vec<OperandPlace>,
    /// The operands that it reads.
    pub(crate) sources: Vec<OperandPlace>,
}

/// Returns whether lanes at `a` and lanes at `b`, which wait for the same lanes, run
/// the instruction together.
fn same(program: &Program, a: *const Op, b: *const Op) -> bool {
    if a == b {
        return true;
    }
    match (meeting(program, a), meeting(program, b)) {
        (Some(a), Some(b)) => {
            let lengths = |m: &MeetingPoint| (m.results.len(), m.sources.len());
            a.words == b.words && lengths(a) == lengths(b)
        }
        _ => false,
    }
}

fn meeting(program: &Program, op: *const Op) -> Option<&MeetingPoint> {
    let index = op_index(program, op) as u32;
    let at = program
        .meetings
        .binary_search_by_key(&index, |m| m.op)
        .ok()?;
    program.meetings.get(at)
}

/// Returns the operands of `op` in its frame: its results and its sources.
fn places(program: &Program, op: *const Op) -> [Vec<OperandPlace>; 2] {
    if let Some(meeting) = meeting(program, op) {
        return [meeting.results.clone(), meeting.sources.clone()];
    }
    // Lanes run an instruction on matrices together only at one place in the text, where all
    // operands of the frames correspond.
    let function = function_of(program, op);
    let words = (4..function.words).step_by(4).map(|word| (word, 0));
    let constants = function.rows.iter().map(|row| (row.offset, row.width));
    let registers = function.registers.iter().copied();
    let all: Vec<_> = words.chain(constants).chain(registers).collect();
    [all.clone(), all]
}

/// The values of some lanes of one operand.
struct Values {
    bytes: Vec<u8>,
    width: usize,
}

impl Values {
    /// # Safety
    /// `frame` must be a frame that has such an operand at `place`.
    unsafe fn read(frame: *const u8, place: OperandPlace, mask: u32) -> Self {
        let (offset, width) = (place.0 as usize, place.1 as usize);
        // SAFETY: a row has 32 lanes of that width, a predicate is a word whose offset's lowest
        // bit negates it.
        let bytes = unsafe {
            if width == 0 {
                let bits = *frame.add(offset & !3).cast::<u32>();
                let bits = bits ^ 0u32.wrapping_sub(place.0 & 1);
                bits.to_le_bytes().to_vec()
            } else {
                let row = frame.add(offset);
                let of = |lane: usize| std::slice::from_raw_parts(row.add(lane * width), width);
                lanes(mask).flat_map(|lane| of(lane).to_vec()).collect()
            }
        };
        Self { bytes, width }
    }

    /// # Safety
    /// As for [`Values::read`], with the same lanes.
    unsafe fn write(&self, frame: *mut u8, place: OperandPlace, mask: u32) {
        let offset = place.0 as usize;
        // SAFETY: as above.
        unsafe {
            if self.width == 0 {
                let bits = self
                    .bytes
                    .iter()
                    .rev()
                    .fold(0, |bits, &b| bits << 8 | u32::from(b));
                let bits = bits ^ 0u32.wrapping_sub(place.0 & 1);
                let word = frame.add(offset & !3).cast::<u32>();
                *word = (*word & !mask) | (bits & mask);
            } else {
                for (lane, value) in lanes(mask).zip(self.bytes.chunks_exact(self.width)) {
                    let to = frame.add(offset + lane * self.width);
                    to.copy_from_nonoverlapping(value.as_ptr(), self.width);
                }
            }
        }
    }
}

/// The result of an attempt to run an instruction together.
pub(super) enum Rendezvous {
    /// Some lanes have not arrived yet.
    NotYet,
    /// The instruction has run for all lanes, and the others have gone on.
    Ran,
    /// The instruction ended the launch.
    Faulted,
}

impl Core<'_> {
    /// Checks whether the lanes of `here`, which are at `op`, and those that wait for the same
    /// instruction elsewhere are all of the `wanted` lanes. If so, runs `op` for all of them.
    #[cold]
    #[inline(never)]
    pub(super) fn meet_elsewhere(
        &mut self,
        op: *const Op,
        (here, wanted): (u32, u32),
        wait: Wait,
    ) -> Rendezvous {
        let program = self.run.program;
        let meets = |g: &Group| g.wait == wait && same(program, op, g.op);
        let groups = &self.warp().groups;
        let there = groups.iter().filter(|g| meets(g));
        if here | there.fold(0, |mask, g| mask | g.mask) != wanted {
            return Rendezvous::NotYet;
        }
        let others: Vec<Group> = self.warp().groups.extract_if(.., |g| meets(g)).collect();
        let at = self.at;
        // SAFETY: all of them are operations of the program, in whose frames these groups are.
        let ran = unsafe { self.run_for_all(op, here, &others) };
        for other in &others {
            (self.at, self.active) = (other.at, other.mask);
            self.park(other.op.wrapping_add(1), Wait::Ready);
        }
        self.set_frame(at);
        self.diverged = true;
        if ran {
            Rendezvous::Ran
        } else {
            Rendezvous::Faulted
        }
    }

    /// Runs `op` for the lanes of `here` and for other groups. Returns false if it
    /// ended the launch.
    ///
    /// # Safety
    /// `op` must be an operation of the running frame, and each group must be at an operation for
    /// which [`same`] returns true.
    unsafe fn run_for_all(&mut self, op: *const Op, here: u32, others: &[Group]) -> bool {
        let program = self.run.program;
        let frame_of = |core: &mut Self, at: FramePlace| {
            let registers = core.warp().registers.start();
            registers.wrapping_add(at.frame as usize)
        };
        // SAFETY: the guard of `op` is a predicate of its frame; places are operands of the
        // operations, in the frames of the groups that stand there.
        unsafe {
            let (frame, guard) = (self.frame, (*op).guard);
            let away = others.iter().fold(0, |mask, g| mask | g.mask);
            let [results, sources] = places(program, op);
            let mut brought = Vec::new();
            for group in others {
                let from = frame_of(self, group.at);
                let [_, theirs] = places(program, group.op);
                let read = |&place: &OperandPlace| Values::read(from, place, group.mask);
                brought.push(theirs.iter().map(read).collect::<Vec<_>>());
            }
            let touched = results.iter().chain(&sources);
            let before: Vec<_> = touched
                .map(|&p| (p, Values::read(frame, p, away)))
                .collect();
            let guards = self.predicate(guard & !1);
            for (group, values) in others.iter().zip(&brought) {
                for (value, &place) in values.iter().zip(&sources) {
                    value.write(frame, place, group.mask);
                }
            }
            // The guards of the other groups were true.
            self.set_predicate(guard & !1, if guard & 1 == 0 { u32::MAX } else { 0 }, away);
            self.active = here | away;
            let next = ((*op).run)(self, op);
            let mut taken = Vec::new();
            for group in others {
                let read = |&place: &OperandPlace| Values::read(frame, place, group.mask);
                taken.push(results.iter().map(read).collect::<Vec<_>>());
            }
            for (place, value) in &before {
                value.write(frame, *place, away);
            }
            self.set_predicate(guard & !1, guards, away);
            for (group, values) in others.iter().zip(&taken) {
                let to = frame_of(self, group.at);
                let [theirs, _] = places(program, group.op);
                for (value, place) in values.iter().zip(theirs) {
                    value.write(to, place, group.mask);
                }
            }
            if self.checks.tainted {
                self.forget_results(self.at.frame, &results, here | away);
                for group in others {
                    let [theirs, _] = places(program, group.op);
                    self.forget_results(group.at.frame, &theirs, group.mask);
                }
            }
            next != STOP
        }
    }
}
