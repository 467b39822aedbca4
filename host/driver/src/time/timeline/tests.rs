//! Small programs, and the start and end of each of their operations.

use super::*;
use crate::time::engine::{Engine, WHOLE};

const KERNEL: Cost = Cost {
    engine: Engine::Compute(WHOLE),
    duration: 10_000,
};
const COPY: Cost = Cost {
    engine: Engine::HostToDevice,
    duration: 10_000,
};

#[test]
fn a_stream_is_a_chain() {
    let timeline = Timeline::new(3);
    let copy = timeline.submit(vec![], Lane::default());
    let kernel = timeline.submit(vec![copy.clone()], Lane::default());
    timeline.ran(&kernel, KERNEL);
    assert_eq!(timeline.end(&kernel), None, "the copy has not run yet");
    timeline.ran(&copy, COPY);
    assert_eq!(timeline.end(&copy), Some(SUBMIT + 10_000));
    assert_eq!(timeline.end(&kernel), Some(SUBMIT + 20_000));
}

#[test]
fn streams_overlap_the_same_way_whatever_finishes_first() {
    let ends = |reversed: bool| {
        let timeline = Timeline::new(3);
        let mut nodes = Vec::new();
        for _ in 0..2 {
            let copy = timeline.submit(vec![], Lane::default());
            let kernel = timeline.submit(vec![copy.clone()], Lane::default());
            nodes.extend([(copy, COPY), (kernel, KERNEL)]);
        }
        let order: Vec<_> = if reversed {
            nodes.iter().rev().collect()
        } else {
            nodes.iter().collect()
        };
        order
            .into_iter()
            .for_each(|(node, cost)| timeline.ran(node, *cost));
        nodes
            .iter()
            .map(|(node, _)| timeline.end(node))
            .collect::<Vec<_>>()
    };
    assert_eq!(ends(false), ends(true));
    // The second copy runs beside the first kernel.
    assert_eq!(ends(false)[2], Some(SUBMIT + 20_000));
    assert_eq!(ends(false)[3], Some(SUBMIT + 30_000));
}

#[test]
fn a_host_that_waits_submits_later() {
    let timeline = Timeline::new(3);
    let first = timeline.submit(vec![], Lane::default());
    timeline.ran(&first, KERNEL);
    timeline.wait(vec![first.clone()]);
    let second = timeline.submit(vec![], Lane::default());
    timeline.ran(&second, COPY);
    assert_eq!(
        timeline.end(&second),
        Some(timeline.end(&first).unwrap() + SUBMIT + 10_000)
    );
}

#[test]
fn an_unfinished_stream_does_not_hold_up_another() {
    let timeline = Timeline::new(3);
    let stuck = timeline.submit(vec![], Lane::default());
    let free = timeline.submit(vec![], Lane::default());
    timeline.ran(&free, KERNEL);
    assert_eq!(timeline.end(&free), Some(2 * SUBMIT + 10_000));
    timeline.ran(&stuck, KERNEL);
    assert_eq!(timeline.end(&stuck), Some(2 * SUBMIT + 20_000));
}

/// Returns when each of these kernels starts, in nanoseconds after the first one. The kernels fill
/// the device and were submitted one after another, each with its duration.
fn starts(timeline: &Timeline, kernels: &[(Arc<Node>, Nanoseconds)]) -> Vec<Nanoseconds> {
    let ends: Vec<_> = kernels
        .iter()
        .map(|(node, _)| timeline.end(node).unwrap())
        .collect();
    let starts = ends
        .iter()
        .zip(kernels)
        .map(|(end, (_, duration))| end - duration);
    starts
        .map(|start| start - (ends[0] - kernels[0].1))
        .collect()
}

#[test]
fn of_the_kernels_that_wait_for_the_device_the_most_urgent_goes_first() {
    let timeline = Timeline::new(3);
    let lane = |stream, priority| Lane {
        queue: Some(stream as u32),
        priority,
        stream,
    };
    let kernels: Vec<_> = [(0, 0), (1, 0), (2, -5), (3, -1)]
        .map(|(stream, priority)| {
            let node = timeline.submit(vec![], lane(stream, priority));
            timeline.ran(&node, KERNEL);
            (node, KERNEL.duration)
        })
        .into();
    assert_eq!(starts(&timeline, &kernels), [0, 30_000, 10_000, 20_000]);
}

#[test]
fn another_threads_allocation_leaves_the_urgent_kernel_its_turn() {
    let lane = |stream, priority| Lane {
        queue: Some(stream as u32),
        priority,
        stream,
    };
    let starts = |allocates: bool| {
        let timeline = Timeline::new(3);
        let mut kernels = Vec::new();
        for (stream, priority) in [(0, 0), (1, 0), (2, -5)] {
            let node = timeline.submit(vec![], lane(stream, priority));
            // Each has really run before the next one comes.
            timeline.ran(&node, KERNEL);
            kernels.push((node, KERNEL.duration));
            if allocates {
                // This thread's place is after operations whose time was not requested.
                let timeline = timeline.clone();
                let other = move || {
                    let copy = timeline.submit(vec![], lane(7, 0));
                    timeline.ran(&copy, COPY);
                    timeline.wait(vec![copy]);
                    timeline.catch_up();
                    timeline.place()
                };
                std::thread::spawn(other).join().unwrap();
            }
        }
        starts(&timeline, &kernels)
    };
    assert_eq!(starts(false), [0, 20_000, 10_000]);
    assert_eq!(starts(true), [0, 20_000, 10_000]);
}

#[test]
fn who_allocates_is_not_behind_any_thread() {
    let timeline = Timeline::new(3);
    let copy = timeline.submit(vec![], Lane::default());
    timeline.ran(&copy, COPY);
    let other = timeline.clone();
    let place = std::thread::spawn(move || {
        other.wait(vec![copy]);
        other.place()
    });
    let place = place.join().unwrap();
    let before = timeline.place();
    timeline.catch_up();
    assert_eq!(timeline.moment(&before), Some(SUBMIT));
    assert_eq!(timeline.moment(&timeline.place()), Some(SUBMIT + 10_000));
    assert_eq!(timeline.moment(&place), Some(SUBMIT + 10_000));
}

#[test]
fn one_queue_makes_false_dependencies_and_several_do_not() {
    let small = Cost {
        engine: Engine::Compute(WHOLE / 10),
        duration: 10_000,
    };
    // Two streams of two kernels each, depth first.
    let last_start = |queues: u32| {
        let timeline = Timeline::new(3);
        let mut all = Vec::new();
        for stream in 0..2 {
            let lane = Lane {
                queue: Some(stream % queues),
                priority: 0,
                stream: stream as usize,
            };
            let first = timeline.submit(vec![], lane);
            let second = timeline.submit(vec![first.clone()], lane);
            all.extend([(first, 10_000), (second, 10_000)]);
        }
        all.iter().for_each(|(node, _)| timeline.ran(node, small));
        starts(&timeline, &all)
    };
    // The second stream's first kernel is after the first stream's second, which waits.
    assert_eq!(last_start(1), [0, 10_000, 10_000, 20_000]);
    assert_eq!(last_start(2), [0, 10_000, 2 * SUBMIT, 2 * SUBMIT + 10_000]);
}

#[test]
fn devices_have_engines_of_their_own_and_one_host() {
    let clock = Clock::new();
    let devices = [clock.device(3), clock.device(3)];
    let nodes = devices.each_ref().map(|device| {
        let node = device.submit(vec![], Lane::default());
        device.ran(&node, KERNEL);
        node
    });
    assert_eq!(devices[0].end(&nodes[0]), Some(SUBMIT + 10_000));
    assert_eq!(devices[1].end(&nodes[1]), Some(2 * SUBMIT + 10_000));
    // A kernel of the second device that waits for the first one's.
    let after = devices[1].submit(vec![nodes[0].clone()], Lane::default());
    devices[1].ran(&after, KERNEL);
    assert_eq!(devices[1].end(&after), Some(2 * SUBMIT + 20_000));
}

#[test]
fn a_thread_starts_where_it_is_put() {
    let timeline = Timeline::new(3);
    let fork = timeline.place();
    let kernel = timeline.submit(vec![], Lane::default());
    timeline.ran(&kernel, KERNEL);
    let ends: Vec<_> = (0..2)
        .map(|_| {
            let (timeline, fork) = (timeline.clone(), fork.clone());
            let work = move || {
                timeline.clock().enter(&fork);
                let copy = timeline.submit(vec![], Lane::default());
                timeline.ran(&copy, COPY);
                timeline.end(&copy)
            };
            std::thread::spawn(work).join().unwrap()
        })
        .collect();
    assert_eq!(ends, [Some(SUBMIT + 10_000), Some(SUBMIT + 20_000)]);
}
