//! Graphs built node by node: the result is that of their nodes one after another, whatever runs
//! side by side. Also the calls that they refuse.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use gpu::basics::vector_add::vec_add;
use lanewise::{
    Device, DeviceBuffer, Graph, GraphBuilder, GraphError, LaunchConfig, Node, UpdateReason,
};
use proptest::prelude::*;
use tests::sizes::cases;

/// Buffers that a random graph works on.
const BUFFERS: usize = 4;

/// One node of a random graph: the buffers are numbers, modulo how many there are.
#[derive(Debug, Clone, Copy)]
enum Step {
    Add(usize, usize, usize),
    Copy(usize, usize),
    Fill(usize, u8),
    Zero(usize),
    Recorded(usize, usize),
    /// One sum into memory of the graph's own, and from there to a buffer.
    Aside(usize, usize),
    Call,
    Empty,
}

fn steps() -> impl Strategy<Value = Vec<(Step, u64)>> {
    let buffer = || 0..BUFFERS;
    let pair = || (buffer(), 1..BUFFERS).prop_map(|(a, step)| (a, (a + step) % BUFFERS));
    let step = prop_oneof![
        4 => (buffer(), pair()).prop_map(|(a, (b, to))| Step::Add(if a == to { b } else { a }, b, to)),
        2 => pair().prop_map(|(from, to)| Step::Copy(from, to)),
        2 => (buffer(), any::<u8>()).prop_map(|(to, value)| Step::Fill(to, value)),
        1 => buffer().prop_map(Step::Zero),
        1 => pair().prop_map(|(from, to)| Step::Recorded(from, to)),
        1 => pair().prop_map(|(from, to)| Step::Aside(from, to)),
        1 => Just(Step::Call),
        1 => Just(Step::Empty),
    ];
    // Which of the nodes before each is said to be waited for, one bit each.
    proptest::collection::vec((step, any::<u64>()), 1..14)
}

/// What a step does, on the host.
fn follow(step: Step, buffers: &mut [Vec<f32>], calls: &mut usize) {
    match step {
        Step::Add(a, b, to) => {
            buffers[to] = buffers[a]
                .iter()
                .zip(&buffers[b])
                .map(|(a, b)| a + b)
                .collect();
        }
        Step::Copy(from, to) | Step::Recorded(from, to) => buffers[to] = buffers[from].clone(),
        Step::Fill(to, value) => buffers[to].fill(value.into()),
        Step::Zero(to) => buffers[to].fill(0.0),
        Step::Aside(from, to) => buffers[to] = buffers[from].iter().map(|x| x + x).collect(),
        Step::Call => *calls += 1,
        Step::Empty => {}
    }
}

/// Two of the buffers, the second to be written.
fn two(
    buffers: &mut [DeviceBuffer<f32>],
    from: usize,
    to: usize,
) -> (&DeviceBuffer<f32>, &mut DeviceBuffer<f32>) {
    let [from, to] = buffers.get_disjoint_mut([from, to]).expect("two of them");
    (from, to)
}

/// Adds a step to a graph: the node, and which buffers it reads and writes.
fn add<'graph>(
    graph: &mut GraphBuilder<'graph>,
    after: &[Node<'graph>],
    step: Step,
    buffers: &mut [DeviceBuffer<f32>],
    calls: &Arc<AtomicUsize>,
) -> Result<Node<'graph>, GraphError> {
    let config = LaunchConfig::for_num_elems(buffers[0].len().max(1));
    match step {
        Step::Add(a, b, to) if a == b => {
            let (a, to) = two(buffers, a, to);
            graph.launch(after, vec_add, config, (a, a, to))
        }
        Step::Add(a, b, to) => {
            let [a, b, to] = buffers.get_disjoint_mut([a, b, to]).expect("three of them");
            graph.launch(after, vec_add, config, (&*a, &*b, to))
        }
        Step::Copy(from, to) => {
            let (from, to) = two(buffers, from, to);
            graph.copy(after, from, to)
        }
        Step::Fill(to, value) => graph.fill(after, &mut buffers[to], f32::from(value)),
        Step::Zero(to) => graph.fill_zero(after, &mut buffers[to]),
        Step::Recorded(from, to) => {
            let (from, to) = two(buffers, from, to);
            graph.record(after, |record| record.copy(from, to))
        }
        Step::Aside(from, to) => {
            let (from, to) = two(buffers, from, to);
            let mut aside = graph.allocate(after, from.len())?;
            graph.launch(&[], vec_add, config, (from, from, &mut aside))?;
            let copied = graph.copy(&[], &aside, to)?;
            match from.len() % 2 {
                0 => graph.free(&[copied], aside),
                _ => Ok(copied), // and it is freed at the end
            }
        }
        Step::Call => {
            let calls = calls.clone();
            graph.call(after, move || {
                calls.fetch_add(1, Ordering::Relaxed);
            })
        }
        Step::Empty => graph.empty(after),
    }
}

/// Whether the graph's dependencies put one node before another, in either direction.
fn ordered(graph: &Graph, one: usize, other: usize) -> bool {
    let dependencies = graph.dependencies();
    let mut reached = vec![false; graph.nodes()];
    reached[one] = true;
    // Each comes from a node before.
    for node in one..=other {
        reached[node] |= dependencies
            .iter()
            .any(|&(from, to)| to == node && reached[from]);
    }
    reached[other]
}

proptest! {
    #![proptest_config(cases(24))]

    #[test]
    fn a_graph_does_what_its_nodes_do_one_after_another(steps in steps(), n in 0usize..70, launches in 1usize..4) {
        let _turn = tests::turn();
        let device = tests::device();
        let stream = device.stream().expect("a stream");
        let mut expected: Vec<Vec<f32>> = (0..BUFFERS).map(|b| (0..n).map(|i| ((7 * b + i) % 9) as f32).collect()).collect();
        let of = |values: &Vec<f32>| DeviceBuffer::from_slice(&device, values).expect("a buffer");
        let mut buffers: Vec<_> = expected.iter().map(of).collect();
        let (calls, mut called) = (Arc::new(AtomicUsize::new(0)), 0);
        let built = device.build_graph(|graph| {
            let mut made = Vec::new();
            for &(step, after) in &steps {
                let after: Vec<_> = made.iter().enumerate().filter(|(i, _)| after >> i & 1 == 1).map(|(_, &node)| node).collect();
                made.push(add(graph, &after, step, &mut buffers, &calls)?);
            }
            Ok(())
        });
        let (template, ()) = built.expect("a graph");
        prop_assert!(template.dependencies().iter().all(|(from, to)| from < to));
        let graph = template.instantiate().expect("an executable graph");
        drop(template);
        for _ in 0..launches {
            graph.launch(&stream).expect("a launch");
            // Sums of sums grow; they stay whole numbers, or become infinite on both sides.
            steps.iter().for_each(|&(step, _)| follow(step, &mut expected, &mut called));
        }
        for (buffer, expected) in buffers.iter().zip(&expected) {
            prop_assert_eq!(&buffer.to_vec().expect("no fault"), expected);
        }
        // Reading a buffer waits for its own uses alone, and a graph of calls, or of empty
        // buffers, has none.
        stream.synchronize().expect("no fault");
        prop_assert_eq!(calls.load(Ordering::Relaxed), called);
    }

    /// What touches the same buffer, and writes it, is ordered by the graph itself, so that no
    /// schedule can tell the nodes from their order.
    #[test]
    fn nodes_that_touch_the_same_memory_are_ordered(steps in steps()) {
        let _turn = tests::turn();
        let device = tests::device();
        let plain: Vec<Step> = steps.iter().map(|&(step, _)| step).filter(|step| !matches!(step, Step::Aside(..))).collect();
        let mut buffers: Vec<_> = (0..BUFFERS).map(|_| DeviceBuffer::<f32>::zeroed(&device, 8).expect("a buffer")).collect();
        let calls = Arc::default();
        let built = device.build_graph(|graph| {
            plain.iter().try_for_each(|&step| add(graph, &[], step, &mut buffers, &calls).map(drop))
        });
        let (template, ()) = built.expect("a graph");
        // The buffers that are read, and the one that is written.
        let touched = |step| match step {
            Step::Add(a, b, to) => (vec![a, b], Some(to)),
            Step::Copy(from, to) | Step::Recorded(from, to) | Step::Aside(from, to) => (vec![from], Some(to)),
            Step::Fill(to, _) | Step::Zero(to) => (vec![], Some(to)),
            Step::Call | Step::Empty => (vec![], None),
        };
        for (later, &second) in plain.iter().enumerate() {
            for (earlier, &first) in plain[..later].iter().enumerate() {
                let ((reads, writes), (also_reads, also_writes)) = (touched(first), touched(second));
                let conflict = writes.is_some_and(|b| also_reads.contains(&b) || also_writes == Some(b)) || also_writes.is_some_and(|b| reads.contains(&b));
                prop_assert!(!conflict || ordered(&template, earlier, later), "{first:?} and {second:?} of {template:?}");
            }
        }
    }
}

fn buffers<const N: usize>(device: &Device, value: f32) -> [DeviceBuffer<f32>; N] {
    std::array::from_fn(|_| DeviceBuffer::from_slice(device, &[value; 40]).expect("a buffer"))
}

const CONFIG: fn() -> LaunchConfig = || LaunchConfig::for_num_elems(40);

#[test]
fn a_kernels_node_takes_other_arguments_that_race_with_nobody() {
    let _turn = tests::turn();
    let device = tests::device();
    let stream = device.stream().expect("a stream");
    let [one, mut sum, mut beside] = buffers(&device, 1.0);
    let built = device.build_graph(|graph| {
        let (_, node) = graph.launch_to_change(&[], vec_add, CONFIG(), (&one, &one, &mut sum))?;
        graph.fill(&[], &mut beside, 7.0)?;
        Ok(node)
    });
    let (template, node) = built.expect("a graph");
    let mut graph = template.instantiate().expect("an executable graph");
    let two = DeviceBuffer::from_slice(&device, &[2.0f32; 40]).expect("a buffer");
    graph
        .set_launch(node, CONFIG(), (&one, &two, &mut sum))
        .expect("other arguments");
    graph.launch(&stream).expect("a launch");
    assert_eq!(sum.to_vec().expect("no fault"), [3.0; 40]);
    // Of another shape: only the first 20 elements.
    let half = LaunchConfig::new(1, 20);
    graph
        .set_launch(node, half, (&two, &two, &mut sum))
        .expect("another shape");
    graph.launch(&stream).expect("a launch");
    assert_eq!(
        sum.to_vec().expect("no fault"),
        [[4.0; 20], [3.0; 20]].concat()
    );

    let refused = graph.set_launch(node, CONFIG(), (&one, &two, &mut beside));
    let error = refused
        .expect_err("the fill may run at the same time")
        .to_string();
    assert!(
        error.contains("the launch of `vec_add` at ") && error.contains("the fill at "),
        "{error}"
    );
    let refused = graph.set_launch(node, CONFIG().with_cluster(1), (&one, &two, &mut sum));
    assert!(
        matches!(refused, Err(GraphError::Kind { .. })),
        "{refused:?}"
    );
    graph.launch(&stream).expect("it is what it was");
    assert_eq!(beside.to_vec().expect("no fault"), [7.0; 40]);

    // The node is one of clones too, and of no graph that was built apart.
    let (longer, ()) = template
        .extend(|graph| {
            let all: Vec<_> = graph.nodes().collect();
            graph.copy(&all, &sum, &mut beside).map(drop)
        })
        .expect("a longer graph");
    assert_eq!((template.nodes(), longer.nodes()), (2, 3));
    assert_eq!(longer.dependencies(), [(0, 2), (1, 2)]);
    let mut longer = longer.instantiate().expect("an executable graph");
    longer
        .set_launch(node, CONFIG(), (&one, &two, &mut sum))
        .expect("the same node");
    longer.launch(&stream).expect("a launch");
    assert_eq!(beside.to_vec().expect("no fault"), [3.0; 40]);
    let (other, ()) = device
        .build_graph(|graph| {
            graph
                .launch(&[], vec_add, CONFIG(), (&one, &one, &mut sum))
                .map(drop)
        })
        .expect("a graph");
    let mut other = other.instantiate().expect("an executable graph");
    let refused = other.set_launch(node, CONFIG(), (&one, &two, &mut sum));
    assert!(
        matches!(refused, Err(GraphError::OtherGraph)),
        "{refused:?}"
    );
    let mut recorded = device
        .record(|record| record.launch(vec_add, CONFIG(), (&one, &one, &mut sum)))
        .expect("a graph");
    let refused = recorded.set_launch(node, CONFIG(), (&one, &two, &mut sum));
    assert!(
        matches!(refused, Err(GraphError::OtherGraph)),
        "{refused:?}"
    );
    drop(two);
    graph
        .launch(&stream)
        .expect_err("a buffer of the new arguments is gone");
}

#[test]
fn a_graph_takes_over_what_another_says_or_the_reason_why_not() {
    let _turn = tests::turn();
    let device = tests::device();
    let stream = device.stream().expect("a stream");
    let [one, mut sum, mut other] = buffers(&device, 1.0);
    let (mut first, mut second) = (Vec::new(), Vec::new());
    for (value, list) in [(5.0, &mut first), (9.0, &mut second)] {
        let calls = Arc::new(AtomicUsize::new(0));
        let counted = calls.clone();
        let built = device.build_graph(|graph| {
            {
                let filled = graph.fill(&[], &mut other, value)?;
                graph.launch(&[filled], vec_add, CONFIG(), (&one, &other, &mut sum))?;
                graph.call(&[], move || {
                    counted.fetch_add(1, Ordering::Relaxed);
                })
            }
            .map(drop)
        });
        list.push((built.expect("a graph").0, calls));
    }
    let [(first, first_calls)] = <[_; 1]>::try_from(first).expect("one");
    let [(second, second_calls)] = <[_; 1]>::try_from(second).expect("one");
    let mut graph = first.instantiate().expect("an executable graph");
    drop(first);
    graph.launch(&stream).expect("a launch");
    graph
        .update_from(&second)
        .expect("a graph of the same nodes");
    drop(second);
    graph.launch(&stream).expect("a launch");
    assert_eq!(sum.to_vec().expect("no fault"), [10.0; 40]);
    let calls = [&first_calls, &second_calls].map(|calls| calls.load(Ordering::Relaxed));
    assert_eq!(calls, [1, 1]);
    assert_eq!(
        Arc::strong_count(&first_calls),
        1,
        "the old function is gone"
    );

    let mut reason = |build: &mut dyn FnMut(&mut GraphBuilder<'_>) -> Result<(), GraphError>| {
        let (template, ()) = device.build_graph(|graph| build(graph)).expect("a graph");
        match graph.update_from(&template) {
            Err(GraphError::NotUpdated { reason, node, .. }) => (reason, node.is_some()),
            other => panic!("{other:?}"),
        }
    };
    let shorter = reason(&mut |graph| graph.empty(&[]).map(drop));
    assert_eq!(shorter, (UpdateReason::Topology, false));
    let other_kind = reason(&mut |graph| {
        let filled = graph.fill(&[], &mut other, 1.0)?;
        graph.launch(&[filled], vec_add, CONFIG(), (&one, &other, &mut sum))?;
        graph.empty(&[]).map(drop)
    });
    assert_eq!(other_kind, (UpdateReason::NodeKind, true));
    let apart = reason(&mut |graph| {
        graph.fill(&[], &mut other, 1.0)?;
        graph.launch(&[], vec_add, CONFIG(), (&one, &one, &mut sum))?;
        graph.call(&[], || {}).map(drop)
    });
    assert_eq!(apart, (UpdateReason::Topology, true));
    graph.launch(&stream).expect("it is what it was");
    assert_eq!(sum.to_vec().expect("no fault"), [10.0; 40]);
}

#[test]
fn what_a_body_uses_is_known_though_its_making_panicked() {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    let _turn = tests::turn();
    let device = tests::device();
    let stream = device.stream().expect("a stream");
    let [one, mut sum] = buffers(&device, 1.0);
    let built = device.build_graph(|graph| {
        let (condition, _) = graph.condition(1)?;
        let panics = AssertUnwindSafe(|| {
            graph.if_then(&[], condition, |body| {
                body.launch(&[], vec_add, CONFIG(), (&one, &one, &mut sum))?;
                std::panic::resume_unwind(Box::new("in the middle"))
            })
        });
        let panic = catch_unwind(panics).map(drop).expect_err("it panics");
        assert!(panic.is::<&str>());
        Ok(())
    });
    let (template, ()) = built.expect("a graph");
    let graph = template.instantiate().expect("an executable graph");
    drop(one); // which the body reads
    let refused = graph.launch(&stream);
    assert!(
        matches!(refused, Err(GraphError::BufferIsGone { .. })),
        "{refused:?}"
    );
}

#[test]
fn a_graphs_own_memory_is_for_its_nodes() {
    let _turn = tests::turn();
    let device = tests::device();
    let stream = device.stream().expect("a stream");
    let [one, mut sum] = buffers(&device, 1.0);
    let built = device.build_graph(|graph| {
        {
            let mut aside = graph.allocate::<f32>(&[], 40)?;
            for refused in [
                aside.to_vec().map(drop).map_err(|e| e.to_string()),
                stream
                    .launch(vec_add, CONFIG(), (&one, &one, &mut aside))
                    .map_err(|e| e.to_string()),
                stream
                    .launch(vec_add, CONFIG(), (&*aside.slice(0..3), &one, &mut sum))
                    .map_err(|e| e.to_string()),
            ] {
                assert!(refused.is_err());
            }
            let inner =
                device.record(|record| record.launch(vec_add, CONFIG(), (&aside, &one, &mut sum)));
            assert!(matches!(inner, Err(GraphError::NotWhole)), "{inner:?}");
            graph.launch(&[], vec_add, CONFIG(), (&one, &aside, &mut sum)) // it is zeros at first
        }
        .map(drop)
    });
    let (template, ()) = built.expect("a graph");
    let graph = template.instantiate().expect("an executable graph");
    for _ in 0..3 {
        graph.launch(&stream).expect("a launch");
    }
    assert_eq!(sum.to_vec().expect("no fault"), [1.0; 40]);
    template.try_clone().expect_err("it has memory of its own");
    device
        .build_graph(|graph| graph.child(&[], &template).map(drop))
        .expect_err("as before");
}

#[test]
fn graphs_record_events_wait_for_them_and_hold_other_graphs() {
    let _turn = tests::turn();
    let device = tests::device();
    let streams = [(); 2].map(|()| device.stream().expect("a stream"));
    let [one, mut a, mut b] = buffers(&device, 1.0);
    let (ready, done) = (
        device.event().expect("an event"),
        device.event().expect("an event"),
    );
    let (inner, ()) = device
        .build_graph(|graph| {
            let filled = graph.fill(&[], &mut a, 3.0)?;
            graph
                .launch(&[filled], vec_add, CONFIG(), (&one, &a, &mut b))
                .map(drop)
        })
        .expect("a graph");
    let (outer, ()) = device
        .build_graph(|graph| {
            let waited = graph.wait_event(&[], &ready)?;
            let child = graph.child(&[waited], &inner)?;
            graph.copy(&[], &b, &mut a)?; // waits for the child, which writes both
            graph.record_event(&[child], &done).map(drop)
        })
        .expect("a graph");
    assert_eq!(outer.dependencies(), [(0, 1), (1, 2), (1, 3)]);
    drop(inner);
    let graph = outer.instantiate().expect("an executable graph");
    ready.record(&streams[0]).expect("a record");
    drop((ready, outer));
    graph.launch(&streams[1]).expect("a launch");
    streams[0].wait_event(&done).expect("a wait");
    streams[0].synchronize().expect("no fault");
    assert!(done.is_done().expect("no fault"));
    assert_eq!(a.to_vec().expect("no fault"), [4.0; 40]);
    drop(b);
    let refused = graph.launch(&streams[1]);
    assert!(
        matches!(refused, Err(GraphError::BufferIsGone { .. })),
        "{refused:?}"
    );
}

#[test]
fn a_graph_is_printed_for_graphviz() {
    let _turn = tests::turn();
    let device = tests::device();
    let [one, mut sum] = buffers(&device, 1.0);
    let (template, ()) = device
        .build_graph(|graph| {
            let empty = graph.empty(&[])?;
            graph
                .launch(&[empty], vec_add, CONFIG(), (&one, &one, &mut sum))
                .map(drop)
        })
        .expect("a graph");
    for verbose in [false, true] {
        let dot = template.debug_dot(verbose).expect("the driver prints");
        assert!(
            dot.contains("digraph") && dot.contains("->") && dot.contains("vec_add"),
            "{dot}"
        );
    }
}

#[test]
fn a_switch_of_more_bodies_than_there_is_room_for_is_refused() {
    let _turn = tests::turn();
    let Some(device) = tests::simulator("a limit of its own", "a GPU's is not known") else {
        return;
    };
    for bodies in [1 << 20, u32::MAX as usize, usize::MAX] {
        let built = device.build_graph(|graph| {
            let (condition, _) = graph.condition(0)?;
            graph.switch(&[], condition, bodies, |_, _| Ok(()))?;
            Ok(())
        });
        assert!(matches!(built, Err(GraphError::Driver(_))), "{bodies}");
    }
}
