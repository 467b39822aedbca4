//! PTX that nvcc 13 makes of CUDA C++'s libraries and intrinsics, run and compared with plain
//! loops: `tests/ptx/nvcc_parallel.cu`, `tests/ptx/nvcc_video.cu`.

use half::{bf16, f16};
use lanewise_sim::{Checks, Launch, Report};

use crate::common::{Numbers, Rig};

fn rig() -> Rig {
    Rig::new(include_str!("../../ptx/nvcc_parallel.ptx"))
}

/// Runs a kernel with every check. A finding is an error of the kernel or of the simulator.
#[track_caller]
fn run(rig: &Rig, kernel: &str, grid: u32, block: u32, seed: u64, params: &[u64]) -> Report {
    let bytes: Vec<u8> = params.iter().flat_map(|p| p.to_le_bytes()).collect();
    let checks = Checks::all();
    let launch = Launch {
        seed,
        checks,
        ..Launch::new(kernel, [grid, 1, 1], [block, 1, 1], &bytes)
    };
    let report = rig
        .device
        .launch(&rig.instance, &launch)
        .unwrap_or_else(|fault| panic!("{kernel}\n{fault}"));
    assert!(
        report.findings.is_empty(),
        "{kernel}: {}",
        report.findings[0]
    );
    report
}

/// Two matrices of small integers, and their product.
fn matrices() -> (Vec<f16>, Vec<f16>, Vec<f32>) {
    let mut numbers = Numbers(11);
    let mut matrix = || {
        (0..64 * 64)
            .map(|_| numbers.within((-8, 8)) as f32)
            .collect::<Vec<f32>>()
    };
    let (a, b) = (matrix(), matrix());
    let cell = |i: usize| {
        (0..64)
            .map(|k| a[i / 64 * 64 + k] * b[k * 64 + i % 64])
            .sum()
    };
    let product = (0..64 * 64).map(cell).collect();
    let halves = |m: &[f32]| m.iter().map(|&v| f16::from_f32(v)).collect();
    (halves(&a), halves(&b), product)
}

fn bits(values: &[f16]) -> Vec<u16> {
    values.iter().map(|v| v.to_bits()).collect()
}

#[test]
fn wmma_multiplies() {
    let rig = rig();
    let (a, b, product) = matrices();
    // B by columns.
    let columns: Vec<f16> = (0..64 * 64).map(|i| b[i % 64 * 64 + i / 64]).collect();
    let (pa, pb) = (
        rig.buffer_aligned(&bits(&a), 256),
        rig.buffer_aligned(&bits(&columns), 256),
    );
    let out = rig.buffer_aligned(&[0f32; 64 * 64], 256);
    run(&rig, "wmma_product", 1, 512, 0, &[pa, pb, out]);
    let doubled: Vec<f32> = product.iter().map(|v| 2.0 * v).collect();
    assert_eq!(rig.read::<f32>(out, 64 * 64), doubled);
}

#[test]
fn mma_multiplies_without_bank_conflicts() {
    let rig = rig();
    let (a, b, product) = matrices();
    let (pa, pb) = (
        rig.buffer_aligned(&bits(&a), 256),
        rig.buffer_aligned(&bits(&b), 256),
    );
    let out = rig.buffer_aligned(&[0f32; 64 * 64], 256);
    run(&rig, "mma_product", 1, 256, 1, &[pa, pb, out]);
    assert_eq!(rig.read::<f32>(out, 64 * 64), product);
    let params: Vec<u8> = [pa, pb, out].iter().flat_map(|p| p.to_le_bytes()).collect();
    let launch = Launch {
        count: true,
        ..Launch::new("mma_product", [1; 3], [256, 1, 1], &params)
    };
    let report = rig
        .device
        .launch(&rig.instance, &launch)
        .expect("it ran before");
    let loads = report.counters.expect("counted").shared_loads;
    // Eight warps load four matrices four times, and two matrices sixteen times; swizzled rows
    // have no conflicts.
    assert_eq!(
        (loads.requests, loads.wavefronts, loads.conflicts),
        (8 * 20, 8 * (4 * 4 + 16 * 2), 0)
    );
}

#[test]
fn pipelines_bring_batches_in() {
    let rig = rig();
    let input: Vec<i32> = (0..128 * 9).map(|i| i * 7 % 1000 - 400).collect();
    let pin = rig.buffer_aligned(&input, 128);
    for seed in 0..4 {
        let out = rig.buffer(&[0i32; 128]);
        run(&rig, "pipelined_sum", 1, 128, seed, &[pin, 9, out]);
        let sum = |t: usize| {
            (0..9)
                .map(|batch| input[batch * 128 + 127 - t])
                .sum::<i32>()
        };
        assert_eq!(
            rig.read::<i32>(out, 128),
            (0..128).map(sum).collect::<Vec<_>>(),
            "seed {seed}"
        );
    }
}

#[test]
fn warps_produce_and_consume() {
    let rig = rig();
    let input: Vec<i32> = (0..64 * 20).map(|i| i * 13 % 777).collect();
    let pin = rig.buffer(&input);
    for seed in 0..6 {
        let out = rig.buffer(&[0i32; 64]);
        run(&rig, "specialised", 1, 128, seed, &[pin, 20, out]);
        let sum = |t: usize| {
            (0..20)
                .map(|batch| 3 * input[batch * 64 + 63 - t])
                .sum::<i32>()
        };
        assert_eq!(
            rig.read::<i32>(out, 64),
            (0..64).map(sum).collect::<Vec<_>>(),
            "seed {seed}"
        );
    }
}

#[test]
fn bytes_go_in_bulk() {
    let rig = rig();
    let input: Vec<i32> = (0..1024).map(|i| i * 5 - 99).collect();
    let (pin, out) = (
        rig.buffer_aligned(&input, 128),
        rig.buffer_aligned(&[0i32; 1024], 128),
    );
    run(&rig, "bulk", 4, 256, 2, &[pin, out]);
    assert_eq!(
        rig.read::<i32>(out, 1024),
        input.iter().map(|v| 2 * v).collect::<Vec<_>>()
    );
}

#[test]
fn a_cluster_counts_together() {
    let rig = rig();
    let input: Vec<u32> = (0..5000u32)
        .map(|i| i.wrapping_mul(2654435761) >> 7)
        .collect();
    let (pin, bins) = (rig.buffer(&input), rig.buffer(&[0u32; 64]));
    run(&rig, "cluster_histogram", 8, 96, 3, &[pin, 5000, bins]);
    let mut expected = [0u32; 64];
    // Two clusters count the whole input each.
    input.iter().for_each(|v| expected[(v % 64) as usize] += 2);
    assert_eq!(rig.read::<u32>(bins, 64), expected);
}

#[test]
fn groups_reduce_and_scan() {
    let rig = rig();
    let input: Vec<i32> = (0..128).map(|i| i * 37 % 101 + 3).collect();
    let (pin, out) = (rig.buffer_aligned(&input, 16), rig.buffer(&[-1i32; 640]));
    run(&rig, "groups", 1, 128, 0, &[pin, out]);
    let got: Vec<i32> = rig.read(out, 640);
    for t in 0..128 {
        let tile = t / 16 * 16;
        assert_eq!(
            got[t],
            input[tile..tile + 16].iter().sum::<i32>(),
            "reduce {t}"
        );
        assert_eq!(
            got[128 + t],
            input[tile..=t].iter().sum::<i32>(),
            "scan {t}"
        );
        let warp = &input[t / 32 * 32..][..32];
        if input[t] & 1 == 1 {
            // Which odd lanes came together is open; the largest of all odd lanes bounds it.
            let most = warp.iter().filter(|v| *v & 1 == 1).max().expect("itself");
            assert!((input[t]..=*most).contains(&got[256 + t]), "odd {t}");
        } else {
            assert_eq!(got[256 + t], -1);
        }
        let same: Vec<i32> = warp
            .iter()
            .copied()
            .filter(|v| v % 3 == input[t] % 3)
            .collect();
        assert_eq!(
            got[384 + t],
            same.iter().sum::<i32>() * 100 + same.len() as i32,
            "label {t}"
        );
        assert_eq!(got[512 + t], input[t ^ 77], "copy {t}");
    }
}

#[test]
fn halves_add_up() {
    let rig = rig();
    let (h, b) = (
        rig.buffer_aligned(&[0u32], 4),
        rig.buffer_aligned(&[0u32], 4),
    );
    let (one, other) = (
        rig.buffer_aligned(&[0u16; 2], 4),
        rig.buffer_aligned(&[0u16; 2], 4),
    );
    run(&rig, "half_sums", 4, 32, 0, &[h, b, one, other]);
    let half = |v: f32| u32::from(f16::from_f32(v).to_bits());
    let brain = |v: f32| u32::from(bf16::from_f32(v).to_bits());
    assert_eq!(rig.read::<u32>(h, 1)[0], half(256.0) << 16 | half(128.0));
    assert_eq!(rig.read::<u32>(b, 1)[0], brain(-128.0) << 16 | brain(64.0));
    assert_eq!(u32::from(rig.read::<u16>(one, 1)[0]), half(128.0));
    assert_eq!(u32::from(rig.read::<u16>(other, 1)[0]), brain(32.0));
}

#[test]
fn scratch_memory_is_as_large_as_each_thread_asks() {
    let rig = rig();
    let out = rig.buffer(&[0i32; 64]);
    run(&rig, "scratch", 1, 64, 0, &[out]);
    let sum = |n: i32| (0..n).map(|i| (i * 7 % n).pow(2)).sum::<i32>();
    assert_eq!(
        rig.read::<i32>(out, 64),
        (1..=64).map(sum).collect::<Vec<_>>()
    );
}

#[test]
fn intrinsics_on_bytes_and_halves_are_what_they_say() {
    let rig = Rig::new(include_str!("../../ptx/nvcc_video.ptx"));
    let mut numbers = Numbers(5);
    let mut words = || -> Vec<u32> {
        (0..256)
            .map(|_| numbers.within((0, u32::MAX.into())) as u32)
            .collect()
    };
    let (a, b) = (words(), words());
    let out = rig.buffer(&[0u32; 256 * 8]);
    rig.ok("simd", 1, 256, &[rig.buffer(&a), rig.buffer(&b), out]);
    let by_hand = rig.buffer(&[0u32; 256 * 4]);
    rig.ok("byhand", 1, 256, &[rig.buffer(&a), rig.buffer(&b), by_hand]);
    let (simd, by_hand) = (
        rig.read::<u32>(out, 256 * 8),
        rig.read::<u32>(by_hand, 256 * 4),
    );
    for i in 0..256 {
        let (x, y) = (a[i], b[i]);
        let bytes = |f: fn(u8, u8) -> u8| {
            let (x, y) = (x.to_le_bytes(), y.to_le_bytes());
            u32::from_le_bytes(std::array::from_fn(|k| f(x[k], y[k])))
        };
        let halves = |f: fn(u16, u16) -> u16| {
            let half = |shift: u32| u32::from(f((x >> shift) as u16, (y >> shift) as u16)) << shift;
            half(0) | half(16)
        };
        let sum_of = |word: u32| {
            word.to_le_bytes()
                .iter()
                .map(|&b| u32::from(b))
                .sum::<u32>()
        };
        let absolute = halves(u16::abs_diff);
        assert_eq!(
            simd[8 * i..][..8],
            [
                bytes(u8::abs_diff),
                bytes(|x, y| (x as i8).abs_diff(y as i8)),
                sum_of(bytes(u8::abs_diff)),
                (absolute & 0xffff) + (absolute >> 16),
                bytes(u8::wrapping_add),
                halves(|x, y| (x as i16).saturating_add(y as i16) as u16),
                // The mean, away from zero where it lies between two.
                bytes(|x, y| {
                    let sum = i32::from(x as i8) + i32::from(y as i8);
                    ((sum + i32::from(sum >= 0)) >> 1) as u8
                }),
                halves(|x, y| if (x as i16) > y as i16 { 0xffff } else { 0 }),
            ],
            "{x:#x} {y:#x}"
        );
        let product = i64::from(x >> 24) * i64::from(y as i16);
        let (upper, lower) = (u16::saturating_sub(y as u16, x as u16), x & 0xffff);
        // `vset4` compares bytes of unsigned x with bytes of signed y.
        let mixed = (0..4)
            .filter(|k| i32::from((x >> (8 * k)) as u8) < i32::from((y >> (8 * k)) as u8 as i8));
        assert_eq!(
            by_hand[4 * i..][..4],
            [
                ((x & 0xff) as i32 + i32::from((y >> 16) as i16)).max(100) as u32,
                ((i64::from(x as i32) - product) >> 7) as u32,
                i as u32 + mixed.count() as u32,
                u32::from(upper) << 16 | lower,
            ],
            "{x:#x} {y:#x}"
        );
    }
}
