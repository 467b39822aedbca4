//! Chapter 6: instructions. Arithmetic to the last place, races, and every atomic.

mod arithmetic;
mod atomics;

use gpu::instruction::increment::incr_racy;
use lanewise::{DeviceBuffer, LaunchConfig};
use lanewise_patterns::Setup;
use proptest::prelude::*;
use tests::agree::{agrees, assert_agrees};
use tests::sizes::cases;

/// Those that lose no count.
const ATOMIC: [&str; 2] = ["incr_atomic", "my_atomic_add"];

#[test]
fn thirty_two_threads_count_thirty_two() {
    for variant in ATOMIC {
        assert_agrees(variant, Setup::new(32, 0));
    }
}

#[test]
fn incr_racy_counts_at_least_one_and_at_most_every_thread() {
    let device = tests::device();
    let stream = device.stream().expect("a stream");
    for (grid, block) in [(1, 1), (1, 32), (4, 64)] {
        let mut counter = DeviceBuffer::from_slice(&device, &[0]).expect("a counter");
        // SAFETY: the race can spoil the value of the counter and nothing else; that value is what is looked at.
        let launched = unsafe {
            device.launch_unchecked(
                &stream,
                incr_racy,
                LaunchConfig::new(grid, block),
                (&mut counter,),
            )
        };
        launched.expect("a launch");
        let count = counter.to_vec().expect("no fault")[0];
        assert!(
            (1..=(grid * block) as i32).contains(&count),
            "{count} of {grid} x {block} threads"
        );
    }
}

proptest! {
    #![proptest_config(cases(24))]

    #[test]
    fn no_count_is_lost(threads in 1usize..3000, start in any::<u32>(), block in 1u32..=1024) {
        for variant in ATOMIC {
            let setup = Setup { block: Some(block), ..Setup::new(threads, u64::from(start)) };
            prop_assert_eq!(agrees(variant, setup), Ok(()));
        }
    }
}
