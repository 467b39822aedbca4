//! What looks at each operation of a launch: decided once, by its number. Most are looked at by nothing, and most others by few things.

use crate::launch::Launch;
use crate::machine::core::Core;
use crate::machine::memory::access::flag;
use crate::machine::op::Op;
use crate::machine::program::{Class, Function, Program, SpaceClass};

/// What looks at an operation before it runs: a bit each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::machine) struct Asked(u8);

impl Asked {
    /// Nothing does.
    pub(in crate::machine) const NOTHING: Self = Self(0);
    /// The race check.
    pub(super) const RACE: Self = Self(1);
    /// The check for what nobody wrote.
    pub(super) const INIT: Self = Self(2);
    /// The array that its shared addresses are computed from has bounds.
    pub(super) const ARRAY: Self = Self(4);
    /// Counters, or a check that looks lane by lane.
    pub(super) const OTHER: Self = Self(8);
    /// It is a plain load or store of a named space, and nothing but the first three looks at it.
    pub(super) const SIMPLE: Self = Self(16);
    /// It names shared memory.
    pub(super) const SHARED: Self = Self(32);
    /// It writes.
    pub(super) const WRITES: Self = Self(64);

    /// Whether any of these looks at it.
    #[inline(always)]
    pub(super) fn has(self, any: Self) -> bool {
        self.0 & any.0 != 0
    }

    /// Whether [`Asked::SIMPLE`] is among it.
    #[inline(always)]
    pub(super) fn is_simple(self) -> bool {
        self.has(Self::SIMPLE)
    }

    /// Whether anything looks at it.
    #[inline(always)]
    pub(super) fn looks(self) -> bool {
        self.has(Self::RACE | Self::INIT | Self::ARRAY | Self::OTHER)
    }
}

impl std::ops::BitOr for Asked {
    type Output = Self;

    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl std::ops::BitOrAssign for Asked {
    fn bitor_assign(&mut self, other: Self) {
        *self = *self | other;
    }
}

/// Which operations of a launch something looks at. Most are left alone, so this is asked first, and of all: it does without the way to the lists.
#[derive(Clone, Copy)]
pub(in crate::machine) struct Watched<'l> {
    /// Where the program begins.
    first: usize,
    asked: &'l [Asked],
}

impl<'l> Watched<'l> {
    /// Those of a program that `asked` names.
    pub(in crate::machine) fn of(program: &Program, asked: &'l [Asked]) -> Self {
        let first = program.ops.as_ptr() as usize;
        Self { first, asked }
    }

    /// Whether something looks at an operation of the program.
    #[inline(always)]
    pub(in crate::machine) fn has(self, op: *const Op) -> bool {
        let index = (op as usize - self.first) / size_of::<Op>();
        self.asked.get(index).is_some_and(|asked| asked.looks())
    }
}

impl Core<'_> {
    /// What looks at an operation, by its number, in the running launch.
    #[inline(always)]
    pub(super) fn asked(&self, index: usize) -> Asked {
        self.run.asked.get(index).copied().unwrap_or(Asked::NOTHING)
    }
}

/// What looks at the operations of a program in a launch of one of its kernels, by their number.
pub(in crate::machine) fn asked(
    (program, kernel): (&Program, &Function),
    launch: &Launch<'_>,
    cluster: [u32; 3],
) -> Vec<Asked> {
    let checks = launch.checks;
    // Shared memory of a block that has ended is that of another block of the cluster.
    let ends = checks.sync && cluster != [1; 3];
    let flag = |is, flag| if is { flag } else { Asked::NOTHING };
    let of_class = |class| match class {
        Class::Load(space) | Class::Store(space) | Class::Atomic(space) => {
            let (race, init, other) = match space {
                SpaceClass::Global => (checks.race, checks.init, false),
                SpaceClass::Shared | SpaceClass::Generic => (checks.race, checks.init, ends),
                SpaceClass::Local => (false, checks.init, false),
                SpaceClass::Constant => (false, false, false),
            };
            flag(race, Asked::RACE) | flag(init, Asked::INIT) | flag(other, Asked::OTHER)
        }
        _ => Asked::NOTHING,
    };
    let classes = program.infos.iter().map(|info| info.class);
    let mut asked: Vec<Asked> = classes.map(of_class).collect();
    if launch.count {
        asked.iter_mut().for_each(|of| *of |= Asked::OTHER);
    }
    let touched = program.touches.iter().map(Option::is_some);
    for (of, touched) in asked.iter_mut().zip(touched) {
        *of |= flag(touched, Asked::OTHER);
    }
    if checks.memory {
        let shared = program.arrays.iter().map(|&(op, _)| (op, Asked::ARRAY));
        let local = program.local_arrays.iter();
        let local = local.map(|(op, _)| (*op, Asked::OTHER));
        for (op, array) in shared.chain(local) {
            asked[op as usize] |= array;
        }
    }
    for (index, of) in asked.iter_mut().enumerate() {
        *of |= simple((program, kernel), index, *of);
    }
    asked
}

/// [`Asked::SIMPLE`] and what belongs to it, where an operation is so.
fn simple((program, kernel): (&Program, &Function), index: usize, asked: Asked) -> Asked {
    let info = &program.infos[index];
    let (space, writes) = match info.class {
        Class::Load(space) => (space, Asked::NOTHING),
        Class::Store(space) => (space, Asked::WRITES),
        _ => return Asked::NOTHING,
    };
    let shared = match space {
        SpaceClass::Global => Asked::NOTHING,
        SpaceClass::Shared => Asked::SHARED,
        _ => return Asked::NOTHING,
    };
    let of_units = info.bytes.is_power_of_two() && info.bytes <= 32;
    let spins = program.ops[index].aux & flag::SPINS != 0;
    if asked.has(Asked::OTHER) || !of_units || spins || info.narrow || info.multicast {
        return Asked::NOTHING;
    }
    // Asynchronous units read shared memory by another way, and have to be told of all writes.
    if shared == Asked::SHARED && writes == Asked::WRITES && kernel.reads_asynchronously {
        return Asked::NOTHING;
    }
    Asked::SIMPLE | shared | writes
}
