//! How chunks of a box are shuffled in shared memory, so that rows and columns both avoid bank
//! conflicts.
//!
//! PTX ISA 5.5.7 "Swizzling Modes": its tables are one rule each. Bits of the address that number
//! the 128-byte line are added, without carry, to bits that number the chunk in the line. The
//! address is that of shared memory, so a box that does not start at a multiple of the pattern
//! (256, 512 or 1024 bytes) starts inside of it; the ISA calls this the base offset.

/// A swizzling mode, as the driver numbers them (`CUtensorMapSwizzle`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Swizzle {
    /// Bytes lie as in the tensor.
    #[default]
    None,
    /// Chunks of 16 bytes in 32.
    B32,
    /// Chunks of 16 bytes in 64.
    B64,
    /// Chunks of 16 bytes in 128.
    B128,
    /// Chunks of 32 bytes in 128 (`sm_100`).
    B128Atom32,
    /// The same, and every other line has the halves of each 16 bytes exchanged (`sm_100`, loads
    /// only).
    B128Atom32Flip8,
    /// Chunks of 64 bytes in 128 (`sm_100`).
    B128Atom64,
}

impl Swizzle {
    /// Every mode, in the driver's order.
    pub const ALL: [Self; 7] = [
        Self::None,
        Self::B32,
        Self::B64,
        Self::B128,
        Self::B128Atom32,
        Self::B128Atom32Flip8,
        Self::B128Atom64,
    ];

    /// The bytes that the pattern shuffles among themselves, and the most that a box's row may
    /// have; none without a pattern.
    pub fn span(self) -> Option<u32> {
        match self {
            Self::None => None,
            Self::B32 => Some(32),
            Self::B64 => Some(64),
            _ => Some(128),
        }
    }

    /// Bytes that stay side by side and in order, wherever they go.
    pub fn granule(self) -> u32 {
        match self {
            Self::None => 128,
            Self::B128Atom32Flip8 => 8,
            _ => 16,
        }
    }

    /// Where the byte goes that would lie at this shared address without swizzling.
    #[inline]
    pub fn place(self, address: u32) -> u32 {
        let line = address >> 7;
        address
            ^ match self {
                Self::None => 0,
                Self::B32 => (line & 1) << 4,
                Self::B64 => (line & 3) << 4,
                Self::B128 => (line & 7) << 4,
                Self::B128Atom32 => (line & 3) << 5,
                Self::B128Atom32Flip8 => (line & 3) << 5 | (line & 1) << 3,
                Self::B128Atom64 => (line & 1) << 6,
            }
    }
}
