//! The permutation of a box's chunks in shared memory. With it, accesses to rows and to columns
//! both avoid bank conflicts.
//!
//! PTX ISA 5.5.7 "Swizzling Modes". Each of its tables follows one rule. The address bits that
//! number the 128-byte line are combined by exclusive or with the bits that number the chunk in the
//! line. The address is that of shared memory. So a box that does not start at a multiple of the
//! pattern (256, 512 or 1024 bytes) starts inside the pattern. The ISA calls this the base offset.

/// A swizzling mode, in the driver's order (`CUtensorMapSwizzle`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Swizzle {
    /// No swizzling: bytes lie as in the tensor.
    #[default]
    None,
    /// Chunks of 16 bytes in lines of 32.
    B32,
    /// Chunks of 16 bytes in lines of 64.
    B64,
    /// Chunks of 16 bytes in lines of 128.
    B128,
    /// Chunks of 32 bytes in lines of 128 (`sm_100`).
    B128Atom32,
    /// Chunks of 32 bytes in lines of 128. In every other line, the halves of each 16 bytes are
    /// exchanged (`sm_100`, loads only).
    B128Atom32Flip8,
    /// Chunks of 64 bytes in lines of 128 (`sm_100`).
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

    /// Returns the size of the range in which the pattern permutes bytes, which is also the largest
    /// size of a box's row. Returns `None` without a pattern.
    pub fn span(self) -> Option<u32> {
        match self {
            Self::None => None,
            Self::B32 => Some(32),
            Self::B64 => Some(64),
            _ => Some(128),
        }
    }

    /// Returns the bytes that stay adjacent and in order.
    pub fn granule(self) -> u32 {
        match self {
            Self::None => 128,
            Self::B128Atom32Flip8 => 8,
            _ => 16,
        }
    }

    /// Returns the address of the byte that would be at this shared address without swizzling.
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
