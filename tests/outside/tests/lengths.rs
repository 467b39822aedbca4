//! Launch contracts about the lengths of slices: the host checks them, and the device does not.
#![forbid(unsafe_code)]

use std::error::Error;

use lanewise::{Device, DeviceBuffer, LaunchConfig, LaunchError};
use lanewise_std::kernel::Module;
use own_kernels::{Ptx, matrix_sum};
use proptest::prelude::*;

/// Launches the kernel with slices of these lengths.
fn launch(lengths: [usize; 3], rows: u32, columns: usize) -> Result<Vec<f32>, LaunchError> {
    let device = Device::open().expect("a device");
    let stream = device.stream().expect("a stream");
    let numbers = |len: usize| (0..len).map(|i| i as f32).collect::<Vec<_>>();
    let [a, b, c] = lengths.map(|len| DeviceBuffer::from_slice(&device, &numbers(len)).unwrap());
    let mut c = c;
    let config = LaunchConfig::for_num_elems(c.len());
    stream.launch(matrix_sum, config, (&a, &b, &mut c, rows, columns))?;
    Ok(c.to_vec().unwrap())
}

fn refusal(lengths: [usize; 3], rows: u32, columns: usize) -> String {
    let error = launch(lengths, rows, columns).expect_err("a contract is broken");
    assert!(matches!(error, LaunchError::Contract { .. }), "{error}");
    error.source().expect("the clause").to_string()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn slices_that_keep_the_contract_are_added(rows in 0u32..20, columns in 0usize..20, more in 0usize..3) {
        let n = rows as usize * columns;
        let sum = launch([n, n + more, n], rows, columns).unwrap();
        let expected: Vec<_> = (0..n).map(|i| 2.0 * i as f32).collect();
        prop_assert_eq!(sum, expected);
    }
}

#[test]
fn the_clause_that_is_broken_is_named_with_both_lengths() {
    let refused = refusal([12, 12, 11], 3, 4);
    let expected = "`len(c) == rows * columns` does not hold: expected 12 elements, found 11";
    assert_eq!(refused, expected);
    let refused = refusal([13, 12, 12], 3, 4);
    assert_eq!(
        refused,
        "`len(a) == len(c)` does not hold: expected 12 elements, found 13"
    );
    let refused = refusal([12, 7, 12], 3, 4);
    assert_eq!(
        refused,
        "`len(b) >= len(c)` does not hold: expected 12 elements, found 7"
    );
    // 2^32 * 2^32 is 0 in 64 bits, and no slice has as many elements.
    let refused = refusal([0, 0, 0], 1 << 31, 1 << 33);
    assert!(
        refused.starts_with("`len(c) == rows * columns`"),
        "{refused}"
    );
}

#[test]
fn a_graph_is_not_built_of_a_launch_that_breaks_the_contract() {
    let device = Device::open().unwrap();
    let [a, b] = [4, 3].map(|len| DeviceBuffer::<f32>::zeroed(&device, len).unwrap());
    let mut c = DeviceBuffer::<f32>::zeroed(&device, 4).unwrap();
    let config = LaunchConfig::new(1, 32);
    let built = device.build_graph(|graph| {
        graph.launch(&[], matrix_sum, config, (&a, &b, &mut c, 2, 2))?;
        Ok(())
    });
    assert!(built.is_err());
}

#[test]
fn the_device_checks_no_index() {
    for text in Ptx::TEXTS {
        let ptx = text.plain;
        let from = ptx.find(".entry matrix_sum").expect("the kernel");
        let kernel = &ptx[from..];
        let kernel = &kernel[..kernel.find("\n}").expect("its end")];
        assert_eq!(kernel.matches("setp").count(), 1, "{kernel}");
    }
}
