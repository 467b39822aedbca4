//! Matrices and volumes with padded rows.

use lanewise::PitchedBuffer;
use lanewise_patterns::{Setup, input};
use proptest::prelude::*;
use tests::agree::{agrees, assert_agrees};
use tests::sizes::{MATRIX_EDGES, cases};

use super::{assert_sectors, sectors};

const KERNELS: [&str; 2] = ["scale_pitched_2d", "scale_pitched_3d"];

#[test]
fn pitched_scaling_agrees_with_the_cpu_at_every_edge() {
    for variant in KERNELS {
        for (columns, rows) in MATRIX_EDGES {
            let setup = Setup {
                rows: Some(rows),
                ..Setup::new(columns, 1)
            };
            assert_agrees(variant, setup);
        }
    }
}

proptest! {
    #![proptest_config(cases(16))]

    #[test]
    fn pitched_scaling_agrees_with_the_cpu(columns in 0usize..300, rows in 0usize..80, seed: u64) {
        for variant in KERNELS {
            let setup = Setup { rows: Some(rows), ..Setup::new(columns, seed) };
            prop_assert_eq!(agrees(variant, setup), Ok(()));
        }
    }

    #[test]
    fn copies_there_and_back_leave_the_padding_out(nx in 0usize..200, ny in 0usize..20, nz in 0usize..5, seed: u64) {
        let device = tests::device();
        let volume = input::floats(nx * ny * nz, seed);
        let buffer = PitchedBuffer::from_volume(&device, &volume, [nx, ny, nz]).expect("a volume");
        prop_assert_eq!(buffer.to_vec().expect("a copy"), volume.clone());
        // With it, each row is followed by zeroes.
        let padded = buffer.padded().to_vec().expect("a copy");
        for (row, padded) in volume.chunks(nx.max(1)).zip(padded.chunks(buffer.pitch().max(1))) {
            prop_assert_eq!(&padded[..nx], row);
            prop_assert!(padded[nx..].iter().all(|&padding| padding == 0.0));
        }
    }
}

#[test]
fn rows_start_on_256_byte_boundaries() {
    let device = tests::device();
    for columns in [1, 33, 64, 65, 1000] {
        let matrix = vec![0.0f32; columns * 5];
        let buffer = PitchedBuffer::from_matrix(&device, &matrix, [columns, 5]).expect("a matrix");
        assert!(buffer.pitch() >= columns);
        for row in 0..5u64 {
            let address = buffer.padded().address() + row * 4 * buffer.pitch() as u64;
            assert_eq!(address % 256, 0, "row {row} of {columns} columns");
        }
    }
}

#[test]
fn a_padded_row_is_as_cheap_as_an_aligned_one() {
    // 96 columns are three warps; rows of 100 would start inside a sector without the padding.
    let setup = Setup {
        rows: Some(8),
        ..Setup::new(96, 1)
    };
    assert_sectors("scale_pitched_2d", setup, 4.0, 4.0);
    // The fourth warp has 4 lanes left, which is one sector: 13 in 4 requests, for loads
    // as for stores.
    let setup = Setup { size: 100, ..setup };
    if let Some(sectors) = sectors("scale_pitched_2d", setup) {
        assert_eq!(sectors, (3.25, 3.25));
    }
}

#[test]
fn a_length_that_is_not_the_size_is_refused() {
    let device = tests::device();
    let error = PitchedBuffer::from_matrix(&device, &[0.0f32; 5], [2, 3]).expect_err("5 are not 6");
    let text = error.to_string();
    assert!(
        text.contains("holds 6 elements and the host slice 5"),
        "{text}"
    );
}
