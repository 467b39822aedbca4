//! The optional checks of a launch. They cost time.
//!
//! Some checks always run and are not part of this module: bounds, liveness, alignment and state
//! space of every access, barriers that cannot complete, and the budget.

mod footprint;

pub use footprint::{Conflict, Footprint, Stretches};

use crate::report::FaultReport;

/// Which checks a launch runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Checks {
    /// Accesses of two threads to one place that nothing orders, of which at least one writes.
    pub race: bool,
    /// Barriers that the threads of a warp do not reach together, and accesses to shared memory of
    /// a block that has ended.
    pub sync: bool,
    /// Accesses past the end of a shared or local array that stay inside the block's shared or the
    /// thread's local memory.
    pub memory: bool,
    /// Uses of values from uninitialised memory.
    pub init: bool,
    /// With `init`: also reads of uninitialised memory by a kernel or the host that are no use yet,
    /// such as copies.
    pub strict: bool,
    /// Objects that a program has created and not freed when it ends. Launches ignore this field.
    /// The driver, which owns the objects, runs this check.
    pub leak: bool,
}

impl Checks {
    /// Returns all checks except `leak`, because a program may leave its memory to the operating
    /// system when it ends.
    pub fn all() -> Self {
        Self {
            race: true,
            sync: true,
            memory: true,
            init: true,
            strict: false,
            leak: false,
        }
    }
}

/// The name of a check in text, and its field.
type Named = (&'static str, fn(&mut Checks) -> &mut bool);
const NAMED: [Named; 5] = [
    ("race", |checks| &mut checks.race),
    ("sync", |checks| &mut checks.sync),
    ("memory", |checks| &mut checks.memory),
    ("init", |checks| &mut checks.init),
    ("leak", |checks| &mut checks.leak),
];

/// The word for the check `init` with its field `strict`.
const STRICT: &str = "init=strict";

/// A word that is not the name of a check.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "no check is called `{word}`; there are {}, `{STRICT}`, and `all`",
    names()
)]
pub struct UnknownCheck {
    /// The unknown word.
    pub word: String,
}

fn names() -> String {
    NAMED.map(|(name, _)| format!("`{name}`")).join(", ")
}

/// Parses `race,sync,memory,init,leak`, or `all` for all checks except `leak`; `init=strict` is
/// `init` with the field `strict`. An empty text means no checks. Blanks around a word are ignored.
impl std::str::FromStr for Checks {
    type Err = UnknownCheck;

    fn from_str(text: &str) -> Result<Self, UnknownCheck> {
        let mut checks = Self::default();
        for word in text
            .split(',')
            .map(str::trim)
            .filter(|word| !word.is_empty())
        {
            let named = NAMED.iter().find(|(name, _)| *name == word);
            match named {
                Some((_, field)) => *field(&mut checks) = true,
                None if word == "all" => {
                    checks = Self {
                        leak: checks.leak,
                        strict: checks.strict,
                        ..Self::all()
                    };
                }
                None if word == STRICT => (checks.init, checks.strict) = (true, true),
                None => return Err(UnknownCheck { word: word.into() }),
            }
        }
        Ok(checks)
    }
}

/// Prints the form that `from_str` reads: `race,sync`, or nothing.
impl std::fmt::Display for Checks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut checks = *self;
        let on = NAMED.iter().filter(|(_, field)| *field(&mut checks));
        let strict = |name| match name {
            "init" if self.strict => STRICT,
            name => name,
        };
        let on: Vec<&str> = on.map(|(name, _)| strict(*name)).collect();
        f.write_str(&on.join(","))
    }
}

/// A mistake that a check found, or a note. The launch went on. `Display` prints the whole report.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// The kind of mistake.
    pub kind: FindingKind,
    /// The report. If two accesses are at fault, it names both.
    pub report: FaultReport,
    /// How many times the same pair of instructions was found.
    pub count: u64,
}

impl Finding {
    /// Returns a finding with a count of 1.
    pub fn new(kind: FindingKind, report: FaultReport) -> Self {
        Self {
            kind,
            report,
            count: 1,
        }
    }
}

/// The kind of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum FindingKind {
    /// Two threads access one place, at least one of them writes, and nothing orders
    /// the two accesses.
    Race,
    /// Two threads access one place by volatile accesses, at least one of them writes, nothing
    /// orders the two, and no loop polls the place.
    Volatile,
    /// A barrier that the threads of a warp reached separately.
    DivergentBarrier,
    /// A shuffle that reads a lane which has ended, waits elsewhere, or is not in the mask.
    AbsentLane,
    /// Lanes that pass different masks to one shuffle, vote or warp barrier.
    DifferentMasks,
    /// An access outside the shared or local array from which its address was computed.
    OutsideArray,
    /// An access to shared memory of a block of the cluster that has already ended.
    EndedBlock,
    /// An asynchronous transfer that signals an mbarrier, without a wait before the block ends.
    Unawaited,
    /// An mbarrier that received more or fewer bytes than it expected.
    Unexpected,
    /// A `wgmma` that not all warps of the warpgroup executed.
    PartOfAWarpgroup,
    /// A use of a value from uninitialised memory.
    Unwritten,
    /// A read of uninitialised memory that is no use yet: a kernel only copies the bytes, or the
    /// host reads them.
    UnwrittenRead,
    /// Shared memory that threads wrote and an asynchronous unit reads, without a fence
    /// between the proxies.
    MissedFence,
    /// An object that the program created and did not free.
    Leak,
    /// Memory that the host passes to a call after the memory was freed.
    Freed,
    /// A note: a register of `wgmma` is used before the wait. NVIDIA's assembler adds the wait.
    EarlyRegister,
    /// A note: the mask of a `.sync` operation names lanes that have ended.
    EndedLanes,
    /// A note: a block's barrier ended without warps that had returned.
    EndedWarps,
}

impl FindingKind {
    /// Returns whether a finding of this kind is a note: the program is right, and may not do what
    /// its author meant.
    pub fn is_note(self) -> bool {
        matches!(
            self,
            Self::EarlyRegister | Self::EndedLanes | Self::EndedWarps
        )
    }
}

impl std::fmt::Display for FindingKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Race => "race",
            Self::Volatile => "volatile accesses that nothing orders",
            Self::DivergentBarrier => "divergent barrier",
            Self::AbsentLane => "shuffle from an inactive lane",
            Self::DifferentMasks => "different masks in one operation",
            Self::OutsideArray => "access outside of an array",
            Self::EndedBlock => "access to shared memory of an ended block",
            Self::Unawaited => "asynchronous transfer that nothing waits for",
            Self::Unexpected => "bytes that an mbarrier does not expect",
            Self::PartOfAWarpgroup => "`wgmma` by a part of a warpgroup",
            Self::Unwritten => "use of uninitialised memory",
            Self::UnwrittenRead => "read of uninitialised memory",
            Self::MissedFence => "missing fence between proxies",
            Self::Leak => "leak",
            Self::Freed => "use of freed memory",
            Self::EarlyRegister => "`wgmma` register used before the wait",
            Self::EndedLanes => "mask with ended lanes",
            Self::EndedWarps => "barrier without ended warps",
        })
    }
}

impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.report)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_are_written_as_they_are_read() {
        for text in [
            "",
            "race",
            "sync",
            "race,sync,memory",
            "init",
            "init,leak",
            "race,init=strict",
        ] {
            assert_eq!(
                text.parse::<Checks>().map(|c| c.to_string()),
                Ok(text.into())
            );
        }
        assert_eq!(" sync , all ".parse(), Ok(Checks::all()));
        for text in ["leak,all", "all,leak"] {
            let checks: Checks = text.parse().expect("two names");
            assert_eq!(checks.to_string(), "race,sync,memory,init,leak");
        }
        let error = "race,bounds".parse::<Checks>().expect_err("no such check");
        assert_eq!(
            error.to_string(),
            "no check is called `bounds`; there are `race`, `sync`, `memory`, `init`, `leak`, `init=strict`, and `all`"
        );
    }
}
