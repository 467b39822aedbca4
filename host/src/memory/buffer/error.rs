//! Errors of memory on the device.

use std::panic::Location;

use lanewise_driver::api;

use crate::DriverError;
use crate::error::in_words;

/// Why memory could not be allocated or copied.
#[derive(thiserror::Error)]
pub enum MemoryError {
    /// The device has too little free memory.
    #[error(
        "no room on the device for {bytes} bytes ({free} of {total} are free): use a smaller size, or drop buffers first"
    )]
    OutOfMemory {
        /// How many bytes were asked for.
        bytes: usize,
        /// How many bytes were free when the driver was asked afterwards.
        free: usize,
        /// How many bytes the device has in all.
        total: usize,
        /// The driver's error.
        source: DriverError,
    },
    /// The host must not access managed memory of this device while any kernel runs.
    #[error(
        "on {device} the host must not access managed memory while a kernel runs (CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS is 0): \
         use a `DeviceBuffer` and copies, or pinned memory that is mapped"
    )]
    NoConcurrentAccess {
        /// The device's name.
        device: String,
    },
    /// The host slice and the buffer differ in length.
    #[error(
        "the buffer holds {buffer} elements and the host slice {host}, at {at}: a copy needs equal lengths"
    )]
    LengthMismatch {
        /// Elements in the buffer.
        buffer: usize,
        /// Elements in the slice.
        host: usize,
        /// The line of the program that copied.
        at: &'static Location<'static>,
    },
    /// The buffer's elements do not make whole vectors.
    #[error(
        "the buffer holds {len} elements, at {at}: expected a multiple of {lanes}, the elements of a `{vector}`"
    )]
    NotWholeVectors {
        /// Elements in the buffer.
        len: usize,
        /// Elements in a vector.
        lanes: usize,
        /// The name of the vector's type.
        vector: &'static str,
        /// The line of the program that asked for vectors.
        at: &'static Location<'static>,
    },
    /// The buffer is a part that begins where no vector may begin.
    #[error(
        "the buffer begins {beyond} bytes after a multiple of {alignment}, at {at}: a `{vector}` is aligned to {alignment} bytes"
    )]
    NotAligned {
        /// Bytes between the last aligned address and the buffer's.
        beyond: u64,
        /// The alignment of the vector, in bytes.
        alignment: usize,
        /// The name of the vector's type.
        vector: &'static str,
        /// The line of the program that asked for vectors.
        at: &'static Location<'static>,
    },
    /// The driver refused the call. After a fault in a kernel it refuses every call.
    #[error("the driver refused to work on the device's memory")]
    Driver(#[from] DriverError),
}

in_words! { MemoryError }

impl MemoryError {
    /// Returns the error for a failed allocation of this many bytes.
    pub(super) fn of_allocation(bytes: usize, source: DriverError) -> Self {
        match source.name() {
            "CUDA_ERROR_OUT_OF_MEMORY" => Self::out_of_memory(bytes, source),
            _ => Self::Driver(source),
        }
    }

    /// Returns the error for too little memory for this many bytes.
    pub(super) fn out_of_memory(bytes: usize, source: DriverError) -> Self {
        let (mut free, mut total) = (0, 0);
        // If the call fails, both stay 0.
        // SAFETY: the results are written to local variables.
        let _ = unsafe { api::cuMemGetInfo_v2(&mut free, &mut total) };
        Self::OutOfMemory {
            bytes,
            free,
            total,
            source,
        }
    }
}
