//! The product of two matrices, in double precision, with a bound on what single precision may differ by.

use crate::compare::Expected;

/// Element (`row`, `column`) of the product of `a` (`m` x `k`) and `b` (`k` x `n`), both row-major, with the error that a
/// single-precision kernel may make.
///
/// The bound: a sum of `k` products, each fused or rounded once and added in any order, is off by at most
/// `k u / (1 - k u)` times the sum of the products' magnitudes, `u = 2^-24` being half an f32's last place (N. J. Higham,
/// "Accuracy and Stability of Numerical Algorithms", section 3.1). One `u` more is for the product's own rounding.
pub fn element(
    a: &[f32],
    b: &[f32],
    (n, k): (usize, usize),
    (row, column): (usize, usize),
) -> Expected {
    let (mut value, mut magnitude) = (0.0, 0.0);
    for i in 0..k {
        let product = f64::from(a[row * k + i]) * f64::from(b[i * n + column]);
        value += product;
        magnitude += product.abs();
    }
    let unit = (k + 1) as f64 * 2f64.powi(-24);
    Expected {
        index: row * n + column,
        value,
        tolerance: unit / (1.0 - unit) * magnitude,
    }
}

/// Every element of the `m` x `n` product.
pub fn matmul(a: &[f32], b: &[f32], (m, n, k): (usize, usize, usize)) -> Vec<Expected> {
    (0..m)
        .flat_map(|row| (0..n).map(move |column| element(a, b, (n, k), (row, column))))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_product_is_the_textbooks() {
        let (a, b) = (
            [1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
            [7.0, 8.0, 9.0, 10.0, 11.0, 12.0],
        );
        let values: Vec<f64> = matmul(&a, &b, (2, 2, 3))
            .iter()
            .map(|expected| expected.value)
            .collect();
        assert_eq!(values, [58.0, 64.0, 139.0, 154.0]);
    }

    #[test]
    fn an_empty_inner_dimension_gives_exact_zeroes() {
        assert!(
            matmul(&[], &[], (2, 3, 0))
                .iter()
                .all(|expected| expected.value == 0.0 && expected.tolerance == 0.0)
        );
    }
}
