//! Operations that were started and have not happened yet: asynchronous copies,
//! stores and reductions.
//!
//! PTX ISA, "Asynchronous Operations" in the memory consistency model, and 9.7.9 on `cp.async` and
//! `cp.async.bulk`. The ISA leaves open when an asynchronous operation happens between its start
//! and the wait for it. Here it happens as late as possible, when a thread waits for it. So a
//! kernel that reads the destination before it waits sees the old bytes in every run, and a kernel
//! that overwrites the source before it waits copies the new bytes. Addresses are checked at the
//! start. When a thread ends, its groups are completed.
//!
//! Copies of `cp.async` are many, and each warp has a list of them. The other operations are few,
//! and the team has one list.

use super::tensor::TensorMove;
use crate::machine::checks::race::{Access, AccessKind};
use crate::machine::core::Core;
use crate::machine::frame::op_index;
use crate::machine::lane::{LANES, lanes};
use crate::machine::meeting::mbarrier::MbarrierPlace;
use crate::machine::op::Op;
use crate::memory::window;
use crate::semantics::mbarrier::MbarrierError;

/// The most pending copies of a warp, and the most other pending operations of a team. Those
/// may be large.
const MOST: (usize, usize) = (1 << 14, 1 << 10);

/// A copy of `cp.async`.
#[derive(Debug, Clone, Copy)]
pub(in crate::machine) struct Copied {
    pub(in crate::machine) lane: u8,
    /// Its group, counted for each lane from 0.
    pub(in crate::machine) group: u32,
    /// Its number among the warp's copies.
    pub(in crate::machine) number: u64,
    pub(in crate::machine) from: *const u8,
    pub(in crate::machine) to: *mut u8,
    /// The number of bytes that are read, and the number that are written. The rest are zeros.
    pub(in crate::machine) bytes: (u8, u8),
    /// The shared address of the destination, for the race check.
    pub(in crate::machine) address: u64,
}

/// A warp's pending `cp.async` copies and its groups.
#[derive(Debug, Default)]
pub(in crate::machine) struct Copies {
    /// The copies that have not happened yet, in the order of their start.
    pub(in crate::machine) list: Vec<Copied>,
    /// How many copies were started.
    pub(in crate::machine) started: u64,
    /// The number of groups that each lane has committed.
    pub(in crate::machine) groups: [u32; LANES],
    /// The number of bulk groups that each lane has committed.
    pub(in crate::machine) bulk: [u32; LANES],
}

/// A pending operation that is not a `cp.async` copy.
#[derive(Debug)]
pub(in crate::machine) struct Pending {
    /// The thread that started it: block, warp, lane.
    pub(in crate::machine) by: (usize, u32, u32),
    pub(in crate::machine) op: *const Op,
    pub(in crate::machine) until: CompletionSignal,
    pub(in crate::machine) effect: PendingEffect,
}

/// The mechanism that signals the completion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::machine) enum CompletionSignal {
    /// The completion is signalled to an mbarrier, by the number of bytes.
    Mbarrier(MbarrierPlace),
    /// A bulk group of the thread.
    Group(u32),
}

/// What a pending operation does.
#[derive(Debug)]
pub(in crate::machine) enum PendingEffect {
    /// It copies bytes, or combines them with those at the destination.
    Copy(ByteCopy),
    /// It copies a box of a tensor, or combines it with the destination.
    Tensor(TensorMove),
    /// The thread arrives when its `cp.async` copies with a lower number are complete.
    Arrive(u64),
}

/// A pending copy of bytes.
#[derive(Debug)]
pub(in crate::machine) struct ByteCopy {
    pub(in crate::machine) from: Source,
    pub(in crate::machine) to: *mut u8,
    pub(in crate::machine) bytes: usize,
    /// How each element is combined with the old one. None if it replaces the old one.
    pub(in crate::machine) join: Option<(Join, usize)>,
    /// A mask of the bytes that are copied of each 16.
    pub(in crate::machine) mask: u16,
    /// The destination, for the race check.
    pub(in crate::machine) spot: CheckedPlace,
    /// The source, if that is memory.
    pub(in crate::machine) source: Option<CheckedPlace>,
}

/// A place in the form that the race check uses: the block whose shared memory it is, or `None` for
/// global memory, and the address.
pub(in crate::machine) type CheckedPlace = (Option<u64>, u64);

/// The source of a pending copy.
#[derive(Debug, Clone)]
pub(in crate::machine) enum Source {
    /// Bytes that are still in memory.
    Memory(*const u8),
    /// Bytes that were already read.
    Bytes(Vec<u8>),
}

/// Combines the element at the second place into the one at the first, as one atomic step.
pub(crate) type Join = unsafe fn(*mut u8, *const u8);

impl Core<'_> {
    /// Performs the copies of the running warp that `done` selects, in order.
    pub(in crate::machine) fn complete_copies(&mut self, done: impl Fn(&Copied) -> bool) {
        let at = self.current;
        self.complete_copies_of((at.0, at.1 as u32), done);
    }

    fn complete_copies_of(&mut self, (rank, warp): (usize, u32), done: impl Fn(&Copied) -> bool) {
        let block = &mut self.team.blocks[rank];
        let linear = block.linear;
        let list = &mut block.warps[warp as usize].copies.list;
        let (races, check) = (&mut self.checks.races, self.run.launch.checks.race);
        let (mut carried, init) = (Vec::new(), self.run.launch.checks.init);
        list.retain(|copy| {
            if !done(copy) {
                return true;
            }
            let (read, all) = (usize::from(copy.bytes.0), usize::from(copy.bytes.1));
            // SAFETY: both places were checked for these bytes when the copy was started. Shared
            // memory does not move while the team runs, and device memory does not move while the
            // launch runs. The two places do not overlap.
            unsafe {
                copy.to.copy_from_nonoverlapping(copy.from, read);
                copy.to.add(read).write_bytes(0, all - read);
            }
            if init {
                carried.push(*copy);
            }
            if check {
                let thread = (linear, warp, u32::from(copy.lane));
                races.complete(thread, Some(linear), copy.address, all as u64);
            }
            false
        });
        for copy in carried {
            let (read, all) = (copy.bytes.0.into(), copy.bytes.1.into());
            self.carried((linear, copy.address), copy.from as u64, (read, all));
        }
    }

    /// Performs the operations that signal an mbarrier, and signals it.
    ///
    /// # Errors
    /// Operations that the ISA does not define, with the operation that did it.
    pub(in crate::machine) fn complete_for(
        &mut self,
        home: MbarrierPlace,
    ) -> Result<(), (*const Op, MbarrierError)> {
        let until = CompletionSignal::Mbarrier(home);
        if !self.team.pending.iter().any(|p| p.until == until) {
            return Ok(());
        }
        let ready: Vec<Pending> = self
            .team
            .pending
            .extract_if(.., |p| p.until == until)
            .collect();
        for pending in ready {
            self.happen(pending)?;
        }
        Ok(())
    }

    /// Performs the bulk groups of the running warp's lanes in `mask` whose number
    /// is below `group(lane)`.
    pub(in crate::machine) fn complete_groups(&mut self, mask: u32, group: impl Fn(usize) -> u32) {
        let (rank, warp) = (self.current.0, self.current.1 as u32);
        let old = |p: &mut Pending| match p.until {
            CompletionSignal::Group(number) => {
                let lane = p.by.2 as usize;
                p.by.0 == rank && p.by.1 == warp && mask >> lane & 1 != 0 && number < group(lane)
            }
            CompletionSignal::Mbarrier(_) => false,
        };
        let ready: Vec<Pending> = self.team.pending.extract_if(.., old).collect();
        for pending in ready {
            // Groups signal no mbarrier, so there is no error.
            let _ = self.happen(pending);
        }
    }

    /// Reads the sources of those groups, so that the sources may be overwritten.
    pub(in crate::machine) fn read_groups(&mut self, mask: u32, group: impl Fn(usize) -> u32) {
        let (rank, warp) = (self.current.0, self.current.1 as u32);
        let mut read = Vec::new();
        for p in &mut self.team.pending {
            let lane = p.by.2 as usize;
            let own = p.by.0 == rank && p.by.1 == warp && mask >> lane & 1 != 0;
            if let (true, CompletionSignal::Group(number), PendingEffect::Tensor(it)) =
                (own, p.until, &mut p.effect)
                && number < group(lane)
                && it.take()
            {
                read.push((p.by, it.shared, it.span));
            }
            if let (true, CompletionSignal::Group(number), PendingEffect::Copy(it)) =
                (own, p.until, &mut p.effect)
                && number < group(lane)
                && let Source::Memory(from) = it.from
            {
                let mut bytes = vec![0; it.bytes];
                // SAFETY: the place was checked for these bytes when the copy was
                // started; see `complete_copies_of`.
                unsafe { from.copy_to_nonoverlapping(bytes.as_mut_ptr(), it.bytes) };
                it.from = Source::Bytes(bytes);
                read.extend(it.source.take().map(|source| (p.by, source, it.bytes)));
            }
        }
        for (by, source, bytes) in read {
            self.done(by, source, bytes);
        }
    }

    /// Performs all pending operations. Returns false if there were none.
    ///
    /// # Errors
    /// As for [`Core::complete_for`].
    pub(in crate::machine) fn complete_all(&mut self) -> Result<bool, (*const Op, MbarrierError)> {
        let all = std::mem::take(&mut self.team.pending);
        let any = !all.is_empty();
        for pending in all {
            self.happen(pending)?;
        }
        Ok(any)
    }

    /// Performs the operations that the lanes of `mask` started. These lanes end.
    pub(in crate::machine) fn complete_ended(&mut self, mask: u32) {
        if !self.warp().copies.list.is_empty() {
            self.complete_copies(|copy| mask >> copy.lane & 1 != 0);
        }
        if !self.team.pending.is_empty() {
            self.complete_groups(mask, |_| u32::MAX);
        }
    }

    /// Performs pending operations if there are more than a program needs. Asynchronous operations
    /// may happen at any time.
    ///
    /// # Errors
    /// As for [`Core::complete_for`].
    pub(in crate::machine) fn relieve(&mut self) -> Result<(), (*const Op, MbarrierError)> {
        if self.warp().copies.list.len() > MOST.0 {
            self.complete_copies(|_| true);
        }
        if self.team.pending.len() > MOST.1 {
            self.complete_all()?;
        }
        Ok(())
    }

    /// Adds a pending operation.
    pub(in crate::machine) fn begin_pending(&mut self, pending: Pending) {
        let until = pending.until;
        self.team.pending.push(pending);
        if let CompletionSignal::Mbarrier(home) = until {
            // Waiting lanes must test the mbarrier again, because the test performs
            // the pending operations.
            self.wake(home);
        }
    }

    fn happen(&mut self, pending: Pending) -> Result<(), (*const Op, MbarrierError)> {
        let Pending {
            by,
            op,
            until,
            effect,
        } = pending;
        let moved = match effect {
            PendingEffect::Arrive(number) => {
                let lane = by.2 as u8;
                self.complete_copies_of((by.0, by.1), |c| c.lane == lane && c.number < number);
                None
            }
            PendingEffect::Copy(it) => {
                let from = match &it.from {
                    Source::Memory(from) => *from,
                    Source::Bytes(bytes) => bytes.as_ptr(),
                };
                // SAFETY: both places were checked for these bytes, and for the element's
                // alignment, when the operation was started; see `complete_copies_of`. Shared
                // memory may be copied onto itself.
                unsafe { carry(&it, from) };
                self.done(by, it.spot, it.bytes);
                self.was_written(it.spot, it.bytes as u64);
                if let Some(source) = it.source {
                    if it.join.is_none() && it.mask == u16::MAX {
                        self.took_along(it.spot, source, it.bytes as u64);
                    }
                    self.done(by, source, it.bytes);
                }
                Some(it.bytes as u32)
            }
            PendingEffect::Tensor(it) => {
                // SAFETY: both places were checked when the operation was
                // started; see `complete_copies_of`.
                unsafe { it.carry() };
                if !it.was_taken() {
                    self.done(by, it.shared, it.span);
                }
                if it.loads() {
                    self.was_written(it.shared, it.span as u64);
                }
                for (address, bytes) in it.inside() {
                    self.done(by, (None, address), bytes);
                    if !it.loads() {
                        self.was_written((None, address), bytes as u64);
                    }
                }
                Some(it.bytes)
            }
        };
        let CompletionSignal::Mbarrier(home) = until else {
            return Ok(());
        };
        self.arrived((by.0, by.1), home);
        if moved.is_some() {
            self.complete_transaction(home, op, by);
        }
        let told = self.change(home, |object| match moved {
            Some(bytes) => object.complete_tx(bytes),
            None => object.arrive(1),
        });
        told.map(|_| ()).map_err(|error| (op, error))
    }

    /// Tells the race check that an asynchronous access is complete.
    pub(in crate::machine) fn done(
        &mut self,
        by: (usize, u32, u32),
        spot: CheckedPlace,
        bytes: usize,
    ) {
        if self.run.launch.checks.race {
            let block = self.team.blocks[by.0].linear;
            self.checks
                .races
                .complete((block, by.1, by.2), spot.0, spot.1, bytes as u64);
        }
    }

    /// Tells the checks that an asynchronous access begins.
    pub(in crate::machine) fn begin_access(
        &mut self,
        op: *const Op,
        lane: usize,
        kind: AccessKind,
        spot: CheckedPlace,
        bytes: u64,
    ) {
        let of_block = |owner| self.team.blocks.iter().position(|it| it.linear == owner);
        if let Some(rank) = spot.0.and_then(of_block) {
            let act = if kind == AccessKind::Read {
                "read"
            } else {
                "write"
            };
            let what = || format!("{bytes}-byte asynchronous {act} of shared memory");
            self.check_ended(op, lane, rank, what);
            if self.run.launch.checks.memory {
                let address = spot.1 % window::SHARED_PER_BLOCK;
                self.check_copied(op, lane, kind == AccessKind::Read, (address, bytes));
            }
        }
        self.tell_access(op, lane, kind, (spot, bytes), true);
    }

    /// Tells the race check about one lane's access to any number of bytes. The access happens now,
    /// or it is `pending`.
    pub(in crate::machine) fn tell_access(
        &mut self,
        op: *const Op,
        lane: usize,
        kind: AccessKind,
        (spot, bytes): (CheckedPlace, u64),
        pending: bool,
    ) {
        if kind == AccessKind::Write && !pending {
            self.was_written(spot, bytes);
        }
        if !self.run.launch.checks.race {
            return;
        }
        let run = self.run;
        let index = op_index(run.program, op);
        let access = Access {
            block: self.team.blocks[self.current.0].linear,
            warp: self.current.1 as u32,
            lane: lane as u32,
            op: index as u32,
            kind,
            // Reductions are `.relaxed`.
            strong: kind == AccessKind::Atomic,
            volatile: false,
            releases: false,
            acquires: false,
            narrow: false,
            read_only: false,
            shared: spot.0,
            pending,
        };
        if pending && kind == AccessKind::Read {
            self.check_proxies(op, lane, spot, bytes);
        }
        if let Some(before) = self.checks.races.access(access, spot.1, bytes) {
            self.note_race(op, before, access, spot.1);
        }
    }

    /// `cp.async.commit_group` and `cp.async.bulk.commit_group` for the lanes of `mask`.
    pub(in crate::machine) fn commit(&mut self, mask: u32, bulk: bool) {
        let copies = &mut self.warp().copies;
        let groups = if bulk {
            &mut copies.bulk
        } else {
            &mut copies.groups
        };
        for lane in lanes(mask) {
            groups[lane] = groups[lane].wrapping_add(1);
        }
    }
}

/// Copies or combines bytes from `from`.
///
/// # Safety
/// `from` and the destination must hold the bytes, with elements aligned to their size.
unsafe fn carry(it: &ByteCopy, from: *const u8) {
    // SAFETY: passed on.
    unsafe {
        match it.join {
            Some((join, size)) => {
                for at in (0..it.bytes).step_by(size) {
                    join(it.to.add(at), from.add(at));
                }
            }
            None if it.mask == u16::MAX => it.to.copy_from(from, it.bytes),
            None => {
                for at in (0..it.bytes).filter(|at| it.mask >> (at % 16) & 1 != 0) {
                    it.to.add(at).copy_from(from.add(at), 1);
                }
            }
        }
    }
}
