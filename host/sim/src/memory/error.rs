//! Errors of requests for memory.

use std::io;

/// The reason why memory was not allocated, freed or found.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MemoryError {
    /// The size of the allocation is zero.
    #[error("an allocation of 0 bytes; ask for at least one byte")]
    ZeroSize,
    /// An alignment that is not a power of two.
    #[error("an alignment of {align} bytes; it must be a power of two")]
    Alignment {
        /// The alignment that was requested.
        align: u64,
    },
    /// The device has not enough memory left.
    #[error(
        "{size} bytes asked for, {free} of the device's {total} are free; free something first or ask for less"
    )]
    OutOfMemory {
        /// The bytes that were requested.
        size: u64,
        /// The bytes that are left.
        free: u64,
        /// The bytes that the device has.
        total: u64,
    },
    /// The host has no memory, or no range of addresses, for the device's memory.
    #[error("the host refused {size} bytes for device memory: {reason}")]
    Reserve {
        /// The bytes that were requested from the host.
        size: u64,
        /// The host's error message.
        reason: String,
    },
    /// A second free of the same allocation.
    #[error("{address:#x} was freed before: it was allocation #{number}; free each pointer once")]
    FreedBefore {
        /// The pointer that was given.
        address: u64,
        /// The number of the allocation that started there.
        number: u64,
    },
    /// A free of a pointer into an allocation that is not its start.
    #[error(
        "{address:#x} is {offset} bytes into allocation #{number}, not its start; free the pointer that was allocated"
    )]
    NotStart {
        /// The pointer that was given.
        address: u64,
        /// The offset of the pointer in the allocation, in bytes.
        offset: u64,
        /// The number of the allocation, as reports print it.
        number: u64,
    },
    /// A pointer that does not come from this device.
    #[error("{address:#x} is no pointer of this device; it {}", .hint)]
    Foreign {
        /// The pointer that was given.
        address: u64,
        /// What the pointer belongs to, or what it lies next to.
        hint: String,
    },
    /// Registered host memory where an allocation was expected, or the reverse.
    #[error("{address:#x} (allocation #{number}) is {is}; it must be given back by {instead}")]
    WrongKind {
        /// The pointer that was given.
        address: u64,
        /// The number of the allocation, as reports print it.
        number: u64,
        /// The kind of the memory.
        is: &'static str,
        /// The call that gives it back.
        instead: &'static str,
    },
    /// A host range that cannot be registered.
    #[error("{size} bytes at {address:#x} are no range of host memory that can be registered")]
    Range {
        /// The start of the range.
        address: u64,
        /// The size of the range, in bytes.
        size: u64,
    },
    /// A host range that is registered already, or that belongs to a simulated device.
    #[error(
        "{size} bytes at {address:#x} overlap allocation #{number}, which is live; unregister it first"
    )]
    Overlap {
        /// The start of the range.
        address: u64,
        /// The size of the range, in bytes.
        size: u64,
        /// The number of the allocation that it overlaps.
        number: u64,
    },
}

impl MemoryError {
    /// Returns a function that makes the error of a host that has no room for `size` bytes.
    pub(super) fn refused(size: u64) -> impl Fn(io::Error) -> MemoryError {
        move |error| MemoryError::Reserve {
            size,
            reason: error.to_string(),
        }
    }
}
