//! Flags in `aux` of memory operations.

/// The address register has 32 bits.
pub(crate) const NARROW: u32 = 1;
/// The access counts as spinning: volatile or ordered.
pub(crate) const SPINS: u32 = 2;
/// Of a load or store: what its addresses are like is kept for those that have `AGAIN`.
pub(crate) const KEEPS: u32 = 4;
/// Of a load or store: its address register is that of an earlier one with `KEEPS`, and nothing
/// wrote to it since.
pub(crate) const AGAIN: u32 = 8;
/// Where the number of the place starts in which that is kept.
pub(crate) const SLOT: u32 = 4;
/// How many such places there are.
pub(crate) const SLOTS: usize = 8;
/// Where the number of vector elements, less one, starts in `aux`.
pub(crate) const ELEMENTS: u32 = 8;
