//! An allocation that a kernel may reach, and the kind of memory that it is.

use std::fmt;
use std::sync::Arc;

use super::trail::Trail;

/// The kind of memory of an allocation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AllocationKind {
    /// Device memory (`cuMemAlloc` and its like).
    Device,
    /// Pinned host memory (`cuMemAllocHost`, `cuMemHostAlloc`).
    Pinned,
    /// Managed memory, which host and devices share (`cuMemAllocManaged`).
    Managed,
    /// A module's `.global` variable.
    Global(Arc<str>),
    /// A module's `.const` variable: kernels read it and the host writes it.
    Constant(Arc<str>),
    /// An array of texels, which kernels reach through textures and surfaces only.
    Array,
    /// Physical memory mapped into a reserved range (`cuMemMap`).
    Mapped,
    /// Memory of several devices under one address, which only `multimem` instructions reach
    /// (`cuMemMap` of a multicast object).
    Multicast,
    /// Device memory that another process has allocated (`cuIpcOpenMemHandle`).
    Opened,
    /// The heap from which `malloc` in a kernel allocates.
    Heap,
    /// The parameters that launches from kernels pass to their children.
    Launches,
    /// The barrier at which the blocks of a cooperative launch wait for each other.
    Cooperation,
    /// What kernels store when they panic.
    Panic,
    /// The host's own memory after `cuMemHostRegister`.
    Registered,
}

impl AllocationKind {
    /// Returns whether the allocation uses the device's own memory.
    pub fn on_device(&self) -> bool {
        !matches!(
            self,
            Self::Pinned | Self::Registered | Self::Multicast | Self::Panic
        )
    }

    /// Returns whether host code on a machine with a GPU may access the memory through its address.
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
            Self::Panic => f.write_str("the record of panics"),
            Self::Registered => f.write_str("registered host memory"),
        }
    }
}

/// One allocation that a kernel may reach.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allocation {
    /// The address of the first byte.
    pub base: u64,
    /// The size in bytes.
    pub size: u64,
    /// The kind of memory.
    pub kind: AllocationKind,
    /// The number of the allocation, from 1, in the order in which the device allocated.
    pub number: u64,
    /// The place in the program that allocated it, if the caller passed one.
    pub made_at: Option<Arc<str>>,
    /// The calls that led to the allocation, if they were recorded.
    pub made_by: Option<Trail>,
    /// The calls that led to the free, if it was freed and they were recorded.
    pub freed_by: Option<Trail>,
}

impl Allocation {
    /// Returns whether `address` is in the allocation.
    pub fn contains(&self, address: u64) -> bool {
        address.wrapping_sub(self.base) < self.size
    }

    /// Returns the notes of a report on how the program allocated and freed it, if the
    /// calls were recorded.
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
