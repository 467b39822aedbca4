//! `multimem.ld_reduce`, `.st`, `.red`: one place in the memory of several devices.
//!
//! PTX ISA 9.7.9 "multimem". The address belongs to a multicast mapping ([`Replicas`]). Any other
//! address is a fault here, and so is a place for which some device has no memory. A load reads
//! each device's value and folds the values. A store writes to each device. A reduction is one
//! atomic step at each device, one device after another. Counters and checks treat it as an access
//! to the memory of the device that runs it.

use super::atomics::Cell;
use super::flag;
use super::transfer::NOWHERE;
use crate::machine::checks::race::AccessKind;
use crate::machine::core::Core;
use crate::machine::event::{FaultKind, Region};
use crate::machine::lane::{LANES, lanes};
use crate::machine::op::{Op, STOP};
use crate::memory::Replicas;
use crate::memory::window::{self, Window};
use crate::semantics::multimem::Fold;

/// The operands of a `multimem` instruction.
#[derive(Debug, Clone)]
pub(crate) struct MultimemSite {
    /// What it does.
    pub(crate) action: MultimemAction,
    /// The row of each element, or [`NOWHERE`].
    pub(crate) rows: Vec<u32>,
    /// Bytes of one element.
    pub(crate) bytes: u32,
    /// Whether the address is generic.
    pub(crate) generic: bool,
}

/// The action of a `multimem` instruction.
#[derive(Debug, Clone, Copy)]
pub(crate) enum MultimemAction {
    /// Reads all places and folds them.
    Load(Fold),
    /// Writes all places.
    Store,
    /// Combines each place with a value.
    Reduce(Fold),
}

impl MultimemAction {
    fn access(self) -> AccessKind {
        match self {
            Self::Load(_) => AccessKind::Read,
            Self::Store => AccessKind::Write,
            Self::Reduce(_) => AccessKind::Atomic,
        }
    }
}

/// Reads a number of this many bytes.
///
/// # Safety
/// This many bytes at `at` are valid for reads.
unsafe fn read(at: *const u8, bytes: u32) -> u64 {
    // SAFETY: the caller guarantees this.
    unsafe {
        match bytes {
            1 => at.read().into(),
            2 => at.cast::<u16>().read_unaligned().into(),
            4 => at.cast::<u32>().read_unaligned().into(),
            _ => at.cast::<u64>().read_unaligned(),
        }
    }
}

/// Writes a number of this many bytes.
///
/// # Safety
/// This many bytes at `at` are valid for writes.
unsafe fn write(at: *mut u8, bytes: u32, value: u64) {
    // SAFETY: the caller guarantees this.
    unsafe {
        match bytes {
            1 => at.write(value as u8),
            2 => at.cast::<u16>().write_unaligned(value as u16),
            4 => at.cast::<u32>().write_unaligned(value as u32),
            _ => at.cast::<u64>().write_unaligned(value),
        }
    }
}

/// Changes a number of this many bytes as one atomic step.
///
/// # Safety
/// This many bytes at `at` are aligned and valid for reads and writes, and others
/// access them atomically.
unsafe fn change(at: *mut u8, bytes: u32, fold: &Fold, value: u64) {
    let next = |old: u64| fold.of(&[old, value]);
    // SAFETY: the caller guarantees this.
    unsafe {
        match bytes {
            2 => u64::from(u16::update(at, |old| next(old.into()) as u16)),
            4 => u64::from(u32::update(at, |old| next(old.into()) as u32)),
            _ => u64::update(at, next),
        }
    };
}

impl<'l> Core<'l> {
    /// Returns each device's bytes for one lane's access. If there are none, returns `None`, and
    /// the core's event holds the fault.
    fn replicas(
        &mut self,
        op: *const Op,
        lane: usize,
        site: &MultimemSite,
        address: u64,
    ) -> Option<(&'l Replicas, u64)> {
        let run = self.run;
        let bytes = site.bytes * site.rows.len() as u32;
        let fault = |core: &mut Self, what: &str, help| {
            let place = run.memory.whereabouts(address);
            core.fault(
                op,
                lane,
                FaultKind::Multicast {
                    message: format!("{bytes}-byte multicast access {what}"),
                    note: format!("address {address:#x} {place}"),
                    help,
                },
            );
            None
        };
        let global = !site.generic || window::of(address) == Window::Global;
        let Some(mapping) = run.snapshot.multicast(address).filter(|_| global) else {
            let help = "pass an address that a multicast object is mapped at (`cuMulticastCreate`, then `cuMemMap` of it), not one device's own memory";
            return fault(self, "of memory that is no multicast memory", help);
        };
        let Some(found) = mapping.at(address, bytes.into()) else {
            let help =
                "bind memory of every device of the object there first (`cuMulticastBindMem`)";
            return fault(
                self,
                "of a place that not every device has memory for",
                help,
            );
        };
        if !address.is_multiple_of(bytes.into()) {
            let (act, region) = (site.action.access(), Region::Global);
            self.fault(
                op,
                lane,
                FaultKind::Misaligned {
                    act,
                    region,
                    address,
                    bytes,
                },
            );
            return None;
        }
        Some(found)
    }

    /// Translates addresses of multicast memory to those of the running device's own part of it, if
    /// it has one.
    pub(in crate::machine) fn unicast(&self, addresses: &[u64; LANES]) -> [u64; LANES] {
        addresses.map(|address| {
            let found = self
                .run
                .snapshot
                .multicast(address)
                .and_then(|m| m.at(address, 1));
            let own = found.and_then(|(stretch, inside)| {
                stretch
                    .own
                    .and_then(|own| stretch.places.get(own))
                    .map(|place| place + inside)
            });
            own.unwrap_or(address)
        })
    }

    /// Returns the places that one address of multicast memory stands for.
    pub(in crate::machine) fn places_of(&self, address: u64, bytes: u64) -> Vec<*mut u8> {
        let found = self
            .run
            .snapshot
            .multicast(address)
            .and_then(|m| m.at(address, bytes));
        let places = found.into_iter().flat_map(|(stretch, inside)| {
            stretch
                .places
                .iter()
                .map(move |place| (place + inside) as *mut u8)
        });
        places.collect()
    }
}

/// `multimem`: site `b`, addresses in row `a` plus `c`.
///
/// # Safety
/// As for every handler.
pub(crate) unsafe fn multimem(core: &mut Core<'_>, op: *const Op) -> *const Op {
    // SAFETY: `op` is an operation of the running frame.
    let (o, mask) = unsafe { (&*op, core.mask(&*op)) };
    if mask == 0 {
        return op.wrapping_add(1);
    }
    let site = &core.run.program.multimems[o.b as usize];
    // SAFETY: the decoder gave this operation an address row.
    let addresses = unsafe { core.addresses(op) };
    core.turn.spins +=
        u32::from(o.aux & flag::SPINS != 0 || matches!(site.action, MultimemAction::Reduce(_)));
    let mut values = Vec::new();
    for lane in lanes(mask) {
        let Some((stretch, inside)) = core.replicas(op, lane, site, addresses[lane]) else {
            return STOP;
        };
        let total = u64::from(site.bytes) * site.rows.len() as u64 * stretch.places.len() as u64;
        match site.action {
            MultimemAction::Load(_) => core.tally.read += total,
            MultimemAction::Store => core.tally.written += total,
            MultimemAction::Reduce(_) => {
                core.tally.read += total;
                core.tally.written += total;
            }
        }
        for (element, &row) in site.rows.iter().enumerate() {
            let at = inside + element as u64 * u64::from(site.bytes);
            let places = stretch.places.iter().map(|place| (place + at) as *mut u8);
            // SAFETY: the code that published the mapping guarantees that these places are valid
            // while the launch runs. They are aligned because the address is aligned and a
            // mapping begins at a page boundary on every device. The decoder gave rows of the
            // element's register. Others may write there at the same time, which is a race of
            // the simulated program.
            unsafe {
                if let MultimemAction::Load(fold) = site.action {
                    values.clear();
                    values.extend(places.map(|place| read(place, site.bytes)));
                    if row != NOWHERE {
                        let value = fold.of(&values);
                        match site.bytes {
                            8 => core.lanes::<u64>(row)[lane] = value,
                            _ => core.lanes::<u32>(row)[lane] = value as u32,
                        }
                    }
                    continue;
                }
                let value = match site.bytes {
                    8 => core.lanes::<u64>(row)[lane],
                    _ => core.lanes::<u32>(row)[lane].into(),
                };
                for place in places {
                    match site.action {
                        MultimemAction::Reduce(fold) => change(place, site.bytes, &fold, value),
                        _ => write(place, site.bytes, value),
                    }
                }
            }
        }
    }
    op.wrapping_add(1)
}
