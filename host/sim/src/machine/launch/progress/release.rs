//! Waits until something outside of the launch releases its threads, or until nothing can.

use std::collections::VecDeque;
use std::sync::atomic::Ordering;
use std::time::Duration;

use crate::machine::core::Core;
use crate::machine::launch::run::Failure;
use crate::machine::launch::team::Team;
use crate::platform::{Host, Platform};

/// How long threads are given that read memory that the host or another process may write, when
/// nothing that is known can release them.
const HOST: Duration = Duration::from_secs(10);

/// The shortest and the longest pause between two looks at the memory that threads wait for.
const PAUSES: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(20));

impl Core<'_> {
    /// Waits for a release of these teams, which all repeat their states. Returns when one of them
    /// makes progress, or has faulted.
    ///
    /// # Errors
    /// The report of a launch that cannot go on.
    pub(in crate::machine) fn await_release(
        &mut self,
        teams: &mut VecDeque<Team>,
    ) -> Result<(), Failure> {
        // Shared and local memory are part of a team's state, and nothing outside writes them.
        let never = |team: &Team| team.progress.stuck && !team.progress.reads_global;
        if teams.iter().any(never) {
            return Err(self.no_future(teams.iter_mut()));
        }
        let mut waiting = self.run.launch.outside.wait();
        let mut unknown_since = None;
        loop {
            waiting.looks();
            let begun = Host::now();
            if self.anyone_goes_on(teams) {
                return Ok(());
            }
            let took = Host::now() - begun;
            if waiting.may_end() {
                unknown_since = None;
            } else if !self.run.awaits_host.load(Ordering::Relaxed)
                || Host::now() - *unknown_since.get_or_insert(begun) >= HOST
            {
                return Err(self.no_future(teams.iter_mut()));
            }
            Host::pause(took.clamp(PAUSES.0, PAUSES.1));
        }
    }

    /// Lets each team run until it repeats its states. Returns whether one makes progress, or has
    /// faulted.
    fn anyone_goes_on(&mut self, teams: &mut VecDeque<Team>) -> bool {
        for at in 0..teams.len() {
            std::mem::swap(&mut self.team, &mut teams[at]);
            let stuck = self.probe();
            std::mem::swap(&mut self.team, &mut teams[at]);
            match stuck {
                Ok(true) => {}
                Ok(false) => return true,
                Err(failure) => {
                    teams.remove(at);
                    self.run.drop_team(failure);
                    return true;
                }
            }
        }
        false
    }
}
