//! `mma.sync`, `wmma.mma`, `ldmatrix`, `stmatrix`, `movmatrix`: operations of a warp on matrices
//! that its lanes hold together.
//!
//! PTX ISA, "Warp Level Matrix Multiply-Accumulate Instructions". `semantics::matrix` defines the
//! fragments and the rounding of sums. Here are registers, addresses and checks. All 32 lanes must
//! take part. If a lane has ended, or the block has no full warp, the ISA leaves everything open,
//! and the machine faults. Reported: metadata of a sparse matrix that the ISA leaves undefined;
//! rows outside of shared memory or not aligned to their 16 bytes. Addresses of lanes that are not
//! used are not checked.
//!
//! | file | what it is |
//! | --- | --- |
//! | `multiply` | products |
//! | `move_rows` | between shared memory and registers |
//! | `rows` | the bits in `aux` of the latter |

mod move_rows;
mod multiply;
pub(crate) mod rows;

use crate::machine::core::Core;
use crate::machine::event::FaultKind;
use crate::machine::lane::{FULL, LANES};
use crate::machine::op::Op;

pub(crate) use move_rows::{load_rows, store_rows, transpose};
pub(crate) use multiply::{MatrixKind, Product, Scaling, Sparsity, multiply};

impl Core<'_> {
    /// Checks that the whole warp takes part. If it does not, raises a fault and returns where
    /// to go on.
    pub(in crate::machine) fn whole_warp(&mut self, op: *const Op, mask: u32) -> Option<*const Op> {
        if mask == FULL {
            return None;
        }
        let message = format!(
            "a matrix instruction in a warp that has only {} threads",
            mask.count_ones()
        );
        let help = "launch blocks of whole warps, and let no thread return before the last matrix instruction";
        let lane = mask.trailing_zeros() as usize;
        Some(self.fault(op, lane, FaultKind::Illegal { message, help }))
    }

    /// Reports undefined metadata of a sparse matrix: row, chunk, and the four bits.
    #[cold]
    pub(super) fn wrong_metadata(
        &mut self,
        op: *const Op,
        (row, chunk, bits): (usize, usize, u32),
    ) -> *const Op {
        let message = format!(
            "metadata {bits:#06b} for chunk {chunk} of row {row} of a sparse matrix, which is undefined"
        );
        let help = "each chunk's metadata names two different elements, the lower first; for tf32 it is 0b0100 or 0b1110";
        self.fault(op, row % 8 * 4, FaultKind::Illegal { message, help })
    }

    /// Writes rows of the frame.
    ///
    /// # Safety
    /// They must be rows of lanes of `T`'s size of the running frame.
    unsafe fn set_registers<T: Copy>(&mut self, rows: &[u32], values: &[[T; LANES]]) {
        for (value, &row) in values.iter().zip(rows) {
            // SAFETY: passed on.
            unsafe { *self.frame.add(row as usize).cast() = *value };
        }
    }
}

/// Waits for the whole warp, or returns the operation to go on with.
macro_rules! warp {
    ($core:ident, $op:ident, $members:expr) => {{
        let mask = members!($core, $op, $members);
        if let Some(next) = $core.whole_warp($op, mask) {
            return next;
        }
    }};
}
pub(in crate::machine) use warp;
