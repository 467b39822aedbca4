//! Matrices of 8 rows of 16 bytes between shared memory and the registers of a
//! warp: `ldmatrix`, `stmatrix`.

use crate::state_space::{self, ptx};

/// Instructions for one, two or four matrices. The number is a constant, so the compiler keeps only
/// one of the three instructions.
macro_rules! by_number {
    ($action:ident, $number:expr, $($operands:tt)*) => {
        match $number {
            1 => $action!(".x1", "{{{0}}}", [0], $($operands)*),
            2 => $action!(".x2", "{{{0}, {1}}}", [0 1], $($operands)*),
            _ => $action!(".x4", "{{{0}, {1}, {2}, {3}}}", [0 1 2 3], $($operands)*),
        }
    };
}
macro_rules! load {
    ($number:literal, $list:literal, [$($i:literal)*], $words:literal, $row:ident, $registers:ident) => {
        ptx!("ldmatrix":
            concat!("ldmatrix.sync.aligned.m8n8", $number, $words, ".shared.b16 ", $list, ", [{row}];"),
            $(out(reg32) $registers[$i],)*
            row = in(reg32) $row,
            options(nostack, preserves_flags),
        )
    };
}
macro_rules! store {
    ($number:literal, $list:literal, [$($i:literal)*], $words:literal, $row:ident, $registers:ident) => {
        ptx!("stmatrix":
            concat!("stmatrix.sync.aligned.m8n8", $number, $words, ".shared.b16 [{row}], ", $list, ";"),
            $(in(reg32) $registers[$i],)*
            row = in(reg32) $row,
            options(nostack, preserves_flags),
        )
    };
}

/// Asserts that there is an instruction for this many matrices.
const fn can_be(matrices: usize) {
    assert!(
        matches!(matrices, 1 | 2 | 4),
        "one, two or four matrices are loaded or stored at once"
    );
}

macro_rules! loads {
    ($($(#[$doc:meta])* $name:ident: $words:literal;)*) => {$(
        $(#[$doc])*
        ///
        /// # Safety
        /// Each address points to 16 bytes of shared memory and is aligned to 16 bytes. No thread
        /// writes them at the same time. All lanes of the warp call the function.
        #[inline(always)]
        #[must_use]
        pub unsafe fn $name<const MATRICES: usize>(row: *const u8) -> [u32; MATRICES] {
            const { can_be(MATRICES) };
            let row = state_space::shared(row);
            let mut registers = [0u32; 4];
            // SAFETY: the caller keeps the contract of this function.
            unsafe { by_number!(load, MATRICES, $words, row, registers) };
            core::array::from_fn(|i| registers[i])
        }
    )*};
}
loads! {
    /// Loads one, two or four matrices of 8 rows of 16 bytes from shared memory: lane `l` passes
    /// the address of row `l % 8` of matrix `l / 8`, and receives four bytes of row `l / 4` of each
    /// matrix. The addresses of the lanes without a row are ignored.
    #[doc(alias = "ldmatrix")]
    load_matrices: "";
    /// Like [`load_matrices`], but transposes each matrix, as a matrix of 8 by 8 elements
    /// of 16 bits.
    #[doc(alias = "ldmatrix.trans")]
    load_matrices_transposed: ".trans";
}

macro_rules! stores {
    ($($(#[$doc:meta])* $name:ident: $words:literal;)*) => {$(
        $(#[$doc])*
        ///
        /// # Safety
        /// Each lane's `row` points to 16 bytes of this block's shared memory and is aligned
        /// to 16 bytes. No other thread accesses them before a barrier. All lanes of the warp
        /// call the function.
        #[inline(always)]
        pub unsafe fn $name<const MATRICES: usize>(row: *mut u8, registers: [u32; MATRICES]) {
            const { can_be(MATRICES) };
            let row = state_space::shared(row);
            let registers: [u32; 4] = core::array::from_fn(|i| registers.get(i).copied().unwrap_or(0));
            // SAFETY: the caller keeps the contract of this function.
            unsafe { by_number!(store, MATRICES, $words, row, registers) };
        }
    )*};
}
stores! {
    /// Stores one, two or four matrices of 8 rows of 8 elements of 16 bits, with one register of
    /// each lane for each matrix, to shared memory. Lane `l` passes the address of row `l % 8` of
    /// matrix `l / 8`. Needs `sm_90`.
    #[doc(alias = "stmatrix")]
    store_matrices: "";
    /// Like [`store_matrices`], but transposes each matrix.
    #[doc(alias = "stmatrix.trans")]
    store_matrices_transposed: ".trans";
}
