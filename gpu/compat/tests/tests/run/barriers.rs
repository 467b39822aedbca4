//! cuda-oxide's names for barriers, for boxes that go to several blocks, and for operations of
//! a whole warp.

use compat::cuda_oxide_barriers::{HEIGHT, WIDTH, pass_on, rows, spread};
use lanewise::LaunchConfig;
use lanewise::checks::Checking;
use lanewise::tensor_map::{TensorMap, Tiles};

use super::{OPENED, buffer, numbers};

#[test]
fn barriers_by_functions_and_by_types_order_a_block() {
    let values = numbers(128);
    let mut out = buffer(&[[0u32; 2]; 128]);
    launch!(
        pass_on,
        LaunchConfig::new(2, 64),
        (&buffer(&values), &mut out)
    );
    for (i, answers) in out.to_vec().expect("a copy").into_iter().enumerate() {
        let block = &values[i / 64 * 64..][..64];
        let before = |by: usize| block[(i + 64 - by) % 64];
        assert_eq!(answers, [before(1), before(2)], "thread {i}");
    }
    let kernel = &super::PTX[super::PTX.find(".entry pass_on(").expect("it is there")..];
    let kernel = kernel.split("\n}\n").next().expect("it ends");
    assert_eq!(kernel.matches("mbarrier.inval").count(), 1, "{kernel}");
}

#[test]
fn a_box_goes_to_both_blocks_of_a_cluster() {
    const COLUMNS: usize = 40;
    const ROWS: usize = 20;
    let elements: Vec<f32> = (0..COLUMNS * ROWS).map(|i| i as f32).collect();
    let input = buffer(&elements);
    let tiles = Tiles::new([COLUMNS, ROWS], [WIDTH as u32, HEIGHT as u32]);
    let from = buffer(&[TensorMap::new(&input, tiles).expect("a map").storage()]);
    let mut out = buffer(&[0f32; 2 * WIDTH * HEIGHT]);
    let config = LaunchConfig::new(2, (WIDTH * HEIGHT) as u32);
    let (x, y) = (8, 4);
    let _checked = Checking::all().start();
    launch!(spread, config, (&from, &mut out, x as i32, y as i32));
    let answers = out.to_vec().expect("a copy");
    for (i, answer) in answers.into_iter().enumerate() {
        let (block, at) = (i / (WIDTH * HEIGHT), i % (WIDTH * HEIGHT));
        let element = elements[(y + at / WIDTH) * COLUMNS + x + at % WIDTH];
        // The other block leaves its rank and one.
        let left = [2.0, 1.0][block];
        assert_eq!(
            answer,
            element + 1000.0 * left,
            "element {at} of block {block}"
        );
    }
}

#[test]
fn rows_have_matches_extremes_and_bytes() {
    let values: Vec<u32> = numbers(64).iter().map(|n| n % 50).collect();
    let mut out = buffer(&[[0u32; 6]; 64]);
    let config = LaunchConfig::new(1, (32, 2)).with_dynamic_shared(64);
    launch!(rows, config, (&buffer(&values), &mut out));
    for (i, answers) in out.to_vec().expect("a copy").into_iter().enumerate() {
        let (row, v) = (&values[i / 32 * 32..][..32], values[i]);
        let same = |(lane, other): (usize, &u32)| u32::from(other % 3 == v % 3) << lane;
        let expected = [
            row.iter().enumerate().map(same).sum(),
            row.iter().map(|v| v << 26).max().expect("32"),
            row.iter().min().expect("32").wrapping_sub(20),
            values[i ^ 1],
            48,
            u32::from(i % 32 == 0),
        ];
        assert_eq!(answers, expected, "thread {i}");
    }
}
