//! The heap from which `malloc` in a kernel allocates.
//!
//! CUDA C++ Programming Guide, "Dynamic Global Memory Allocation". Blocks have 16 bytes or more and
//! are allocated first-fit, under one lock. The guide promises 16-byte alignment and a null pointer
//! when the heap is full. The heap keeps a list of live blocks, so that a stale pointer into it is
//! a fault like any other.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

const ALIGN: u64 = 16;

/// One device's heap. It lasts from launch to launch, as on a GPU.
#[derive(Debug, Default)]
pub(crate) struct Heap {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    base: u64,
    size: u64,
    /// Live blocks, from start to requested size.
    live: BTreeMap<u64, u64>,
}

impl Heap {
    /// Returns a heap without memory.
    pub(crate) const fn empty() -> Self {
        Self {
            state: Mutex::new(State {
                base: 0,
                size: 0,
                live: BTreeMap::new(),
            }),
        }
    }

    /// Returns a heap over `size` bytes at `base`.
    pub(crate) fn new(base: u64, size: u64) -> Self {
        Self {
            state: Mutex::new(State {
                base,
                size,
                live: BTreeMap::new(),
            }),
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Allocates `size` bytes. Returns their address, or 0 if there is no room.
    pub(crate) fn allocate(&self, size: u64) -> u64 {
        let state = &mut *self.lock();
        let Some(len) = size.max(1).checked_next_multiple_of(ALIGN) else {
            return 0;
        };
        // A gap of one unit stays between blocks, so that an overrun is detected.
        let mut at = state.base;
        for (&start, &size) in &state.live {
            if at.checked_add(len + ALIGN).is_some_and(|end| end <= start) {
                break;
            }
            at = (start + size).next_multiple_of(ALIGN) + ALIGN;
        }
        if at
            .checked_add(len)
            .is_none_or(|end| end > state.base + state.size)
        {
            return 0;
        }
        state.live.insert(at, size.max(1));
        at
    }

    /// Frees an address that `allocate` returned. Returns false if it did not return that address,
    /// or if the block has been freed. A null pointer is valid.
    pub(crate) fn free(&self, address: u64) -> bool {
        address == 0 || self.lock().live.remove(&address).is_some()
    }

    /// Returns the start and the size of the live block that contains `address`.
    pub(crate) fn piece(&self, address: u64) -> Option<(u64, u64)> {
        let state = self.lock();
        let (&start, &size) = state.live.range(..=address).next_back()?;
        (address - start < size).then_some((start, size))
    }

    /// Returns whether all of `len` bytes at `address` are in one live block.
    pub(crate) fn is_live(&self, address: u64, len: u64) -> bool {
        let state = self.lock();
        let piece = state.live.range(..=address).next_back();
        piece.is_some_and(|(&start, &size)| {
            address - start < size && len <= size - (address - start)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_aligned_apart_and_reused() {
        let heap = Heap::new(0x1000, 256);
        let (a, b) = (heap.allocate(20), heap.allocate(1));
        assert_eq!((a, b), (0x1000, 0x1030));
        assert!(heap.is_live(a + 19, 1) && !heap.is_live(a + 20, 1) && !heap.is_live(a, 21));
        assert!(heap.free(a) && !heap.free(a) && !heap.free(b + 16) && heap.free(0));
        assert_eq!(heap.allocate(8), 0x1000);
        assert_eq!(heap.allocate(1000), 0);
        assert_eq!(heap.allocate(u64::MAX), 0);
    }
}
