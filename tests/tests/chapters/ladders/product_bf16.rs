//! Products of matrices of `bf16`: each rung against the CPU, and what it changes.

use lanewise_patterns::Setup;
use tests::agree::assert_agrees;
use tests::count::count;
use tests::sizes::matrix;

const KERNELS: [&str; 3] = [
    "product_bf16_naive",
    "product_bf16_shared",
    "product_bf16_mma",
];

#[test]
fn products_agree_with_the_cpu_at_every_edge() {
    for variant in KERNELS {
        for (columns, rows, inner) in [
            (0, 3, 3),
            (1, 1, 0),
            (1, 1, 1),
            (129, 33, 67),
            (31, 130, 32),
        ] {
            let setup = Setup {
                inner: Some(inner),
                ..matrix(columns, rows, 1)
            };
            assert_agrees(variant, setup);
        }
    }
}

#[test]
fn tensor_cores_need_a_twentieth_of_the_instructions() {
    let of = |variant| count(variant, Setup::new(128, 1)).map(|counters| counters.ptx_instructions);
    if let (Some(shared), Some(mma)) = (of("product_bf16_shared"), of("product_bf16_mma")) {
        assert!(20 * mma < shared, "{mma} and {shared}");
    }
}
