//! When each operation starts and ends in modelled time.
//!
//! The timeline is a graph: an operation waits for others (its stream's last one, an event, the legacy default stream) and
//! for the moment at which the host submitted it. Costs become known when operations have really run, in any order. Spans are laid
//! out when somebody asks for a time, by playing through what the devices would have done: of all operations that are ready,
//! the one that can start first does; of those that want an engine at the same moment, the kernel of the higher priority, then the one
//! that was ready first. Nothing in that depends on how the host's threads were scheduled.
//!
//! Streams feed the engines through hardware queues, [`Lane`]: an operation behind another in its queue does not start before that one
//! has, though nothing else makes it wait. With one queue for all streams these are the false dependencies of Fermi.
//!
//! All devices share one [`Clock`], since one host works with them all. Each host thread has a place on it; a new one starts at the
//! latest that any has, or where [`Clock::enter`] puts it. Every call that submits something takes the thread [`SUBMIT`] or [`MARK`], and a call
//! that waits moves it to the end of what it waited for. The host's own computations take no time, and that one thread waits for another is
//! not seen; but a call that the driver serialises over all threads (making a context, allocating) moves the thread to the latest place
//! of any.
//!
//! Not modelled: an operation that some other stream has submitted earlier and not finished when a time is asked for is
//! laid out afterwards. Programs that synchronise before they read times, as all must, do not see this.

use super::Nanoseconds;
use super::engine::{Class, Engine, Engines};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};
use std::thread::ThreadId;

/// What one submitting call costs the host: about what an asynchronous driver call takes on a current server.
pub(crate) const SUBMIT: Nanoseconds = 1_500;

/// What a call costs the host that only marks a point in a stream, or makes it wait for one.
pub(crate) const MARK: Nanoseconds = 500;

/// How far back engines remember what they did: a thread that has been idle for longer finds them free.
const MEMORY: Nanoseconds = 1_000_000_000;

/// So many threads' places are kept before those that are long past are dropped.
const THREADS: usize = 1024;

/// So many operations may be waiting to be laid out; a program that never asks for a time must not fill the memory.
const PENDING: usize = 8192;

/// What an operation occupies and for how long.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Cost {
    pub(crate) engine: Engine,
    pub(crate) duration: Nanoseconds,
}

impl Cost {
    /// An operation that takes no device time.
    pub(crate) const NOTHING: Cost = Cost {
        engine: Engine::None,
        duration: 0,
    };
}

/// The way from a stream to the engines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Lane {
    /// The hardware queue that the stream shares with others; none for what has no order but its dependencies.
    pub(crate) queue: Option<u32>,
    /// The stream's priority: less is more urgent.
    pub(crate) priority: i32,
    /// The stream's place among all, which settles who goes first where nothing else does.
    pub(crate) stream: usize,
}

/// An operation on the timeline.
#[derive(Debug)]
pub(crate) struct Node {
    device: usize,
    lane: Lane,
    /// What must end first. Emptied when the span is known, so that no long chains are kept alive.
    after: Mutex<Vec<Arc<Node>>>,
    /// The host's place when it was submitted.
    submitted: Mutex<Moment>,
    /// Known when the operation has run.
    cost: OnceLock<Cost>,
    /// Known when the operation is laid out.
    end: OnceLock<Nanoseconds>,
}

/// A moment that may not be known yet: this long after that node's end.
#[derive(Debug, Clone, Default)]
pub(crate) struct Moment {
    node: Option<Arc<Node>>,
    plus: Nanoseconds,
}

impl Moment {
    fn known(&self) -> Option<Nanoseconds> {
        match &self.node {
            None => Some(self.plus),
            Some(node) => node.end.get().map(|end| end.saturating_add(self.plus)),
        }
    }
}

impl Node {
    /// Nothing at all, at this moment.
    fn at(place: Moment) -> Arc<Node> {
        Arc::new(Node {
            device: 0,
            lane: Lane::default(),
            after: Mutex::default(),
            submitted: Mutex::new(place),
            cost: OnceLock::from(Cost::NOTHING),
            end: OnceLock::new(),
        })
    }

    /// The moment from which the operation could run, all that it waits for being laid out.
    fn ready(&self) -> Nanoseconds {
        let after = self.after.lock();
        let ends = after.iter().filter_map(|node| node.end.get().copied());
        ends.fold(self.submitted.lock().known().unwrap_or(0), Nanoseconds::max)
    }

    /// What has to be laid out before.
    fn waits_for(&self) -> Vec<Arc<Node>> {
        let mut before = self.after.lock().clone();
        before.extend(self.submitted.lock().node.clone());
        before.retain(|node| node.end.get().is_none());
        before
    }

    /// How long it took, once it has run.
    pub(crate) fn duration(&self) -> Nanoseconds {
        self.cost.get().map_or(0, |cost| cost.duration)
    }
}

/// Modelled time, of the host and of all devices.
#[derive(Debug)]
pub(crate) struct Clock {
    state: Mutex<State>,
}

/// The part of a device in modelled time.
#[derive(Debug, Clone)]
pub(crate) struct Timeline {
    clock: Arc<Clock>,
    device: usize,
}

#[derive(Debug)]
struct State {
    /// Submitted and not laid out, in the order of submission.
    pending: Vec<Arc<Node>>,
    /// Of each device.
    engines: Vec<Engines>,
    /// When each device's queues last let something through to each kind of engine.
    queues: HashMap<Queue, Nanoseconds>,
    hosts: HashMap<ThreadId, Moment>,
    /// The latest known place of a host thread.
    latest: Nanoseconds,
}

/// A device's queue to one kind of engine.
type Queue = (usize, u32, Class);

impl Clock {
    /// Time zero, of no device.
    pub(crate) fn new() -> Arc<Clock> {
        Arc::new(Clock {
            state: Mutex::new(State {
                pending: Vec::new(),
                engines: Vec::new(),
                queues: HashMap::new(),
                hosts: HashMap::new(),
                latest: 0,
            }),
        })
    }

    /// The timeline of one more device, which has so many copy engines.
    pub(crate) fn device(self: &Arc<Self>, copy_engines: u32) -> Timeline {
        let mut state = self.state.lock();
        state.engines.push(Engines::new(copy_engines));
        Timeline {
            clock: self.clone(),
            device: state.engines.len() - 1,
        }
    }

    /// The calling thread's place.
    pub(crate) fn place(&self) -> Moment {
        self.state.lock().host().clone()
    }

    /// Puts the calling thread at this place, if it is not past it already.
    pub(crate) fn enter(&self, place: &Moment) {
        let mut state = self.state.lock();
        let own = std::thread::current().id();
        let is_past = |state: &State| {
            let now = state.hosts.get(&own)?.known()?;
            Some(now >= place.known()?)
        };
        if state.hosts.contains_key(&own) && is_past(&state).is_none() {
            state.lay_out();
        }
        if is_past(&state) != Some(true) {
            state.hosts.insert(own, place.clone());
        }
    }
}

impl Clock {
    /// Moves the calling thread to the latest of these places, where others are that it has waited for.
    pub(crate) fn join(&self, places: Vec<Moment>) {
        let mut state = self.state.lock();
        let own = state.host().clone();
        let joined = state.join(places.into_iter().chain([own]));
        *state.host() = joined;
    }
}

impl Timeline {
    /// The timeline of a device that is alone.
    #[cfg(test)]
    pub(crate) fn new(copy_engines: u32) -> Timeline {
        Clock::new().device(copy_engines)
    }

    /// The clock that all devices share.
    pub(crate) fn clock(&self) -> &Arc<Clock> {
        &self.clock
    }

    /// Adds an operation that waits for `after`; its cost is told later by [`Timeline::ran`].
    pub(crate) fn submit(&self, after: Vec<Arc<Node>>, lane: Lane) -> Arc<Node> {
        self.submit_for(SUBMIT, after, lane)
    }

    /// The same for an event or a wait.
    pub(crate) fn mark(&self, after: Vec<Arc<Node>>, lane: Lane) -> Arc<Node> {
        self.submit_for(MARK, after, lane)
    }

    fn submit_for(&self, price: Nanoseconds, after: Vec<Arc<Node>>, lane: Lane) -> Arc<Node> {
        let mut state = self.clock.state.lock();
        let host = state.host();
        host.plus = host.plus.saturating_add(price);
        state.add(self.device, after, lane)
    }

    /// Adds an operation that is part of one that was submitted: it waits for `after` and costs the host nothing.
    pub(crate) fn follow(&self, after: Vec<Arc<Node>>, lane: Lane) -> Arc<Node> {
        self.clock.state.lock().add(self.device, after, lane)
    }

    /// Tells what an operation cost; each operation is told once.
    pub(crate) fn ran(&self, node: &Node, cost: Cost) {
        // The first telling holds: an operation runs once.
        let _ = node.cost.set(cost);
    }

    /// Moves the host to the end of `nodes`, for which it has really waited.
    pub(crate) fn wait(&self, nodes: Vec<Arc<Node>>) {
        let mut state = self.clock.state.lock();
        let joined = state.add(self.device, nodes, Lane::default());
        // The join has just been made, so its cost is not set yet.
        let _ = joined.cost.set(Cost::NOTHING);
        *state.host() = Moment {
            node: Some(joined),
            plus: 0,
        };
    }

    /// Moves the calling thread to the latest place that any thread has.
    ///
    /// Nothing is laid out for it: of another thread's operations some may have run, and one that goes ahead of them not yet.
    pub(crate) fn catch_up(&self) {
        let mut state = self.clock.state.lock();
        if state.hosts.len() > 1 {
            let latest = state.latest_place();
            *state.host() = latest;
        }
    }

    /// The calling thread's place.
    pub(crate) fn place(&self) -> Moment {
        self.clock.place()
    }

    /// When a thread's place was, or `None` if something it comes after has not run.
    pub(crate) fn moment(&self, place: &Moment) -> Option<Nanoseconds> {
        if place.known().is_none() {
            self.clock.state.lock().lay_out();
        }
        place.known()
    }

    /// When `node` ended, or `None` if it, or something it waits for, has not run.
    pub(crate) fn end(&self, node: &Node) -> Option<Nanoseconds> {
        if node.end.get().is_none() {
            self.clock.state.lock().lay_out();
        }
        node.end.get().copied()
    }
}

impl State {
    /// The calling thread's place.
    fn host(&mut self) -> &mut Moment {
        let own = std::thread::current().id();
        if !self.hosts.contains_key(&own) {
            let start = self.latest_place();
            self.hosts.insert(own, start);
        }
        self.hosts.entry(own).or_default()
    }

    /// The latest place that any thread has.
    fn latest_place(&mut self) -> Moment {
        let (known, unknown): (Vec<_>, Vec<_>) = self
            .hosts
            .values()
            .cloned()
            .partition(|place| place.known().is_some());
        let known = known.iter().filter_map(Moment::known);
        let known = Moment {
            node: None,
            plus: known.fold(self.latest, Nanoseconds::max),
        };
        match unknown.is_empty() {
            true => known,
            false => self.join(unknown.into_iter().chain([known])),
        }
    }

    /// The latest of these places.
    fn join(&mut self, places: impl Iterator<Item = Moment>) -> Moment {
        if self.pending.len() >= PENDING {
            self.lay_out();
        }
        let passed: Vec<_> = places.map(Node::at).collect();
        let joined = Node::at(Moment::default());
        *joined.after.lock() = passed.clone();
        self.pending.extend(passed);
        self.pending.push(joined.clone());
        Moment {
            node: Some(joined),
            plus: 0,
        }
    }

    fn add(&mut self, device: usize, after: Vec<Arc<Node>>, lane: Lane) -> Arc<Node> {
        if self.pending.len() >= PENDING {
            self.lay_out();
        }
        let submitted = self.host().clone();
        let node = Arc::new(Node {
            device,
            lane,
            after: Mutex::new(after),
            submitted: Mutex::new(submitted),
            cost: OnceLock::new(),
            end: OnceLock::new(),
        });
        self.pending.push(node.clone());
        node
    }

    /// Finds the spans of all operations that have run and wait for none that has not.
    fn lay_out(&mut self) {
        let pending = std::mem::take(&mut self.pending);
        let mut plan = Plan::of(&pending);
        while let Some((at, start)) = plan.next(&pending, &self.engines, &self.queues) {
            let node = &pending[at];
            let Some(&Cost { engine, duration }) = node.cost.get() else {
                continue; // a plan has only what has run
            };
            self.engines[node.device].take(engine, start, duration);
            if let (Some(queue), Some(class)) = (node.lane.queue, engine.class()) {
                self.queues.insert((node.device, queue, class), start);
            }
            // Set once: what is laid out is not pending any more.
            let _ = node.end.set(start.saturating_add(duration));
            node.after.lock().clear();
            plan.placed(&pending, at);
        }
        self.pending = pending;
        self.pending.retain(|node| node.end.get().is_none());
        // What was submitted after a moment that is known now needs no node to know it.
        for host in self.hosts.values_mut() {
            if let Some(now) = host.known() {
                *host = Moment {
                    node: None,
                    plus: now,
                };
                self.latest = self.latest.max(now);
            }
        }
        let past = self.latest.saturating_sub(MEMORY);
        self.engines
            .iter_mut()
            .for_each(|engines| engines.forget(past));
        if self.hosts.len() > THREADS {
            self.hosts
                .retain(|_, host| host.known().is_none_or(|place| place > past));
        }
    }
}

/// Which operations wait for which, among those that have run.
struct Plan {
    /// For each operation, how many that are not laid out it waits for.
    waits: Vec<usize>,
    /// For each operation, who waits for it.
    followers: Vec<Vec<usize>>,
    /// Operations that wait for none, with the moment from which they can start.
    ready: Vec<(usize, Nanoseconds)>,
    /// The same of those that occupy nothing: they start then, whoever else is there.
    free: Vec<usize>,
}

impl Plan {
    fn of(pending: &[Arc<Node>]) -> Plan {
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
                // What has not run is never laid out, and so nothing that waits for it.
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

    /// All that an operation waits for is laid out.
    fn becomes_ready(&mut self, pending: &[Arc<Node>], i: usize) {
        match pending[i].cost.get() {
            Some(Cost { engine, .. }) if engine.class().is_some() => {
                self.ready.push((i, pending[i].ready()));
            }
            _ => self.free.push(i),
        }
    }

    /// The operation that starts next, and when.
    fn next(
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
    fn placed(&mut self, pending: &[Arc<Node>], at: usize) {
        for follower in std::mem::take(&mut self.followers[at]) {
            self.waits[follower] -= 1;
            if self.waits[follower] == 0 {
                self.becomes_ready(pending, follower);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::engine::WHOLE;
    use super::*;

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

    /// So many microseconds' kernels that fill the device, submitted one after another: when each starts, in microseconds after the
    /// first one.
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
                    // This thread's place is behind what nobody has asked the time of.
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
        // The second stream's first kernel is behind the first stream's second, which waits.
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
}
