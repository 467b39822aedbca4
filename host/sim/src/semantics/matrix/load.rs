//! `ldmatrix`, `stmatrix`, `movmatrix`: matrices of 16-bit elements, and of bytes, between memory
//! rows and fragments.
//!
//! PTX ISA 9.7.14.5 "ldmatrix", "stmatrix", "movmatrix". A row is 16 bytes. For matrices of 8 by 8
//! halves and of 8 by 16 bytes, lane 8m + r has the address of row r of matrix m, and register m is
//! that matrix's fragment. A matrix of 16 by 16 bytes has 16 addresses and two registers. A matrix
//! of 16 by 8 bytes that is stored has a column in each row of memory. Elements of six or four bits
//! are adjacent from a row's first bit, and are loaded into the low bits of a byte.

/// Returns the lane whose address operand is that of `row` of `matrix`.
#[inline]
pub(crate) fn address_lane(matrix: usize, row: usize) -> usize {
    (matrix % 4) * 8 + row % 8
}

/// Returns the row and column of half `index` (0: the low one) of a lane's register. `trans`
/// is the modifier.
#[inline]
pub(crate) fn position(lane: usize, index: usize, trans: bool) -> (usize, usize) {
    let (major, minor) = (lane / 4 % 8, lane % 4 * 2 + index % 2);
    if trans {
        (minor, major)
    } else {
        (major, minor)
    }
}

/// Returns a register of every lane, from a matrix's rows.
#[inline]
pub(crate) fn load(rows: &[[u16; 8]; 8], trans: bool) -> [u32; 32] {
    std::array::from_fn(|lane| {
        let half = |index| {
            let (row, column) = position(lane, index, trans);
            u32::from(rows[row][column])
        };
        half(1) << 16 | half(0)
    })
}

/// Returns a matrix's rows, from a register of every lane.
#[inline]
pub(crate) fn store(register: &[u32; 32], trans: bool) -> [[u16; 8]; 8] {
    let mut rows = [[0; 8]; 8];
    for (lane, &value) in register.iter().enumerate() {
        for index in 0..2 {
            let (row, column) = position(lane, index, trans);
            rows[row][column] = (value >> (16 * index)) as u16;
        }
    }
    rows
}

/// `movmatrix.trans`: returns the fragment of the transposed matrix.
#[inline]
pub(crate) fn movmatrix(register: &[u32; 32]) -> [u32; 32] {
    load(&store(register, false), true)
}

/// The size of an element in memory. In registers, an element has eight bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Packed {
    /// Elements of 8 bits, `.b8`.
    Eight,
    /// Elements of 6 bits, padded by 32 after 16 of them: `.b6x16_p32`.
    Six,
    /// Elements of 4 bits, padded by 64 after 16 of them: `.b4x16_p64`.
    Four,
}

impl Packed {
    /// Returns a row's 16 elements, each in a byte.
    #[inline]
    pub(crate) fn unpack(self, row: [u8; 16]) -> [u8; 16] {
        let bits = u128::from_le_bytes(row);
        let width = match self {
            Packed::Eight => 8,
            Packed::Six => 6,
            Packed::Four => 4,
        };
        std::array::from_fn(|i| (bits >> (i * width)) as u8 & (0xff >> (8 - width)))
    }
}

/// Returns a register of every lane, from a matrix of 8 by 16 bytes. It contains four neighbours
/// of a row.
#[inline]
pub(crate) fn load_bytes(rows: &[[u8; 16]; 8]) -> [u32; 32] {
    std::array::from_fn(|lane| {
        u32::from_le_bytes(std::array::from_fn(|i| {
            rows[lane / 4 % 8][lane % 4 * 4 + i]
        }))
    })
}

/// Returns the two registers of every lane, from a matrix of 16 by 16 bytes that is transposed.
/// They contain four neighbours of a column, and of the column eight further.
#[inline]
pub(crate) fn load_bytes_trans(rows: &[[u8; 16]; 16]) -> [[u32; 32]; 2] {
    [0, 8].map(|right| {
        std::array::from_fn(|lane| {
            u32::from_le_bytes(std::array::from_fn(|i| {
                rows[lane % 4 * 4 + i][lane / 4 % 8 + right]
            }))
        })
    })
}

/// Returns the columns, as rows of memory, of a matrix of 16 by 8 bytes with the fragment
/// of an accumulator.
#[inline]
pub(crate) fn store_bytes_trans(register: &[u32; 32]) -> [[u8; 16]; 8] {
    let mut columns = [[0; 16]; 8];
    for (lane, &value) in register.iter().enumerate() {
        for (i, byte) in value.to_le_bytes().into_iter().enumerate() {
            columns[lane % 4 * 2 + i % 2][lane / 4 % 8 + i / 2 * 8] = byte;
        }
    }
    columns
}
