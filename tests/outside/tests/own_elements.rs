//! What each thread writes without `unsafe`, in launches of any shape; types of one's own; and
//! what contracts refuse.
#![forbid(unsafe_code)]

use lanewise::checks::Checking;
use lanewise::tensor_map::{TensorMap, TensorMapMut, Tiles};
use lanewise::{Device, DeviceBuffer, LaunchConfig, MatrixMut, Stream, Zeroable, counters};
use lanewise_std::half::F16;
use own_kernels::factors::PerBlock;
use own_kernels::{
    Place, column_sums, corners, counted_in_a_static, digits, doubled, even_by_block, greatest,
    greatest_of_parts, numbered_apart, numbered_by_three, numbered_by_two_down, numbered_in_fours, numbered_in_planes,
    numbered_in_sums, numbered_in_threes, numbered_in_tiles, numbered_on_diagonals, ranks_in_row,
    row_stencil, rows_of_blocks, rows_of_clusters, rows_of_threads, rows_of_tiles, rows_of_warps,
    scaled_by_block, turned, weigh,
};
use proptest::prelude::*;

/// Launches of one to three dimensions, of any size, whole warps or not.
fn shapes() -> impl Strategy<Value = LaunchConfig> {
    let grid = (1u32..4, 1u32..3, 1u32..3);
    let block = (1u32..40, 1u32..5, 1u32..3);
    (grid, block).prop_map(|(grid, block)| LaunchConfig::new(grid, block))
}

fn device() -> (Device, Stream) {
    let device = Device::open().expect("a device");
    let stream = device.stream().expect("a stream");
    (device, stream)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_grid_of_any_shape_goes_over_all_elements_once(
        numbers in prop::collection::vec(0u32..1000, 1..500),
        config in shapes(),
    ) {
        let (device, stream) = device();
        let input = DeviceBuffer::from_slice(&device, &numbers).unwrap();
        let mut tens = DeviceBuffer::<u32>::zeroed(&device, numbers.len()).unwrap();
        let mut ones = DeviceBuffer::<u32>::zeroed(&device, numbers.len()).unwrap();
        stream.launch(digits, config, (&input, &mut tens, &mut ones)).unwrap();
        let (tens, ones) = (tens.to_vec().unwrap(), ones.to_vec().unwrap());
        let together: Vec<_> = tens.iter().zip(&ones).map(|(tens, ones)| 10 * tens + ones).collect();
        prop_assert_eq!(together, numbers);
    }

    #[test]
    fn threads_combine_their_own_of_a_blocks_part(
        numbers in prop::collection::vec(1u32..1000, 0..3000),
        config in shapes(),
        seed in 0u64..64,
    ) {
        let (device, stream) = device();
        let input = DeviceBuffer::from_slice(&device, &numbers).unwrap();
        let blocks = config.grid.count() as usize;
        let mut output = DeviceBuffer::from_slice(&device, &vec![u32::MAX; blocks]).unwrap();
        let _checking = Checking::all().seed(seed).start();
        stream.launch(greatest_of_parts, config, (&input, &mut output)).unwrap();
        let mut parts: Vec<u32> = numbers
            .chunks(3 * config.block.count() as usize)
            .map(|part| *part.iter().max().unwrap())
            .collect();
        parts.resize(parts.len().max(blocks), 0);
        prop_assert_eq!(&output.to_vec().unwrap(), &parts[..blocks]);
    }

    #[test]
    fn a_transposed_matrix_and_columns_have_owners_in_any_launch(
        rows in 1usize..20,
        columns in 1usize..20,
        seed in 0u64..64,
        config in shapes(),
    ) {
        let (device, stream) = device();
        let numbers: Vec<u32> = (0..(rows * columns) as u32).collect();
        let input = DeviceBuffer::from_slice(&device, &numbers).unwrap();
        let mut output = DeviceBuffer::from_slice(&device, &vec![u32::MAX; numbers.len()]).unwrap();
        let mut sums = DeviceBuffer::from_slice(&device, &numbers).unwrap();
        let _checking = Checking::all().seed(seed).start();
        stream.launch(turned, config, (&input, output.matrix_mut(rows))).unwrap();
        stream.launch(column_sums, config, (sums.matrix_mut(columns),)).unwrap();
        let [grid, block] = [config.grid, config.block];
        let [width, height] = [grid.x * block.x, grid.y * block.y * grid.z * block.z].map(|it| it as usize);
        let (output, sums) = (output.to_vec().unwrap(), sums.to_vec().unwrap());
        for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))) {
            let is_reached = column < width && row < height;
            let expected = if is_reached { numbers[row * columns + column] } else { u32::MAX };
            prop_assert_eq!(output[column * rows + row], expected);
            let above = (0..row).map(|row| numbers[row * columns + column]).sum::<u32>();
            let own = numbers[row * columns + column];
            let sum = if column < width * height { above + own } else { own };
            prop_assert_eq!(sums[row * columns + column], sum);
        }
    }

    #[test]
    fn every_owner_of_a_matrix_has_elements_of_its_own_in_any_launch(
        rows in 1usize..30,
        columns in 1usize..60,
        seed in 0u64..64,
        config in shapes(),
    ) {
        let (device, stream) = device();
        let numbers: Vec<u32> = (0..(rows * columns) as u32).collect();
        let input = DeviceBuffer::from_slice(&device, &numbers).unwrap();
        let [grid, block] = [config.grid, config.block].map(|it| [it.x, it.y, it.z].map(|it| it as usize));
        let [width, height] = [grid[0] * block[0], grid[1] * block[1]];
        let tiles = [3 * grid[0], 5 * grid[1] * grid[2]];
        macro_rules! check {
            ($kernel:ident reaches $reached:expr) => {{
                let mut output = DeviceBuffer::from_slice(&device, &vec![u32::MAX; numbers.len()]).unwrap();
                let _checking = Checking::all().seed(seed).start();
                let arguments = (input.matrix(columns), output.matrix_mut(columns));
                stream.launch($kernel, config, arguments).unwrap();
                let [down, across] = $reached;
                for (i, number) in output.to_vec().unwrap().into_iter().enumerate() {
                    let is_reached = i / columns < down && i % columns < across;
                    prop_assert_eq!(number, if is_reached { i as u32 } else { u32::MAX });
                }
            }};
        }
        check!(numbered_by_three reaches [height, 3 * width]);
        check!(numbered_by_two_down reaches [2 * width, height]);
        check!(numbered_on_diagonals reaches [height, width]);
        check!(numbered_in_tiles reaches tiles);
        // The tile of a block is as many rows of 16 as it has pairs of warps.
        let warps = (block[0] * block[1] * block[2]).div_ceil(32);
        if warps % 2 == 0 {
            let is_full = (block[0] * block[1] * block[2]) % 32 == 0;
            let tiles = [16 * (warps / 2) * grid[1] * grid[2], 32 * grid[0]];
            if is_full {
                check!(numbered_in_sums reaches tiles);
            }
        }
    }

    #[test]
    fn groups_of_neighbours_fill_a_part_that_begins_anywhere(
        length in 0usize..300,
        first in 0usize..6,
        seed in 0u64..64,
        config in shapes(),
    ) {
        let (device, stream) = device();
        let mut output = DeviceBuffer::from_slice(&device, &vec![u32::MAX; first + length + 5]).unwrap();
        for fours in [false, true] {
            let _checking = Checking::all().seed(seed).start();
            let part = &mut output.slice_mut(first..first + length);
            match fours {
                false => stream.launch(numbered_in_threes, config, (part,)).unwrap(),
                true => stream.launch(numbered_in_fours, config, (part,)).unwrap(),
            }
            let numbers = output.to_vec().unwrap();
            let is_untouched = |it: &u32| *it == u32::MAX;
            prop_assert!(numbers[..first].iter().chain(&numbers[first + length..]).all(is_untouched));
            let expected: Vec<u32> = (0..length as u32).collect();
            prop_assert_eq!(&numbers[first..first + length], expected);
        }
    }

    #[test]
    fn rows_belong_to_teams_of_threads(
        rows in 1usize..40,
        columns in 1usize..6,
        seed in 0u64..64,
        config in shapes(),
    ) {
        let (device, stream) = device();
        let threads = config.block.count() as usize;
        let blocks = config.grid.count() as usize;
        macro_rules! check {
            ($kernel:ident reaches $reached:expr) => {{
                let mut output = DeviceBuffer::from_slice(&device, &vec![u32::MAX; rows * columns]).unwrap();
                let _checking = Checking::all().seed(seed).start();
                stream.launch($kernel, config, (output.matrix_mut(columns),)).unwrap();
                for (i, number) in output.to_vec().unwrap().into_iter().enumerate() {
                    let is_reached: bool = $reached(i / columns);
                    prop_assert_eq!(number, if is_reached { i as u32 } else { u32::MAX });
                }
            }};
        }
        check!(rows_of_threads reaches |_| true);
        check!(rows_of_blocks reaches |_| true);
        check!(rows_of_warps reaches |_| true);
        // The last warp of a block may have fewer tiles.
        check!(rows_of_tiles reaches |row: usize| row % (4 * threads.div_ceil(32)) * 8 < threads);
        check!(rows_of_clusters reaches |row| row < blocks);
    }

    #[test]
    fn elements_a_block_apart_belong_to_a_thread(
        length in 0usize..600,
        seed in 0u64..64,
        config in shapes(),
    ) {
        let (device, stream) = device();
        let mut output = DeviceBuffer::from_slice(&device, &vec![u32::MAX; length]).unwrap();
        let _checking = Checking::all().seed(seed).start();
        stream.launch(numbered_apart, config, (&mut output,)).unwrap();
        let reached = 3 * (config.grid.count() * config.block.count()) as usize;
        let expected: Vec<u32> = (0..length).map(|i| if i < reached { i as u32 } else { u32::MAX }).collect();
        prop_assert_eq!(output.to_vec().unwrap(), expected);
    }

    #[test]
    fn a_plane_of_a_volume_belongs_to_the_blocks_at_its_z(
        rows in 1usize..20,
        columns in 1usize..30,
        seed in 0u64..64,
        config in shapes(),
    ) {
        let (device, stream) = device();
        let [grid, block] = [config.grid, config.block].map(|it| [it.x, it.y, it.z].map(|it| it as usize));
        let mut output = DeviceBuffer::from_slice(&device, &vec![u32::MAX; rows * columns]).unwrap();
        let _checking = Checking::all().seed(seed).start();
        stream.launch(numbered_in_planes, config, (output.matrix_mut(columns),)).unwrap();
        let of_plane = rows / grid[2];
        for (i, number) in output.to_vec().unwrap().into_iter().enumerate() {
            let (row, column) = (i / columns, i % columns);
            let [plane, row] = [row.checked_div(of_plane), row.checked_rem(of_plane)].map(|it| it.unwrap_or(grid[2]));
            let is_reached = plane < grid[2] && row < grid[1] * block[1] && column < grid[0] * block[0];
            let expected = 10_000 * plane + 100 * row + column;
            prop_assert_eq!(number, if is_reached { expected as u32 } else { u32::MAX });
        }
    }

    #[test]
    fn a_block_writes_its_element_whatever_the_shape(
        numbers in prop::collection::vec(0u32..1000, 1..500),
        config in shapes(),
        spare in -2i64..3,
    ) {
        let (device, stream) = device();
        let [grid, block] = [config.grid, config.block].map(|it| (it.x * it.y * it.z) as usize);
        let input = DeviceBuffer::from_slice(&device, &numbers).unwrap();
        // Some blocks have no element, or some elements no block.
        let length = grid.saturating_add_signed(spare as isize);
        let mut counts = DeviceBuffer::from_slice(&device, &vec![u32::MAX; length]).unwrap();
        stream.launch(even_by_block, config, (&input, &mut counts)).unwrap();
        let mut expected = vec![0; grid];
        for (i, _) in numbers.iter().enumerate().filter(|(_, number)| **number % 2 == 0) {
            expected[i / block % grid] += 1;
        }
        expected.resize(length, u32::MAX);
        prop_assert_eq!(counts.to_vec().unwrap(), expected);
    }

    #[test]
    fn a_block_writes_its_row_whatever_the_shape(
        seed in 1u32..1000,
        columns in 1usize..90,
        config in shapes(),
        spare in -2i64..3,
    ) {
        let (device, stream) = device();
        let blocks = (config.grid.x * config.grid.y * config.grid.z) as usize;
        // Some blocks have no row, or some rows no block.
        let rows = blocks.saturating_add_signed(spare as isize);
        let numbers: Vec<u32> = (0..(rows * columns) as u32).map(|i| i * seed % 97).collect();
        let input = DeviceBuffer::from_slice(&device, &numbers).unwrap();
        let mut ranks = DeviceBuffer::from_slice(&device, &vec![u32::MAX; rows * columns]).unwrap();
        let output = ranks.matrix_mut(columns);
        stream.launch(ranks_in_row, config, (&input, output)).unwrap();
        let ranks = ranks.to_vec().unwrap();
        for (number, (row, ranks)) in numbers.chunks(columns).zip(ranks.chunks(columns)).enumerate() {
            let rank = |it: &u32| row.iter().filter(|other| *other < it).count() as u32;
            let expected: Vec<u32> = match number < blocks {
                true => row.iter().map(rank).collect(),
                false => vec![u32::MAX; columns],
            };
            prop_assert_eq!(ranks, expected);
        }
    }

    #[test]
    fn a_matrix_is_written_by_the_threads_in_their_places(
        (rows, columns) in (1usize..20, 1usize..50),
        block in (1u32..40, 1u32..5),
    ) {
        let (device, stream) = device();
        let numbers: Vec<u32> = (0..(rows * columns) as u32).collect();
        let input = DeviceBuffer::from_slice(&device, &numbers).unwrap();
        let mut output = DeviceBuffer::<u32>::zeroed(&device, numbers.len()).unwrap();
        let grid = ((columns as u32).div_ceil(block.0), (rows as u32).div_ceil(block.1));
        let config = LaunchConfig::new(grid, block);
        stream.launch(row_stencil, config, (&input, output.matrix_mut(columns))).unwrap();
        let sums: Vec<u32> = numbers
            .chunks(columns)
            .flat_map(|row| (0..columns).map(|x| row[x.saturating_sub(1)..columns.min(x + 2)].iter().sum()))
            .collect();
        prop_assert_eq!(output.to_vec().unwrap(), sums);
    }
}

/// Rows for which there are no threads stay as they were, and threads beside the
/// matrix write nothing.
#[test]
fn a_launch_of_another_shape_than_the_matrix_writes_what_it_has_threads_for() {
    let (device, stream) = device();
    let input = DeviceBuffer::from_slice(&device, &[1u32; 12]).unwrap();
    let mut output = DeviceBuffer::<u32>::zeroed(&device, 12).unwrap();
    let config = LaunchConfig::new((2, 1), (8, 2));
    let matrix: MatrixMut<u32> = output.matrix_mut(4);
    assert_eq!((matrix.rows(), matrix.columns()), (3, 4));
    stream.launch(row_stencil, config, (&input, matrix))
        .unwrap();
    let rows = [[2, 3, 3, 2], [2, 3, 3, 2], [0; 4]];
    assert_eq!(output.to_vec().unwrap(), rows.concat());
    let mut nothing = DeviceBuffer::<u32>::zeroed(&device, 0).unwrap();
    stream.launch(
            row_stencil,
            config,
            (&input, nothing.matrix_mut(0)),)
        .unwrap();
    stream.synchronize().unwrap();
}

#[test]
#[should_panic(expected = "12 elements do not make whole rows of 5")]
fn a_matrix_has_whole_rows() {
    let (device, _) = device();
    let mut buffer = DeviceBuffer::<u32>::zeroed(&device, 12).unwrap();
    let _ = buffer.matrix_mut(5);
}

/// `#[derive(Value)]` makes a type one that buffers of zeroes and `fill` take; a closure that is
/// counted gives its answer back.
#[test]
fn a_type_of_ones_own_is_zeroed_and_weighed() {
    let (device, stream) = device();
    let weights: Vec<f32> = (0..1000).map(|i| i as f32).collect();
    let (places, counted) = counters::of(&device, || -> Result<_, Box<dyn std::error::Error>> {
        let weights = DeviceBuffer::from_slice(&device, &weights)?;
        let mut places = DeviceBuffer::<Place>::zeroed(&device, 1000)?;
        stream.launch(
            weigh,
            LaunchConfig::new(4, 64),
            (&weights, &mut places),)?;
        Ok(places.to_vec()?)
    })
    .expect("it runs");
    assert_eq!(Place::zeroed(), Place::default());
    for (place, weight) in places.iter().zip(weights) {
        assert_eq!((place.at, place.weight), ([0.0; 2], weight));
    }
    assert!(counted.is_none_or(|counted| counted.global_loads.requests > 0));
}

#[test]
fn a_grid_that_the_contract_does_not_allow_is_refused() {
    let (device, stream) = device();
    let weights = DeviceBuffer::<f32>::zeroed(&device, 10).unwrap();
    let mut places = DeviceBuffer::<Place>::zeroed(&device, 10).unwrap();
    let mut out = DeviceBuffer::<u32>::zeroed(&device, 1).unwrap();
    let numbers = DeviceBuffer::from_slice(&device, &[3u32, 9, 4]).unwrap();
    let five = LaunchConfig::new(5, 32);
    let refused = stream.launch(weigh, five, (&weights, &mut places));
    let text = causes(refused.unwrap_err());
    assert!(
        text.contains("the grid is (5, 1, 1) and has to be (1 to 4, 1, 1)"),
        "{text}"
    );
    let refused = stream.launch(greatest, five, (&numbers, &mut out));
    let text = causes(refused.unwrap_err());
    assert!(
        text.contains("the grid is (5, 1, 1) and has to be (1, 1, 1)"),
        "{text}"
    );
    let one = LaunchConfig::new(1, 64);
    stream.launch(greatest, one, (&numbers, &mut out))
        .unwrap();
    assert_eq!(out.to_vec().unwrap(), [9]);
}

/// A kernel with room for boxes of 8 x 4 gets maps of such boxes only: a larger box would be
/// written past the end of its shared memory.
#[test]
fn a_map_of_other_boxes_than_the_kernel_has_room_for_is_refused() {
    let (device, stream) = device();
    let numbers: Vec<u32> = (0..16 * 8).collect();
    let input = DeviceBuffer::from_slice(&device, &numbers).unwrap();
    let mut found = DeviceBuffer::<u32>::zeroed(&device, 2).unwrap();
    let config = LaunchConfig::new(2, 32);
    for (tile, expected) in [
        ([8, 8], "found boxes of 8 x 8"),
        ([4, 8], "found boxes of 4 x 8"),
        ([8, 1], "found boxes of 8\n"),
    ] {
        let map = TensorMap::new(&input, Tiles::new([16, 8], tile)).unwrap();
        let refused = stream.launch(corners, config, (&map, &mut found));
        let text = causes(refused.unwrap_err()) + "\n";
        let wanted = "expected a map of boxes of 8 x 4 elements, as the kernel's parameter says";
        assert!(text.contains(wanted) && text.contains(expected), "{text}");
    }
    let map = TensorMap::new(&input, Tiles::new([16, 8], [8, 4])).unwrap();
    stream.launch(corners, config, (&map, &mut found))
        .unwrap();
    assert_eq!(found.to_vec().unwrap(), [0, 64]);
}

/// The catalog's copy takes any numbers: boxes outside of the tensors are neither read nor written.
#[test]
fn a_copy_in_boxes_takes_any_numbers() {
    use gpu::tensor::tma_copy::{COLUMNS, ROWS, THREADS, tma_copy};
    let (device, stream) = device();
    let numbers: Vec<f32> = (0..64 * 32).map(|i| i as f32).collect();
    let input = DeviceBuffer::from_slice(&device, &numbers).unwrap();
    let tiles = || Tiles::new([64, 32], [COLUMNS as u32, ROWS as u32]);
    let config = LaunchConfig::new(3, THREADS);
    // Two boxes in a row, and two rows of boxes.
    for (across, boxes, factor) in [
        (2, 4, 2.0),
        (2, 9, 2.0),
        (0, 4, 0.0),
        (1 << 26, 4, 0.0),
        (u32::MAX, u32::MAX, 0.0),
    ] {
        let mut output = DeviceBuffer::<f32>::zeroed(&device, numbers.len()).unwrap();
        let from = TensorMap::new(&input, tiles()).unwrap();
        let mut to = TensorMapMut::new(&mut output, tiles()).unwrap();
        let _checking = Checking::all().start();
        let arguments = (&from, &mut to, across, boxes, 2.0);
        stream.launch(tma_copy, config, arguments).unwrap();
        let found = output.to_vec().unwrap();
        let expected: Vec<f32> = numbers.iter().map(|number| factor * number).collect();
        assert_eq!(found, expected, "{across}, {boxes}");
    }
}

/// The additions of all threads to a static are atomic, so each one finds another number.
#[test]
fn threads_count_in_a_static() {
    let (device, stream) = device();
    let mut found = DeviceBuffer::<u32>::zeroed(&device, 200).unwrap();
    let config = LaunchConfig::new(4, 50);
    let _checking = Checking::all().start();
    stream.launch(counted_in_a_static, config, (&mut found,))
        .unwrap();
    let mut found = found.to_vec().unwrap();
    found.sort_unstable();
    assert_eq!(found, (0..200).collect::<Vec<u32>>());
}

/// One type of half floats, for arithmetic and for the matrix units.
#[test]
fn half_floats_are_of_one_type() {
    let (device, stream) = device();
    let numbers = [0.5f32, 1.0, -3.0].map(F16::from_f32);
    let input = DeviceBuffer::from_slice(&device, &numbers).unwrap();
    let mut out = DeviceBuffer::<F16>::zeroed(&device, 3).unwrap();
    stream.launch(
            doubled,
            LaunchConfig::new(1, 2),
            (&input, &mut out),)
        .unwrap();
    assert_eq!(
        out.to_vec().unwrap(),
        [1.0f32, 2.0, -6.0].map(F16::from_f32)
    );
}

/// An error and what caused it.
fn causes(error: impl std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text += &format!("\n{error}");
        cause = error.source();
    }
    text
}

#[test]
fn parameters_are_known_by_their_types_and_not_by_the_names() {
    let (device, stream) = device();
    let numbers: Vec<f32> = (0..100).map(|i| i as f32).collect();
    let input = DeviceBuffer::from_slice(&device, &numbers).unwrap();
    let [mut out, mut again] = [(); 2].map(|()| DeviceBuffer::<f32>::zeroed(&device, 100).unwrap());
    let factor = PerBlock {
        even: 2.0,
        odd: 3.0,
    };
    let arguments = (&input, factor, &mut out, &mut again);
    let config = LaunchConfig::new(4, 32);
    stream.launch(scaled_by_block, config, arguments)
        .unwrap();
    let factors = (0..100).map(|i| [2.0, 3.0][i / 32 % 2]);
    let expected: Vec<f32> = numbers
        .iter()
        .zip(factors)
        .map(|(x, factor)| factor * x)
        .collect();
    assert_eq!(out.to_vec().unwrap(), expected);
    let expected: Vec<f32> = expected.iter().map(|x| x + 1.0).collect();
    assert_eq!(again.to_vec().unwrap(), expected);
}
