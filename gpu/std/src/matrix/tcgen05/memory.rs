//! Tensor memory: its allocation, and addresses in it.

use core::convert::Infallible;
use core::marker::PhantomData;

use super::{CtaGroup, OneBlock, fence_after_thread_sync, fence_before_thread_sync, for_group};
use crate::kernel::AtEntry;
use crate::memory::shared::declaration;
use crate::phased::Memory;
use crate::state_space::{self, ptx};
use crate::target::WARP_SIZE;
use crate::thread;

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
    pub unsafe fn shift_down<G: CtaGroup>(self) {
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

/// Columns of tensor memory that this block has allocated: 32, 64, 128, 256 or 512, with all 128
/// lanes of each. `static MEMORY: TensorMemory<512>;` in a kernel's first statement allocates them.
///
/// The kernel's entry point waits while other blocks on the same multiprocessor use too much. It
/// then gives up the right to allocate again. The first warp of the block allocates, and a pair's
/// blocks do so together.
#[doc(alias = "tcgen05.alloc")]
#[doc(alias = "tcgen05.relinquish_alloc_permit")]
#[derive(Debug)]
#[must_use = "tensor memory that is not freed is lost to the blocks that come after: `free`"]
pub struct TensorMemory<const COLUMNS: u32, G = OneBlock> {
    /// The memory to which the hardware has written the address of the allocation.
    place: *const u32,
    group: PhantomData<(G, *mut ())>,
}

impl<const COLUMNS: u32, G: CtaGroup> TensorMemory<COLUMNS, G> {
    const VALID: () = assert!(
        COLUMNS.is_power_of_two() && COLUMNS >= 32 && COLUMNS <= 512,
        "tensor memory is allocated in 32, 64, 128, 256 or 512 columns"
    );
}

impl<const COLUMNS: u32, G: CtaGroup> AtEntry for TensorMemory<COLUMNS, G> {
    type Initial = Infallible;

    #[inline(always)]
    fn meeting() -> bool {
        true
    }

    #[inline(always)]
    unsafe fn at_entry<Declaration>(_: Option<Infallible>) -> Self {
        const { Self::VALID };
        assert!(
            thread::block_size() >= WARP_SIZE,
            "a whole warp allocates tensor memory"
        );
        let place = declaration::<Declaration, Memory<u32, Self>>().cast();
        let to = state_space::shared(place);
        if thread::thread_rank() < WARP_SIZE {
            // SAFETY: the first warp is whole, and the memory belongs to the block.
            unsafe {
                for_group!(G, "tcgen05.alloc":
                    ["tcgen05.alloc"] group [".sync.aligned.shared::cta.b32 [{to}], {columns};"],
                    to = in(reg32) to,
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
        TensorMemory {
            place,
            group: PhantomData,
        }
    }
}

impl<const COLUMNS: u32, G: CtaGroup> TensorMemory<COLUMNS, G> {
    /// Returns the address of the first lane and column.
    #[inline]
    #[must_use]
    pub fn address(&self) -> TensorAddress {
        fence_after_thread_sync();
        // SAFETY: the first warp wrote it before the threads met at the kernel's entry, and no
        // thread writes it again.
        TensorAddress(unsafe { self.place.read() })
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
        let address = self.address();
        if thread::thread_rank() < WARP_SIZE {
            // SAFETY: the warp that has allocated the memory frees it, and it is no longer used.
            unsafe {
                for_group!(G, "tcgen05.dealloc":
                    ["tcgen05.dealloc"] group [".sync.aligned.b32 {address}, {columns};"],
                    address = in(reg32) address.0,
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
