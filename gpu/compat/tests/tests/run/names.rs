//! More names that the two projects' kernels use: lanes, atomics, groups,
//! clusters and tiles.

use std::process::Command;

use compat::{cuda_oxide_groups as oxide, rust_cuda_tiles as tiles};
use lanewise::LaunchConfig;

use super::{OPENED, buffer, numbers};

/// Returns the lanes of the warp whose value satisfies a condition.
fn mask(warp: &[u32], holds: impl Fn(u32) -> bool) -> u32 {
    let lanes = warp.iter().enumerate();
    lanes.fold(0, |mask, (lane, v)| mask | u32::from(holds(*v)) << lane)
}

fn small(length: usize) -> Vec<u32> {
    numbers(length).iter().map(|n| n % 50).collect()
}

#[test]
fn lanes_answer_by_all_names() {
    let values = small(96);
    let mut out = buffer(&[[0u64; 20]; 96]);
    launch!(
        oxide::lanes,
        LaunchConfig::new(1, 96),
        (&buffer(&values), &mut out)
    );
    let answers = out.to_vec().expect("a copy");
    for (w, warp) in values.chunks(32).enumerate() {
        for (lane, v) in warp.iter().enumerate() {
            let at = |lane: usize| u64::from(warp[lane]);
            let odd = mask(warp, |v| v % 2 == 1);
            let fold =
                |f: fn(u32, u32) -> u32| u64::from(warp.iter().copied().reduce(f).expect("32"));
            let expected = [
                at(3),
                at(lane.saturating_sub(1)),
                at(if lane + 2 < 32 { lane + 2 } else { lane }),
                at(lane ^ 5),
                at(31),
                at(lane ^ 16),
                at((lane + 1).min(31)) << 20,
                at(lane / 2),
                at(lane ^ 1),
                odd.count_ones().into(),
                odd.into(),
                u64::from(odd == u32::MAX) + 2 * u64::from(odd != 0),
                mask(warp, |other| other % 4 == v % 4).into(),
                u64::from(if warp.iter().all(|other| other == v) {
                    u32::MAX
                } else {
                    0
                }),
                fold(|a, b| a + b),
                fold(u32::min),
                fold(u32::max),
                fold(|a, b| a ^ b),
                (1 << lane) - 1,
                w as u64,
            ];
            assert_eq!(answers[32 * w + lane], expected, "lane {lane} of warp {w}");
        }
    }
}

#[test]
fn atomics_are_views_of_numbers() {
    let (mut numbers, mut signed) = (buffer(&[0u32; 3]), buffer(&[0i32]));
    let (mut wide, mut sum) = (buffer(&[0u64]), buffer(&[1.0f32, 0.0, 1000.0]));
    let mut sum64 = buffer(&[0.0f64]);
    launch!(
        oxide::count,
        LaunchConfig::new(5, 70),
        (&mut numbers, &mut signed, &mut wide, &mut sum, &mut sum64)
    );
    assert_eq!(numbers.to_vec().expect("a copy"), [350, 1, 1]);
    assert_eq!(signed.to_vec().expect("a copy"), [-69]);
    assert_eq!(wide.to_vec().expect("a copy"), [69 << 40]);
    // All but the first to come find 2.0.
    assert_eq!(sum.to_vec().expect("a copy"), [176.0, 2.0, 1000.0 - 349.0]);
    assert_eq!(sum64.to_vec().expect("a copy"), [87.5]);
}

#[test]
fn groups_have_sizes_ranks_and_collectives() {
    let values = small(192);
    let mut out = buffer(&[[0u32; 12]; 192]);
    launch!(
        oxide::groups,
        LaunchConfig::new(2, 96),
        (&buffer(&values), &mut out)
    );
    let answers = out.to_vec().expect("a copy");
    for (i, v) in values.iter().enumerate() {
        let block = &values[i / 96 * 96..][..96];
        let warp = &values[i / 32 * 32..][..32];
        let (tile, rank) = (&values[i / 8 * 8..][..8], i % 8);
        let evens = mask(warp, |v| v % 2 == 0);
        let expected = [
            mask(tile, |v| v % 3 == 0),
            tile[2],
            // Lane 4 of the tile beside: there is none.
            *v,
            tile[(rank + 1).min(7)],
            mask(tile, |other| other % 2 == v % 2),
            warp.iter().sum::<u32>() ^ warp.iter().fold(0, |a, b| a ^ b),
            tile.iter().min().expect("8").wrapping_sub(100),
            *tile[..=rank].iter().max().expect("one"),
            block.iter().sum(),
            block[..=i % 96].iter().sum(),
            warp.iter().fold(u32::MAX, |a, b| a & (b | 1)) ^ tile.iter().fold(0, |a, b| a | b),
            if v % 2 == 0 {
                evens.count_ones() << 8 | (evens & ((1 << (i % 32)) - 1)).count_ones()
            } else {
                0
            },
        ];
        assert_eq!(answers[i], expected, "thread {i}");
    }
}

#[test]
fn a_grid_meets() {
    let (mut markers, mut out) = (buffer(&[0u32; 6]), buffer(&[0u32; 6]));
    launch!(
        oxide::meet,
        LaunchConfig::new(6, 64),
        (&mut markers, &mut out)
    );
    assert_eq!(out.to_vec().expect("a copy"), [21 * 6; 6]);
}

#[test]
fn blocks_of_a_cluster_read_each_other() {
    let mut out = buffer(&[0u32; 6]);
    launch!(oxide::neighbour, LaunchConfig::new(6, 32), (&mut out,));
    assert_eq!(out.to_vec().expect("a copy"), [1, 0, 101, 100, 201, 200]);
}

/// The variable that is set in the process whose kernel prints.
const INSIDE: &str = "COMPAT_TEST_PRINTS";

#[test]
fn text_has_the_letters_of_c() {
    if std::env::var_os(INSIDE).is_some() {
        let mut out = buffer(&[0u32; 40]);
        let config = LaunchConfig::new(1, 40).with_dynamic_shared(40 * 4);
        launch!(oxide::report, config, (2.125f32, &mut out));
        let expected: Vec<u32> = (0..40).rev().map(|i| 3 * i).collect();
        assert_eq!(out.to_vec().expect("a copy"), expected);
        return;
    }
    let program = std::env::current_exe().expect("this program");
    let name = "names::text_has_the_letters_of_c";
    let output = Command::new(program)
        .args(["--exact", name, "--nocapture"])
        .env(INSIDE, "1")
        .output()
        .expect("it runs");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}");
    assert!(text.contains("[0     ]     2.12 0xff "), "{text}");
}

#[test]
fn tiles_are_statics_in_shared_memory() {
    let (m, n, k) = (19usize, 21usize, 13usize);
    let a: Vec<f32> = (0..m * k).map(|i| (i % 5) as f32).collect();
    let b: Vec<f32> = (0..k * n).map(|i| (i % 7) as f32).collect();
    let mut c = buffer(&vec![1.0f32; m * n]);
    launch!(
        tiles::gemm_tiled,
        LaunchConfig::new((3, 3), (8, 8)),
        (&buffer(&a), &buffer(&b), &mut c, m, n, k, 2.0f32, 3.0f32)
    );
    let element = |i: usize| {
        let (row, column) = (i / n, i % n);
        let sum: f32 = (0..k).map(|j| a[row * k + j] * b[j * n + column]).sum();
        2.0 * sum + 3.0
    };
    let expected: Vec<f32> = (0..m * n).map(element).collect();
    assert_eq!(c.to_vec().expect("a copy"), expected);
    let kernel = &super::PTX[super::PTX.find(".entry gemm_tiled(").expect("it is there")..];
    assert!(kernel.contains("st.shared.b32"), "{kernel}");
}

#[test]
fn lanes_have_reductions_and_matches() {
    let values = small(64);
    let mut out = buffer(&[[0u32; 7]; 64]);
    launch!(
        tiles::together,
        LaunchConfig::new(1, (16, 4)),
        (&buffer(&values), &mut out)
    );
    for (i, answers) in out.to_vec().expect("a copy").into_iter().enumerate() {
        let warp = &values[i / 32 * 32..][..32];
        let expected = [
            warp.iter().sum(),
            warp.iter().min().expect("32").wrapping_sub(7),
            warp.iter().fold(0, |a, b| a ^ b),
            mask(warp, |other| other == values[i]),
            u32::MAX,
            mask(warp, |v| v > 20),
            32,
        ];
        assert_eq!(answers, expected, "thread {i}");
    }
}

#[test]
fn floats_are_added_atomically() {
    let values: Vec<f32> = (0..300).map(|i| i as f32).collect();
    let (mut sum, mut sum64) = (buffer(&[0.5f32]), buffer(&[0.25f64]));
    launch!(
        tiles::add_up,
        LaunchConfig::for_num_elems(300),
        (&buffer(&values), &mut sum, &mut sum64)
    );
    assert_eq!(sum.to_vec().expect("a copy"), [44850.5]);
    assert_eq!(sum64.to_vec().expect("a copy"), [44850.25]);
}

#[test]
fn threads_have_places_votes_and_fences() {
    let mut out = buffer(&[[0u32; 5]; 256]);
    let mut sums = buffer(&[0.5f64, 0.25]);
    // Blocks of a warp, two along x, none beside them along y, four along z.
    let config = LaunchConfig::new((2, 1, 4), (8, 4, 1));
    launch!(tiles::places, config, (&mut out, &mut sums));
    let answers = out.to_vec().expect("a copy");
    for (i, answer) in answers[..].iter().enumerate() {
        let (block, thread) = (i / 32, i % 32);
        let (x, y, z) = (8 * (block % 2) + thread % 8, thread / 8, block / 2);
        let expected = [x, y, z, 1 - block % 2, block % 2];
        assert_eq!(answer.map(|it| it as usize), expected, "thread {i}");
    }
    let sum = f64::from(255 * 256 / 2);
    assert_eq!(sums.to_vec().expect("a copy"), [0.5 + sum, 0.25 + sum]);
    let kernel = &super::PTX[super::PTX.find(".entry places(").expect("it is there")..];
    let kernel = &kernel[..kernel.find("\n}").expect("it ends")];
    // A copy of the code that panics may have them again.
    for scope in ["cta", "gl", "sys"] {
        let fence = format!("membar.{scope};");
        assert!(kernel.contains(&fence), "no {fence} in {kernel}");
    }
}
