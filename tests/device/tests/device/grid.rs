//! Cooperative launches: results with a grid barrier in the middle, and launches that are refused.

use device::{device, numbers};
use device_kernels::grid::{
    grid_scan, place_in_cooperative_grid, place_in_grid, rounds, shares, wait_in_vain,
};
use lanewise::{DeviceBuffer, LaunchConfig, LaunchError};
use tests::isolate::isolated;

#[test]
fn a_grid_knows_its_threads_and_whether_it_can_wait() {
    let device = device();
    let stream = device.stream().expect("a stream");
    let config = LaunchConfig::new((2, 3), (4, 2));
    let mut output = DeviceBuffer::from_slice(&device, &[[0usize; 5]; 48]).expect("a buffer");
    for cooperative in [false, true] {
        let launched = if cooperative {
            stream.launch(place_in_cooperative_grid, config, (&mut output,))
        } else {
            stream.launch(place_in_grid, config, (&mut output,))
        };
        launched.expect("a launch");
        for (rank, row) in output.to_vec().expect("no fault").into_iter().enumerate() {
            assert_eq!(
                row,
                [rank, 48, rank / 8, 6, cooperative.into()],
                "thread {rank}"
            );
        }
    }
}

#[test]
fn each_element_is_shared_once_by_a_block_and_by_a_warp() {
    let device = device();
    let stream = device.stream().expect("a stream");
    for length in [0, 1, 31, 64, 1000] {
        let zeros = || DeviceBuffer::<u32>::zeroed(&device, length).expect("a buffer");
        let (mut of_blocks, mut of_warps) = (zeros(), zeros());
        let config = LaunchConfig::new(3, (8, 8));
        stream
            .launch(shares, config, (&mut of_blocks, &mut of_warps))
            .expect("a launch");
        assert_eq!(of_blocks.to_vec().expect("no fault"), vec![3; length]);
        assert_eq!(of_warps.to_vec().expect("no fault"), vec![6; length]);
    }
}

#[test]
fn a_scan_of_any_length_takes_one_launch() {
    let device = device();
    let stream = device.stream().expect("a stream");
    for (length, blocks, threads) in [
        (0, 3, 32),
        (1, 1, 1),
        (77, 5, 33),
        (1000, 7, 64),
        (5000, 40, 96),
    ] {
        let input: Vec<u32> = numbers(length)
            .map(|x| x as u32)
            .take(length as usize)
            .collect();
        let mut sum = 0u32;
        let wanted: Vec<u32> = input
            .iter()
            .map(|x| {
                sum = sum.wrapping_add(*x);
                sum
            })
            .collect();
        let buffer = |values: &[u32]| DeviceBuffer::from_slice(&device, values).expect("a buffer");
        let (input, mut partial) = (buffer(&input), buffer(&vec![7; blocks as usize]));
        let mut output = buffer(&vec![9; length as usize]);
        let config = LaunchConfig::new(blocks, threads);
        let launched = stream.launch(grid_scan, config, (&input, &mut partial, &mut output));
        launched.expect("a launch");
        assert_eq!(
            output.to_vec().expect("no fault"),
            wanted,
            "{length} numbers by {blocks} blocks of {threads}"
        );
    }
}

#[test]
fn a_grid_waits_as_often_as_it_likes() {
    let device = device();
    let stream = device.stream().expect("a stream");
    for (blocks, count) in [(1u32, 5), (2, 4), (9, 7), (30, 2)] {
        let mut wanted: Vec<u32> = (1..=blocks).collect();
        let mut even = DeviceBuffer::from_slice(&device, &wanted).expect("a buffer");
        let mut odd =
            DeviceBuffer::from_slice(&device, &vec![0u32; blocks as usize]).expect("a buffer");
        let config = LaunchConfig::new(blocks, 32);
        stream
            .launch(rounds, config, (count, &mut even, &mut odd))
            .expect("a launch");
        for _ in 0..count {
            let next = wanted.iter().cycle().skip(1);
            wanted = wanted
                .iter()
                .zip(next)
                .map(|(me, next)| me.wrapping_mul(3).wrapping_add(*next))
                .collect();
        }
        let found = if count % 2 == 0 { even } else { odd };
        assert_eq!(
            found.to_vec().expect("no fault"),
            wanted,
            "{blocks} blocks, {count} rounds"
        );
    }
}

#[test]
fn more_blocks_than_the_device_holds_are_refused_with_the_numbers() {
    let device = device();
    let stream = device.stream().expect("a stream");
    let most = device
        .resident_blocks(rounds, 256, 0)
        .expect("the driver knows");
    let mut buffers =
        [0, 1].map(|_| DeviceBuffer::from_slice(&device, &[0u32; 4]).expect("a buffer"));
    let [even, odd] = &mut buffers;
    let config = LaunchConfig::new(most + 1, 256);
    let refused = stream
        .launch(rounds, config, (0, even, odd))
        .expect_err("one too many");
    let text = refused.to_string();
    let LaunchError::Cooperative {
        each,
        multiprocessors,
        ..
    } = refused
    else {
        panic!("{text}");
    };
    assert_eq!(each * multiprocessors, most);
    let asked = most + 1;
    assert!(
        text.contains(&format!("{asked} blocks"))
            && text.contains(&format!("holds {most} at once")),
        "{text}"
    );
}

#[test]
fn a_wait_in_a_launch_that_is_not_cooperative_says_what_is_missing() {
    let answer = isolated(
        "grid::a_wait_in_a_launch_that_is_not_cooperative_says_what_is_missing",
        || {
            let device = device();
            let stream = device.stream().expect("a stream");
            stream
                .launch(wait_in_vain, LaunchConfig::new(1, 1), ())
                .expect("a launch");
            format!("{}", stream.synchronize().is_err())
        },
    );
    assert_eq!(answer.text, "true");
    assert!(
        answer.printed.contains("needs a cooperative launch"),
        "{}",
        answer.printed
    );
}
