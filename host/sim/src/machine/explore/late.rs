//! Delayed loads: loads that take their value after later stores of their thread, as the memory
//! model allows if nothing depends on them.
//!
//! Load buffering needs this: two threads that each read a place, and then write the place that the
//! other reads. The decoder computes how far a load may be delayed. The schedule chooses whether it
//! is, as it chooses the value that a load reads. A delayed load is performed, as a separate step,
//! before the first operation that it may not pass or that accesses its place.
//!
//! A delayed load must not read every write that has happened meanwhile. What its thread has
//! released since counts as released after the load. So the load must not read a write by a thread
//! that has acquired that release. It also must not read a write that the load itself, or a fence
//! after it, would have acquired. Such a write is read by a load that is not delayed, or that is
//! delayed only up to the fence.

use super::access::is_visible;
use crate::machine::core::Core;
use crate::machine::frame::op_index;
use crate::machine::op::Op;
use crate::machine::program::{Class, Scope};

/// A delayed load of some lanes of a warp.
#[derive(Debug, Clone, Copy)]
pub(super) struct Late {
    team: u64,
    at: (usize, usize),
    mask: u32,
    op: *const Op,
    /// Its index in the program's list of loads that may be delayed.
    number: usize,
    waited: Waited,
}

/// The state of a delayed load.
#[derive(Debug, Clone, Copy)]
pub(super) struct Waited {
    /// The number of its event in its thread.
    pub(super) seq: u32,
    /// The widest scope in which its thread would have acquired the value that it read: the scope
    /// of the load itself, or of a fence after it.
    pub(super) acquires: Option<Scope>,
}

impl Late {
    /// Returns the operation that loads.
    pub(super) fn op(&self) -> *const Op {
        self.op
    }
}

impl Core<'_> {
    /// Returns whether a load has to be performed before `op`, whatever `op` accesses.
    fn ends(&self, load: &Late, op: *const Op) -> bool {
        let program = self.run.program;
        let op = op_index(program, op) as u32;
        program.late[load.number].until.contains(&op)
    }

    /// Returns whether any delayed load of these lanes of a warp has to be performed before `op`.
    pub(super) fn is_due(&self, at: (usize, usize), mask: u32, op: *const Op) -> bool {
        let late = self.explore.as_ref().map_or(&[][..], |e| &e.late);
        let mut own = late
            .iter()
            .filter(|it| it.team == self.team.index && it.at == at && it.mask & mask != 0);
        own.any(|it| self.ends(it, op))
    }

    /// Returns the delayed loads of the running lanes.
    fn waiting_loads(&self) -> Vec<Late> {
        let (team, at, active) = (self.team.index, self.current, self.active);
        let late = self.explore.as_ref().map_or(&[][..], |e| &e.late);
        let own = |it: &&Late| it.team == team && it.at == at && it.mask & active != 0;
        late.iter().filter(own).copied().collect()
    }

    /// Returns the load that the running lanes have to perform before `op`: one that may not pass
    /// `op`, or that accesses the same bytes.
    pub(super) fn due_load(&mut self, op: *const Op) -> Option<Late> {
        let waiting = self.waiting_loads();
        if waiting.is_empty() {
            return None;
        }
        if let Some(&due) = waiting.iter().find(|it| self.ends(it, op)) {
            return Some(due);
        }
        if !is_visible(&self.info(op)) {
            return None;
        }
        // SAFETY: `op` is an operation of the running frame, and so is the load, because there is
        // no call or return between the two.
        let here = unsafe { self.footprint(op) };
        waiting.into_iter().find(|it| {
            // SAFETY: as above.
            let there = unsafe { self.footprint(it.op) };
            here.meets(&there)
        })
    }

    /// Returns the loads of the running lanes that may be performed right before the fence at `op`.
    pub(super) fn loads_at_fence(&self, op: *const Op) -> Vec<Late> {
        let mut waiting = self.waiting_loads();
        if !waiting.is_empty() {
            let program = self.run.program;
            let op = op_index(program, op) as u32;
            waiting.retain(|it| program.late[it.number].fences.contains(&op));
        }
        waiting
    }

    /// Performs those of these loads that the schedule chooses, in their order.
    ///
    /// # Safety
    /// `op` must be an operation of the running frame.
    pub(super) unsafe fn do_at_fence(&mut self, op: *const Op) {
        for load in self.loads_at_fence(op) {
            let chooser = self.explore.as_mut().map(|e| &mut e.chooser);
            if chooser.is_some_and(|chooser| chooser.value(2) == 0) {
                // SAFETY: the caller guarantees this. There is no call or return while a
                // load is delayed.
                unsafe { self.do_late(load) };
            }
        }
    }

    /// Delays the load at `op`, if it may be delayed and the schedule chooses to. Returns
    /// whether it is.
    ///
    /// # Safety
    /// `op` must be an operation of the running frame.
    pub(super) unsafe fn waits(&mut self, op: *const Op) -> bool {
        let program = self.run.program;
        let index = op_index(program, op) as u32;
        let Ok(found) = program.late.binary_search_by_key(&index, |load| load.op) else {
            return false;
        };
        let weak = self.explore.as_ref().is_some_and(|e| e.weak.is_some());
        // Checks expect a thread's accesses in the order of the program.
        if !weak || self.run.is_checked {
            return false;
        }
        // SAFETY: the caller guarantees this.
        let places = unsafe { self.footprint(op) };
        if places.is_nothing() || self.waiting_loads().iter().any(|it| it.op == op) {
            return false;
        }
        let (team, at) = (self.team.index, self.current);
        let info = self.info(op);
        let acquires = info.scope.filter(|_| info.acquires);
        if matches!(info.class, Class::Atomic(_))
            && acquires.is_some_and(|scope| self.has_company(scope))
        {
            // A delayed atomic reads when it is performed. If it has to acquire the value that it
            // reads then, the acquire would come too late.
            return false;
        }
        // SAFETY: as above.
        let mask = unsafe { self.mask(&*op) };
        let knowing = self.knowing(self.who(mask));
        // The delayed load does not store its address pattern for later operations.
        self.memory.kept = Default::default();
        let Some(explore) = &mut self.explore else {
            return false;
        };
        if explore.chooser.value(2) == 1 {
            return false;
        }
        let Some(weak) = &mut explore.weak else {
            return false;
        };
        let mut started = places.ranges.iter().map(|&(start, _)| start);
        if acquires.is_some() && started.any(|start| weak.has_pending(knowing, start)) {
            // The load acquires what was read there before.
            return false;
        }
        let seq = weak.begin_late(knowing);
        for &(start, size) in &places.ranges {
            // SAFETY: `footprint` gave bytes that may be read, and only this host thread
            // runs the launch.
            let now = unsafe { std::slice::from_raw_parts(start as *const u8, size as usize) };
            // From here on the reads of these bytes must be recorded.
            weak.make(start, now);
        }
        explore.late.push(Late {
            team,
            at,
            mask,
            op,
            number: found,
            waited: Waited { seq, acquires },
        });
        true
    }

    /// Returns whether a scope of the running thread contains another thread.
    fn has_company(&self, scope: Scope) -> bool {
        let threads = u64::from(self.run.threads);
        match scope {
            Scope::Block => threads > 1,
            Scope::Cluster => threads * self.run.cluster_size() > 1,
            Scope::Device | Scope::System => true,
        }
    }

    /// Records that the running lanes have passed a fence that acquires.
    pub(super) fn passes_fence(&mut self, scope: Option<Scope>) {
        let (team, at, active) = (self.team.index, self.current, self.active);
        let late = self.explore.as_mut().map_or(&mut [][..], |e| &mut e.late);
        for it in late {
            if it.team == team && it.at == at && it.mask & active != 0 {
                it.waited.acquires = it.waited.acquires.max(scope);
            }
        }
    }

    /// Performs a delayed load for the running lanes.
    ///
    /// # Safety
    /// Its operation must be of the running frame.
    pub(super) unsafe fn do_late(&mut self, load: Late) {
        let active = self.active;
        self.active &= load.mask;
        self.memory.kept = Default::default();
        if let Some(explore) = &mut self.explore {
            for it in &mut explore.late {
                if (it.team, it.at, it.op) == (load.team, load.at, load.op) {
                    it.mask &= !active;
                }
            }
            explore.late.retain(|it| it.mask != 0);
        }
        let info = self.info(load.op);
        // SAFETY: the caller guarantees this. The load's guard has not changed since.
        unsafe {
            let mask = self.mask(&*load.op);
            self.run_visible(load.op, &info, mask, Some(load.waited));
        }
        if let Some(explore) = &mut self.explore
            && let Some(weak) = &mut explore.weak
            && explore.late.is_empty()
        {
            weak.end_late();
        }
        self.memory.kept = Default::default();
        self.active = active;
    }
}
