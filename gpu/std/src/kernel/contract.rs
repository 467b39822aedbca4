//! The launches that a kernel requires: `#[launch_contract]`.
//!
//! A kernel whose blocks fill a 32 x 32 tile, or that numbers its elements along x, is correct for
//! some shapes only. The contract names them. The host refuses other launches before they start,
//! and the compiler builds the kernel for those shapes. So the check costs nothing on the device.

use core::fmt;

use super::LengthClause;
use crate::target::WARP_SIZE;
use crate::thread;

/// The conditions that a launch of a kernel has to meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchContract {
    /// The number of dimensions that the grid and the blocks may have: 1 (x), 2 (x, y), or 3.
    pub dimensions: u32,
    /// The shape of the block, if the contract allows only one.
    pub block: Option<[u32; 3]>,
    /// The number of blocks that a grid may have along x, y and z, if the contract limits it.
    pub grid: Option<[GridSize; 3]>,
    /// Whether the number of threads of a block has to be a multiple of 32.
    pub whole_warps: bool,
    /// Whether positions along each axis have to fit in 32 bits. It is true in every contract that
    /// a kernel declares.
    pub narrow: bool,
    /// What is required of the lengths of slices.
    pub lengths: &'static [LengthClause],
}

/// The number of blocks that a grid may have along one axis, as a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GridSize {
    /// The minimum number of blocks.
    pub least: u32,
    /// The maximum number of blocks.
    pub most: u32,
}

impl GridSize {
    fn allows(self, size: u32) -> bool {
        (self.least..=self.most).contains(&size)
    }
}

impl fmt::Display for GridSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self { least, most } if least == most => write!(f, "{most}"),
            Self { least, most } => write!(f, "{least} to {most}"),
        }
    }
}

impl LaunchContract {
    /// The contract that allows every launch.
    pub const ANY: Self = LaunchContract {
        dimensions: 3,
        block: None,
        grid: None,
        whole_warps: false,
        narrow: false,
        lengths: &[],
    };

    /// Checks that the contract allows these lengths. `length` and `value` return what the launch
    /// passes for the parameter with a number.
    ///
    /// # Errors
    /// Returns the first clause that the arguments break.
    pub fn check_lengths(
        &self,
        length: impl Fn(usize) -> u64,
        value: impl Fn(usize) -> u64,
    ) -> Result<(), BrokenContract> {
        self.lengths.iter().try_for_each(|clause| {
            let broken = clause.check(&length, &value);
            broken.map_err(|[wanted, found]| BrokenContract::Length {
                clause: clause.text,
                wanted,
                found,
            })
        })
    }

    /// Checks that the contract allows a launch of this shape.
    ///
    /// # Errors
    /// Returns the first clause that the launch breaks.
    #[inline(always)] // of a kernel's contract, which is a constant, little is left
    pub fn check(&self, grid: [u32; 3], block: [u32; 3]) -> Result<(), BrokenContract> {
        if let Some(wanted) = self.block
            && block != wanted
        {
            return Err(BrokenContract::Block { wanted, block });
        }
        let flat = |shape: [u32; 3]| {
            shape
                .iter()
                .skip(self.dimensions as usize)
                .all(|&size| size == 1)
        };
        if !flat(grid) || !flat(block) {
            return Err(BrokenContract::Dimensions {
                wanted: self.dimensions,
                grid,
                block,
            });
        }
        if let Some(wanted) = self.grid
            && !wanted
                .iter()
                .zip(grid)
                .all(|(wanted, size)| wanted.allows(size))
        {
            return Err(BrokenContract::Grid { wanted, grid });
        }
        // The product saturates, because three 32-bit numbers may overflow it. No device
        // has such blocks.
        let threads = block
            .iter()
            .fold(1u64, |threads, &size| threads.saturating_mul(size.into()));
        if self.whole_warps && !threads.is_multiple_of(u64::from(WARP_SIZE)) {
            return Err(BrokenContract::WholeWarps { threads });
        }
        for (axis, (blocks, threads)) in
            ['x', 'y', 'z'].into_iter().zip(grid.into_iter().zip(block))
        {
            let threads = u64::from(blocks) * u64::from(threads);
            if self.narrow && threads > u64::from(u32::MAX) {
                return Err(BrokenContract::TooWide { axis, threads });
            }
        }
        Ok(())
    }

    /// Tells the compiler, in a kernel's entry point, that the launch keeps the contract.
    ///
    /// # Safety
    /// The launch keeps the contract.
    #[doc(hidden)]
    #[inline(always)]
    pub unsafe fn assume(self) {
        use thread::{
            block_dim_x, block_dim_y, block_dim_z, block_idx_x, block_idx_y, block_idx_z,
            grid_dim_x, grid_dim_y, grid_dim_z, thread_idx_x, thread_idx_y, thread_idx_z,
        };
        // SAFETY: the caller promises that the launch keeps the contract.
        unsafe {
            if self.dimensions < 2 {
                core::hint::assert_unchecked(block_dim_y() == 1);
                core::hint::assert_unchecked(grid_dim_y() == 1);
                core::hint::assert_unchecked(block_idx_y() == 0);
                core::hint::assert_unchecked(thread_idx_y() == 0);
            }
            if self.dimensions < 3 {
                core::hint::assert_unchecked(block_dim_z() == 1);
                core::hint::assert_unchecked(grid_dim_z() == 1);
                core::hint::assert_unchecked(block_idx_z() == 0);
                core::hint::assert_unchecked(thread_idx_z() == 0);
            }
            if let Some([x, y, z]) = self.block {
                core::hint::assert_unchecked(block_dim_x() == x);
                core::hint::assert_unchecked(block_dim_y() == y);
                core::hint::assert_unchecked(block_dim_z() == z);
            }
            if let Some([x, y, z]) = self.grid {
                core::hint::assert_unchecked(x.allows(grid_dim_x()));
                core::hint::assert_unchecked(y.allows(grid_dim_y()));
                core::hint::assert_unchecked(z.allows(grid_dim_z()));
                core::hint::assert_unchecked(block_idx_x() < x.most);
                core::hint::assert_unchecked(block_idx_y() < y.most);
                core::hint::assert_unchecked(block_idx_z() < z.most);
            }
            if self.whole_warps {
                core::hint::assert_unchecked(thread::block_size().is_multiple_of(WARP_SIZE));
            }
            if self.narrow && self.block.is_none() {
                // Of two equal values, the compiler keeps the first one, which is the 32-bit
                // value here. Along y and z it can prove that positions fit. If the block's
                // shape is fixed, positions are computed from constants, and these assumptions
                // would prevent optimisations.
                let first = block_idx_x().unchecked_mul(block_dim_x());
                let own = first.unchecked_add(thread_idx_x());
                let wide = block_idx_x() as usize * block_dim_x() as usize;
                core::hint::assert_unchecked(first as usize == wide);
                core::hint::assert_unchecked(own as usize == wide + thread_idx_x() as usize);
            }
        }
    }
}

/// A launch that a kernel's contract does not allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BrokenContract {
    /// The block has a shape that the contract does not allow.
    Block {
        /// The shape of the block that the contract requires.
        wanted: [u32; 3],
        /// The shape of the block in the launch.
        block: [u32; 3],
    },
    /// The grid has too few blocks, or too many.
    Grid {
        /// The blocks that the contract allows along each axis.
        wanted: [GridSize; 3],
        /// The shape of the grid in the launch.
        grid: [u32; 3],
    },
    /// The grid or the blocks have more dimensions than the kernel uses.
    Dimensions {
        /// The number of dimensions that the kernel uses.
        wanted: u32,
        /// The shape of the grid in the launch.
        grid: [u32; 3],
        /// The shape of the block in the launch.
        block: [u32; 3],
    },
    /// The block's last warp is not full.
    WholeWarps {
        /// The number of threads of a block.
        threads: u64,
    },
    /// A slice has another length than the contract requires.
    Length {
        /// The clause, as written.
        clause: &'static str,
        /// The number of elements that the slice has to have, or the fewest.
        wanted: u64,
        /// The number of elements that it has.
        found: u64,
    },
    /// There are 2^32 threads or more along one axis.
    TooWide {
        /// The axis: x, y or z.
        axis: char,
        /// The number of threads along this axis.
        threads: u64,
    },
}

impl fmt::Display for BrokenContract {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Block {
                wanted: [a, b, c],
                block: [x, y, z],
            } => {
                write!(
                    f,
                    "blocks are ({x}, {y}, {z}) and have to be ({a}, {b}, {c})"
                )
            }
            Self::Grid {
                wanted: [a, b, c],
                grid: [x, y, z],
            } => write!(
                f,
                "the grid is ({x}, {y}, {z}) and has to be ({a}, {b}, {c})"
            ),
            Self::Dimensions {
                wanted,
                grid: [a, b, c],
                block: [x, y, z],
            } => write!(
                f,
                "the launch has to be {wanted}-dimensional; the grid is ({a}, {b}, {c}) with blocks of ({x}, {y}, {z})"
            ),
            Self::WholeWarps { threads } => {
                write!(
                    f,
                    "blocks have {threads} threads, which is not a multiple of {WARP_SIZE}"
                )
            }
            Self::Length {
                clause,
                wanted,
                found,
            } => {
                write!(
                    f,
                    "`{clause}` does not hold: expected {wanted} elements, found {found}"
                )
            }
            Self::TooWide { axis, threads } => {
                write!(
                    f,
                    "{threads} threads along {axis} are too many: their positions do not fit in 32 bits"
                )
            }
        }
    }
}

impl core::error::Error for BrokenContract {}

#[cfg(test)]
mod tests {
    extern crate std;
    use std::string::ToString;

    use super::*;

    const ONE: GridSize = GridSize { least: 1, most: 1 };
    const TILE: LaunchContract = LaunchContract {
        dimensions: 2,
        block: Some([32, 8, 1]),
        grid: None,
        whole_warps: false,
        narrow: true,
        lengths: &[],
    };
    const LINE: LaunchContract = LaunchContract {
        dimensions: 1,
        block: None,
        grid: Some([
            GridSize {
                least: 1,
                most: 1 << 27,
            },
            ONE,
            ONE,
        ]),
        whole_warps: true,
        narrow: true,
        lengths: &[],
    };

    #[test]
    fn any_launch_keeps_the_empty_contract() {
        assert_eq!(LaunchContract::ANY.check([u32::MAX; 3], [7, 5, 3]), Ok(()));
        assert_eq!(LaunchContract::ANY.check([1; 3], [u32::MAX; 3]), Ok(()));
    }

    #[test]
    fn each_clause_is_checked() {
        assert_eq!(TILE.check([4, 4, 1], [32, 8, 1]), Ok(()));
        assert!(matches!(
            TILE.check([4, 4, 1], [8, 32, 1]),
            Err(BrokenContract::Block { .. })
        ));
        assert!(matches!(
            TILE.check([4, 4, 2], [32, 8, 1]),
            Err(BrokenContract::Dimensions { .. })
        ));
        assert_eq!(LINE.check([4, 1, 1], [96, 1, 1]), Ok(()));
        assert!(matches!(
            LINE.check([4, 2, 1], [96, 1, 1]),
            Err(BrokenContract::Dimensions { .. })
        ));
        assert!(matches!(
            LINE.check([4, 1, 1], [32, 2, 1]),
            Err(BrokenContract::Dimensions { .. })
        ));
        assert_eq!(
            LINE.check([4, 1, 1], [100, 1, 1]),
            Err(BrokenContract::WholeWarps { threads: 100 })
        );
        let refused = LINE.check([(1 << 27) + 1, 1, 1], [32, 1, 1]).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "the grid is (134217729, 1, 1) and has to be (1 to 134217728, 1, 1)"
        );
        assert_eq!(
            LINE.check([1 << 27, 1, 1], [32, 1, 1]),
            Err(BrokenContract::TooWide {
                axis: 'x',
                threads: 1 << 32
            })
        );
    }
}
