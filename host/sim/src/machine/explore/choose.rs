//! The strategies. They choose the thread that goes on and the value that a load reads.

use std::collections::HashMap;
use std::sync::Arc;

use super::{Footprint, ThreadId};
use crate::exploration::Exploration;
use crate::launch::Launch;
use crate::machine::launch::team::mix;
use crate::schedule::Strategy;

/// The base-2 logarithms of the shortest and of the longest range of steps in which
/// PCT changes priorities.
const STEPS: (u64, u64) = (3, 14);

/// The strategy that chooses the thread that goes on.
pub(super) enum Chooser {
    /// All threads are equally likely.
    Random(Random),
    /// The thread of the highest priority goes on, and priorities change at random (PCT).
    Pct(Pct),
    /// All schedules, one run after another.
    All(Arc<Exploration>),
}

/// Random numbers from a seed.
pub(super) struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    fn below(&mut self, count: usize) -> usize {
        (self.next() % count.max(1) as u64) as usize
    }
}

/// Random priorities, and the steps at which the running thread's priority drops below all others.
pub(super) struct Pct {
    random: Random,
    priorities: HashMap<ThreadId, u64>,
    changes: Vec<u64>,
    step: u64,
}

impl Chooser {
    pub(super) fn new(launch: &Launch<'_>) -> Self {
        if let Some(exploration) = &launch.exploration {
            exploration.begin();
            return Self::All(exploration.clone());
        }
        let mut random = Random(mix(launch.seed));
        match launch.schedule.strategy {
            Strategy::Pct { depth } => {
                // The length of the program is not known, so the range of the steps is a random
                // power of two.
                let length = STEPS.0 + random.next() % (STEPS.1 - STEPS.0);
                let change = |_| random.next() % (1 << length);
                // More than one change in a step has no further effect.
                let count = depth.min(1 << length);
                let mut changes: Vec<u64> = (1..count).map(change).collect();
                changes.sort_unstable();
                Self::Pct(Pct {
                    random,
                    priorities: HashMap::new(),
                    changes,
                    step: 0,
                })
            }
            Strategy::Plain | Strategy::Random => Self::Random(random),
        }
    }

    /// Returns whether it needs to know what threads are about to do.
    pub(super) fn looks(&self) -> bool {
        matches!(self, Self::All(_))
    }

    /// Returns the team that is looked at first, if the first one that can go on is chosen. None if
    /// all teams have to be looked at.
    pub(super) fn first(&mut self, teams: usize) -> Option<usize> {
        match self {
            Self::Random(random) => Some(random.below(teams)),
            Self::Pct(_) | Self::All(_) => None,
        }
    }

    /// Chooses the thread that goes on.
    pub(super) fn thread(&mut self, enabled: &[(ThreadId, Footprint)]) -> usize {
        match self {
            Self::Random(random) => random.below(enabled.len()),
            Self::Pct(pct) => pct.thread(enabled),
            Self::All(exploration) => exploration.thread(enabled),
        }
    }

    /// Chooses which value is read, or where a write stands. The last choice is the newest.
    pub(super) fn value(&mut self, count: usize) -> usize {
        if count < 2 {
            return 0;
        }
        match self {
            Self::Random(random) | Self::Pct(Pct { random, .. }) => match random.next() & 1 {
                0 => count - 1,
                _ => random.below(count),
            },
            // The newest value comes first, so that the first run is the one that a reader expects.
            Self::All(exploration) => count - 1 - exploration.value(count),
        }
    }

    /// Returns whether another block begins although other threads could go on.
    pub(super) fn begins(&mut self) -> bool {
        match self {
            Self::Random(random) | Self::Pct(Pct { random, .. }) => random.next() & 63 == 0,
            Self::All(_) => false,
        }
    }
}

impl Pct {
    fn thread(&mut self, enabled: &[(ThreadId, Footprint)]) -> usize {
        let mut best = (0, 0);
        for (i, (who, _)) in enabled.iter().enumerate() {
            // First priorities are above all step numbers, so that a dropped thread is
            // below all others.
            let first = || self.random.next() | 1 << 63;
            let priority = *self.priorities.entry(*who).or_insert_with(first);
            if i == 0 || priority > best.1 {
                best = (i, priority);
            }
        }
        self.step += 1;
        let due = self.changes.iter().filter(|&&at| at < self.step).count();
        if due > 0 {
            self.changes.drain(..due);
            let last = self.changes.len() as u64;
            self.priorities.insert(enabled[best.0].0, last);
            let changes = std::mem::take(&mut self.changes);
            let next = self.thread(enabled);
            self.changes = changes;
            self.step -= 1;
            return next;
        }
        best.0
    }
}
