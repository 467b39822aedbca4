//! The start and end of each operation in modelled time.
//!
//! The timeline is a graph. An operation waits for others (its stream's last one, an event, the
//! legacy default stream) and for the moment at which the host submitted it. Costs become known
//! when operations have really run, in any order. Spans are laid out when a time is requested, by
//! simulating what the devices would have done. Of all operations that are ready, the one that can
//! start first is placed first. If several want an engine at the same moment, the kernel of the
//! higher priority is first, then the one that was ready first. Nothing in that depends on how the
//! host's threads were scheduled.
//!
//! Streams feed the engines through hardware queues, [`Lane`]. An operation after another in its
//! queue does not start before that one has, even if it has no other dependency on it. With one
//! queue for all streams these are the false dependencies of Fermi.
//!
//! All devices share one [`Clock`], since one host works with them all. Each host thread has a
//! place on it. A new thread starts at the latest place of any thread, or where [`Clock::enter`]
//! puts it. Every call that submits something takes [`SUBMIT`] or [`MARK`] of the thread's time. A
//! call that waits moves the thread to the end of what it waited for. The host's own computations
//! take no time, and waits between threads are not visible. But a call that the driver serialises
//! over all threads (making a context, allocating) moves the thread to the latest place of any.
//!
//! Not modelled: if another stream's operation was submitted earlier and has not finished when a
//! time is requested, it is laid out afterwards. Programs must synchronise before they read times,
//! so they do not see this.

use super::Nanoseconds;
use super::engine::Engines;
use super::operation::{Cost, Lane, Moment, Node};
use super::plan::{Plan, Queue};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};
use std::thread::ThreadId;

/// The cost of a submitting call for the host: about the time of an asynchronous driver call on
/// a current server.
pub(crate) const SUBMIT: Nanoseconds = 1_500;

/// The cost for the host of a call that only marks a point in a stream, or makes it wait for one.
pub(crate) const MARK: Nanoseconds = 500;

/// How far back the engines' load is kept. A thread that has been idle for longer finds
/// the engines free.
const MEMORY: Nanoseconds = 1_000_000_000;

/// The number of threads' places that are kept before those long past are dropped.
const THREADS: usize = 1024;

/// The number of operations that may wait to be laid out. A program that never requests a time must
/// not fill the memory.
const PENDING: usize = 8192;

/// The modelled time of the host and of all devices.
#[derive(Debug)]
pub(crate) struct Clock {
    state: Mutex<State>,
}

/// One device's view of modelled time.
#[derive(Debug, Clone)]
pub(crate) struct Timeline {
    clock: Arc<Clock>,
    device: usize,
}

#[derive(Debug)]
struct State {
    /// Operations that are submitted and not laid out, in the order of submission.
    pending: Vec<Arc<Node>>,
    /// The engines of each device.
    engines: Vec<Engines>,
    /// For each device's queues, when an operation last passed to each kind of engine.
    queues: HashMap<Queue, Nanoseconds>,
    hosts: HashMap<ThreadId, Moment>,
    /// The latest known place of a host thread.
    latest: Nanoseconds,
}

impl Clock {
    /// Makes a clock at time zero, without devices.
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

    /// Adds a device with this many copy engines, and returns its timeline.
    pub(crate) fn device(self: &Arc<Self>, copy_engines: u32) -> Timeline {
        let mut state = self.state.lock();
        state.engines.push(Engines::new(copy_engines));
        Timeline {
            clock: self.clone(),
            device: state.engines.len() - 1,
        }
    }

    /// Returns the calling thread's place.
    pub(crate) fn place(&self) -> Moment {
        self.state.lock().host().clone()
    }

    /// Moves the calling thread to this place, unless it is later already.
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
    /// Moves the calling thread to the latest of these places, which are those of other threads
    /// that it has waited for.
    pub(crate) fn join(&self, places: Vec<Moment>) {
        let mut state = self.state.lock();
        let own = state.host().clone();
        let joined = state.join(places.into_iter().chain([own]));
        *state.host() = joined;
    }
}

impl Timeline {
    /// Makes the timeline of a single device.
    #[cfg(test)]
    pub(crate) fn new(copy_engines: u32) -> Timeline {
        Clock::new().device(copy_engines)
    }

    /// Returns the clock that all devices share.
    pub(crate) fn clock(&self) -> &Arc<Clock> {
        &self.clock
    }

    /// Adds an operation that waits for `after`. Its cost is set later with [`Timeline::ran`].
    pub(crate) fn submit(&self, after: Vec<Arc<Node>>, lane: Lane) -> Arc<Node> {
        self.submit_for(SUBMIT, after, lane)
    }

    /// Adds an event or a wait in the same way.
    pub(crate) fn mark(&self, after: Vec<Arc<Node>>, lane: Lane) -> Arc<Node> {
        self.submit_for(MARK, after, lane)
    }

    fn submit_for(&self, price: Nanoseconds, after: Vec<Arc<Node>>, lane: Lane) -> Arc<Node> {
        let mut state = self.clock.state.lock();
        let host = state.host();
        host.plus = host.plus.saturating_add(price);
        state.add(self.device, after, lane)
    }

    /// Adds an operation that is part of one that was submitted. It waits for `after` and costs
    /// the host nothing.
    pub(crate) fn follow(&self, after: Vec<Arc<Node>>, lane: Lane) -> Arc<Node> {
        self.clock.state.lock().add(self.device, after, lane)
    }

    /// Sets an operation's cost, once for each operation.
    pub(crate) fn ran(&self, node: &Node, cost: Cost) {
        // The first cost is kept: an operation runs once.
        let _ = node.cost.set(cost);
    }

    /// Moves the host to the end of `nodes`, which it has really waited for.
    pub(crate) fn wait(&self, nodes: Vec<Arc<Node>>) {
        let mut state = self.clock.state.lock();
        let joined = state.add(self.device, nodes, Lane::default());
        // The joining node was just made, so its cost is not set yet.
        let _ = joined.cost.set(Cost::NOTHING);
        *state.host() = Moment {
            node: Some(joined),
            plus: 0,
        };
    }

    /// Moves the calling thread to the latest place of any thread.
    ///
    /// Nothing is laid out for this. Of another thread's operations some may have run, while one
    /// that comes before them has not.
    pub(crate) fn catch_up(&self) {
        let mut state = self.clock.state.lock();
        if state.hosts.len() > 1 {
            let latest = state.latest_place();
            *state.host() = latest;
        }
    }

    /// Returns the calling thread's place.
    pub(crate) fn place(&self) -> Moment {
        self.clock.place()
    }

    /// Returns the moment of a thread's place, or `None` if an operation before it has not run.
    pub(crate) fn moment(&self, place: &Moment) -> Option<Nanoseconds> {
        if place.known().is_none() {
            self.clock.state.lock().lay_out();
        }
        place.known()
    }

    /// Returns when `node` ended, or `None` if it, or an operation that it waits for, has not run.
    pub(crate) fn end(&self, node: &Node) -> Option<Nanoseconds> {
        if node.end.get().is_none() {
            self.clock.state.lock().lay_out();
        }
        node.end.get().copied()
    }
}

impl State {
    /// Returns the calling thread's place.
    fn host(&mut self) -> &mut Moment {
        let own = std::thread::current().id();
        if !self.hosts.contains_key(&own) {
            let start = self.latest_place();
            self.hosts.insert(own, start);
        }
        self.hosts.entry(own).or_default()
    }

    /// Returns the latest place of any thread.
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

    /// Returns the latest of these places.
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

    /// Computes the spans of all operations that have run and do not wait for one that has not.
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
            // The end is set once: an operation that is laid out is not pending any more.
            let _ = node.end.set(start.saturating_add(duration));
            node.after.lock().clear();
            plan.placed(&pending, at);
        }
        self.pending = pending;
        self.pending.retain(|node| node.end.get().is_none());
        // A place whose moment is known needs no node any more.
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

#[cfg(test)]
mod tests;
