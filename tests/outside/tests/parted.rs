//! No safe kernel races, however its threads part: each kernel of `parted` gives the same numbers
//! in every order of its threads, and the check for races is silent.
#![forbid(unsafe_code)]

use lanewise::checks::Checking;
use lanewise::{Arguments, Device, DeviceBuffer, LaunchConfig};
use lanewise_std::kernel::SafeKernel;
use own_kernels::parted::*;
use proptest::prelude::*;

/// Runs the kernel in one block, with the order of threads that belongs to the seed.
fn run<K: SafeKernel>(kernel: K, config: LaunchConfig, seed: u64) -> Vec<u32>
where
    for<'a> (&'a mut DeviceBuffer<u32>,): Arguments<K::Params>,
{
    let device = Device::open().expect("a device");
    let stream = device.stream().expect("a stream");
    let threads = config.block.count() as usize;
    let mut output = DeviceBuffer::<u32>::zeroed(&device, threads).expect("a buffer");
    let _checking = Checking::race().seed(seed).start();
    stream.launch(kernel, config, (&mut output,))
        .expect("a launch");
    output.to_vec().expect("no race")
}

macro_rules! attempts {
    ($($kernel:ident)*) => {
        $(
            #[test]
            fn $kernel() {
                let config = LaunchConfig::new(1, 96).with_dynamic_shared(2048);
                let first = run(own_kernels::parted::$kernel, config, 0);
                for seed in 1..12 {
                    assert_eq!(run(own_kernels::parted::$kernel, config, seed), first);
                }
            }
        )*
    };
}

attempts! {
    a_collective_in_a_value
    a_histogram_beside_its_ranks
    a_line_beside_its_exchange
    a_part_after_a_warp_left
    a_reduction_beside_a_line
    collectives_of_two_types
    dynamic_memory_of_three_kinds
    dynamic_tiles_of_two_pitches
    exchanges_of_two_lengths
    lines_in_a_function
    loops_of_reductions
    parts_in_turn
    reductions_after_warps_left
    reductions_that_call_themselves
    rows_of_a_tile_in_arms
    scans_beside_broadcasts
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_block_of_any_shape_scans(block in (1u32..34, 1u32..4, 1u32..3), seed in 0u64..64) {
        let threads = block.0 * block.1 * block.2;
        let numbers = run(scans_in_any_block, LaunchConfig::new(1, block), seed);
        let expected = |before| 10000 * before + 100 * threads + threads - 1;
        prop_assert_eq!(numbers, (0..threads).map(expected).collect::<Vec<_>>());
    }
}
