//! Which checks and counters look at each operation of a launch. This is decided once, before
//! the launch runs.
//!
//! Most operations have no counter or check, and the others have few, so the machine reads this
//! list first. It takes longer to make a list of all operations than to run a small launch. The
//! program therefore keeps the lists that launches have requested.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::launch::Launch;
use crate::machine::core::Core;
use crate::machine::memory::flag;
use crate::machine::op::Op;
use crate::machine::program::{Class, Function, Program, SpaceClass};

/// The checks and counters that look at an operation before it runs: a bit for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::machine) struct Watchers(u8);

impl Watchers {
    /// No counter or check looks at the operation.
    pub(in crate::machine) const NOTHING: Self = Self(0);
    /// The race check.
    pub(in crate::machine::checks) const RACE: Self = Self(1);
    /// The check for uninitialised memory.
    pub(in crate::machine::checks) const INIT: Self = Self(2);
    /// The check of array bounds: its shared addresses are computed from an array.
    pub(in crate::machine::checks) const ARRAY: Self = Self(4);
    /// Counters, or a check that looks lane by lane.
    pub(in crate::machine::checks) const OTHER: Self = Self(8);
    /// It is a plain load or store of a named space, and only the first three look at it.
    pub(in crate::machine::checks) const SIMPLE: Self = Self(16);
    /// It names shared memory.
    pub(in crate::machine::checks) const SHARED: Self = Self(32);
    /// The operation writes memory.
    pub(in crate::machine::checks) const WRITES: Self = Self(64);

    /// Returns whether any of these looks at it.
    #[inline(always)]
    pub(in crate::machine::checks) fn has(self, any: Self) -> bool {
        self.0 & any.0 != 0
    }

    /// Returns whether it contains [`Watchers::SIMPLE`].
    #[inline(always)]
    pub(in crate::machine::checks) fn is_simple(self) -> bool {
        self.has(Self::SIMPLE)
    }

    /// Returns whether any counter or check looks at it.
    #[inline(always)]
    pub(in crate::machine::checks) fn looks(self) -> bool {
        self.has(Self::RACE | Self::INIT | Self::ARRAY | Self::OTHER)
    }
}

impl std::ops::BitOr for Watchers {
    type Output = Self;

    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl std::ops::BitOrAssign for Watchers {
    fn bitor_assign(&mut self, other: Self) {
        *self = *self | other;
    }
}

/// The operations of a launch that a counter or check looks at. The loop reads this for every
/// operation, so it is one list and nothing else.
#[derive(Clone, Copy)]
pub(in crate::machine) struct Watched<'l> {
    /// The address of the program's first operation.
    first: usize,
    watchers: &'l [Watchers],
}

impl<'l> Watched<'l> {
    /// Returns the operations of a program that `watchers` marks.
    pub(in crate::machine) fn of(program: &Program, watchers: &'l [Watchers]) -> Self {
        let first = program.ops.as_ptr() as usize;
        Self { first, watchers }
    }

    /// Returns whether a counter or check looks at an operation of the program.
    #[inline(always)]
    pub(in crate::machine) fn has(self, op: *const Op) -> bool {
        let index = (op as usize - self.first) / size_of::<Op>();
        self.watchers
            .get(index)
            .is_some_and(|watchers| watchers.looks())
    }
}

impl Core<'_> {
    /// Returns the counters and checks of an operation, by its number, in the running launch.
    #[inline(always)]
    pub(in crate::machine::checks) fn watchers(&self, index: usize) -> Watchers {
        self.run
            .watchers
            .get(index)
            .copied()
            .unwrap_or(Watchers::NOTHING)
    }
}

/// The properties of a launch that determine the list of watchers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct RequestedChecks {
    race: bool,
    init: bool,
    memory: bool,
    count: bool,
    /// Whether accesses to a block that has ended are checked: to another block of the cluster.
    ends: bool,
    /// Whether the kernel has asynchronous units read shared memory.
    reads_asynchronously: bool,
}

/// The lists that launches of a program have requested.
#[derive(Debug, Default)]
pub(crate) struct KeptWatchers(Mutex<HashMap<RequestedChecks, Arc<[Watchers]>>>);

/// Returns the counters and checks of a program's operations in a launch of one of its kernels,
/// by operation number.
pub(in crate::machine) fn watchers(
    (program, kernel): (&Program, &Function),
    launch: &Launch<'_>,
    cluster: [u32; 3],
) -> Arc<[Watchers]> {
    let checks = launch.checks;
    let asked = RequestedChecks {
        race: checks.race,
        init: checks.init,
        memory: checks.memory,
        count: launch.count,
        ends: checks.sync && cluster != [1; 3],
        reads_asynchronously: kernel.reads_asynchronously,
    };
    let kept = program.watchers.0.lock();
    let mut kept = kept.unwrap_or_else(PoisonError::into_inner);
    kept.entry(asked)
        .or_insert_with(|| list(program, asked))
        .clone()
}

/// Makes the list.
fn list(program: &Program, asked: RequestedChecks) -> Arc<[Watchers]> {
    let flag = |is, flag| if is { flag } else { Watchers::NOTHING };
    let of_class = |class| match class {
        Class::Load(space) | Class::Store(space) | Class::Atomic(space) => {
            let (race, init, other) = match space {
                SpaceClass::Global => (asked.race, asked.init, false),
                SpaceClass::Shared | SpaceClass::Generic => (asked.race, asked.init, asked.ends),
                SpaceClass::Local => (false, asked.init, false),
                SpaceClass::Constant => (false, false, false),
            };
            flag(race, Watchers::RACE) | flag(init, Watchers::INIT) | flag(other, Watchers::OTHER)
        }
        _ => Watchers::NOTHING,
    };
    let classes = program.infos.iter().map(|info| info.class);
    let mut watchers: Vec<Watchers> = classes.map(of_class).collect();
    if asked.count {
        watchers.iter_mut().for_each(|of| *of |= Watchers::OTHER);
    }
    let touched = program.touches.iter().map(Option::is_some);
    for (of, touched) in watchers.iter_mut().zip(touched) {
        *of |= flag(touched, Watchers::OTHER);
    }
    if asked.memory {
        let shared = program.arrays.iter().map(|&(op, _)| (op, Watchers::ARRAY));
        let local = program.local_arrays.iter();
        let local = local.map(|(op, _)| (*op, Watchers::OTHER));
        for (op, array) in shared.chain(local) {
            watchers[op as usize] |= array;
        }
    }
    for (index, of) in watchers.iter_mut().enumerate() {
        *of |= simple(program, index, *of, asked.reads_asynchronously);
    }
    watchers.into()
}

/// Returns [`Watchers::SIMPLE`] and its further bits, if an operation is simple.
fn simple(
    program: &Program,
    index: usize,
    watchers: Watchers,
    reads_asynchronously: bool,
) -> Watchers {
    let info = &program.infos[index];
    let (space, writes) = match info.class {
        Class::Load(space) => (space, Watchers::NOTHING),
        Class::Store(space) => (space, Watchers::WRITES),
        _ => return Watchers::NOTHING,
    };
    let shared = match space {
        SpaceClass::Global => Watchers::NOTHING,
        SpaceClass::Shared => Watchers::SHARED,
        _ => return Watchers::NOTHING,
    };
    let of_units = info.bytes.is_power_of_two() && info.bytes <= 32;
    let spins = program.ops[index].aux & flag::SPINS != 0;
    if watchers.has(Watchers::OTHER) || !of_units || spins || info.narrow || info.multicast {
        return Watchers::NOTHING;
    }
    // Asynchronous units read shared memory through another proxy, and their check
    // needs all writes.
    if shared == Watchers::SHARED && writes == Watchers::WRITES && reads_asynchronously {
        return Watchers::NOTHING;
    }
    Watchers::SIMPLE | shared | writes
}
