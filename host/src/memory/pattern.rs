//! Patterns that the driver can write repeatedly through memory, synchronously or on a stream.
//!
//! Source: CUDA driver API, `cuMemsetD8`, `cuMemsetD16`, `cuMemsetD32` and
//! their asynchronous forms.

use bytemuck::Pod;
use lanewise_driver::abi::{CUresult, CUstream};
use lanewise_driver::api;

/// The bytes that the driver writes repeatedly.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pattern {
    /// The bytes, the first in the lowest bits.
    pub(crate) bits: u32,
    /// The number of bytes: 1, 2 or 4.
    pub(crate) bytes: u32,
}

impl Pattern {
    /// The pattern of one zero byte.
    pub(crate) const ZERO: Self = Self { bits: 0, bytes: 1 };

    /// Returns the bytes of a value.
    pub(crate) fn of<T: Pod>(value: T) -> Self {
        const {
            assert!(
                matches!(size_of::<T>(), 1 | 2 | 4),
                "memory is filled with values of 1, 2 or 4 bytes"
            );
        };
        let mut word = [0; 4];
        word[..size_of::<T>()].copy_from_slice(bytemuck::bytes_of(&value));
        Self {
            bits: u32::from_le_bytes(word),
            bytes: size_of::<T>() as u32,
        }
    }

    /// Writes the pattern `count` times from `address` on, in order with the legacy default stream.
    /// Returns the name of the driver's call, and its result.
    ///
    /// # Safety
    /// This many bytes are allocated there, and nothing else uses them meanwhile.
    pub(super) unsafe fn set(self, address: u64, count: usize) -> (&'static str, CUresult) {
        let bits = self.bits;
        // SAFETY: the caller promises the same.
        unsafe {
            match self.bytes {
                1 => ("cuMemsetD8", api::cuMemsetD8_v2(address, bits as u8, count)),
                2 => (
                    "cuMemsetD16",
                    api::cuMemsetD16_v2(address, bits as u16, count),
                ),
                _ => ("cuMemsetD32", api::cuMemsetD32_v2(address, bits, count)),
            }
        }
    }

    /// As [`Self::set`], but queues the writes on a stream.
    ///
    /// # Safety
    /// As for [`Self::set`], until the queued work is done.
    pub(super) unsafe fn queue(
        self,
        address: u64,
        count: usize,
        stream: CUstream,
    ) -> (&'static str, CUresult) {
        let bits = self.bits;
        // SAFETY: the caller promises the same.
        unsafe {
            match self.bytes {
                1 => (
                    "cuMemsetD8Async",
                    api::cuMemsetD8Async(address, bits as u8, count, stream),
                ),
                2 => (
                    "cuMemsetD16Async",
                    api::cuMemsetD16Async(address, bits as u16, count, stream),
                ),
                _ => (
                    "cuMemsetD32Async",
                    api::cuMemsetD32Async(address, bits, count, stream),
                ),
            }
        }
    }
}
