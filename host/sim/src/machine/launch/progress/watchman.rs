//! Finds whether no team of the whole launch makes progress, from what the cores report
//! to each other.

use std::sync::atomic::Ordering;

use crate::machine::launch::run::Run;

/// One core's part in finding that no team of the launch makes progress.
#[derive(Default)]
pub(in crate::machine) struct Watchman {
    /// The number of teams in a row that were found to repeat their states.
    row: usize,
    /// Whether all teams of this core repeat their states, and the run has counted the
    /// core as frozen.
    frozen: bool,
    /// When all cores were first seen frozen: this core's `row` then, and the number of thaws then.
    since: Option<(usize, usize)>,
}

impl Watchman {
    /// Records the run of a team, while the core holds `held` teams and can begin no other. Returns
    /// true if the launch cannot go on by itself.
    pub(in crate::machine) fn note(&mut self, run: &Run<'_>, stuck: bool, held: usize) -> bool {
        if !stuck {
            self.thaw(run);
            return false;
        }
        self.row += 1;
        if self.row < held {
            return false;
        }
        if !std::mem::replace(&mut self.frozen, true) {
            run.frozen.fetch_add(1, Ordering::SeqCst);
        }
        let thaws = run.thaws.load(Ordering::SeqCst);
        let all = run.frozen.load(Ordering::SeqCst) == run.working.load(Ordering::SeqCst);
        match self.since {
            // No core has thawed while this core checked all of its teams once more.
            Some((row, then)) if all && then == thaws => self.row - row >= held,
            _ => {
                self.since = all.then_some((self.row, thaws));
                false
            }
        }
    }

    /// Records that a team of this core has made progress.
    pub(in crate::machine) fn thaw(&mut self, run: &Run<'_>) {
        (self.row, self.since) = (0, None);
        if std::mem::replace(&mut self.frozen, false) {
            run.thaws.fetch_add(1, Ordering::SeqCst);
            run.frozen.fetch_sub(1, Ordering::SeqCst);
        }
    }
}
