//! Synchronisation of threads through fences and barriers.

use std::rc::Rc;

use super::history::{Clock, Release, add};
use super::{Order, ThreadId, Weak, holds};
use crate::machine::program::Scope;

impl Weak {
    /// Acquires the releases that were read, of one place or of all, if the scopes match.
    pub(super) fn acquire(&mut self, agent: u32, who: ThreadId, scope: Scope, start: Option<u64>) {
        let pending = &self.agents[agent as usize].pending;
        let mut clock = Clock::default();
        for (at, release) in pending {
            let by = self.agents[release.agent as usize].who;
            let matches = holds(release.scope, by, who) && holds(scope, who, by);
            if start.is_none_or(|start| start == *at) && matches {
                clock.join(&release.clock);
            }
        }
        self.agents[agent as usize].clock.join(&clock);
    }

    /// Records a fence of a thread.
    pub(in crate::machine::explore) fn fence(&mut self, who: ThreadId, order: Order, sc: bool) {
        let agent = self.agent(who);
        self.tick(agent);
        let Some(scope) = order.scope else { return };
        if order.acquires {
            self.acquire(agent, who, scope, None);
        }
        if sc {
            let mut clock = Clock::default();
            for other in &self.fences {
                let by = self.agents[other.agent as usize].who;
                if other.agent == agent || holds(other.scope, by, who) && holds(scope, who, by) {
                    clock.join(&other.clock);
                }
            }
            self.agents[agent as usize].clock.join(&clock);
        }
        let clock = Rc::new(self.agents[agent as usize].clock.clone());
        let release = Release {
            agent,
            scope,
            clock,
        };
        if sc {
            add(&mut self.fences, release.clone());
        }
        if order.releases {
            add(&mut self.agents[agent as usize].fences, release);
        }
    }

    /// Synchronises threads, so that each knows the others' events. A thread that arrived with
    /// relaxed order contributes only what its fences have released. `relaxed` is whether each
    /// thread did so, and may be shorter than `all`.
    pub(in crate::machine::explore) fn meet(&mut self, all: &[ThreadId], relaxed: &[bool]) {
        let all: Vec<u32> = all.iter().map(|&who| self.agent(who)).collect();
        let mut clock = Clock::default();
        for (i, &agent) in all.iter().enumerate() {
            let of = &self.agents[agent as usize];
            if relaxed.get(i) != Some(&true) {
                clock.join(&of.clock);
                continue;
            }
            let wide = of.fences.iter().filter(|it| it.scope >= Scope::Cluster);
            wide.for_each(|release| clock.join(&release.clock));
        }
        for agent in all {
            self.agents[agent as usize].clock.join(&clock);
        }
    }

    /// Records that threads arrive at a barrier.
    pub(in crate::machine::explore) fn arrive(&mut self, all: &[ThreadId], barrier: (u64, u32)) {
        for &who in all {
            let agent = self.agent(who);
            let clock = &self.agents[agent as usize].clock;
            self.meetings.entry(barrier).or_default().join(clock);
        }
    }

    /// Records that threads pass a barrier.
    pub(in crate::machine::explore) fn pass(&mut self, all: &[ThreadId], barrier: (u64, u32)) {
        let Some(clock) = self.meetings.get(&barrier).cloned() else {
            return;
        };
        for &who in all {
            let agent = self.agent(who);
            self.agents[agent as usize].clock.join(&clock);
        }
    }
}
