//! Whether no team of the whole launch makes progress: what the cores tell each other.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use crate::machine::launch::run::Run;

/// So long nothing moves where threads read what the host may write, before it is taken that it
/// will not.
const HOST: Duration = Duration::from_secs(10);

/// How long a core sleeps between its looks meanwhile.
const PAUSE: Duration = Duration::from_millis(1);

/// One core's part in finding that no team of the launch makes progress.
#[derive(Default)]
pub(in crate::machine) struct Watchman {
    /// Teams in a row that were found to run in circles.
    row: usize,
    /// Whether all teams of this core were, and the run knows.
    frozen: bool,
    /// When all cores were first seen so: this core's row then, how often cores had thawed, and the
    /// time.
    since: Option<(usize, usize, Instant)>,
}

impl Watchman {
    /// Takes note of a team that was run, where the core holds `held` teams and can begin no other.
    /// True: the launch has no future.
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
            // Nobody has changed anything while this core looked at all of its teams once more.
            Some((row, then, at)) if all && then == thaws => {
                let looked = self.row - row >= held;
                let waits = run.awaits_host.load(Ordering::Relaxed) && at.elapsed() < HOST;
                if looked && waits {
                    std::thread::sleep(PAUSE);
                }
                looked && !waits
            }
            _ => {
                self.since = all.then(|| (self.row, thaws, Instant::now()));
                false
            }
        }
    }

    /// Something has moved.
    pub(in crate::machine) fn thaw(&mut self, run: &Run<'_>) {
        (self.row, self.since) = (0, None);
        if std::mem::replace(&mut self.frozen, false) {
            run.thaws.fetch_add(1, Ordering::SeqCst);
            run.frozen.fetch_sub(1, Ordering::SeqCst);
        }
    }
}
