//! One counter that all threads count up.

use gpu::instruction::increment::incr_racy;
use lanewise::checks::{self, Checking, FindingKind};
use lanewise::{DeviceBuffer, DriverError, LaunchConfig};
use lanewise_patterns::Setup;
use proptest::prelude::*;
use tests::agree::{all_agree, assert_agrees};
use tests::sizes::cases;

/// The kernels that lose no count.
const ATOMIC: [&str; 2] = ["incr_atomic", "my_atomic_add"];

#[test]
fn thirty_two_threads_count_thirty_two() {
    for variant in ATOMIC {
        assert_agrees(variant, Setup::new(32, 0));
    }
}

/// A warp reads the counter with all its lanes and writes it with all of them: it counts one at the
/// most, and warps may overwrite each other's. The check finds that wherever there are two threads,
/// and nowhere else.
#[test]
fn incr_racy_loses_counts_and_the_check_says_so() {
    let device = tests::device();
    let stream = device.stream().expect("a stream");
    for (grid, block) in [(1, 1), (1, 32), (4, 64)] {
        let mut counter = DeviceBuffer::from_slice(&device, &[0]).expect("a counter");
        let found = checks::of(&device, Checking::race(), || -> Result<(), DriverError> {
            let config = LaunchConfig::new(grid, block);
            // SAFETY: the race can spoil the value of the counter and nothing else; that value is
            // what is looked at.
            unsafe { stream.launch_unchecked(incr_racy, config, (&mut counter,)) }
                .expect("a launch");
            stream.synchronize()
        });
        let (threads, warps) = (grid * block, grid * block.div_ceil(32));
        let count = counter.to_vec().expect("no fault")[0];
        assert!(
            (1..=warps as i32).contains(&count),
            "{count} of {grid} x {block} threads"
        );
        // A GPU checks nothing.
        if let (_, Some(found)) = found.expect("a finding is no fault here") {
            assert_eq!(
                found.is_empty(),
                threads == 1,
                "{grid} x {block}: {found:#?}"
            );
            let others = found.iter().filter(|it| it.kind != FindingKind::Race);
            assert_eq!(others.count(), 0, "{grid} x {block}: {found:#?}");
        }
    }
}

proptest! {
    #![proptest_config(cases(24))]

    #[test]
    fn no_count_is_lost(threads in 1usize..3000, start in any::<u32>(), block in 1u32..=1024) {
        let setup = Setup { block: Some(block), ..Setup::new(threads, u64::from(start)) };
        prop_assert_eq!(all_agree(ATOMIC, setup), Ok(()));
    }
}
