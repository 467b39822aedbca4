//! What is live, what was freed, and the snapshot that a launch reads without locks.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::{MemoryError, window};

/// What a piece of memory was made as.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// Device memory (`cuMemAlloc` and its like).
    Device,
    /// Pinned host memory (`cuMemAllocHost`, `cuMemHostAlloc`).
    Pinned,
    /// Managed memory (`cuMemAllocManaged`).
    Managed,
    /// A module's `.global` variable.
    Global(Arc<str>),
    /// A module's `.const` variable: kernels read it and the host writes it.
    Constant(Arc<str>),
    /// An array of texels, which kernels reach through textures and surfaces only.
    Array,
    /// Physical memory mapped into a reserved range (`cuMemMap`).
    Mapped,
    /// The heap that `malloc` in a kernel takes from.
    Heap,
    /// What launches from kernels pass to their children.
    Launches,
    /// Where the blocks of a cooperative launch wait for each other.
    Cooperation,
    /// The host's own memory, registered.
    Registered,
}

impl Kind {
    /// Whether it takes from the device's own memory.
    pub fn on_device(&self) -> bool {
        !matches!(self, Self::Pinned | Self::Registered)
    }

    /// Whether host code may touch it through its address on a machine with a GPU.
    pub fn on_host(&self) -> bool {
        matches!(self, Self::Pinned | Self::Registered | Self::Managed)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Device => f.write_str("device memory"),
            Self::Pinned => f.write_str("pinned host memory"),
            Self::Managed => f.write_str("managed memory"),
            Self::Global(name) => write!(f, "global variable `{name}`"),
            Self::Constant(name) => write!(f, "constant variable `{name}`"),
            Self::Mapped => f.write_str("mapped device memory"),
            Self::Array => f.write_str("an array"),
            Self::Heap => f.write_str("the device heap"),
            Self::Launches => f.write_str("the parameters of launches from kernels"),
            Self::Cooperation => f.write_str("the barrier of a cooperative launch"),
            Self::Registered => f.write_str("registered host memory"),
        }
    }
}

/// One piece of memory that a kernel may reach.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allocation {
    /// Its first address.
    pub base: u64,
    /// Its bytes.
    pub size: u64,
    /// What it was made as.
    pub kind: Kind,
    /// Its number, from 1, in the order in which the device gave memory out.
    pub number: u64,
    /// Where the program made it, as far as the caller knew.
    pub made_at: Option<Arc<str>>,
}

impl Allocation {
    /// Whether `address` is inside.
    pub fn contains(&self, address: u64) -> bool {
        address.wrapping_sub(self.base) < self.size
    }
}

impl fmt::Display for Allocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "allocation #{}: {} bytes", self.number, self.size)?;
        if self.kind != Kind::Device {
            write!(f, " of {}", self.kind)?;
        }
        match &self.made_at {
            Some(place) => write!(f, ", made at {place}"),
            None => Ok(()),
        }
    }
}

/// How many freed allocations are remembered for reports.
const REMEMBERED: usize = 65_536;

#[derive(Debug, Default)]
pub(super) struct Table {
    live: BTreeMap<u64, Allocation>,
    freed: BTreeMap<u64, Allocation>,
    count: u64,
    /// Made when a launch asks and kept until something changes.
    snapshot: Option<Arc<Snapshot>>,
}

impl Table {
    pub(super) fn insert(&mut self, base: u64, size: u64, kind: Kind, made_at: Option<&str>) {
        self.snapshot = None;
        self.count += 1;
        // What was freed here is no longer what a stale pointer would mean.
        let stale: Vec<u64> = overlap(&self.freed, base, base + size)
            .map(|a| a.base)
            .collect();
        for old in stale {
            self.freed.remove(&old);
        }
        let made_at = made_at.map(Arc::from);
        self.live.insert(
            base,
            Allocation {
                base,
                size,
                kind,
                number: self.count,
                made_at,
            },
        );
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
                    hint: self.describe(address),
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
            (true, Kind::Registered) => {}
            (false, Kind::Registered) => {
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

    /// "is 4 bytes past allocation #2: ...", "is 8 bytes into freed allocation #3: ...", "is a null pointer", ...
    pub(super) fn describe(&self, address: u64) -> String {
        if address < 4096 {
            return match address {
                0 => "is a null pointer".into(),
                offset => format!("is {offset} bytes past a null pointer"),
            };
        }
        if let Some(inside) = self.find(address) {
            return format!("is {} bytes into {inside}", address - inside.base);
        }
        match window::of(address) {
            window::Window::Shared => return "is an address in shared memory".into(),
            window::Window::Local => return "is an address in local memory".into(),
            window::Window::Param => return "is an address among the kernel's parameters".into(),
            window::Window::Global => {}
        }
        if let Some((_, old)) = self
            .freed
            .range(..=address)
            .next_back()
            .filter(|(_, a)| a.contains(address))
        {
            return format!("is {} bytes into freed {old}", address - old.base);
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
                format!("is {} past {a}", bytes(past))
            }
            (Some((past, a)), None) => format!("is {} past {a}", bytes(past)),
            (_, Some((short, a))) => format!("is {} before {a}", bytes(short)),
            (None, None) => "is in no allocation; the device has none".into(),
        }
    }

    pub(super) fn snapshot(&mut self) -> Arc<Snapshot> {
        let live = &self.live;
        self.snapshot
            .get_or_insert_with(|| Arc::new(Snapshot::new(live.values())))
            .clone()
    }
}

/// "1 byte", "2 bytes".
fn bytes(n: u64) -> String {
    format!("{n} byte{}", if n == 1 { "" } else { "s" })
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

/// A range of addresses that may be read, and written unless it is constant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Range {
    pub(crate) base: u64,
    pub(crate) size: u64,
    pub(crate) constant: bool,
    pub(crate) heap: bool,
}

impl Range {
    /// What a cache of ranges starts with: holds no address.
    pub(crate) const NONE: Self = Self {
        base: 0,
        size: 0,
        constant: false,
        heap: false,
    };

    /// Whether all of `len` bytes from `address` are inside.
    #[inline(always)]
    pub(crate) fn holds(&self, address: u64, len: u64) -> bool {
        let offset = address.wrapping_sub(self.base);
        offset < self.size && len <= self.size - offset
    }
}

/// What is live at one moment, sorted by address.
#[derive(Debug, Default)]
pub(crate) struct Snapshot {
    ranges: Vec<Range>,
    /// Memory without addresses for kernels: arrays.
    arrays: Vec<Range>,
}

impl Snapshot {
    fn new<'a>(live: impl Iterator<Item = &'a Allocation>) -> Self {
        let range = |a: &Allocation| Range {
            base: a.base,
            size: a.size,
            constant: matches!(a.kind, Kind::Constant(_)),
            heap: a.kind == Kind::Heap,
        };
        let (arrays, ranges): (Vec<_>, Vec<_>) = live.partition(|a| a.kind == Kind::Array);
        Self {
            ranges: ranges.into_iter().map(range).collect(),
            arrays: arrays.into_iter().map(range).collect(),
        }
    }

    /// Whether all of `len` bytes from `address` are in one live allocation, an array or other memory.
    pub(crate) fn holds(&self, address: u64, len: u64) -> bool {
        let in_array = || last_before(&self.arrays, address).is_some_and(|r| r.holds(address, len));
        in_array() || self.find(address).is_some_and(|r| r.holds(address, len))
    }

    /// The range that holds `address`.
    pub(crate) fn find(&self, address: u64) -> Option<Range> {
        last_before(&self.ranges, address).filter(|r| r.holds(address, 1))
    }
}

/// The last range that starts at or before `address`.
fn last_before(ranges: &[Range], address: u64) -> Option<Range> {
    let after = ranges.partition_point(|r| r.base <= address);
    ranges[..after].last().copied()
}
