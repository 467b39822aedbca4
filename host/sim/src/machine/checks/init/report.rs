//! Reports of uses of uninitialised memory: what depended on it, where it was read, and which
//! memory it is.

use std::sync::PoisonError;

use super::taint::{Origin, Taint};
use crate::checks::FindingKind;
use crate::machine::checks::report::findings::place_key;
use crate::machine::checks::report::place::index;
use crate::machine::core::Core;
use crate::machine::event::Region;
use crate::machine::lane::lanes;
use crate::machine::launch::run::Run;
use crate::machine::op::Op;
use crate::machine::program::{Variable, VariableSpace};
use crate::memory::window;

/// The kind of a use; its words name it and explain why it matters.
#[derive(Debug, Clone, Copy)]
pub(super) enum UnwrittenUse {
    Branch,
    Guard,
    Address,
    Stored,
    Operand,
    Updated,
    Decision,
}

impl UnwrittenUse {
    fn words(self) -> &'static str {
        match self {
            Self::Branch => "a branch depends on uninitialised memory",
            Self::Guard => "a predicate depends on uninitialised memory",
            Self::Address => "an address depends on uninitialised memory",
            Self::Stored => "a stored value was computed from uninitialised memory",
            Self::Operand => "an operand of an atomic comes from uninitialised memory",
            Self::Updated => "an atomic updates uninitialised memory",
            Self::Decision => "a decision of several threads depends on uninitialised memory",
        }
    }
}

impl Core<'_> {
    /// Reports a use of unwritten bytes by lanes of `mask`.
    #[cold]
    pub(super) fn used(&mut self, op: *const Op, of: UnwrittenUse, taint: &Taint, mask: u32) {
        let Some(lane) = lanes(mask).find(|&lane| taint.bytes[lane] != 0) else {
            return;
        };
        let run = self.run;
        let read = taint.origin.op;
        let by = (self.current.0, self.current.1 as u32, lane);
        let mut used = run
            .used_reads
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        used.insert(place_key(run.program, read));
        drop(used);
        let is_own = index(run.program, op) == Some(read as usize);
        self.note_by(FindingKind::Unwritten, op, by, || {
            let mut notes = Vec::new();
            if !is_own {
                let place = run.place(&raw const run.program.ops[read as usize]);
                notes.push(match &place.source {
                    Some(source) => format!(
                        "it was read at {source} (ptx line {}, `{}`)",
                        place.line, place.text
                    ),
                    None => format!("it was read at ptx line {}, `{}`", place.line, place.text),
                });
            }
            notes.push(described(run, taint.origin));
            Some((of.words().into(), notes))
        });
    }

    /// Reports a load of unwritten bytes, whatever becomes of them. If they are used, the report of
    /// the use replaces this one.
    #[cold]
    pub(super) fn read_unwritten(&mut self, op: *const Op, origin: Origin, lane: usize) {
        let run = self.run;
        let by = (self.current.0, self.current.1 as u32, lane);
        self.note_by(FindingKind::UnwrittenRead, op, by, || {
            let what = "a load reads uninitialised memory";
            Some((what.into(), vec![described(run, origin)]))
        });
    }
}

/// Describes the unwritten bytes of a load.
fn described(run: &Run<'_>, origin: Origin) -> String {
    let Origin {
        op: read,
        region,
        address,
        bytes,
    } = origin;
    let count = bytes.count_ones();
    let s = if count == 1 { "" } else { "s" };
    let at = match region {
        Region::Global => format!("the first {}", run.memory.whereabouts(address)),
        Region::Shared => shared_place(run, read, address),
        _ => format!("the first is at local address {address:#x} of the thread"),
    };
    format!("{count} uninitialised byte{s}: {at}")
}

/// Describes a shared address, with the array that the access was meant for.
fn shared_place(run: &Run<'_>, read: u32, address: u64) -> String {
    let start = u64::from(run.shared_start);
    let own = address % window::SHARED_PER_BLOCK;
    let arrays = &run.program.arrays;
    let meant = arrays.binary_search_by_key(&read, |&(op, _)| op);
    let variables = &run.program.variables;
    let meant = meant.ok().map(|at| &variables[arrays[at].1 as usize]);
    let within = |variable: &Variable| match variable.space {
        VariableSpace::Shared(offset) => {
            let at = own.checked_sub(start + u64::from(offset))?;
            (at < variable.size).then_some(at)
        }
        _ => None,
    };
    // Variables of other kernels of the module at the same bytes are not meant.
    let mut there = variables.iter().filter(|it| within(it).is_some());
    let only = there.next().filter(|_| there.next().is_none());
    let inside = meant.or(only).and_then(|it| Some((within(it)?, it)));
    match inside {
        Some((at, variable)) => format!(
            "the first is at shared address {address:#x}, {at} bytes into `{}`, which has {} bytes",
            variable.name, variable.size
        ),
        None if own >= run.dynamic_shared => format!(
            "the first is at shared address {address:#x}, {} bytes into dynamic shared memory",
            own - run.dynamic_shared
        ),
        None => format!("the first is at shared address {address:#x}"),
    }
}
