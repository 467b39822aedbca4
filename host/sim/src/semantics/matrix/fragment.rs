//! The position of each matrix element among the lanes and registers.
//!
//! PTX ISA 9.7.14.5 "Matrix multiply-accumulate operation using mma". It has one table for each
//! shape and type, and all tables follow one rule. With e elements in a register, a quad (four
//! lanes) holds the registers of one row of A, 4e columns. Further registers hold first the row
//! eight below, and then the next 4e columns. B is the same with rows and columns exchanged. It has
//! eight columns, so it has no second half. C and D have two columns in each lane.
//!
//! For `wmma` (9.7.14.4), the ISA leaves the position of an element unspecified. Here elements are
//! assigned to lanes in row-major order, a run to each lane. The assignment starts again if a
//! fragment has more places than the matrix has elements.

/// Returns the row and column of A's element `index` in `register` of `lane`, with `e` elements
/// in a register.
#[inline]
pub(crate) fn mma_a(e: usize, lane: usize, register: usize, index: usize) -> (usize, usize) {
    (
        lane / 4 + register % 2 * 8,
        lane % 4 * e + index + register / 2 * 4 * e,
    )
}

/// Returns the row and column of B's element `index` in `register` of `lane`, with `e` elements
/// in a register.
#[inline]
pub(crate) fn mma_b(e: usize, lane: usize, register: usize, index: usize) -> (usize, usize) {
    (lane % 4 * e + index + register * 4 * e, lane / 4)
}

/// Returns the row and column of element `index` of a lane's fragment of C or D.
#[inline]
pub(crate) fn mma_c(lane: usize, index: usize) -> (usize, usize) {
    (lane / 4 + index / 2 * 8, lane % 4 * 2 + index % 2)
}

/// Returns the row and column of element `index` of the `count` in a lane's `wmma` fragment of a
/// matrix of `rows` by `columns`.
#[inline]
pub(crate) fn wmma(
    count: usize,
    lane: usize,
    index: usize,
    (rows, columns): (usize, usize),
) -> (usize, usize) {
    // All of `wmma`'s shapes are powers of two.
    let number = (lane * count + index) & (rows * columns).wrapping_sub(1);
    (
        number.checked_shr(columns.trailing_zeros()).unwrap_or(0),
        number & columns.wrapping_sub(1),
    )
}
