//! The registers that `wgmma` uses. Found are programs that access them too early, or that leave
//! a fence out.
//!
//! PTX ISA, "wgmma.fence" and "wgmma.wait_group". From a `wgmma.mma_async` to the
//! `wgmma.wait_group` that waits for its group, D must not be accessed and A's registers must not
//! be written. Registers that another operation accessed need a `wgmma.fence` before a
//! `wgmma.mma_async` uses them. So do registers that a `wgmma.mma_async` of another shape wrote. A
//! warp's first `wgmma.mma_async` always needs a fence.
//!
//! Compilers copy registers between inline assembly, and assemblers fold the copies. So a `mov`
//! from one register to another does not count as an access: the second register takes over the
//! state of the first. Only programs with `wgmma` are checked. Registers of a function are one
//! set, however deep the call. Registers that only a called function accesses through `.param`
//! are not seen.

use super::warpgroup::{Reading, WarpgroupSite};
use crate::checks::FindingKind;
use crate::machine::core::Core;
use crate::machine::event::FaultKind;
use crate::machine::frame::op_index;
use crate::machine::op::Op;

/// The registers of `wgmma` that one operation accesses, by their numbers in the program's list.
#[derive(Debug, Clone, Default)]
pub(crate) struct RegisterUse {
    /// Registers that it reads.
    pub(crate) reads: Vec<u32>,
    /// Registers that it writes.
    pub(crate) writes: Vec<u32>,
    /// The source and the destination, if it is a copy.
    pub(crate) copies: Option<(u32, u32)>,
}

/// The state of one register of a warp.
#[derive(Debug, Clone, Copy, Default)]
struct Known {
    /// The group of the latest multiplication that writes it; 0 if there is none, or if
    /// it is complete.
    written: u32,
    /// The group of the latest multiplication that reads it as A.
    read: u32,
    /// The operation number of that multiplication.
    by: u32,
    /// The operation that accessed it since the last fence.
    touched: Option<u32>,
    /// Whether `by` has written it since the last fence.
    summed: bool,
}

/// A warp's multiplications that are not complete.
#[derive(Debug, Default)]
pub(in crate::machine) struct Matrices {
    known: Vec<Known>,
    /// The number of groups that were committed.
    committed: u32,
    /// Whether there was a fence yet.
    fenced: bool,
    /// The number of multiplications that the warp took part in.
    pub(in crate::machine) count: u32,
    /// The last multiplication.
    pub(in crate::machine) last: Option<*const Op>,
    /// Shared memory that is being read, if the race check is on.
    pub(in crate::machine) readings: Vec<Reading>,
}

impl Matrices {
    /// Returns the group that the next multiplication belongs to, counted from 1.
    pub(super) fn group(&self) -> u32 {
        self.committed + 1
    }

    pub(super) fn fence(&mut self) {
        self.fenced = true;
        for known in &mut self.known {
            (known.touched, known.summed) = (None, false);
        }
    }

    pub(super) fn commit(&mut self) {
        self.committed += 1;
    }

    /// Returns the use of a register that a multiplication still writes.
    fn written(&self, register: u32) -> Option<EarlyUse> {
        let it = &self.known[register as usize];
        (it.written != 0).then_some(EarlyUse {
            register,
            reads: false,
            by: it.by,
            open: it.written > self.committed,
        })
    }

    /// Returns the change of a register that a multiplication still reads.
    fn read(&self, register: u32) -> Option<EarlyUse> {
        let it = &self.known[register as usize];
        (it.read != 0).then_some(EarlyUse {
            register,
            reads: true,
            by: it.by,
            open: it.read > self.committed,
        })
    }

    /// Completes all groups except the latest `left`. Returns the last completed group.
    pub(super) fn wait(&mut self, left: u32) -> u32 {
        let last = self.committed.saturating_sub(left);
        for known in &mut self.known {
            for group in [&mut known.written, &mut known.read] {
                if *group <= last {
                    *group = 0;
                }
            }
        }
        last
    }
}

/// What to do if a fence is missing.
const FENCE: &str = "put `wgmma.fence.sync.aligned` before the first `wgmma.mma_async`, and wherever its registers were accessed in between";

/// Why a multiplication must not use a register.
#[derive(Clone, Copy)]
enum MissingFence {
    /// No fence came before the warp's first multiplication.
    First,
    /// No fence came between this operation's access and the multiplication.
    Accessed(u32),
    /// No fence came between this multiplication, of another shape, and the one that accumulates
    /// into the same registers.
    OtherShape(u32),
}

/// A use of a register that a multiplication still uses.
#[derive(Clone, Copy)]
struct EarlyUse {
    /// The register's number.
    register: u32,
    /// Whether the multiplication only reads the register, which is then written.
    reads: bool,
    /// The operation of the multiplication.
    by: u32,
    /// Whether its group is not closed.
    open: bool,
}

impl Core<'_> {
    /// Checks what an operation is about to do to registers of `wgmma`.
    #[inline(always)]
    pub(in crate::machine) fn touches(&mut self, op: *const Op) {
        let run = self.run;
        let index = op_index(run.program, op);
        let Some(Some(touch)) = run.program.touches.get(index) else {
            return;
        };
        // SAFETY: `op` is an operation of the running frame.
        if unsafe { self.mask(&*op) } != 0 {
            self.touch(op, index as u32, touch);
        }
    }

    #[inline(never)]
    fn touch(&mut self, op: *const Op, index: u32, touch: &RegisterUse) {
        let count = self.run.program.tracked.len();
        let matrices = &mut self.warp().matrices;
        matrices.known.resize(count, Known::default());
        if let Some((from, to)) = touch.copies {
            matrices.known[to as usize] = matrices.known[from as usize];
            return;
        }
        let mut early = None;
        for &number in touch.reads.iter().chain(&touch.writes) {
            matrices.known[number as usize].touched = Some(index);
            early = early.or(matrices.written(number));
        }
        for &number in &touch.writes {
            early = early.or(matrices.read(number));
        }
        if let Some(early) = early {
            self.used_early(op, early);
        }
    }

    /// Checks the registers of a multiplication that begins. None for a fault.
    pub(super) fn track_multiply(&mut self, op: *const Op, site: &WarpgroupSite) -> Option<()> {
        let run = self.run;
        let index = op_index(run.program, op);
        let matrices = &mut self.warp().matrices;
        matrices
            .known
            .resize(run.program.tracked.len(), Known::default());
        let (group, fenced) = (matrices.group(), matrices.fenced);
        let [d, a] = &site.tracked;
        let mut missing = None;
        let shape =
            |by: u32| run.program.warpgroups[run.program.ops[by as usize].aux as usize].shape;
        for &number in d.iter().chain(a) {
            let it = matrices.known[number as usize];
            let unfenced = match it.touched {
                _ if !fenced => Some(MissingFence::First),
                Some(by) => Some(MissingFence::Accessed(by)),
                None if it.summed && shape(it.by) != site.shape => {
                    Some(MissingFence::OtherShape(it.by))
                }
                None => None,
            };
            missing = missing.or(unfenced.map(|unfenced| (number, unfenced)));
        }
        let early = a.iter().find_map(|&number| matrices.written(number));
        for &number in d {
            let it = &mut matrices.known[number as usize];
            (it.written, it.by, it.summed) = (group, index as u32, true);
        }
        for &number in a {
            let it = &mut matrices.known[number as usize];
            (it.read, it.by) = (group, index as u32);
        }
        if let Some((number, missing)) = missing {
            self.not_fenced(op, number, missing);
            return None;
        }
        if let Some(early) = early {
            self.used_early(op, early);
        }
        Some(())
    }

    /// Notes a use before the wait. NVIDIA's assembler adds the wait, so the result is right.
    #[cold]
    fn used_early(&mut self, op: *const Op, early: EarlyUse) {
        let program = self.run.program;
        let name = &program.tracked[early.register as usize];
        let line = program.infos[early.by as usize].line;
        let (used, does) = match early.reads {
            true => ("written", "reads"),
            false => ("used", "writes"),
        };
        let waits = match early.open {
            true => "no `wgmma.commit_group` has closed its group",
            false => "no `wgmma.wait_group` has waited for its group",
        };
        let what = format!(
            "note: `{name}` is {used} while the `wgmma.mma_async` of ptx line {line} {does} it: {waits}"
        );
        let lane = self.active.trailing_zeros() as usize;
        let by = (self.current.0, self.current.1 as u32, lane);
        let says = || Some((what, vec![]));
        self.note_by(FindingKind::EarlyRegister, op, by, says);
    }

    #[cold]
    fn not_fenced(&mut self, op: *const Op, number: u32, missing: MissingFence) {
        let program = self.run.program;
        let name = &program.tracked[number as usize];
        let line = |index: u32| program.infos[index as usize].line;
        let (message, help) = match missing {
            MissingFence::First => (
                format!(
                    "`wgmma.mma_async` uses `{name}` without a `wgmma.fence`: a warp's first has to have one before it"
                ),
                FENCE,
            ),
            MissingFence::Accessed(by) => (
                format!(
                    "`wgmma.mma_async` uses `{name}` without a `wgmma.fence` since ptx line {} accessed it",
                    line(by)
                ),
                FENCE,
            ),
            MissingFence::OtherShape(by) => (
                format!(
                    "`wgmma.mma_async` uses `{name}` without a `wgmma.fence` since the one of ptx line {}, of another shape, wrote it",
                    line(by)
                ),
                "only multiplications of one shape may follow each other on the same sum: put `wgmma.fence.sync.aligned` between",
            ),
        };
        let lane = self.active.trailing_zeros() as usize;
        self.fault(op, lane, FaultKind::Illegal { message, help });
    }
}
