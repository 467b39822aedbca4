//! Data that a launch writes and then copies: maps that a kernel changes, and memory that its
//! threads have written.

use hopper::{buffer, device, values};
use hopper_kernels::tensors::{copy_what_was_written, load_by_changed_maps};
use lanewise::LaunchConfig;
use lanewise::checks::Checking;
use lanewise::tensor_map::{TensorMap, Tiles};
use lanewise_std::tma::MapStorage;
use proptest::prelude::*;
use tests::sizes::cases;

/// Columns and rows of a box.
const BOX: (usize, usize) = (8, 4);

proptest! {
    #![proptest_config(cases(8))]

    #[test]
    fn a_map_is_changed_by_the_kernel(
        blocks in 1usize..6,
        columns in 1usize..10,
        (x, y) in (-2i32..10, -5i32..8),
    ) {
        let (device, stream) = device();
        let _checked = Checking::all().start();
        let (columns, x) = (4 * columns, 4 * x);
        let numbers: Vec<u32> = (0..columns * blocks).map(|i| 1000 + i as u32).collect();
        let (first, all) = (buffer(&device, &[1u32; 64]), buffer(&device, &numbers));
        let map = TensorMap::new(&first, Tiles::new([16, 4], [4, 2])).expect("a map");
        let mut maps = buffer(&device, &vec![MapStorage::empty(); blocks]);
        let words = BOX.0 * BOX.1;
        let mut output = buffer(&device, &vec![7; blocks * words]);
        let arguments = (&map, &all, columns as u32, [x, y], &mut maps, &mut output);
        let config = LaunchConfig::new(blocks as u32, 64);
        // SAFETY: there are as many places as blocks, a buffer begins at a multiple of 256 bytes,
        // and columns are a multiple of 4.
        let launched = unsafe { stream.launch_unchecked(load_by_changed_maps, config, arguments) };
        launched.expect("a launch");
        let element = |i: usize| {
            let (block, i) = (i / words, i % words);
            let (column, row) = (x + (i % BOX.0) as i32, y + (i / BOX.0) as i32);
            let is_inside = (0..columns as i32).contains(&column) && (0..=block as i32).contains(&row);
            if is_inside { numbers[row as usize * columns + column as usize] } else { 0 }
        };
        let expected: Vec<u32> = (0..blocks * words).map(element).collect();
        prop_assert_eq!(values(&output), expected);
    }
}

#[test]
fn a_copy_sees_what_threads_of_its_launch_have_written() {
    let (device, stream) = device();
    let _checked = Checking::all().start();
    for blocks in [1, 3, 200] {
        let mut words = buffer(&device, &vec![7; 64 * blocks]);
        let mut output = buffer(&device, &vec![7; 64 * blocks]);
        let config = LaunchConfig::new(blocks as u32, 64);
        // SAFETY: a buffer begins at a multiple of 256 bytes.
        let launched = unsafe {
            stream.launch_unchecked(copy_what_was_written, config, (&mut words, &mut output))
        };
        launched.expect("a launch");
        let word = |i: usize| (i / 64 * 64 + i % 64 * 3) as u32;
        let expected: Vec<u32> = (0..64 * blocks).map(word).collect();
        assert_eq!(values(&output), expected);
    }
}
