//! Which element of a matrix lies in which lane and register.
//!
//! PTX ISA 9.7.14.5 "Matrix multiply-accumulate operation using mma": its tables, one for each
//! shape and type, are all one rule. With e elements in a register, a quad (four lanes) holds four
//! registers' worth of one row of A, 4e columns; further registers take first the row eight below,
//! then the next 4e columns. B is the same with rows and columns exchanged, and has eight columns,
//! so no second half. C and D lie as two columns a lane.
//!
//! `wmma` (9.7.14.4) says that the place of an element is unspecified. Here elements go to lanes in
//! row-major order, each lane a run, and around again where a fragment has more places than the
//! matrix elements.

/// The row and column of A's element `index` in `register` of `lane`, with `e` elements in a
/// register.
#[inline]
pub(crate) fn mma_a(e: usize, lane: usize, register: usize, index: usize) -> (usize, usize) {
    (
        lane / 4 + register % 2 * 8,
        lane % 4 * e + index + register / 2 * 4 * e,
    )
}

/// The row and column of B's element `index` in `register` of `lane`, with `e` elements in a
/// register.
#[inline]
pub(crate) fn mma_b(e: usize, lane: usize, register: usize, index: usize) -> (usize, usize) {
    (lane % 4 * e + index + register * 4 * e, lane / 4)
}

/// The row and column of element `index` of a lane's fragment of C or D.
#[inline]
pub(crate) fn mma_c(lane: usize, index: usize) -> (usize, usize) {
    (lane / 4 + index / 2 * 8, lane % 4 * 2 + index % 2)
}

/// The row and column of element `index` of the `count` in a lane's `wmma` fragment of a matrix of
/// `rows` by `columns`.
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
