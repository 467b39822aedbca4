//! Linear filtering: the weights of texels, and the order of the texels of a gather.
//!
//! CUDA C++ Programming Guide, "Linear Filtering", defines the weights as products of real numbers.
//! An H200 (driver 580.159.04, 2026-11-21) divides a weight along one axis after another (levels,
//! then slices, then columns, then rows), and rounds each product to 256ths, so that the weights
//! add up to 256. The rule here reproduces every weight that was measured.

/// Returns the product of two numbers in 256ths, rounded to 256ths, halves up.
#[inline]
pub(crate) fn part(a: u32, b: u32) -> u32 {
    (a * b + 128) >> 8
}

/// Divides `whole` between the first and the second slice or level. The second has the weight `c`.
#[inline]
pub(crate) fn split(whole: u32, c: u32) -> [u32; 2] {
    let second = part(c, whole);
    [whole - second, second]
}

/// Returns the weights of the four texels of a plane with the weight `whole`, as `[row][column]`.
/// The second column has the weight `a`, and the second row `b`.
#[inline]
pub(crate) fn plane(whole: u32, a: u32, b: u32) -> [[u32; 2]; 2] {
    let [left, right] = split(whole, a);
    let below = part(right, b);
    let above = part(left, 256 - b);
    [[above, right - below], [left - above, below]]
}

/// Returns the result of `tld4` in the instruction's order: one component of the four texels of a
/// linear fetch, which are given as rows of columns.
#[inline]
pub(crate) fn gather<T: Copy>([row0, row1]: [[T; 2]; 2]) -> [T; 4] {
    [row1[0], row1[1], row0[1], row0[0]]
}
