//! Linear filtering: the weights of texels, and the order of the texels of a gather.
//!
//! CUDA C++ Programming Guide, "Linear Filtering", gives the weights as products of real numbers.
//! An H200 (driver 580.159.04, 2026-11-21) rounds each product to 256ths as it splits a weight
//! along one axis after another (levels, then slices, then columns, then rows), so that all of them
//! are 256 together; the rule here gives every weight that was measured.

/// A product of two numbers of 256ths, rounded to 256ths, halves up.
#[inline]
pub(crate) fn part(a: u32, b: u32) -> u32 {
    (a * b + 128) >> 8
}

/// What of `whole` goes to the first and to the second slice or level, the second's weight being
/// `c`.
#[inline]
pub(crate) fn split(whole: u32, c: u32) -> [u32; 2] {
    let second = part(c, whole);
    [whole - second, second]
}

/// Weights of the four texels of a plane that has `whole` itself, where columns have `a` and rows
/// `b`: `[row][column]`.
#[inline]
pub(crate) fn plane(whole: u32, a: u32, b: u32) -> [[u32; 2]; 2] {
    let [left, right] = split(whole, a);
    let below = part(right, b);
    let above = part(left, 256 - b);
    [[above, right - below], [left - above, below]]
}

/// `tld4`: of the four texels of a linear fetch, one component in the instruction's order, from
/// rows of columns.
#[inline]
pub(crate) fn gather<T: Copy>([row0, row1]: [[T; 2]; 2]) -> [T; 4] {
    [row1[0], row1[1], row0[1], row0[0]]
}
