//! Barriers in shared memory.

use hopper::{buffer, device, values};
use hopper_kernels::barriers::{arrive_afar, leave_one_by_one, letter, pass_on};
use lanewise::LaunchConfig;
use lanewise::checks::Checking;

#[test]
fn a_token_is_for_its_phase() {
    let (device, stream) = device();
    let _checked = Checking::race().start();
    for (threads, rounds) in [(1, 1), (2, 3), (33, 7), (256, 10)] {
        let mut output = buffer(&device, &vec![u32::MAX; threads as usize]);
        let config = LaunchConfig::new(1, threads);
        stream
            .launch(pass_on, config, (&mut output, rounds))
            .expect("a launch");
        let expected: Vec<u32> = (0..threads).map(|t| (t + rounds) % threads).collect();
        assert_eq!(values(&output), expected);
    }
}

#[test]
fn who_drops_is_not_waited_for() {
    let (device, stream) = device();
    for threads in [1, 2, 32, 100] {
        let mut output = buffer(&device, &vec![u32::MAX; threads as usize]);
        let config = LaunchConfig::new(1, threads);
        stream
            .launch(leave_one_by_one, config, (&mut output,))
            .expect("a launch");
        let counts = |t: u32| (0..t).map(|phase| threads - phase).sum::<u32>();
        let expected: Vec<u32> = (0..threads).map(counts).collect();
        assert_eq!(values(&output), expected);
    }
}

#[test]
fn blocks_arrive_at_each_others_barriers() {
    let (device, stream) = device();
    let _checked = Checking::race().start();
    for cluster in [1, 2, 3, 4, 8] {
        let mut output = buffer(&device, &vec![u32::MAX; 2 * cluster as usize * 32]);
        let config = LaunchConfig::new(2 * cluster, 32).with_cluster(cluster);
        stream
            .launch(arrive_afar, config, (&mut output,))
            .expect("a launch");
        let before = |i: u32| 100 + (i / 32 + cluster - 1) % cluster;
        let expected: Vec<u32> = (0..2 * cluster * 32).map(before).collect();
        assert_eq!(values(&output), expected);
    }
}

#[test]
fn a_letter_goes_by_fences_of_the_cluster() {
    let (device, stream) = device();
    let _checked = Checking::all().start();
    for (cluster, rounds) in [(1, 2), (2, 5), (4, 3)] {
        let mut output = buffer(&device, &vec![7; 2 * cluster as usize * 32]);
        let config = LaunchConfig::new(2 * cluster, 32).with_cluster(cluster);
        stream
            .launch(letter, config, (&mut output, rounds))
            .expect("a launch");
        let read = |i: u32| {
            let reads = i.is_multiple_of(32) && !(i / 32).is_multiple_of(cluster);
            if reads { 1000 + rounds } else { 0 }
        };
        let expected: Vec<u32> = (0..2 * cluster * 32).map(read).collect();
        assert_eq!(values(&output), expected);
    }
}
