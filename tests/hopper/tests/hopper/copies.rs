//! Asynchronous copies of each size, and clusters of two dimensions.

use hopper::{buffer, device, values};
use hopper_kernels::copies::{
    HALF, THREADS, cluster_facts, cluster_group, copy_by_other_warps, copy_in_groups,
};
use lanewise::LaunchConfig;
use lanewise::checks::Checking;

#[test]
fn copies_of_each_size_come_in_their_groups() {
    let (device, stream) = device();
    let _checked = Checking::race().start();
    let words: Vec<u32> = (0..4 * THREADS as u32)
        .map(|i: u32| i.wrapping_mul(0x0101_0101).wrapping_add(1))
        .collect();
    let input = buffer(&device, &words);
    let mut output = buffer(&device, &vec![u32::MAX; 7 * THREADS]);
    let config = LaunchConfig::new(1, THREADS as u32);
    // SAFETY: buffers begin at multiples of 256 bytes; four words for each thread.
    let launched =
        unsafe { stream.launch_unchecked(copy_in_groups, config, (&input, &mut output)) };
    launched.expect("a launch");
    let got = values(&output);
    for t in 0..THREADS {
        let mut expected = vec![words[t], words[2 * t], words[2 * t + 1]];
        for i in 0..4 {
            // Of the bytes past the prefix come zeros.
            let bytes = words[4 * t + i].to_le_bytes();
            let kept: Vec<u8> = (0..4)
                .map(|byte| {
                    if 4 * i + byte < t % 17 {
                        bytes[byte]
                    } else {
                        0
                    }
                })
                .collect();
            expected.push(u32::from_le_bytes([kept[0], kept[1], kept[2], kept[3]]));
        }
        assert_eq!(got[7 * t..7 * t + 7], expected, "thread {t}");
    }
}

#[test]
fn warps_copy_what_other_warps_write() {
    let (device, stream) = device();
    let _checked = Checking::all().start();
    let mut expected: Vec<u32> = (1..=5 * HALF as u32 + 7).collect();
    let input = buffer(&device, &expected);
    expected.resize(7 * HALF, 0);
    let mut output = buffer(&device, &vec![u32::MAX; 7 * HALF]);
    let config = LaunchConfig::new(1, 2 * HALF as u32);
    stream
        .launch(copy_by_other_warps, config, (&input, &mut output))
        .expect("a launch");
    assert_eq!(values(&output), expected);
}

#[test]
fn a_block_knows_its_place_in_a_cluster_of_two_dimensions() {
    let (device, stream) = device();
    for (x, y) in [(1, 1), (2, 1), (2, 2), (1, 4), (4, 2)] {
        let (width, height) = (2 * x, 3 * y);
        let mut output = buffer(&device, &vec![[u32::MAX; 10]; (width * height) as usize]);
        let config = LaunchConfig::new((width, height), 32).with_cluster((x, y));
        stream
            .launch(cluster_facts, config, (&mut output,))
            .expect("a launch");
        for (i, facts) in values(&output).into_iter().enumerate() {
            let (column, row) = (i as u32 % width, i as u32 / width);
            let place = [column % x, row % y, column / x, row / y];
            assert_eq!(facts[1..5], place, "{x} x {y}, block {i}");
            assert_eq!(facts[5..9], [x, y, 2, 3]);
            assert_eq!(facts[9], (1 << (x * y)) - 1);
            if x * y > 1 {
                assert_eq!(facts[0], 1, "the launch has asked for it");
            }
        }
    }
    let mut output = buffer(&device, &[[u32::MAX; 10]]);
    stream
        .launch(cluster_facts, LaunchConfig::new(1, 32), (&mut output,))
        .expect("a launch");
    assert_eq!(values(&output), [[0, 0, 0, 0, 0, 1, 1, 1, 1, 1]]);
}

#[test]
fn a_cluster_is_a_group() {
    let (device, stream) = device();
    let _checked = Checking::all().start();
    for (clusters, blocks, threads) in [(3, 1, 40), (2, 2, 33), (1, 8, 64)] {
        let all = clusters * blocks * threads;
        let mut output = buffer(&device, &vec![[u32::MAX; 3]; all as usize]);
        let config = LaunchConfig::new(clusters * blocks, threads).with_cluster(blocks);
        stream
            .launch(cluster_group, config, (&mut output,))
            .expect("a launch");
        for (i, got) in values(&output).into_iter().enumerate() {
            let (cluster, rank) = (i as u32 / (blocks * threads), i as u32 % (blocks * threads));
            let next = cluster * blocks + (rank / threads + 1) % blocks;
            assert_eq!(got, [rank, blocks * threads, 100 + next], "{i}");
        }
    }
}
