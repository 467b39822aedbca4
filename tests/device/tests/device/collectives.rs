//! Collective operations of warps and blocks, against folds over lists, for blocks of many shapes.

use std::fmt::Debug;

use device::{TARGETS, numbers, run};
use device_kernels::collectives::{
    histogram, items, lines, max_i64, sort, sum_f32, sum_u8, sum_u32,
};
use device_kernels::groups::{line, then};
use lanewise::{DeviceCopy, Dim3, LaunchConfig};
use lanewise_std::DisjointSlice;
use lanewise_std::kernel::SafeKernel;

/// Blocks of one thread, of a part of a warp, of whole warps, of warps and a part, and of the
/// maximum size; in one dimension and in three.
fn shapes() -> impl Iterator<Item = LaunchConfig> {
    let blocks: [Dim3; 11] = [
        1.into(),
        31.into(),
        32.into(),
        33.into(),
        (8, 9).into(),
        96.into(),
        (4, 5, 6).into(),
        160.into(),
        256.into(),
        1000.into(),
        (32, 32).into(),
    ];
    blocks.into_iter().map(|block| LaunchConfig::new(2, block))
}

/// Compares the rows of one kernel with folds with `operator`.
#[track_caller]
fn agrees<K, T>(kernel: K, value: impl Fn(u64) -> T, initial: T, operator: impl Fn(T, T) -> T)
where
    K: SafeKernel<Params = (&'static [T], DisjointSlice<'static, [T; 9]>)>,
    T: DeviceCopy + PartialEq + Debug + 'static,
{
    for (config, (target, compiled)) in shapes().flat_map(|shape| TARGETS.map(|it| (shape, it))) {
        let threads = config.block.count() as usize;
        let input: Vec<T> = numbers(threads as u64)
            .map(&value)
            .take(2 * threads)
            .collect();
        let rows = run(compiled, kernel, config, &input, [initial; 9]);
        for (block, rows) in input.chunks(threads).zip(rows.chunks(threads)) {
            let through = |slice: &[T]| slice.iter().copied().reduce(&operator);
            let all = through(block).expect("a block has a thread");
            for (rank, row) in rows.iter().enumerate() {
                let first = rank / 32 * 32;
                let warp = &block[first..threads.min(first + 32)];
                let before = |slice: &[T]| slice.iter().copied().fold(initial, &operator);
                let wanted = [
                    through(warp).expect("a warp has a thread"),
                    through(&block[first..=rank]).expect("this thread"),
                    before(&block[first..rank]),
                    warp[0],
                    all,
                    through(&block[..=rank]).expect("this thread"),
                    before(&block[..rank]),
                    all,
                    block[threads - 1],
                ];
                assert_eq!(
                    *row,
                    wanted,
                    "{} for {target}, {config}, thread {rank}",
                    K::NAME
                );
            }
        }
    }
}

#[test]
fn sums_of_integers_agree_with_folds() {
    agrees(sum_u32, |x| x as u32, 5, u32::wrapping_add);
    agrees(sum_u8, |x| x as u8, 9, u8::wrapping_add);
}

#[test]
fn the_greatest_of_wide_integers_agrees_with_folds() {
    agrees(max_i64, |x| x as i64, -3, i64::max);
}

/// Whole and half numbers, so that no order of additions rounds.
#[test]
fn sums_of_floats_agree_with_folds() {
    agrees(sum_f32, |x| (x % 512) as f32, 0.5, |a, b| a + b);
}

#[test]
fn values_are_combined_in_the_order_of_threads() {
    agrees(
        lines,
        |x| line(x as u32).into(),
        [3, 4],
        |a, b| then(a.into(), b.into()).into(),
    );
}

#[test]
fn items_are_scanned_and_change_threads_in_order() {
    for (target, compiled) in TARGETS {
        for block in [1, 5, 32, 45, 256] {
            let flat: Vec<u32> = numbers(block)
                .map(|x| x as u32)
                .take(3 * block as usize)
                .collect();
            let (input, _) = flat.as_chunks::<3>();
            let rows = run(
                compiled,
                items,
                LaunchConfig::new(1, block as u32),
                input,
                [[0; 3]; 4],
            );
            for (thread, [inclusive, exclusive, striped, blocked]) in rows.into_iter().enumerate() {
                let what = format!("{target}, {block} threads, thread {thread}");
                for item in 0..3 {
                    let at = 3 * thread + item;
                    let before = flat[..at].iter().fold(0u32, |a, x| a.wrapping_add(*x));
                    assert_eq!(inclusive[item], before.wrapping_add(flat[at]), "{what}");
                    assert_eq!(exclusive[item], before.wrapping_add(11), "{what}");
                    assert_eq!(
                        striped[item],
                        flat[item * block as usize + thread],
                        "{what}"
                    );
                    assert_eq!(blocked[item], flat[at], "{what}");
                }
            }
        }
    }
}

#[test]
fn a_histogram_counts_what_is_in_range() {
    for (target, compiled) in TARGETS {
        for block in [1, 7, 32, 100, 256] {
            let input: Vec<[u8; 3]> = numbers(block)
                .map(|x| [x % 20, x >> 8 & 3, x >> 16 & 255].map(|x| x as u8))
                .take(block as usize)
                .collect();
            let wanted: [u32; 20] = std::array::from_fn(|bin| {
                input
                    .iter()
                    .flatten()
                    .filter(|x| usize::from(**x) == bin)
                    .count() as u32
            });
            let rows = run(
                compiled,
                histogram,
                LaunchConfig::new(1, block as u32),
                &input,
                [0; 20],
            );
            assert!(
                rows.iter().all(|row| *row == wanted),
                "{target}, {block} threads: {rows:?} for {wanted:?}"
            );
        }
    }
}

#[test]
fn keys_are_sorted_by_their_ranks() {
    for (target, compiled) in TARGETS {
        for block in [1, 2, 31, 64, 77, 256] {
            let input: Vec<u32> = numbers(block)
                .map(|x| x as u32)
                .take(block as usize)
                .collect();
            let mut wanted = input.clone();
            wanted.sort_unstable();
            let sorted = run(
                compiled,
                sort,
                LaunchConfig::new(1, block as u32),
                &input,
                0,
            );
            assert_eq!(sorted, wanted, "{target}, {block} threads");
        }
    }
}
