//! Device memory: host memory inside a reserved range of addresses, and the table of live
//! allocations.
//!
//! A device address *is* a host address, as CUDA's unified addressing promises for pinned and
//! managed memory. Here it holds for device memory too, so a copy is a `memcpy` and a kernel's
//! access is a load. Every access is looked up in the table, and around every allocation lies a gap
//! that belongs to nobody, so that wrong accesses are found.
//!
//! | file | what it is |
//! | --- | --- |
//! | `allocation` | one piece of memory, and what it was made as |
//! | `arena` | the reserved range, at the same address every run |
//! | `multicast` | one address for memory of several devices |
//! | `pages` | files in memory, which can be shown at several addresses and in several processes |
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
mod pages;
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
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub use allocation::{Allocation, AllocationKind};
use arena::Arena;
pub use error::MemoryError;
pub(crate) use multicast::Multicast;
pub use multicast::Replicas;
use pages::Pages;
pub use physical::{Physical, View};
pub(crate) use shadow::{Shadow, words};
use space::AddressSpace;
use table::Table;
pub(crate) use table::{Range, Snapshot};
pub use trail::Trail;
pub use whereabouts::Whereabouts;

/// Every allocation starts at a multiple of this, as `cuMemAlloc` promises for textures (512 on
/// every model here).
pub const BASE_ALIGNMENT: u64 = 512;

/// What mappings are whole numbers of.
const PAGE: u64 = 4096;

/// The memory of one simulated device, with the host memory that it can reach.
#[derive(Debug)]
pub struct Memory {
    state: Mutex<State>,
    /// Bytes of device memory in use; changed under the lock, but for physical memory that is
    /// dropped.
    used: Arc<AtomicU64>,
    total: u64,
}

#[derive(Debug)]
struct State {
    arena: Arena,
    space: AddressSpace,
    table: Table,
    /// Of the allocations that other processes may show too, or that are theirs, by their starts.
    shared: BTreeMap<u64, Pages>,
}

/// Device memory as another process finds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exported {
    /// The number of the file that the memory is in, among this process' files.
    pub file: i32,
    /// Its number among all files.
    pub inode: u64,
    /// Bytes of the allocation.
    pub size: u64,
}

impl Memory {
    /// Memory of `total` bytes, reserved now and backed by the host only where it is touched.
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
        // A panic while the lock is held is a bug of ours; the table is consistent between its
        // statements.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Allocates `size` zeroed bytes aligned to `align` (at least [`BASE_ALIGNMENT`]) and gives
    /// their address.
    ///
    /// `made_at` is what reports name as the place of the allocation.
    ///
    /// # Errors
    /// A size of zero, an alignment that is no power of two, or more than the device has left.
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

    /// Keeps how the program came to make the allocation that starts at `address`; reports tell it.
    pub fn made_by(&self, address: u64, trail: Trail) {
        self.lock().table.made_by(address, trail);
    }

    /// Frees the allocation that starts at `address`.
    ///
    /// # Errors
    /// When nothing live starts there: freed before, inside another allocation, or never ours.
    pub fn free(&self, address: u64) -> Result<(), MemoryError> {
        self.free_by(address, None)
    }

    /// The same, with how the program came to it.
    ///
    /// # Errors
    /// As for [`Memory::free`].
    pub fn free_by(&self, address: u64, trail: Option<Trail>) -> Result<(), MemoryError> {
        let state = &mut *self.lock();
        let found = state.table.remove(address, false)?;
        state.table.freed_by(address, trail);
        if found.kind.on_device() && found.kind != AllocationKind::Opened {
            self.used.fetch_sub(found.size, Ordering::Relaxed);
        }
        if let Some(pages) = state.shared.remove(&found.base) {
            // SAFETY: the pages were shown there, and what lay in them is freed.
            unsafe { state.arena.clear(found.base, pages.size()) }?;
        }
        let unused = state.space.give(found.base, found.size);
        state.arena.release(unused.start, unused.end - unused.start);
        Ok(())
    }

    /// Puts an allocation into a file that other processes can open, which may be done more than
    /// once. It stays where it is.
    ///
    /// # Safety
    /// Nothing writes to it meanwhile.
    ///
    /// # Errors
    /// When no allocation starts there; the operating system's error.
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
                let pages = Pages::new(size.next_multiple_of(PAGE))?;
                // SAFETY: allocations start with a page of their own, and a gap of at least a page
                // follows; the pages show what was there.
                unsafe {
                    pages.fill(address)?;
                    pages.map(address)?;
                }
                none.insert(pages)
            }
        };
        let (file, inode) = pages.numbers()?;
        // Nobody here knows from now on who wrote what.
        if let Some(shadow) = state.table.shadow(address, size) {
            shadow.write(address, size);
        }
        Ok(Exported { file, inode, size })
    }

    /// Shows `size` bytes of memory that another process has exported: an allocation, until it is
    /// freed.
    ///
    /// # Errors
    /// A file that is too small, or no such range of addresses left.
    pub fn open(
        &self,
        file: OwnedFd,
        size: u64,
        made_at: Option<&str>,
    ) -> Result<u64, MemoryError> {
        let pages = Pages::of(file)?;
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
            // SAFETY: whole pages of the arena that were taken from its space.
            .and_then(|()| unsafe { pages.map(base) });
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

    /// Makes `size` bytes of the host's own memory at `address` reachable for kernels
    /// (`cuMemHostRegister`).
    ///
    /// # Safety
    /// The bytes must stay valid for reads and writes until [`Memory::unregister`]: kernels touch
    /// them through their address.
    ///
    /// # Errors
    /// When the range is empty, wraps around, or overlaps what is live already.
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

    /// Ends what [`Memory::register`] began.
    ///
    /// # Errors
    /// When no registered range starts at `address`.
    pub fn unregister(&self, address: u64) -> Result<(), MemoryError> {
        self.lock().table.remove(address, true).map(|_| ())
    }

    /// Takes a range of addresses that nothing lies at yet, for [`Memory::map`]. It is no
    /// allocation: kernels find nothing there.
    ///
    /// # Errors
    /// A size of zero, an alignment that is no power of two, or no such range left.
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

    /// Gives a range back that [`Memory::reserve`] took and nothing is mapped in.
    pub fn unreserve(&self, base: u64, size: u64) {
        self.lock().space.give(base, size);
    }

    /// Device memory without an address.
    ///
    /// # Errors
    /// More than the device has left, or the operating system's error.
    pub fn physical(&self, size: u64) -> Result<Physical, MemoryError> {
        let _turn = self.lock();
        let (free, total) = (self.total - self.used(), self.total);
        if size > free {
            return Err(MemoryError::OutOfMemory { size, free, total });
        }
        self.used.fetch_add(size, Ordering::Relaxed);
        Physical::new(size, self.used.clone())
    }

    /// Shows physical memory at `base`. Kernels find it once it is published.
    ///
    /// # Safety
    /// The whole of it lies in a range of [`Memory::reserve`], in which nothing else is mapped
    /// there.
    ///
    /// # Errors
    /// The operating system's error.
    pub unsafe fn map(&self, base: u64, physical: &Physical) -> Result<(), MemoryError> {
        let _turn = self.lock();
        // SAFETY: the caller's word; ranges are reserved by whole pages.
        unsafe { physical.map(base) }
    }

    /// Takes away what [`Memory::map`] put at `base`. The addresses stay valid for the host and
    /// read as zero: a launch of another thread may still hold them.
    ///
    /// # Safety
    /// `size` bytes at `base` were mapped, and are not published.
    ///
    /// # Errors
    /// The operating system's error.
    pub unsafe fn unmap(&self, base: u64, size: u64) -> Result<(), MemoryError> {
        // SAFETY: the caller's word.
        unsafe { self.lock().arena.clear(base, size) }
    }

    /// Makes `size` bytes at `base`, all of them mapped, known to kernels and copies as one piece
    /// of memory.
    ///
    /// # Errors
    /// When something there is live.
    pub fn publish(&self, base: u64, size: u64, made_at: Option<&str>) -> Result<(), MemoryError> {
        let table = &mut self.lock().table;
        table.publish(base, size, AllocationKind::Mapped, made_at)
    }

    /// Makes `size` bytes at `base`, in which nothing is mapped, known to kernels as multicast
    /// memory: the stretches say which bytes of which devices each address stands for.
    ///
    /// # Safety
    /// The places of all stretches are valid for reads and writes until [`Memory::withdraw`], and
    /// for launches that began before. `size` bytes at `base` lie in a range of
    /// [`Memory::reserve`], of this device or another.
    ///
    /// # Errors
    /// When something there is live, or the operating system's error.
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

    /// Ends what [`Memory::publish`] or [`Memory::publish_multicast`] began.
    ///
    /// # Errors
    /// When nothing was published at `base`.
    pub fn withdraw(&self, base: u64) -> Result<(), MemoryError> {
        self.lock().table.remove(base, false).map(|_| ())
    }

    /// The live allocation that holds `address`.
    pub fn find(&self, address: u64) -> Option<Allocation> {
        self.lock().table.find(address).cloned()
    }

    /// Every live allocation, by address: what a leak check prints.
    pub fn live(&self) -> Vec<Allocation> {
        self.lock().table.live().cloned().collect()
    }

    /// Whether all of `len` bytes from `address` are in one live allocation. An empty range asks
    /// for the address alone.
    pub fn is_accessible(&self, address: u64, len: u64) -> bool {
        let state = self.lock();
        state.table.find(address).is_some_and(|a| {
            address
                .checked_add(len)
                .is_some_and(|end| end <= a.base + a.size)
        })
    }

    /// The freed allocation that an address is in, with how far in it is. Unlike
    /// [`whereabouts`](Self::whereabouts) it is quick where there is none: the host is not asked
    /// what it has there.
    pub fn freed(&self, address: u64) -> Option<(u64, Allocation)> {
        match self.lock().table.whereabouts(address) {
            Whereabouts::Freed(at, old) => Some((at, old)),
            _ => None,
        }
    }

    /// What an address is, or lies next to: what a report says of it.
    pub fn whereabouts(&self, address: u64) -> Whereabouts {
        let found = self.lock().table.whereabouts(address);
        match found {
            // Next to memory that is far away says nothing.
            Whereabouts::Past(..) | Whereabouts::Before(..) | Whereabouts::Nowhere
                if !arena::is_reserved(address) && whereabouts::is_mapped(address) =>
            {
                Whereabouts::Host
            }
            found => found,
        }
    }

    /// Says that the host wrote `len` bytes at `address`: by a copy, a memset, or by showing them
    /// to another device.
    pub fn written(&self, address: u64, len: u64) {
        if let Some(shadow) = self.lock().table.shadow(address, len) {
            shadow.write(address, len);
        }
    }

    /// Of `len` bytes at `address` those that nobody ever wrote, a list of offsets and lengths;
    /// none in memory that has contents from the start, or after a launch that was not checked for
    /// such reads.
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

    /// Says that bytes hold uninitialised data: a copy of such bytes.
    pub fn forgotten(&self, address: u64, len: u64) {
        if let Some(shadow) = self.lock().table.shadow(address, len) {
            shadow.forget(address, len);
        }
    }

    /// Says that a kernel ran of which nobody knows what it wrote.
    pub(crate) fn all_written(&self) {
        self.lock().table.write_all();
    }

    /// Bytes of device memory in use.
    pub fn used(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }

    /// Bytes of device memory there are.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// What is live now, to be read without a lock while a launch runs.
    pub(crate) fn snapshot(&self) -> Arc<Snapshot> {
        self.lock().table.snapshot()
    }
}
