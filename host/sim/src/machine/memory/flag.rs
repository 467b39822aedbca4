//! Flags in `aux` of memory operations.

/// The address register has 32 bits.
pub(crate) const NARROW: u32 = 1;
/// The access counts as spinning: volatile or ordered.
pub(crate) const SPINS: u32 = 2;
/// For a load or store: its address pattern is stored for operations that have `AGAIN`.
pub(crate) const KEEPS: u32 = 4;
/// For a load or store: its address register is that of an earlier operation with `KEEPS`, and no
/// operation has written to the register since.
pub(crate) const AGAIN: u32 = 8;
/// The bit at which the index of the pattern's entry starts.
pub(crate) const SLOT: u32 = 4;
/// The number of such entries.
pub(crate) const SLOTS: usize = 8;
/// The bit at which the number of vector elements, less one, starts in `aux`.
pub(crate) const ELEMENTS: u32 = 8;
