//! Tensor memory: its allocation, and addresses in it.

use core::marker::PhantomData;

use super::{Group, OneBlock, fence_after_thread_sync, fence_before_thread_sync, for_group};
use crate::state_space::{self, ptx};
use crate::{SharedArray, thread};

/// An address in tensor memory: a lane, 0 to 127, and a column of 4 bytes, 0 to 511.
#[doc(alias = "taddr")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct TensorAddress(u32);

impl TensorAddress {
    /// Returns the address this many columns to the right.
    #[inline]
    #[must_use]
    pub fn at_column(self, columns: u32) -> Self {
        TensorAddress(self.0 + columns)
    }

    /// Returns the address this many lanes further down. The warp with number `w` in its warpgroup
    /// can access lanes `32 w` to `32 w + 31`.
    #[inline]
    #[must_use]
    pub fn at_lane(self, lanes: u32) -> Self {
        TensorAddress(self.0 + (lanes << 16))
    }

    /// Returns the address as the instructions take it: the lane in the high half, and the column
    /// in the low half.
    #[inline]
    #[must_use]
    pub fn bits(self) -> u32 {
        self.0
    }

    /// Makes the address with these bits, for addresses from other sources.
    #[inline]
    #[must_use]
    pub fn from_bits(bits: u32) -> Self {
        TensorAddress(bits)
    }

    /// Moves the 32 lanes from this address on, a multiple of 32, down by one: row `i + 1`
    /// becomes row `i`, of 32 bytes. One thread calls it. [`commit`](super::commit) reports when
    /// the move is complete.
    ///
    /// # Safety
    /// This block has allocated the columns, and nothing else uses them until the move is complete.
    #[doc(alias = "tcgen05.shift")]
    #[inline]
    pub unsafe fn shift_down<G: Group>(self) {
        // SAFETY: the caller keeps the contract of this function.
        unsafe {
            for_group!(G, "tcgen05.shift":
                ["tcgen05.shift"] group [".down [{address}];"],
                address = in(reg32) self.0,
                options(nostack, preserves_flags),
            );
        }
    }
}

/// The memory to which the hardware writes the address of an allocation:
/// `shared! { static MEMORY: [TensorMemoryStorage; 1]; }`.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(4))]
pub struct TensorMemoryStorage(u32);

/// Columns of tensor memory that this block has allocated: 32, 64, 128, 256 or 512, with all 128
/// lanes of each.
#[derive(Debug)]
#[must_use = "tensor memory that is not freed is lost to the blocks that come after: `free`"]
pub struct TensorMemory<const COLUMNS: u32, G = OneBlock> {
    address: TensorAddress,
    group: PhantomData<(G, *mut ())>,
}

impl<const COLUMNS: u32, G: Group> TensorMemory<COLUMNS, G> {
    const VALID: () = assert!(
        COLUMNS.is_power_of_two() && COLUMNS >= 32 && COLUMNS <= 512,
        "tensor memory is allocated in 32, 64, 128, 256 or 512 columns"
    );

    /// Allocates tensor memory. All threads of the block call it, and the first warp has 32
    /// threads. For a pair, all threads of both blocks call it. It waits while other blocks on the
    /// same multiprocessor use too much. It then gives up the right to allocate again, so a kernel
    /// can call it only once.
    #[doc(alias = "tcgen05.alloc")]
    #[doc(alias = "tcgen05.relinquish_alloc_permit")]
    #[inline]
    pub fn init(storage: &SharedArray<TensorMemoryStorage, 1>) -> Self {
        const { Self::VALID };
        let place = state_space::shared(storage.as_ptr());
        if thread::thread_rank() < 32 {
            // SAFETY: the first warp is whole, and the storage belongs to the block.
            unsafe {
                for_group!(G, "tcgen05.alloc":
                    ["tcgen05.alloc"] group [".sync.aligned.shared::cta.b32 [{place}], {columns};"],
                    place = in(reg32) place,
                    columns = in(reg32) COLUMNS,
                    options(nostack, preserves_flags),
                );
                for_group!(G, "tcgen05.relinquish_alloc_permit":
                    ["tcgen05.relinquish_alloc_permit"] group [".sync.aligned;"],
                    options(nostack, preserves_flags),
                );
            }
        }
        fence_before_thread_sync();
        thread::sync_threads();
        fence_after_thread_sync();
        // SAFETY: the first warp wrote the element before the barrier, and no thread
        // writes it again.
        let address = unsafe { storage.get(0) }.0;
        TensorMemory {
            address: TensorAddress(address),
            group: PhantomData,
        }
    }

    /// Returns the address of the first lane and column.
    #[inline]
    #[must_use]
    pub fn address(&self) -> TensorAddress {
        self.address
    }

    /// Frees the tensor memory. All threads of the block call it, and none continues before the
    /// memory is free. For a pair, all threads of both blocks call it.
    ///
    /// # Safety
    /// All operations on the memory are complete, and the block has waited for them.
    #[doc(alias = "tcgen05.dealloc")]
    #[inline]
    pub unsafe fn free(self) {
        fence_before_thread_sync();
        thread::sync_threads();
        fence_after_thread_sync();
        if thread::thread_rank() < 32 {
            // SAFETY: the warp that has allocated the memory frees it, and it is no longer used.
            unsafe {
                for_group!(G, "tcgen05.dealloc":
                    ["tcgen05.dealloc"] group [".sync.aligned.b32 {address}, {columns};"],
                    address = in(reg32) self.address.0,
                    columns = in(reg32) COLUMNS,
                    options(nostack, preserves_flags),
                );
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::TensorAddress;

    #[test]
    fn lanes_are_in_the_high_half() {
        let address = TensorAddress::from_bits(5);
        assert_eq!(address.at_lane(32).at_column(3).bits(), 0x0020_0008);
    }
}
