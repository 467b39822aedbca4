//! Plain bulk copies, and from block to block of a cluster.

use hopper::{buffer, device, values};
use hopper_kernels::bulk::{
    PIECE, add_twice, copy_with_policies, load_for_cluster, send, send_bits, send_bounds,
    send_counts, send_values,
};
use lanewise::checks::Checking;
use lanewise::{Argument, DeviceCopy, LaunchConfig};
use lanewise_std::GlobalMut;
use lanewise_std::kernel::SafeKernel;
use lanewise_std::vector::{Float4, UInt2};
use proptest::prelude::*;
use tests::sizes::cases;

#[test]
fn plain_bulk_copies_load_and_add() {
    let (device, stream) = device();
    let input: Vec<u32> = (0..2048).collect();
    let (input, mut output) = (buffer(&device, &input), buffer(&device, &vec![7; 2048]));
    let config = LaunchConfig::new(8, 64);
    // SAFETY: buffers begin at multiples of 256 bytes.
    let launched = unsafe { stream.launch_unchecked(add_twice, config, (&input, &mut output)) };
    launched.expect("a launch");
    let expected: Vec<u32> = (0..2048).map(|i| 7 + 2 * i).collect();
    assert_eq!(values(&output), expected);
}

#[test]
fn copies_with_policies_are_copies() {
    let (device, stream) = device();
    let numbers: Vec<u32> = (0..512).map(|i: u32| i.wrapping_mul(0x9e37_79b9)).collect();
    let (input, mut output) = (buffer(&device, &numbers), buffer(&device, &[7; 512]));
    let config = LaunchConfig::new(8, 32);
    // SAFETY: buffers begin at multiples of 256 bytes.
    let launched =
        unsafe { stream.launch_unchecked(copy_with_policies, config, (&input, &mut output)) };
    launched.expect("a launch");
    let expected: Vec<u32> = numbers.iter().map(|x| x.wrapping_mul(2)).collect();
    assert_eq!(values(&output), expected);
}

proptest! {
    #![proptest_config(cases(8))]

    #[test]
    fn words_come_to_all_blocks_of_a_cluster(
        (cluster, clusters) in (1u32..=8, 1u32..3),
        (start, count) in (0u32..50, 1u32..=64),
        hinted: bool,
    ) {
        let (device, stream) = device();
        let _checked = Checking::race().start();
        let numbers: Vec<u32> = (0..512).map(|i: u32| i.wrapping_mul(0x9e37_79b9)).collect();
        let (start, count) = (4 * start, 4 * count);
        let blocks = cluster * clusters;
        let (input, mut output) = (buffer(&device, &numbers), buffer(&device, &vec![0; (blocks * count) as usize]));
        let config = LaunchConfig::new(blocks, 64).with_cluster(cluster);
        // SAFETY: buffers begin at multiples of 256 bytes, and both are multiples of 4.
        let launched = unsafe {
            stream.launch_unchecked(load_for_cluster, config, (&input, start, count, hinted, &mut output))
        };
        launched.expect("a launch");
        let piece = &numbers[start as usize..(start + count) as usize];
        prop_assert_eq!(values(&output), piece.repeat(blocks as usize));
    }
}

/// Each block's elements are joined with those that the block before it in its cluster has sent.
fn check<T, K>(kernel: K, how: u32, join: impl Fn(T, T) -> T, value: impl Fn(usize) -> T)
where
    T: DeviceCopy + PartialEq + std::fmt::Debug + 'static,
    K: SafeKernel<Params = (GlobalMut<'static, T>, GlobalMut<'static, T>, u32)> + Copy,
    u32: Argument<u32>,
{
    let (device, stream) = device();
    let _checked = Checking::race().start();
    for (cluster, clusters) in [(1, 2), (2, 2), (3, 1), (8, 1)] {
        let all = cluster * clusters * PIECE;
        let sent: Vec<T> = (0..all).map(|i| value(2 * i + 1)).collect();
        let before: Vec<T> = (0..all).map(|i| value(3 * i + 5)).collect();
        let (mut from, mut to) = (buffer(&device, &sent), buffer(&device, &before));
        let config =
            LaunchConfig::new((cluster * clusters) as u32, 32).with_cluster(cluster as u32);
        stream
            .launch(kernel, config, (&mut from, &mut to, how))
            .expect("a launch");
        let expected: Vec<T> = (0..all)
            .map(|i| {
                let (block, element) = (i / PIECE, i % PIECE);
                let first = block / cluster * cluster;
                let previous = first + (block - first + cluster - 1) % cluster;
                join(before[i], sent[previous * PIECE + element])
            })
            .collect();
        let name = std::any::type_name::<T>();
        assert_eq!(
            values(&to),
            expected,
            "{name} by {how}, {clusters} of {cluster}"
        );
    }
}

#[test]
fn blocks_send_to_each_other_what_is_copied_or_joined() {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let bits = |i: usize| ODD.wrapping_mul(i as u64);
    macro_rules! integers {
        ($($ty:ident: $($bounds:ident $bits:ident)?;)*) => {$(
            let value = |i| bits(i) as $ty;
            check(send::<$ty>, 0, |_, new| new, value);
            check(send::<$ty>, 1, $ty::wrapping_add, value);
            check(send::<$ty>, 2, |_, new| new, value);
            check(send::<$ty>, 3, $ty::wrapping_add, value);
            $(
                for how in [0, 2] {
                    check($bounds::<$ty>, how, Ord::min, value);
                    check($bounds::<$ty>, how + 1, Ord::max, value);
                }
                for how in [0, 3] {
                    check($bits::<$ty>, how, |a, b| a & b, value);
                    check($bits::<$ty>, how + 1, |a, b| a | b, value);
                    check($bits::<$ty>, how + 2, |a, b| a ^ b, value);
                }
            )?
        )*};
    }
    integers! {
        u32: send_bounds send_bits;
        i32: send_bounds send_bits;
        u64:;
    }
    let small = |i: usize| (bits(i) >> 59) as u32;
    for how in [0, 2] {
        let up = |old, new| if old >= new { 0 } else { old + 1 };
        let down = |old, new| if old == 0 || old > new { new } else { old - 1 };
        check(send_counts::<u32>, how, up, small);
        check(send_counts::<u32>, how + 1, down, small);
    }
}

#[test]
fn values_of_4_8_and_16_bytes_go_to_the_next_block() {
    fn check<T, K>(kernel: K, value: impl Fn(usize) -> T)
    where
        T: DeviceCopy + PartialEq + std::fmt::Debug + 'static,
        K: SafeKernel<Params = (GlobalMut<'static, T>,)> + Copy,
    {
        let (device, stream) = device();
        let _checked = Checking::all().start();
        for (cluster, threads) in [(1, 64), (2, 32), (5, 7), (8, 64)] {
            let sent: Vec<T> = (0..2 * cluster * PIECE).map(&value).collect();
            let mut all = buffer(&device, &sent);
            let config =
                LaunchConfig::new(2 * cluster as u32, threads).with_cluster(cluster as u32);
            stream
                .launch(kernel, config, (&mut all,))
                .expect("a launch");
            let mut expected = sent;
            for blocks in expected.chunks_mut(cluster * PIECE) {
                blocks.rotate_right(PIECE);
            }
            let name = std::any::type_name::<T>();
            assert_eq!(values(&all), expected, "{name}, {threads} threads");
        }
    }
    let word = |i: usize| (i as u32).wrapping_mul(0x9e37_79b9);
    check(send_values::<f32>, |i| i as f32);
    check(send_values::<f64>, |i| 1.0 / i as f64);
    check(send_values::<UInt2>, |i| UInt2::new(word(i), word(i + 1)));
    check(send_values::<Float4>, |i| {
        Float4::from([0, 1, 2, 3].map(|k| (4 * i + k) as f32))
    });
}
