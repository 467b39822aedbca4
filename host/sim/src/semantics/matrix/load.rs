//! `ldmatrix`, `stmatrix`, `movmatrix`: 8 by 8 matrices of 16-bit elements between memory rows and fragments.
//!
//! PTX ISA 9.7.14.5 "ldmatrix", "stmatrix", "movmatrix". A row is 16 bytes; lane 8m + r holds the address of row r of matrix m,
//! and register m is that matrix's fragment.

/// The lane whose address operand is that of `row` of `matrix`.
#[inline]
pub fn address_lane(matrix: usize, row: usize) -> usize {
    (matrix % 4) * 8 + row % 8
}

/// The row and column of half `index` (0: the low one) of a lane's register; `trans` as the modifier.
#[inline]
pub fn position(lane: usize, index: usize, trans: bool) -> (usize, usize) {
    let (major, minor) = (lane / 4 % 8, lane % 4 * 2 + index % 2);
    if trans {
        (minor, major)
    } else {
        (major, minor)
    }
}

/// A register of every lane, from a matrix's rows.
#[inline]
pub fn load(rows: &[[u16; 8]; 8], trans: bool) -> [u32; 32] {
    std::array::from_fn(|lane| {
        let half = |index| {
            let (row, column) = position(lane, index, trans);
            u32::from(rows[row][column])
        };
        half(1) << 16 | half(0)
    })
}

/// A matrix's rows, from a register of every lane.
#[inline]
pub fn store(register: &[u32; 32], trans: bool) -> [[u16; 8]; 8] {
    let mut rows = [[0; 8]; 8];
    for (lane, &value) in register.iter().enumerate() {
        for index in 0..2 {
            let (row, column) = position(lane, index, trans);
            rows[row][column] = (value >> (16 * index)) as u16;
        }
    }
    rows
}

/// `movmatrix.trans`: the fragment of the transposed matrix.
#[inline]
pub fn movmatrix(register: &[u32; 32]) -> [u32; 32] {
    load(&store(register, false), true)
}
