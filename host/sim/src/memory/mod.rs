//! Device memory: host memory inside a reserved range of addresses, and the table
//! of live allocations.
//!
//! A device address *is* a host address. CUDA's unified addressing promises that for pinned and
//! managed memory. Here it also holds for device memory, so a copy is a `memcpy` and a kernel's
//! access is a load. Every access is looked up in the table of allocations. Around every allocation
//! lies a gap that belongs to no allocation, so that wrong accesses are found.
//!
//! | file | what it is |
//! | --- | --- |
//! | `allocation` | one piece of memory, and what it was made as |
//! | `arena` | the reserved range, at the same address every run |
//! | `multicast` | one address for memory of several devices |
//! | `physical` | memory without an address, to be mapped into the range |
//! | `shadow` | which bytes were ever written |
//! | `space` | which parts of the range are taken |
//! | `trail` | how the program came to allocate or free |
//! | `table` | what is live, what was freed, and the snapshot that a launch reads without locks |
//! | `whereabouts` | what an address is, or lies next to |
//! | `window` | where shared, local and parameter memory sit among generic addresses |

mod allocation;
mod arena;
mod error;
mod multicast;
mod physical;
mod shadow;
mod space;
mod table;
mod trail;
mod whereabouts;
pub(crate) mod window;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub use allocation::{Allocation, AllocationKind};
use arena::Arena;
pub use error::MemoryError;
pub(crate) use multicast::Multicast;
pub use multicast::Replicas;
pub use physical::{Physical, View};
pub(crate) use shadow::{Shadow, words};
use space::AddressSpace;
use table::Table;
pub(crate) use table::{Range, Snapshot};
pub use trail::Trail;
pub use whereabouts::Whereabouts;

use crate::platform::{Host, PAGE, Pages, Platform, SharedFile};

/// The alignment of every allocation's base address, which `cuMemAlloc` promises for textures (512
/// on every model here).
pub const BASE_ALIGNMENT: u64 = 512;

/// The memory of one simulated device, together with the host memory that it can reach.
#[derive(Debug)]
pub struct Memory {
    state: Mutex<State>,
    /// Bytes of device memory in use. The count changes under the lock, except when physical
    /// memory is dropped.
    used: Arc<AtomicU64>,
    total: u64,
}

#[derive(Debug)]
struct State {
    arena: Arena,
    space: AddressSpace,
    table: Table,
    /// The pages of allocations that are shared with other processes, by base address.
    /// They are this device's own allocations that other processes may map, or allocations
    /// of other processes.
    shared: BTreeMap<u64, Pages>,
}

/// Device memory in the form in which another process opens it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exported {
    /// The file descriptor of the memory in this process.
    pub file: i32,
    /// The inode number of the file.
    pub inode: u64,
    /// Bytes of the allocation.
    pub size: u64,
}

impl Memory {
    /// Reserves memory of `total` bytes. The host backs a page when it is first touched.
    ///
    /// # Errors
    /// [`MemoryError::Reserve`] when the host refuses the range of addresses.
    pub fn new(total: u64) -> Result<Self, MemoryError> {
        let arena = Arena::reserve(total)?;
        let space = AddressSpace::new(arena.base(), arena.size());
        Ok(Self {
            state: Mutex::new(State {
                arena,
                space,
                table: Table::default(),
                shared: BTreeMap::new(),
            }),
            used: Arc::default(),
            total,
        })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // A panic while the lock is held is a bug in this crate. The table is consistent
        // between its statements.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Allocates `size` zeroed bytes aligned to `align` (at least [`BASE_ALIGNMENT`]) and
    /// returns their address.
    ///
    /// Reports name `made_at` as the place of the allocation.
    ///
    /// # Errors
    /// A size of zero, an alignment that is not a power of two, or more than the device has left.
    pub fn allocate(
        &self,
        size: u64,
        align: u64,
        kind: AllocationKind,
        made_at: Option<&str>,
    ) -> Result<u64, MemoryError> {
        if size == 0 {
            return Err(MemoryError::ZeroSize);
        }
        if !align.is_power_of_two() {
            return Err(MemoryError::Alignment { align });
        }
        let state = &mut *self.lock();
        let free = self.total - self.used();
        if kind.on_device() && size > free {
            return Err(MemoryError::OutOfMemory {
                size,
                free,
                total: self.total,
            });
        }
        let out_of_range = MemoryError::OutOfMemory {
            size,
            free,
            total: self.total,
        };
        let (base, reused) = state
            .space
            .take(size, align.max(BASE_ALIGNMENT))
            .ok_or(out_of_range)?;
        if let Err(error) = state.arena.commit(base, size, reused) {
            state.space.give(base, size);
            return Err(error);
        }
        if kind.on_device() {
            self.used.fetch_add(size, Ordering::Relaxed);
        }
        state.table.insert(base, size, kind, made_at);
        Ok(base)
    }

    /// Stores the calls that led to the allocation at `address`. Reports print them.
    pub fn made_by(&self, address: u64, trail: Trail) {
        self.lock().table.made_by(address, trail);
    }

    /// Frees the allocation that starts at `address`.
    ///
    /// # Errors
    /// No live allocation starts there: it was freed before, the address is inside another
    /// allocation, or it does not belong to this device.
    pub fn free(&self, address: u64) -> Result<(), MemoryError> {
        self.free_by(address, None)
    }

    /// Frees the allocation that starts at `address`, and stores the calls that led to the free.
    ///
    /// # Errors
    /// The errors of [`Memory::free`].
    pub fn free_by(&self, address: u64, trail: Option<Trail>) -> Result<(), MemoryError> {
        let state = &mut *self.lock();
        let found = state.table.remove(address, false)?;
        state.table.freed_by(address, trail);
        if found.kind.on_device() && found.kind != AllocationKind::Opened {
            self.used.fetch_sub(found.size, Ordering::Relaxed);
        }
        if let Some(pages) = state.shared.remove(&found.base) {
            // SAFETY: the pages were mapped there, and the allocation in them is freed.
            unsafe { state.arena.clear(found.base, pages.size()) }?;
        }
        let unused = state.space.give(found.base, found.size);
        state.arena.release(unused.start, unused.end - unused.start);
        Ok(())
    }

    /// Moves an allocation into a file that other processes can open. Its address stays the same. A
    /// second export of the same allocation is allowed.
    ///
    /// # Safety
    /// Nothing may write to the allocation during the call.
    ///
    /// # Errors
    /// No allocation starts there, or the operating system's error.
    pub unsafe fn export(&self, address: u64) -> Result<Exported, MemoryError> {
        let state = &mut *self.lock();
        let found = state.table.find(address).filter(|a| a.base == address);
        let Some(Allocation { size, .. }) = found.cloned() else {
            let hint = "does not start an allocation".to_owned();
            return Err(MemoryError::Foreign { address, hint });
        };
        let pages = match state.shared.entry(address) {
            Entry::Occupied(pages) => pages.into_mut(),
            Entry::Vacant(none) => {
                let refused = MemoryError::refused(size);
                let pages = Pages::new(size.next_multiple_of(PAGE)).map_err(&refused)?;
                // SAFETY: allocations start with a page of their own, and a gap of at least a page
                // follows. The new pages have the same contents as the old ones.
                unsafe {
                    pages.fill(address).map_err(&refused)?;
                    pages.map(address).map_err(&refused)?;
                }
                none.insert(pages)
            }
        };
        let numbers = pages.numbers().map_err(MemoryError::refused(size));
        let (file, inode) = numbers?;
        // From now on other processes may write it, and this process cannot record their writes.
        if let Some(shadow) = state.table.shadow(address, size) {
            shadow.write(address, size);
        }
        Ok(Exported { file, inode, size })
    }

    /// Maps `size` bytes of memory that another process has exported. They are an allocation until
    /// it is freed.
    ///
    /// # Errors
    /// The file is too small, or no such range of addresses is left.
    pub fn open(
        &self,
        file: SharedFile,
        size: u64,
        made_at: Option<&str>,
    ) -> Result<u64, MemoryError> {
        let pages = Pages::of(file).map_err(MemoryError::refused(size))?;
        if size == 0 || size > pages.size() || !pages.size().is_multiple_of(PAGE) {
            return Err(MemoryError::ZeroSize);
        }
        let (free, total) = (self.total - self.used(), self.total);
        let state = &mut *self.lock();
        let place = state.space.take(pages.size(), PAGE);
        let (base, reused) = place.ok_or(MemoryError::OutOfMemory { size, free, total })?;
        let shown = state
            .arena
            .commit(base, pages.size(), reused)
            // SAFETY: these are whole pages of the arena that were taken from its address space.
            .and_then(|()| unsafe { pages.map(base) }.map_err(MemoryError::refused(size)));
        if let Err(error) = shown {
            state.space.give(base, pages.size());
            return Err(error);
        }
        state
            .table
            .insert(base, size, AllocationKind::Opened, made_at);
        state.shared.insert(base, pages);
        Ok(base)
    }

    /// Makes `size` bytes of the host's own memory at `address` accessible
    /// to kernels (`cuMemHostRegister`).
    ///
    /// # Safety
    /// The bytes must stay valid for reads and writes until [`Memory::unregister`], because kernels
    /// access them through their address.
    ///
    /// # Errors
    /// The range is empty, wraps around, or overlaps a live allocation.
    pub unsafe fn register(
        &self,
        address: u64,
        size: u64,
        made_at: Option<&str>,
    ) -> Result<(), MemoryError> {
        let end = address
            .checked_add(size)
            .filter(|&end| size > 0 && address >= window::FIRST_HOST && end > address);
        let Some(end) = end else {
            return Err(MemoryError::Range { address, size });
        };
        let state = &mut *self.lock();
        if let Some(other) = state.table.overlapping(address, end) {
            return Err(MemoryError::Overlap {
                address,
                size,
                number: other.number,
            });
        }
        if address < state.arena.base() + state.arena.size() && end > state.arena.base() {
            return Err(MemoryError::Range { address, size });
        }
        state
            .table
            .insert(address, size, AllocationKind::Registered, made_at);
        Ok(())
    }

    /// Undoes [`Memory::register`].
    ///
    /// # Errors
    /// No registered range starts at `address`.
    pub fn unregister(&self, address: u64) -> Result<(), MemoryError> {
        self.lock().table.remove(address, true).map(|_| ())
    }

    /// Reserves a range of addresses without memory, for [`Memory::map`]. It is not an allocation,
    /// and a kernel that accesses it gets an error.
    ///
    /// # Errors
    /// A size of zero, an alignment that is not a power of two, or no such range is left.
    pub fn reserve(&self, size: u64, align: u64) -> Result<u64, MemoryError> {
        if size == 0 {
            return Err(MemoryError::ZeroSize);
        }
        if !align.is_power_of_two() {
            return Err(MemoryError::Alignment { align });
        }
        let (free, total) = (self.total - self.used(), self.total);
        let place = self.lock().space.take(size, align.max(PAGE));
        let (base, _) = place.ok_or(MemoryError::OutOfMemory { size, free, total })?;
        Ok(base)
    }

    /// Gives back a range of [`Memory::reserve`] in which nothing is mapped.
    pub fn unreserve(&self, base: u64, size: u64) {
        self.lock().space.give(base, size);
    }

    /// Allocates device memory without an address.
    ///
    /// # Errors
    /// The device has not enough memory left, or the operating system's error.
    pub fn physical(&self, size: u64) -> Result<Physical, MemoryError> {
        let _turn = self.lock();
        let (free, total) = (self.total - self.used(), self.total);
        if size > free {
            return Err(MemoryError::OutOfMemory { size, free, total });
        }
        self.used.fetch_add(size, Ordering::Relaxed);
        Physical::new(size, self.used.clone())
    }

    /// Maps physical memory at `base`. Kernels can access it once it is published.
    ///
    /// # Safety
    /// All of it must lie in a range of [`Memory::reserve`], and nothing else may be mapped there.
    ///
    /// # Errors
    /// The operating system's error.
    pub unsafe fn map(&self, base: u64, physical: &Physical) -> Result<(), MemoryError> {
        let _turn = self.lock();
        // SAFETY: the caller guarantees the range. Ranges are reserved in whole pages.
        unsafe { physical.map(base) }
    }

    /// Unmaps what [`Memory::map`] mapped at `base`. The addresses stay valid for the host and read
    /// as zero, because a launch of another thread may still use them.
    ///
    /// # Safety
    /// `size` bytes at `base` must be mapped, and must not be published.
    ///
    /// # Errors
    /// The operating system's error.
    pub unsafe fn unmap(&self, base: u64, size: u64) -> Result<(), MemoryError> {
        // SAFETY: the caller guarantees that the range was mapped and is not published.
        unsafe { self.lock().arena.clear(base, size) }
    }

    /// Makes `size` bytes at `base`, all of them mapped, accessible to kernels and copies
    /// as one allocation.
    ///
    /// # Errors
    /// Some of the range is live.
    pub fn publish(&self, base: u64, size: u64, made_at: Option<&str>) -> Result<(), MemoryError> {
        let table = &mut self.lock().table;
        table.publish(base, size, AllocationKind::Mapped, made_at)
    }

    /// Makes `size` bytes at `base`, in which nothing is mapped, accessible to kernels as multicast
    /// memory. `stretches` lists the bytes of each device that each address stands for.
    ///
    /// # Safety
    /// The places of all stretches must be valid for reads and writes until [`Memory::withdraw`],
    /// and until launches that began before it are over. `size` bytes at `base` must lie in a range
    /// of [`Memory::reserve`], of this device or another.
    ///
    /// # Errors
    /// Some of the range is live, or the operating system's error.
    pub unsafe fn publish_multicast(
        &self,
        base: u64,
        size: u64,
        stretches: Vec<Replicas>,
    ) -> Result<(), MemoryError> {
        let table = &mut self.lock().table;
        table.publish(base, size, AllocationKind::Multicast, None)?;
        table.multicast(Multicast {
            base,
            size,
            stretches: stretches.into(),
        });
        Ok(())
    }

    /// Undoes [`Memory::publish`] or [`Memory::publish_multicast`].
    ///
    /// # Errors
    /// Nothing was published at `base`.
    pub fn withdraw(&self, base: u64) -> Result<(), MemoryError> {
        self.lock().table.remove(base, false).map(|_| ())
    }

    /// Returns the live allocation that contains `address`.
    pub fn find(&self, address: u64) -> Option<Allocation> {
        self.lock().table.find(address).cloned()
    }

    /// Returns every live allocation, sorted by address. A leak check prints them.
    pub fn live(&self) -> Vec<Allocation> {
        self.lock().table.live().cloned().collect()
    }

    /// Returns whether all of `len` bytes from `address` are in one live allocation. For an empty
    /// range, only the address itself must be.
    pub fn is_accessible(&self, address: u64, len: u64) -> bool {
        let state = self.lock();
        state.table.find(address).is_some_and(|a| {
            address
                .checked_add(len)
                .is_some_and(|end| end <= a.base + a.size)
        })
    }

    /// Returns the freed allocation that contains an address, with the offset in it. Unlike
    /// [`whereabouts`](Self::whereabouts) it is also quick if there is none, because it does not
    /// read the host's list of mappings.
    pub fn freed(&self, address: u64) -> Option<(u64, Allocation)> {
        match self.lock().table.whereabouts(address) {
            Whereabouts::Freed(at, old) => Some((at, old)),
            _ => None,
        }
    }

    /// Returns what an address is, or what it lies next to, for a report.
    pub fn whereabouts(&self, address: u64) -> Whereabouts {
        let found = self.lock().table.whereabouts(address);
        match found {
            // An allocation far away from the address would not help the reader.
            Whereabouts::Past(..) | Whereabouts::Before(..) | Whereabouts::Nowhere
                if !arena::is_reserved(address) && Host::is_mapped(address) =>
            {
                Whereabouts::Host
            }
            found => found,
        }
    }

    /// Records that the host wrote `len` bytes at `address`: by a copy, by a memset, or because
    /// another device can now write them.
    pub fn written(&self, address: u64, len: u64) {
        if let Some(shadow) = self.lock().table.shadow(address, len) {
            shadow.write(address, len);
        }
    }

    /// Returns the parts of `len` bytes at `address` that were never written, as offsets and
    /// lengths. The list is empty for memory that has contents from the start, and after a launch
    /// without the check for such reads.
    pub fn unwritten(&self, address: u64, len: u64) -> Vec<(u64, u64)> {
        let state = self.lock();
        let Some(shadow) = state.table.shadow(address, len) else {
            return Vec::new();
        };
        if !shadow.lacks(address, len) {
            return Vec::new();
        }
        let mut found: Vec<(u64, u64)> = Vec::new();
        for at in (0..len).filter(|at| shadow.unwritten(address + at, 1) != 0) {
            match found.last_mut().filter(|(start, size)| start + size == at) {
                Some((_, size)) => *size += 1,
                None => found.push((at, 1)),
            }
        }
        found
    }

    /// Records that bytes hold uninitialised data, because they are a copy of uninitialised bytes.
    pub fn forgotten(&self, address: u64, len: u64) {
        if let Some(shadow) = self.lock().table.shadow(address, len) {
            shadow.forget(address, len);
        }
    }

    /// Records that a kernel ran whose writes were not recorded.
    pub(crate) fn all_written(&self) {
        self.lock().table.write_all();
    }

    /// Returns the bytes of device memory in use.
    pub fn used(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }

    /// Returns the bytes of memory that the device has.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Returns the live allocations, in a form that a launch reads without a lock.
    pub(crate) fn snapshot(&self) -> Arc<Snapshot> {
        self.lock().table.snapshot()
    }
}
