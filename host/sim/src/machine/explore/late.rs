//! Loads that take their value late: behind later stores of their thread, as the memory model allows where nothing depends on them.
//!
//! That is what load buffering needs: two threads that each read, and then write what the other reads. The decoder says how far a load may
//! wait; whether it does is chosen as a value is. One that waits is done before the first operation that it may not pass, or that
//! accesses its place, and that is a step of its own. What its thread has released meanwhile it has released as of the load's own
//! place in the program: a write of somebody who knows of that is never what it reads. Nor is one that its thread's fence would have acquired,
//! which came too early for it: that is what a load reads which does not wait.

use super::Explore;
use super::access::is_visible;
use crate::machine::core::Core;
use crate::machine::frame::op_index;
use crate::machine::op::Op;
use crate::machine::program::Scope;

/// A load that waits, of some lanes of a warp.
#[derive(Debug, Clone, Copy)]
pub(super) struct Late {
    team: u64,
    at: (usize, usize),
    mask: u32,
    op: *const Op,
    until: *const Op,
    waited: Waited,
}

/// What has happened to a load that waits.
#[derive(Debug, Clone, Copy)]
pub(super) struct Waited {
    /// Its place among the events of its thread.
    pub(super) seq: u32,
    /// The widest scope of an acquiring fence of its thread behind it.
    pub(super) fence: Option<Scope>,
}

impl Late {
    /// The load.
    pub(super) fn op(&self) -> *const Op {
        self.op
    }
}

impl Explore {
    /// Whether a load of some lanes waits that has to be done before `op`, wherever that accesses.
    pub(super) fn is_due(&self, team: u64, at: (usize, usize), mask: u32, op: *const Op) -> bool {
        let due = |it: &&Late| it.team == team && it.at == at && it.mask & mask != 0;
        self.late.iter().filter(due).any(|it| it.until == op)
    }
}

impl Core<'_> {
    /// The loads of the running lanes that wait.
    fn waiting_loads(&self) -> Vec<Late> {
        let (team, at, active) = (self.team.index, self.current, self.active);
        let late = self.explore.as_ref().map_or(&[][..], |e| &e.late);
        let own = |it: &&Late| it.team == team && it.at == at && it.mask & active != 0;
        late.iter().filter(own).copied().collect()
    }

    /// The load that the running lanes have to do before `op`: one that ends here, or that accesses the same bytes.
    pub(super) fn due_load(&mut self, op: *const Op) -> Option<Late> {
        let waiting = self.waiting_loads();
        if waiting.is_empty() {
            return None;
        }
        if let Some(&due) = waiting.iter().find(|it| it.until == op) {
            return Some(due);
        }
        if !is_visible(&self.info(op)) {
            return None;
        }
        // SAFETY: `op` is an operation of the running frame, and so is the load, between which and this nobody jumps.
        let here = unsafe { self.footprint(op) };
        waiting.into_iter().find(|it| {
            // SAFETY: as above.
            let there = unsafe { self.footprint(it.op) };
            here.meets(&there)
        })
    }

    /// Lets the load at `op` wait, if it may and is chosen to.
    ///
    /// # Safety
    /// `op` must be an operation of the running frame.
    pub(super) unsafe fn waits(&mut self, op: *const Op) -> bool {
        let program = self.run.program;
        let index = op_index(program, op) as u32;
        let Ok(found) = program.late.binary_search_by_key(&index, |&(load, _)| load) else {
            return false;
        };
        let weak = self.explore.as_ref().is_some_and(|e| e.weak.is_some());
        // Checks take what a thread does in the order of the program.
        if !weak || self.run.watches {
            return false;
        }
        // SAFETY: the caller's word.
        let places = unsafe { self.footprint(op) };
        if places.is_nothing() || self.waiting_loads().iter().any(|it| it.op == op) {
            return false;
        }
        let (team, at) = (self.team.index, self.current);
        // SAFETY: as above.
        let mask = unsafe { self.mask(&*op) };
        let knowing = self.knowing(self.who(mask));
        // What is kept of its addresses is not there for those behind it.
        self.kept = Default::default();
        let Some(explore) = &mut self.explore else {
            return false;
        };
        if explore.chooser.value(2) == 1 {
            return false;
        }
        let Some(weak) = &mut explore.weak else {
            return false;
        };
        let seq = weak.begin_late(knowing);
        for &(start, size) in &places.ranges {
            // SAFETY: `footprint` gave bytes that may be read, and only this host thread runs the launch.
            let now = unsafe { std::slice::from_raw_parts(start as *const u8, size as usize) };
            // From here on it counts who reads what there.
            weak.make(start, now);
        }
        let until = &raw const program.ops[program.late[found].1 as usize];
        explore.late.push(Late {
            team,
            at,
            mask,
            op,
            until,
            waited: Waited { seq, fence: None },
        });
        true
    }

    /// The running lanes have passed a fence that acquires.
    pub(super) fn passes_fence(&mut self, scope: Option<Scope>) {
        let (team, at, active) = (self.team.index, self.current, self.active);
        let late = self.explore.as_mut().map_or(&mut [][..], |e| &mut e.late);
        for it in late {
            if it.team == team && it.at == at && it.mask & active != 0 {
                it.waited.fence = it.waited.fence.max(scope);
            }
        }
    }

    /// Does a load that has waited, for the running lanes.
    ///
    /// # Safety
    /// Its operation must be of the running frame.
    pub(super) unsafe fn do_late(&mut self, load: Late) {
        let active = self.active;
        self.active &= load.mask;
        self.kept = Default::default();
        if let Some(explore) = &mut self.explore {
            for it in &mut explore.late {
                if (it.team, it.at, it.op) == (load.team, load.at, load.op) {
                    it.mask &= !active;
                }
            }
            explore.late.retain(|it| it.mask != 0);
        }
        let info = self.info(load.op);
        // SAFETY: the caller's word; what guards it has not changed since.
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
        self.kept = Default::default();
        self.active = active;
    }
}
