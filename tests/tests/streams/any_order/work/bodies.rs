//! Graphs with conditional nodes, and with memory of their own.

use gpu::streams::advance::advance;
use kernels::halve;
use lanewise::{Device, Graph, GraphBuilder, GraphError, LaunchConfig};

use super::{Locked, Made, Plan, Work, built};
use crate::any_order::ops::{Op, Pick};
use crate::any_order::slots::turn;
use crate::any_order::world::{Did, World, config};

/// Adds a pick's node to a body: what it does there.
fn add(
    body: &mut GraphBuilder<'_>,
    pick: Pick,
    locked: &mut [Locked<'_>],
    device: &Device,
) -> Result<Option<Work>, String> {
    if pick == Pick::Call {
        return match body.call(&[], || ()) {
            Err(GraphError::NotInBody { .. }) => Ok(None),
            answer => Err(format!("a call in a body: {answer:?}")),
        };
    }
    let done = built(body, pick, locked, device, &Default::default())?;
    Ok(done.map(|(_, work)| work))
}

impl World<'_> {
    pub(super) fn on_bodies(&self, op: Op) -> Option<Did> {
        let (graph, made) = match op {
            Op::BuildCondition {
                graph,
                how,
                first,
                second,
            } => {
                let slot = turn(&self.graphs[graph.get()])?;
                (slot, self.condition(how.get(), [first, second]))
            }
            Op::BuildLoop {
                graph,
                number,
                times,
                pick,
            } => {
                let slot = turn(&self.graphs[graph.get()])?;
                (slot, self.halving(number.get(), times.get(), pick))
            }
            Op::BuildOwn { graph, to, pick } => {
                let slot = turn(&self.graphs[graph.get()])?;
                (slot, self.own_memory(to.get(), pick))
            }
            op => return self.on_pieces(op),
        };
        let mut slot = graph;
        Some(made.map(|made| drop(made.map(|made| slot.replace(made)))))
    }

    /// Two picks in bodies of a node that decides by the initial value of its condition.
    fn condition(&self, how: usize, picks: [Pick; 2]) -> Result<Option<Made>, String> {
        let mut locked = self.lock_picks(&picks);
        let device = self.device_of(&locked);
        // Which of the two run.
        let (value, runs) = match how {
            0 => (1, [true, false]),
            1 => (0, [false, false]),
            2 => (7, [true, false]),
            3 => (0, [false, true]),
            4 => (1, [false, true]),
            5 => (2, [false, false]),
            _ => (1, [false, true]),
        };
        let mut nodes: [Result<Option<Work>, String>; 2] = [Ok(None), Ok(None)];
        let built = device.build_graph(|graph| {
            let (condition, _) = graph.condition(value)?;
            let mut add = |number: usize, body: &mut GraphBuilder<'_>| {
                nodes[number] = add(body, picks[number], &mut locked, &device);
            };
            let node = match how {
                0 | 1 => graph.if_then(&[], condition, |body| {
                    add(0, body);
                    Ok(())
                }),
                2 | 3 => graph.if_else(&[], condition, |then, otherwise| {
                    add(0, then);
                    add(1, otherwise);
                    Ok(())
                }),
                4 | 5 => graph.switch(&[], condition, 2, |number, body| {
                    add(number, body);
                    Ok(())
                }),
                _ => graph.if_then(&[], condition, |body| {
                    let (inner, _) = body.condition(0)?;
                    let both = body.if_else(&[], inner, |then, otherwise| {
                        add(0, then);
                        add(1, otherwise);
                        Ok(())
                    });
                    both.map(drop)
                }),
            };
            node.map(drop)
        });
        let mut plan = Plan {
            once: true,
            ..Plan::default()
        };
        for (node, runs) in nodes.into_iter().zip(runs) {
            if let Some(work) = node? {
                plan.work.extend((!runs).then_some(Work::Idle));
                plan.work.push(work);
            }
        }
        drop(locked);
        self.executable(built, plan, device)
    }

    /// A loop that halves a number until it is odd or 0, counts how often, and does a pick
    /// in each round.
    fn halving(&self, number: usize, times: usize, pick: Pick) -> Result<Option<Made>, String> {
        let used = pick.uses();
        // Who writes the number may keep the loop going for ever.
        if number == times || used[1] == Some(number) {
            return Ok(None);
        }
        let uses = [used, [None, Some(number)], [None, Some(times)]];
        let mut locked = self.lock(uses.into_iter());
        let (Some(first), Some(second)) = (locked[number].get(), locked[times].get()) else {
            return Ok(None);
        };
        let device = first.memory.device().clone();
        // Nobody would set the condition.
        if first.expected.is_empty()
            || second.expected.is_empty()
            || *second.memory.device() != device
        {
            return Ok(None);
        }
        let keys = [(number, first.number), (times, second.number)];
        let mut node = Ok(None);
        let built = device.build_graph(|graph| {
            let (condition, setter) = graph.condition(1)?;
            let body = |body: &mut GraphBuilder<'_>| {
                node = add(body, pick, &mut locked, &device);
                let [number, times] = locked
                    .get_disjoint_mut([number, times])
                    .map_err(|_| GraphError::NotWhole)?;
                let (Some(number), Some(times)) = (number.get_mut(), times.get_mut()) else {
                    return Err(GraphError::NotWhole);
                };
                let arguments = (&mut number.memory, &mut times.memory, &setter);
                body.launch(&[], halve, LaunchConfig::new(1, 1), arguments)?;
                Ok(())
            };
            graph.while_loop(&[], condition, body).map(drop)
        });
        let mut work: Vec<Work> = node?.into_iter().collect();
        work.push(Work::Halve(keys[0], keys[1]));
        work.insert(0, Work::Loop(keys[0], work.len()));
        drop(locked);
        let plan = Plan {
            work,
            once: true,
            ..Plan::default()
        };
        self.executable(built, plan, device)
    }

    /// Memory of the graph's own, which is zero, and from which a buffer is written; and
    /// a pick behind.
    fn own_memory(&self, to: usize, pick: Pick) -> Result<Option<Made>, String> {
        let uses = [[None, Some(to)], pick.uses()];
        let mut locked = self.lock(uses.into_iter());
        let Some(buffer) = locked[to].get() else {
            return Ok(None);
        };
        let (device, key) = (buffer.memory.device().clone(), (to, buffer.number));
        let (mut node, calls) = (Ok(None), self.calls());
        let made = device.build_graph(|graph| {
            if let Some(to) = locked[to].get_mut() {
                let length = to.expected.len();
                let own = graph.allocate::<u32>(&[], length)?;
                let arguments = (&own, &mut to.memory, 1);
                graph.launch(&[], advance, config(length), arguments)?;
            }
            node = built(graph, pick, &mut locked, &device, &calls);
            Ok(())
        });
        let mut plan = Plan {
            work: vec![Work::FromZeros(key)],
            once: true,
            ..Plan::default()
        };
        if let Some((_, work)) = node? {
            plan.work.push(work);
            if matches!(work, Work::Call) {
                plan.calls.push(calls);
            }
        }
        drop(locked);
        self.executable(made, plan, device)
    }

    /// What can be launched of what was built.
    fn executable(
        &self,
        built: Result<(Graph, ()), GraphError>,
        plan: Plan,
        device: Device,
    ) -> Result<Option<Made>, String> {
        let Some((template, ())) = self.made(built, &plan)? else {
            return Ok(None);
        };
        let graph = self.made(template.instantiate(), &plan)?;
        let template = Some(std::sync::Arc::new((template, plan.clone())));
        Ok(graph.map(|graph| Made {
            graph,
            plan,
            template,
            device,
        }))
    }
}
