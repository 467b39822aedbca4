//! Live and freed allocations, and the snapshot that a launch reads without locks.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::allocation::{Allocation, AllocationKind};
use super::multicast::Multicast;
use super::shadow::Shadow;
use super::trail::Trail;
use super::whereabouts::Whereabouts;
use super::{MemoryError, window};

/// How many freed allocations are remembered for reports.
const REMEMBERED: usize = 65_536;

#[derive(Debug, Default)]
pub(super) struct Table {
    live: BTreeMap<u64, Allocation>,
    freed: BTreeMap<u64, Allocation>,
    /// The bits of unwritten bytes, for memory without initial contents.
    shadows: BTreeMap<u64, Arc<Shadow>>,
    multicasts: BTreeMap<u64, Multicast>,
    count: u64,
    /// Made when a launch needs one, and kept until the table changes.
    snapshot: Option<Arc<Snapshot>>,
}

impl Table {
    /// Adds an allocation to the table. Nothing may be live at its addresses.
    ///
    /// # Errors
    /// [`MemoryError::Overlap`], with the allocation that is live there.
    pub(super) fn publish(
        &mut self,
        base: u64,
        size: u64,
        kind: AllocationKind,
        made_at: Option<&str>,
    ) -> Result<(), MemoryError> {
        if let Some(other) = self.overlapping(base, base.saturating_add(size)) {
            return Err(MemoryError::Overlap {
                address: base,
                size,
                number: other.number,
            });
        }
        self.insert(base, size, kind, made_at);
        Ok(())
    }

    pub(super) fn insert(
        &mut self,
        base: u64,
        size: u64,
        kind: AllocationKind,
        made_at: Option<&str>,
    ) {
        self.snapshot = None;
        self.count += 1;
        // A pointer to these addresses no longer refers to the allocation that was freed here.
        let stale: Vec<u64> = overlap(&self.freed, base, base + size)
            .map(|a| a.base)
            .collect();
        for old in stale {
            self.freed.remove(&old);
        }
        let made_at = made_at.map(Arc::from);
        if matches!(kind, AllocationKind::Device | AllocationKind::Heap) {
            self.shadows.insert(base, Arc::new(Shadow::new(base, size)));
        }
        self.live.insert(
            base,
            Allocation {
                base,
                size,
                kind,
                number: self.count,
                made_at,
                made_by: None,
                freed_by: None,
            },
        );
    }

    /// Stores the calls that led to the live allocation at `base`.
    pub(super) fn made_by(&mut self, base: u64, trail: Trail) {
        if let Some(found) = self.live.get_mut(&base) {
            found.made_by = Some(trail);
        }
    }

    /// Stores the calls that led to the free of the allocation at `base`.
    pub(super) fn freed_by(&mut self, base: u64, trail: Option<Trail>) {
        if let Some(found) = self.freed.get_mut(&base) {
            found.freed_by = trail;
        }
    }

    /// Stores the memory that the addresses of a multicast mapping stand for. The mapping is in
    /// the table already.
    pub(super) fn multicast(&mut self, multicast: Multicast) {
        self.snapshot = None;
        self.multicasts.insert(multicast.base, multicast);
    }

    pub(super) fn remove(
        &mut self,
        address: u64,
        registered: bool,
    ) -> Result<Allocation, MemoryError> {
        let Some(found) = self.find(address) else {
            return Err(match self.freed.get(&address) {
                Some(old) => MemoryError::FreedBefore {
                    address,
                    number: old.number,
                },
                None => MemoryError::Foreign {
                    address,
                    hint: self.whereabouts(address).to_string(),
                },
            });
        };
        let number = found.number;
        if found.base != address {
            return Err(MemoryError::NotStart {
                address,
                offset: address - found.base,
                number,
            });
        }
        match (registered, &found.kind) {
            (true, AllocationKind::Registered) => {}
            (false, AllocationKind::Registered) => {
                let (is, instead) = ("registered host memory", "unregistering it");
                return Err(MemoryError::WrongKind {
                    address,
                    number,
                    is,
                    instead,
                });
            }
            (true, _) => {
                let (is, instead) = ("an allocation", "freeing it");
                return Err(MemoryError::WrongKind {
                    address,
                    number,
                    is,
                    instead,
                });
            }
            _ => {}
        }
        self.snapshot = None;
        let found = self.live.remove(&address).ok_or(MemoryError::ZeroSize)?;
        self.shadows.remove(&address);
        self.multicasts.remove(&address);
        if self.freed.len() == REMEMBERED {
            self.freed.pop_first();
        }
        self.freed.insert(found.base, found.clone());
        Ok(found)
    }

    pub(super) fn find(&self, address: u64) -> Option<&Allocation> {
        self.live
            .range(..=address)
            .next_back()
            .map(|(_, a)| a)
            .filter(|a| a.contains(address))
    }

    pub(super) fn overlapping(&self, start: u64, end: u64) -> Option<&Allocation> {
        overlap(&self.live, start, end).next()
    }

    pub(super) fn live(&self) -> impl Iterator<Item = &Allocation> {
        self.live.values()
    }

    /// Returns what an address is, or what it lies next to.
    pub(super) fn whereabouts(&self, address: u64) -> Whereabouts {
        if address < 4096 {
            return Whereabouts::Null(address);
        }
        if let Some(inside) = self.find(address) {
            return Whereabouts::Inside(address - inside.base, inside.clone());
        }
        if let Some(found) = Whereabouts::of_window(window::of(address)) {
            return found;
        }
        if let Some((_, old)) = self
            .freed
            .range(..=address)
            .next_back()
            .filter(|(_, a)| a.contains(address))
        {
            return Whereabouts::Freed(address - old.base, old.clone());
        }
        let before = self
            .live
            .range(..=address)
            .next_back()
            .map(|(_, a)| (address - (a.base + a.size), a));
        let after = self
            .live
            .range(address..)
            .next()
            .map(|(_, a)| (a.base - address, a));
        match (before, after) {
            (Some((past, a)), Some((short, _))) if past < short => {
                Whereabouts::Past(past, a.clone())
            }
            (Some((past, a)), None) => Whereabouts::Past(past, a.clone()),
            (_, Some((short, a))) => Whereabouts::Before(short, a.clone()),
            (None, None) => Whereabouts::Nowhere,
        }
    }

    /// Returns the bits of the allocation that contains all of these bytes.
    pub(super) fn shadow(&self, address: u64, len: u64) -> Option<&Arc<Shadow>> {
        let (_, shadow) = self.shadows.range(..=address).next_back()?;
        shadow.holds(address, len).then_some(shadow)
    }

    /// Marks all bytes of all allocations as written.
    pub(super) fn write_all(&self) {
        self.shadows.values().for_each(|shadow| shadow.write_all());
    }

    pub(super) fn snapshot(&mut self) -> Arc<Snapshot> {
        let (live, shadows, multicasts) = (&self.live, &self.shadows, &self.multicasts);
        self.snapshot
            .get_or_insert_with(|| {
                Arc::new(Snapshot {
                    shadows: shadows.values().cloned().collect(),
                    multicasts: multicasts.values().cloned().collect(),
                    ..Snapshot::new(live.values())
                })
            })
            .clone()
    }
}

fn overlap(
    map: &BTreeMap<u64, Allocation>,
    start: u64,
    end: u64,
) -> impl Iterator<Item = &Allocation> {
    let before = map
        .range(..start)
        .next_back()
        .map(|(_, a)| a)
        .filter(move |a| a.base + a.size > start);
    before
        .into_iter()
        .chain(map.range(start..end).map(|(_, a)| a))
}

/// A range of addresses that kernels may read. They may also write it unless it is constant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Range {
    pub(crate) base: u64,
    pub(crate) size: u64,
    pub(crate) constant: bool,
    pub(crate) heap: bool,
}

impl Range {
    /// A range without addresses, the initial value of a cache of ranges.
    pub(crate) const NONE: Self = Self {
        base: 0,
        size: 0,
        constant: false,
        heap: false,
    };

    /// Returns whether all of `len` bytes from `address` are inside.
    #[inline(always)]
    pub(crate) fn holds(&self, address: u64, len: u64) -> bool {
        let offset = address.wrapping_sub(self.base);
        offset < self.size && len <= self.size - offset
    }
}

/// The live allocations at one moment, sorted by address.
#[derive(Debug, Default)]
pub(crate) struct Snapshot {
    ranges: Vec<Range>,
    /// Memory that has no addresses in kernels: arrays.
    arrays: Vec<Range>,
    /// The bits of unwritten bytes, for the ranges that have them.
    shadows: Vec<Arc<Shadow>>,
    /// Addresses that stand for memory of several devices.
    multicasts: Vec<Multicast>,
}

impl Snapshot {
    fn new<'a>(live: impl Iterator<Item = &'a Allocation>) -> Self {
        let range = |a: &Allocation| Range {
            base: a.base,
            size: a.size,
            constant: matches!(a.kind, AllocationKind::Constant(_)),
            heap: a.kind == AllocationKind::Heap,
        };
        let (arrays, ranges): (Vec<_>, Vec<_>) = live
            .filter(|a| a.kind != AllocationKind::Multicast)
            .partition(|a| a.kind == AllocationKind::Array);
        Self {
            ranges: ranges.into_iter().map(range).collect(),
            arrays: arrays.into_iter().map(range).collect(),
            ..Self::default()
        }
    }

    /// Returns whether all of `len` bytes from `address` are in one live allocation. It may
    /// be an array.
    pub(crate) fn holds(&self, address: u64, len: u64) -> bool {
        let in_array = || last_before(&self.arrays, address).is_some_and(|r| r.holds(address, len));
        in_array() || self.find(address).is_some_and(|r| r.holds(address, len))
    }

    /// Returns the bits of the allocation that contains `address`, or `None` if all its bytes
    /// count as written.
    pub(crate) fn shadow(&self, address: u64) -> Option<&Shadow> {
        self.numbered_shadow(self.shadow_number(address)?)
    }

    /// Returns the number of these bits in this snapshot.
    pub(crate) fn shadow_number(&self, address: u64) -> Option<u32> {
        let after = self.shadows.partition_point(|s| s.base() <= address);
        let number = after.checked_sub(1)?;
        self.shadows[number]
            .holds(address, 1)
            .then_some(number as u32)
    }

    /// Returns the bits of a number.
    pub(crate) fn numbered_shadow(&self, number: u32) -> Option<&Shadow> {
        self.shadows.get(number as usize).map(|shadow| &**shadow)
    }

    /// Returns the multicast mapping that contains `address`.
    pub(crate) fn multicast(&self, address: u64) -> Option<&Multicast> {
        let after = self.multicasts.partition_point(|m| m.base <= address);
        let found = self.multicasts[..after].last();
        found.filter(|m| address - m.base < m.size)
    }

    /// Returns the range that contains `address`.
    pub(crate) fn find(&self, address: u64) -> Option<Range> {
        last_before(&self.ranges, address).filter(|r| r.holds(address, 1))
    }
}

/// Returns the last range that starts at or before `address`.
fn last_before(ranges: &[Range], address: u64) -> Option<Range> {
    let after = ranges.partition_point(|r| r.base <= address);
    ranges[..after].last().copied()
}
