//! A product of matrices of `bf16` by the units of a Hopper.

use lanewise_patterns::Setup;
use tests::agree::assert_agrees;
use tests::sizes::matrix;

/// Products of a tile and a bit, of less than a tile, and of many tiles; nothing along one side.
#[test]
fn gemm_bf16_agrees_with_the_cpu() {
    for (m, n, k) in [
        (129, 257, 65),
        (7, 5, 3),
        (300, 530, 130),
        (0, 4, 4),
        (4, 4, 0),
    ] {
        let setup = Setup {
            inner: Some(k),
            ..matrix(n, m, 3)
        };
        assert_agrees("gemm_bf16", setup);
    }
}
