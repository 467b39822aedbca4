//! The choice of the operation that is laid out next: of all that are ready, the one that
//! can start first.

use super::Nanoseconds;
use super::engine::{Class, Engines};
use super::operation::{Cost, Node};
use std::collections::HashMap;
use std::sync::Arc;

/// A device's hardware queue to one kind of engine.
pub(super) type Queue = (usize, u32, Class);

/// The dependencies among the operations that have run.
pub(super) struct Plan {
    /// For each operation, how many operations it waits for that are not laid out.
    waits: Vec<usize>,
    /// For each operation, the operations that wait for it.
    followers: Vec<Vec<usize>>,
    /// The operations that wait for none, with the moment from which they can start.
    ready: Vec<(usize, Nanoseconds)>,
    /// Such operations that occupy nothing. They can start at that moment, whatever else runs.
    free: Vec<usize>,
}

impl Plan {
    pub(super) fn of(pending: &[Arc<Node>]) -> Plan {
        let place: HashMap<*const Node, usize> = pending
            .iter()
            .enumerate()
            .map(|(i, node)| (Arc::as_ptr(node), i))
            .collect();
        let mut plan = Plan {
            waits: vec![0; pending.len()],
            followers: vec![Vec::new(); pending.len()],
            ready: Vec::new(),
            free: Vec::new(),
        };
        let mut last: HashMap<Queue, usize> = HashMap::new();
        for (i, node) in pending.iter().enumerate() {
            for before in node.waits_for() {
                plan.waits[i] += 1;
                if let Some(&before) = place.get(&Arc::as_ptr(&before)) {
                    plan.followers[before].push(i);
                }
            }
            match node.cost.get() {
                // An operation that has not run is never laid out, and neither are those that
                // wait for it.
                None => plan.waits[i] += 1,
                Some(cost) => {
                    if let (Some(queue), Some(class)) = (node.lane.queue, cost.engine.class())
                        && let Some(before) = last.insert((node.device, queue, class), i)
                    {
                        plan.waits[i] += 1;
                        plan.followers[before].push(i);
                    }
                }
            }
            if plan.waits[i] == 0 {
                plan.becomes_ready(pending, i);
            }
        }
        plan
    }

    /// Notes that everything that an operation waits for is laid out.
    fn becomes_ready(&mut self, pending: &[Arc<Node>], i: usize) {
        match pending[i].cost.get() {
            Some(Cost { engine, .. }) if engine.class().is_some() => {
                self.ready.push((i, pending[i].ready()));
            }
            _ => self.free.push(i),
        }
    }

    /// Returns the operation that starts next, and when.
    pub(super) fn next(
        &mut self,
        pending: &[Arc<Node>],
        engines: &[Engines],
        queues: &HashMap<Queue, Nanoseconds>,
    ) -> Option<(usize, Nanoseconds)> {
        if let Some(i) = self.free.pop() {
            return Some((i, pending[i].ready()));
        }
        let turn = |&(i, ready): &(usize, Nanoseconds)| {
            let Node {
                device, lane, cost, ..
            } = &*pending[i];
            let &Cost { engine, duration } = cost.get()?;
            let class = engine.class();
            let queue = lane
                .queue
                .zip(class)
                .map(|(queue, class)| (*device, queue, class));
            let let_through = queue.and_then(|queue| queues.get(&queue).copied());
            let from = ready.max(let_through.unwrap_or(0));
            let start = engines[*device].first_gap(engine, from, duration);
            // Copies have no priority (CUDA C++ Programming Guide, "Stream Priorities").
            let priority = match class {
                Some(Class::Compute) => lane.priority,
                _ => 0,
            };
            Some((start, priority, ready, lane.stream, i))
        };
        let turns = self.ready.iter().enumerate();
        let (at, (start, .., i)) = turns
            .filter_map(|(at, ready)| Some((at, turn(ready)?)))
            .min_by_key(|(_, turn)| *turn)?;
        self.ready.swap_remove(at);
        Some((i, start))
    }

    /// Notes that an operation is laid out.
    pub(super) fn placed(&mut self, pending: &[Arc<Node>], at: usize) {
        for follower in std::mem::take(&mut self.followers[at]) {
            self.waits[follower] -= 1;
            if self.waits[follower] == 0 {
                self.becomes_ready(pending, follower);
            }
        }
    }
}
