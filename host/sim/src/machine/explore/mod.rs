//! Schedules other than the plain one: threads stop before every access to memory that other
//! threads can reach, and a strategy chooses which thread goes on.
//!
//! An explored launch runs on one host thread. All blocks that the device holds take turns, access
//! by access. A turn belongs to a group of lanes at one place of the code. In small launches every
//! lane is a group of its own until the warp synchronises: with 64 threads at most, for sm_70 and
//! later, and without checks, which judge whole warps. Between two accesses a group runs without a
//! stop, because no other thread could observe a difference.
//!
//! | file | what it is |
//! | --- | --- |
//! | `run` | the loop: which groups can go on, one step, the end |
//! | `access` | one access: what it reads and writes, with and without weak memory |
//! | `weak` | the values that the memory model allows |
//! | `late` | delayed loads, which take their value after later stores of their thread |
//! | `choose` | the strategies |
//! | `spin` | threads that wait by reading: they get no turn until what they read changes |
//! | `steps` | the listing of a schedule |

mod access;
mod choose;
mod late;
mod run;
mod spin;
mod steps;
mod weak;

use std::collections::HashMap;

use foldhash::fast::FixedState;

pub(super) use crate::exploration::{Footprint, ThreadId};

use super::core::Core;
use super::lane::lanes;
use super::launch::run::Run;
use super::warp::Group;
use crate::checks::Checks;
use choose::Chooser;
use late::Late;
use spin::Spinner;
use steps::Steps;
use weak::Weak;

/// The default limit of warp instructions of an explored launch: minutes of running.
pub(in crate::machine) const EXPLORED_BUDGET: u64 = 1 << 30;
/// The most threads of a launch in which every lane is a group of its own.
const ALONE: u64 = 64;

/// The additional state of an explored launch.
pub(in crate::machine) struct Explore {
    /// Whether every lane is a group of its own.
    alone: bool,
    /// Whether diverged lanes of a warp run in any order, as since Volta.
    apart: bool,
    chooser: Chooser,
    weak: Option<Weak>,
    /// Loads that are delayed.
    late: Vec<Late>,
    spinners: HashMap<ThreadId, Spinner, FixedState>,
    steps: Steps,
    /// The number of events so far, except reads. While it stays the same, no waiting thread
    /// can go on.
    changes: u64,
    /// The jumps of the running group since it last accessed memory, and a hash of its state at
    /// some of them.
    jumps: (u64, u64),
}

impl Explore {
    pub(super) fn new(run: &Run<'_>) -> Self {
        let launch = run.launch;
        let threads = run.teams * u64::from(run.threads) * run.cluster_size();
        let apart = run.program.target.is_none_or(|target| target.sm >= 70);
        let weak = match &launch.exploration {
            Some(exploration) => exploration.is_weak(),
            None => launch.schedule.weak,
        };
        Self {
            alone: threads <= ALONE && apart && launch.checks == Checks::default(),
            apart,
            chooser: Chooser::new(launch),
            weak: weak.then(Weak::default),
            late: Vec::new(),
            spinners: HashMap::default(),
            steps: Steps::default(),
            changes: 0,
            jumps: (0, 0),
        }
    }
}

impl Core<'_> {
    /// Returns the thread of schedules that the lanes of a mask of the running warp belong to.
    fn who(&self, mask: u32) -> ThreadId {
        let block = &self.team.blocks[self.current.0];
        ThreadId {
            team: self.team.index,
            block: block.linear,
            warp: self.current.1 as u32,
            lane: mask.trailing_zeros(),
        }
    }

    /// Returns the thread of the memory model. Lanes that are no groups of their own share
    /// their warp's knowledge.
    fn knowing(&self, who: ThreadId) -> ThreadId {
        match &self.explore {
            Some(explore) if explore.alone => who,
            _ => ThreadId { lane: 0, ..who },
        }
    }

    /// Returns the threads of the memory model that the lanes of a mask of a warp belong to.
    fn all(&self, (block, warp): (usize, usize), mask: u32) -> Vec<ThreadId> {
        let at = &self.team.blocks[block];
        let of = |lane: usize| {
            self.knowing(ThreadId {
                team: self.team.index,
                block: at.linear,
                warp: warp as u32,
                lane: lane as u32,
            })
        };
        let mut all: Vec<ThreadId> = lanes(mask).map(of).collect();
        all.dedup();
        all
    }

    /// Synchronises lanes of the running warp at a barrier of the warp.
    pub(in crate::machine) fn meet_explored(&mut self, mask: u32) {
        let all = self.all(self.current, mask);
        if let Some(weak) = self.explore.as_mut().and_then(|e| e.weak.as_mut()) {
            weak.meet(&all, &[]);
        }
    }

    /// Synchronises all threads of the team.
    pub(in crate::machine) fn meet_team_explored(&mut self) {
        let (mut all, mut relaxed) = (Vec::new(), Vec::new());
        for (b, block) in self.team.blocks.iter().enumerate() {
            for (w, warp) in block.warps.iter().enumerate() {
                all.extend(self.all((b, w), warp.exist));
                relaxed.resize(all.len(), warp.cluster_relaxed);
            }
        }
        if let Some(explore) = &mut self.explore {
            explore.changes += 1;
            if let Some(weak) = &mut explore.weak {
                weak.meet(&all, &relaxed);
            }
        }
    }

    /// Records that lanes arrive at a synchronisation object, named by a block and a number.
    pub(in crate::machine) fn arrive_explored(
        &mut self,
        at: (usize, usize),
        mask: u32,
        object: (u64, u32),
    ) {
        let all = self.all(at, mask);
        if let Some(explore) = &mut self.explore {
            explore.changes += 1;
            if let Some(weak) = &mut explore.weak {
                weak.arrive(&all, object);
            }
        }
    }

    /// Records that lanes of the running warp pass a synchronisation object.
    pub(in crate::machine) fn pass_explored(&mut self, mask: u32, object: (u64, u32)) {
        let all = self.all(self.current, mask);
        if let Some(weak) = self.explore.as_mut().and_then(|e| e.weak.as_mut()) {
            weak.pass(&all, object);
        }
    }

    /// Records that a barrier of the running block ends: its waiting lanes and the
    /// running lanes pass.
    pub(in crate::machine) fn release_explored(
        &mut self,
        object: (u64, u32),
        waits: impl Fn(&Group) -> bool,
    ) {
        let mut all = self.all(self.current, self.active);
        let block = self.current.0;
        for (w, warp) in self.team.blocks[block].warps.iter().enumerate() {
            for group in warp.groups.iter().filter(|g| waits(g)) {
                all.extend(self.all((block, w), group.mask));
            }
        }
        if let Some(explore) = &mut self.explore {
            explore.changes += 1;
            if let Some(weak) = &mut explore.weak {
                weak.pass(&all, object);
            }
        }
    }
}
