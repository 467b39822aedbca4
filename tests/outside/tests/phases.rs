//! Shared memory in phases: no order of accesses is a race, however the threads part.
#![forbid(unsafe_code)]

use lanewise::checks::{self, Checking, Exploring};
use lanewise::{Device, DeviceBuffer, LaunchConfig, Stream};
use own_kernels::phases::*;
use proptest::prelude::*;

fn device() -> (Device, Stream) {
    let device = Device::open().expect("a device");
    let stream = device.stream().expect("a stream");
    (device, stream)
}

/// Runs a kernel in every order of its accesses that makes a difference, with the
/// check for races. Each order has to give `expected`.
macro_rules! explore {
    ($kernel:ident($($argument:expr),*) by $threads:expr => $expected:expr) => {{
        let (device, stream) = device();
        let expected: Vec<u32> = $expected;
        let checks = Checking::race().checks();
        let exploring = Exploring::interleavings().checks(checks);
        let explored = checks::explore(&device, exploring, || {
            let mut output = DeviceBuffer::<u32>::zeroed(&device, expected.len())?;
            let config = LaunchConfig::new(1, $threads);
            stream.launch($kernel, config, ($($argument,)* &mut output,))?;
            assert_eq!(output.to_vec()?, expected);
            Ok::<(), Box<dyn std::error::Error>>(())
        });
        match explored {
            Ok(explored) => assert!(explored.is_none_or(|explored| explored.complete)),
            Err(broken) => panic!("{broken}"),
        }
    }};
}

#[test]
fn rounds_do_not_overtake_each_other() {
    explore!(opposite_numbers(3) by 4 => [3, 2, 1, 0].map(|i| 6 * i).to_vec());
}

#[test]
fn threads_fill_different_lines() {
    explore!(lines_of_two_arms() by 4 => vec![1200, 2010, 3200, 30]);
}

#[test]
fn threads_fill_one_line_in_different_arms() {
    explore!(one_line_of_two_arms() by 4 => vec![10, 200, 30, 0]);
}

#[test]
fn threads_leave_a_loop_one_after_another() {
    let sum = |own: u32| {
        (0..=own)
            .map(|round| (own..4).map(|i| i + 10 * round).sum::<u32>())
            .sum()
    };
    explore!(loops_of_different_lengths() by 4 => (0..4).map(sum).collect());
}

#[test]
fn a_thread_has_exited() {
    explore!(an_early_return() by 4 => vec![0, 6, 6, 6]);
}

#[test]
fn an_old_view_reads_the_new_values() {
    let next = [1, 2, 3, 0];
    explore!(a_view_that_is_kept() by 4 => next.map(|i| 100 * i + 20 * i).to_vec());
}

#[test]
fn a_value_comes_out_of_another_phase() {
    explore!(a_phase_within_a_phase() by 4 => vec![2, 3, 0, 1]);
}

#[test]
fn phases_are_in_a_function_that_calls_itself() {
    let sum = |own: u32| (0..=own).map(|depth| own + depth).sum();
    explore!(recursion() by 3 => (0..3).map(sum).collect());
}

#[test]
fn stages_are_read_while_others_are_filled() {
    let sum = |i: u32| 2 * (0..3).map(|step| (i + 1) % 3 + step).sum::<u32>();
    explore!(two_stages(3) by 3 => (0..3).map(sum).collect());
    let sum = |i: u32| (0..4).map(|step| (i + 1) % 3 + 10 * step).sum();
    explore!(three_stages(4) by 3 => (0..3).map(sum).collect());
}

#[test]
fn stages_and_copies_pass_all_checks() {
    let (device, stream) = device();
    let sum = |i: u32, far: u32| (0..7).map(|step| (i + 1) % 64 + far * step).sum::<u32>();
    for seed in 0..16 {
        let mut output = DeviceBuffer::<u32>::zeroed(&device, 64).unwrap();
        let _checking = Checking::all().seed(seed).start();
        let config = LaunchConfig::new(1, 64);
        let arguments = (7, &mut output);
        stream.launch(two_stages, config, arguments)
            .unwrap();
        let expected: Vec<u32> = (0..64).map(|i| 2 * sum(i, 1)).collect();
        assert_eq!(output.to_vec().unwrap(), expected);
        let arguments = (7, &mut output);
        stream.launch(three_stages, config, arguments)
            .unwrap();
        let expected: Vec<u32> = (0..64).map(|i| sum(i, 10)).collect();
        assert_eq!(output.to_vec().unwrap(), expected);
    }
}

#[test]
fn threads_take_steps_in_one_go_or_one_by_one() {
    explore!(stages_of_two_arms() by 4 => [1, 2, 3, 0].map(|i| 2 * i).to_vec());
}

#[test]
fn threads_leave_stages_one_after_another() {
    let sum = |own: u32| (0..=own).map(|step| 2 + step).sum();
    explore!(stages_that_threads_leave() by 3 => (0..3).map(sum).collect());
}

#[test]
fn copies_are_of_any_memory() {
    explore!(copies_of_variables() by 4 => vec![3, 0, 206, 200]);
}

#[test]
fn warps_are_in_different_collectives() {
    let (device, stream) = device();
    let sum: u32 = (0..32).sum();
    for seed in 0..16 {
        let mut output = DeviceBuffer::<u32>::zeroed(&device, 64).unwrap();
        let _checking = Checking::all().seed(seed).start();
        let config = LaunchConfig::new(1, 64);
        stream.launch(collectives_of_two_arms, config, (&mut output,))
            .unwrap();
        let numbers = output.to_vec().unwrap();
        assert_eq!(numbers[..32], [sum + 320 + 64; 32]);
        assert_eq!(numbers[32..], [320 + 64; 32]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn tiles_are_filled_by_blocks_of_any_shape(
        grid in (1u32..3, 1u32..3, 1u32..3),
        block in (4u32..9, 1u32..5, 1u32..4),
        seed in 0u64..64,
    ) {
        let (device, stream) = device();
        let blocks = (grid.0 * grid.1 * grid.2) as usize;
        let mut sums = DeviceBuffer::<[u32; 4]>::zeroed(&device, blocks).unwrap();
        let _checking = Checking::all().seed(seed).start();
        stream.launch(tiles_of_any_block, LaunchConfig::new(grid, block), (&mut sums,)).unwrap();
        prop_assert_eq!(sums.to_vec().unwrap(), vec![[192, 192, 30, 18]; blocks]);
    }

    #[test]
    fn a_line_has_a_halo(numbers in prop::collection::vec(0u32..1000, 1..300)) {
        let (device, stream) = device();
        let input = DeviceBuffer::from_slice(&device, &numbers).unwrap();
        let mut output = DeviceBuffer::<u32>::zeroed(&device, numbers.len()).unwrap();
        let config = LaunchConfig::new(numbers.len().div_ceil(64) as u32, 64);
        let _checking = Checking::all().start();
        stream.launch(halo, config, (&input, &mut output)).unwrap();
        let at = |i: usize| numbers.get(i).copied().unwrap_or(0);
        let expected: Vec<u32> = (0..numbers.len())
            .map(|i| at(i.wrapping_sub(2)) + at(i.wrapping_sub(1)) + at(i) + at(i + 1) + at(i + 2))
            .collect();
        prop_assert_eq!(output.to_vec().unwrap(), expected);
    }
}
