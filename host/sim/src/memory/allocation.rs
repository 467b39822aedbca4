//! One piece of memory that a kernel may reach, and what it was made as.

use std::fmt;
use std::sync::Arc;

use super::trail::Trail;

/// What a piece of memory was made as.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AllocationKind {
    /// Device memory (`cuMemAlloc` and its like).
    Device,
    /// Pinned host memory (`cuMemAllocHost`, `cuMemHostAlloc`).
    Pinned,
    /// Managed memory, of host and devices at once (`cuMemAllocManaged`).
    Managed,
    /// A module's `.global` variable.
    Global(Arc<str>),
    /// A module's `.const` variable: kernels read it and the host writes it.
    Constant(Arc<str>),
    /// An array of texels, which kernels reach through textures and surfaces only.
    Array,
    /// Physical memory mapped into a reserved range (`cuMemMap`).
    Mapped,
    /// Memory of several devices under one address, which `multimem` alone reaches (`cuMemMap` of a
    /// multicast object).
    Multicast,
    /// Device memory that another process has allocated (`cuIpcOpenMemHandle`).
    Opened,
    /// The heap that `malloc` in a kernel takes from.
    Heap,
    /// What launches from kernels pass to their children.
    Launches,
    /// Where the blocks of a cooperative launch wait for each other.
    Cooperation,
    /// The host's own memory, registered.
    Registered,
}

impl AllocationKind {
    /// Whether it takes from the device's own memory.
    pub fn on_device(&self) -> bool {
        !matches!(self, Self::Pinned | Self::Registered | Self::Multicast)
    }

    /// Whether host code may touch it through its address on a machine with a GPU.
    pub fn on_host(&self) -> bool {
        matches!(self, Self::Pinned | Self::Registered | Self::Managed)
    }
}

impl fmt::Display for AllocationKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Device => f.write_str("device memory"),
            Self::Pinned => f.write_str("pinned host memory"),
            Self::Managed => f.write_str("managed memory"),
            Self::Global(name) => write!(f, "global variable `{name}`"),
            Self::Constant(name) => write!(f, "constant variable `{name}`"),
            Self::Mapped => f.write_str("mapped device memory"),
            Self::Multicast => f.write_str("multicast memory"),
            Self::Opened => f.write_str("device memory of another process"),
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
    /// The address of its first byte.
    pub base: u64,
    /// How many bytes it has.
    pub size: u64,
    /// What it was made as.
    pub kind: AllocationKind,
    /// Its number, from 1, in the order in which the device gave memory out.
    pub number: u64,
    /// Where the program made it, as far as the caller knew.
    pub made_at: Option<Arc<str>>,
    /// The calls that led to it, where somebody keeps them.
    pub made_by: Option<Trail>,
    /// The calls that led to its end, of one that was freed.
    pub freed_by: Option<Trail>,
}

impl Allocation {
    /// Whether `address` is inside.
    pub fn contains(&self, address: u64) -> bool {
        address.wrapping_sub(self.base) < self.size
    }

    /// Notes of a report on how the program made it and freed it, as far as somebody keeps that.
    pub fn trails(&self) -> Vec<String> {
        let trails = [&self.made_by, &self.freed_by].into_iter().flatten();
        trails.map(Trail::note).collect()
    }
}

impl fmt::Display for Allocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "allocation #{}: {} bytes", self.number, self.size)?;
        if self.kind != AllocationKind::Device {
            write!(f, " of {}", self.kind)?;
        }
        match &self.made_at {
            Some(place) => write!(f, ", made at {place}"),
            None => Ok(()),
        }
    }
}
