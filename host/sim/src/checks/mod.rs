//! What a launch can be asked to look for, besides what is always looked for.
//!
//! Always on, and no part of this module: bounds, liveness, alignment and space of every access, barriers that cannot
//! complete, the budget. Here are the checks that cost time.

pub(crate) mod race;

use crate::report::FaultReport;

/// Which checks a launch runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Checks {
    /// Accesses of two threads to one place, one of them a write, with nothing that orders them.
    pub race: bool,
    /// Reads of shared, local or global memory that nobody wrote.
    pub init: bool,
    /// Barriers that some threads of a warp do not reach together.
    pub sync: bool,
}

impl Checks {
    /// Every check.
    pub fn all() -> Self {
        Self {
            race: true,
            init: true,
            sync: true,
        }
    }
}

/// Something a check found. The launch went on; `Display` gives the whole report.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// What kind of thing it is.
    pub kind: FindingKind,
    /// The report, with both culprits where there are two.
    pub report: FaultReport,
    /// How often the same pair of instructions did it.
    pub count: u64,
}

/// What a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum FindingKind {
    /// Two threads, one place, no order.
    Race,
    /// A read of what nobody wrote.
    Uninitialised,
    /// A barrier that threads of one warp reached apart.
    DivergentBarrier,
    /// A shuffle that reads a lane which has ended, waits elsewhere or is no member.
    AbsentLane,
}

impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.report)
    }
}
