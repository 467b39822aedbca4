//! Graphs with conditional nodes give the same results as loops and branches on the host.

use device::device;
use device_kernels::graph::{change, changed, decide, lead, led};
use lanewise::{Device, DeviceBuffer, GraphBuilder, GraphCondition, GraphError, LaunchConfig};
use proptest::prelude::*;
use tests::isolate::isolated_with;
use tests::simulator;
use tests::sizes::cases;

/// Numbers that a random program works on.
const NUMBERS: usize = 3;

/// A step of a random program.
#[derive(Debug, Clone)]
enum Step {
    Change {
        at: usize,
        by: u32,
    },
    /// A branch on the number at `at`, if it is no multiple.
    If {
        at: usize,
        modulus: u32,
        then: Vec<Step>,
        otherwise: Option<Vec<Step>>,
    },
    /// A loop of this many rounds, counted at `counter`.
    While {
        counter: usize,
        limit: u32,
        body: Vec<Step>,
    },
    Switch {
        at: usize,
        modulus: u32,
        bodies: Vec<Vec<Step>>,
    },
}

fn program() -> impl Strategy<Value = Vec<Step>> {
    let at = || 0..NUMBERS;
    let leaf = (at(), 0..100u32).prop_map(|(at, by)| Step::Change { at, by });
    let step = leaf.prop_recursive(3, 14, 3, move |step| {
        let steps = || prop::collection::vec(step.clone(), 0..3);
        let branch = (at(), 1..4u32, steps(), prop::option::of(steps()));
        let switch = (at(), 1..5u32, prop::collection::vec(steps(), 1..4));
        prop_oneof![
            branch.prop_map(|(at, modulus, then, otherwise)| Step::If {
                at,
                modulus,
                then,
                otherwise
            }),
            (0..4u32, steps()).prop_map(|(limit, body)| Step::While {
                counter: 0,
                limit,
                body
            }),
            switch.prop_map(|(at, modulus, bodies)| Step::Switch {
                at,
                modulus,
                bodies
            }),
        ]
    });
    prop::collection::vec(step, 1..4)
}

/// Gives each loop a counter of its own, starting from `next`.
fn number(steps: &mut [Step], next: &mut usize) {
    for step in steps {
        match step {
            Step::Change { .. } => {}
            Step::If {
                then, otherwise, ..
            } => {
                number(then, next);
                otherwise.iter_mut().for_each(|steps| number(steps, next));
            }
            Step::While { counter, body, .. } => {
                *counter = *next;
                *next += 1;
                number(body, next);
            }
            Step::Switch { bodies, .. } => bodies.iter_mut().for_each(|steps| number(steps, next)),
        }
    }
}

/// Runs the program on the host.
fn run(steps: &[Step], numbers: &mut [u32]) {
    for step in steps {
        match step {
            Step::Change { at, by } => numbers[*at] = changed(numbers[*at], *by),
            Step::If {
                at,
                modulus,
                then,
                otherwise,
            } => match numbers[*at] % modulus {
                0 => otherwise.iter().for_each(|steps| run(steps, numbers)),
                _ => run(then, numbers),
            },
            Step::While {
                counter,
                limit,
                body,
            } => loop {
                let (next, goes_on) = led(numbers[*counter], *limit);
                numbers[*counter] = next;
                if !goes_on {
                    break;
                }
                run(body, numbers);
            },
            Step::Switch {
                at,
                modulus,
                bodies,
            } => {
                if let Some(steps) = bodies.get((numbers[*at] % modulus) as usize) {
                    run(steps, numbers);
                }
            }
        }
    }
}

fn one() -> LaunchConfig {
    LaunchConfig::new(1, 32)
}

/// A condition that a launch sets to one of the numbers, modulo another.
fn decided<'graph>(
    graph: &mut GraphBuilder<'graph>,
    numbers: &mut DeviceBuffer<u32>,
    at: usize,
    modulus: u32,
) -> Result<GraphCondition<'graph>, GraphError> {
    let (condition, setter) = graph.condition(5)?;
    graph.launch(&[], decide, one(), (numbers, at as u32, modulus, &setter))?;
    Ok(condition)
}

/// Adds the program as nodes of a graph.
fn build(
    graph: &mut GraphBuilder<'_>,
    steps: &[Step],
    numbers: &mut DeviceBuffer<u32>,
) -> Result<(), GraphError> {
    for step in steps {
        match step {
            Step::Change { at, by } => {
                graph.launch(&[], change, one(), (&mut *numbers, *at as u32, *by))?;
            }
            Step::If {
                at,
                modulus,
                then,
                otherwise,
            } => {
                let condition = decided(graph, numbers, *at, *modulus)?;
                match otherwise {
                    None => graph.if_then(&[], condition, |body| build(body, then, numbers))?,
                    Some(steps) => graph.if_else(&[], condition, |body, other| {
                        build(body, then, numbers)?;
                        build(other, steps, numbers)
                    })?,
                };
            }
            Step::While {
                counter,
                limit,
                body: steps,
            } => {
                let (condition, setter) = graph.condition(5)?;
                let at = *counter as u32;
                graph.launch(&[], lead, one(), (&mut *numbers, at, *limit, &setter))?;
                graph.while_loop(&[], condition, |body| {
                    build(body, steps, numbers)?;
                    body.launch(&[], lead, one(), (&mut *numbers, at, *limit, &setter))?;
                    Ok(())
                })?;
            }
            Step::Switch {
                at,
                modulus,
                bodies,
            } => {
                let condition = decided(graph, numbers, *at, *modulus)?;
                graph.switch(&[], condition, bodies.len(), |i, body| {
                    build(body, &bodies[i], numbers)
                })?;
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(16))]

    #[test]
    fn a_graph_branches_and_loops_as_the_host_does(mut program in program(), start in any::<[u8; NUMBERS]>()) {
        let device = device();
        let stream = device.stream().expect("a stream");
        let mut end = NUMBERS;
        number(&mut program, &mut end);
        let mut expected: Vec<u32> = start.iter().map(|n| u32::from(*n)).collect();
        expected.resize(end, 0);
        let mut numbers = DeviceBuffer::from_slice(&device, &expected).expect("a buffer");
        let (template, ()) = device
            .build_graph(|graph| build(graph, &program, &mut numbers))
            .expect("a graph");
        let graph = template.instantiate().expect("it can be launched");
        for _ in 0..2 {
            graph.launch(&stream).expect("a launch");
            run(&program, &mut expected);
        }
        prop_assert_eq!(numbers.to_vec().expect("no fault"), expected);
    }
}

fn buffers(device: &Device) -> [DeviceBuffer<u32>; 2] {
    [1, 2].map(|value| DeviceBuffer::from_slice(device, &[value; 8]).expect("a buffer"))
}

#[test]
fn a_body_comes_after_what_writes_what_it_reads() {
    let device = device();
    let stream = device.stream().expect("a stream");
    let [mut from, mut to] = buffers(&device);
    let (template, ()) = device
        .build_graph(|graph| {
            graph.fill(&[], &mut from, 7)?;
            let (condition, _) = graph.condition(1)?;
            graph.if_then(&[], condition, |body| {
                body.copy(&[], &from, &mut to).map(drop)
            })?;
            graph.fill(&[], &mut from, 9)?;
            Ok(())
        })
        .expect("a graph");
    assert_eq!(template.dependencies(), [(0, 1), (1, 2)]);
    let graph = template.instantiate().expect("it can be launched");
    graph.launch(&stream).expect("a launch");
    assert_eq!(to.to_vec().expect("a copy"), [7; 8]);
    assert_eq!(from.to_vec().expect("a copy"), [9; 8]);
}

#[test]
fn a_condition_is_for_its_own_graph() {
    let device = device();
    let stream = device.stream().expect("a stream");
    let [mut numbers, _] = buffers(&device);
    let built = device.build_graph(|graph| {
        let (condition, setter) = graph.condition(1)?;
        let streamed = stream.launch(decide, one(), (&mut numbers, 0, 2, &setter));
        assert!(streamed.is_err(), "a launch on a stream");
        let recorded =
            device.record(|record| record.launch(decide, one(), (&mut numbers, 0, 2, &setter)));
        assert!(
            matches!(recorded, Err(GraphError::NotWhole)),
            "{recorded:?}"
        );
        device.build_graph(|other| {
            let launched = other.launch(&[], decide, one(), (&mut numbers, 0, 2, &setter));
            assert!(
                matches!(launched, Err(GraphError::NotWhole)),
                "{launched:?}"
            );
            let node = other.if_then(&[], condition, |_| Ok(()));
            assert!(matches!(node, Err(GraphError::OtherGraph)), "{node:?}");
            Ok(())
        })
    });
    built.expect("the graphs themselves");
}

#[test]
fn a_body_has_no_calls_of_the_host_and_no_memory() {
    let device = device();
    let event = device.event().expect("an event");
    let built = device.build_graph(|graph| {
        let (condition, _) = graph.condition(1)?;
        graph.if_then(&[], condition, |body| {
            let refused = [
                body.call(&[], || {}),
                body.record_event(&[], &event),
                body.wait_event(&[], &event),
                body.allocate::<u32>(&[], 4)
                    .map(|_| unreachable!("it is refused")),
            ];
            for refused in refused {
                assert!(
                    matches!(refused, Err(GraphError::NotInBody { .. })),
                    "{refused:?}"
                );
            }
            Ok(())
        })?;
        Ok(())
    });
    built.expect("the graph itself");
}

#[test]
fn a_graph_with_conditions_is_one() {
    let device = device();
    let (template, ()) = device
        .build_graph(|graph| {
            let (condition, _) = graph.condition(0)?;
            graph.while_loop(&[], condition, |_| Ok(()))?;
            Ok(())
        })
        .expect("a graph");
    assert!(matches!(
        template.try_clone(),
        Err(GraphError::HasConditions)
    ));
    let extended = template.extend(|_| Ok(()));
    assert!(
        matches!(extended, Err(GraphError::HasConditions)),
        "{extended:?}"
    );
    let parent = device.build_graph(|graph| graph.child(&[], &template).map(drop));
    assert!(
        matches!(parent, Err(GraphError::HasConditions)),
        "{parent:?}"
    );
    let mut first = template.instantiate().expect("it can be launched");
    assert!(matches!(
        template.instantiate(),
        Err(GraphError::ExecutableTwice)
    ));
    assert!(matches!(
        first.update_from(&template),
        Err(GraphError::HasConditions)
    ));
    drop(first);
    template.instantiate().expect("it can be again");
}

#[test]
fn memory_of_a_graphs_own_is_for_its_bodies_too() {
    let device = device();
    let stream = device.stream().expect("a stream");
    let [mut numbers, mut out] = buffers(&device);
    let (template, ()) = device
        .build_graph(|graph| {
            let mut own = graph.allocate::<u32>(&[], 8)?;
            let (condition, setter) = graph.condition(0)?;
            graph.launch(&[], decide, one(), (&mut numbers, 0, 2, &setter))?;
            graph.if_then(&[], condition, |body| {
                body.launch(&[], change, one(), (&mut own, 3, 50))?;
                Ok(())
            })?;
            graph.copy(&[], &own, &mut out)?;
            Ok(())
        })
        .expect("a graph");
    let graph = template.instantiate().expect("it can be launched");
    graph.launch(&stream).expect("a launch");
    assert_eq!(out.to_vec().expect("a copy"), [0, 0, 0, 50, 0, 0, 0, 0]);
}

#[test]
fn a_loop_without_an_end_is_stopped() {
    let Some(device) = simulator("a loop without an end is stopped", "a GPU goes on for ever")
    else {
        return;
    };
    let name = "graph::a_loop_without_an_end_is_stopped";
    // Fifty rounds, and as many warp instructions for each kernel.
    let answer = isolated_with(&[("LANEWISE_BUDGET", "50")], name, || {
        let stream = device.stream().expect("a stream");
        let (template, ()) = device
            .build_graph(|graph| {
                let (condition, _) = graph.condition(1)?;
                graph.while_loop(&[], condition, |body| body.empty(&[]).map(drop))?;
                Ok(())
            })
            .expect("a graph");
        let graph = template.instantiate().expect("it can be launched");
        graph.launch(&stream).expect("a launch");
        let error = stream.synchronize().expect_err("it does not end");
        format!("{} {error}", error.name())
    });
    let text = &answer.text;
    assert!(text.contains("CUDA_ERROR_LAUNCH_TIMEOUT"), "{text}");
    assert!(
        text.contains("a while node of a graph has gone 50 rounds"),
        "{text}\n{}",
        answer.stderr
    );
}
