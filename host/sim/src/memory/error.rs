//! What can be wrong with a request for memory.

/// Why memory was not given, taken back or found.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MemoryError {
    /// An allocation of no bytes.
    #[error("an allocation of 0 bytes; ask for at least one byte")]
    ZeroSize,
    /// An alignment that is no power of two.
    #[error("an alignment of {align} bytes; it must be a power of two")]
    Alignment {
        /// What was asked for.
        align: u64,
    },
    /// The device model has no such amount left.
    #[error(
        "{size} bytes asked for, {free} of the device's {total} are free; free something first or ask for less"
    )]
    OutOfMemory {
        /// What was asked for.
        size: u64,
        /// What is left.
        free: u64,
        /// What the device has.
        total: u64,
    },
    /// The host has no memory, or no range of addresses, for the device's memory.
    #[error("the host refused {size} bytes for device memory: {reason}")]
    Reserve {
        /// What was asked of the host.
        size: u64,
        /// What the host said.
        reason: String,
    },
    /// A free of what was freed before.
    #[error("{address:#x} was freed before: it was allocation #{number}; free each pointer once")]
    FreedBefore {
        /// The pointer that was given.
        address: u64,
        /// The allocation that it once was.
        number: u64,
    },
    /// A free of a pointer into an allocation, not of its start.
    #[error(
        "{address:#x} is {offset} bytes into allocation #{number}, not its start; free the pointer that was allocated"
    )]
    NotStart {
        /// The pointer that was given.
        address: u64,
        /// How far into the allocation it points.
        offset: u64,
        /// The number of the allocation, as reports give it.
        number: u64,
    },
    /// A pointer that this device did not give out.
    #[error("{address:#x} is no pointer of this device; it {}", .hint)]
    Foreign {
        /// The pointer that was given.
        address: u64,
        /// What is known of it.
        hint: String,
    },
    /// Host memory that is registered, where an allocation was meant, or the other way round.
    #[error("{address:#x} (allocation #{number}) is {is}; it must be given back by {instead}")]
    WrongKind {
        /// The pointer that was given.
        address: u64,
        /// The number of the allocation, as reports give it.
        number: u64,
        /// What it is.
        is: &'static str,
        /// What gives it back.
        instead: &'static str,
    },
    /// A host range that cannot be registered.
    #[error("{size} bytes at {address:#x} are no range of host memory that can be registered")]
    Range {
        /// Where the range starts.
        address: u64,
        /// How long it is.
        size: u64,
    },
    /// A host range that is registered already, or is ours.
    #[error(
        "{size} bytes at {address:#x} overlap allocation #{number}, which is live; unregister it first"
    )]
    Overlap {
        /// Where the range starts.
        address: u64,
        /// How long it is.
        size: u64,
        /// What it overlaps.
        number: u64,
    },
}
