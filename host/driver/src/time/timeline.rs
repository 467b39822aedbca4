//! When each operation starts and ends in modelled time.
//!
//! The timeline is a graph: an operation waits for others (its stream's last one, an event, the
//! legacy default stream) and for the moment at which the host submitted it. Costs become known
//! when operations have really run, in any order. Spans are laid out when somebody asks for a time,
//! by playing through what the devices would have done: of all operations that are ready, the one
//! that can start first does; of those that want an engine at the same moment, the kernel of the
//! higher priority, then the one that was ready first. Nothing in that depends on how the host's
//! threads were scheduled.
//!
//! Streams feed the engines through hardware queues, [`Lane`]: an operation behind another in its
//! queue does not start before that one has, though nothing else makes it wait. With one queue for
//! all streams these are the false dependencies of Fermi.
//!
//! All devices share one [`Clock`], since one host works with them all. Each host thread has a
//! place on it; a new one starts at the latest that any has, or where [`Clock::enter`] puts it.
//! Every call that submits something takes the thread [`SUBMIT`] or [`MARK`], and a call that waits
//! moves it to the end of what it waited for. The host's own computations take no time, and that
//! one thread waits for another is not seen; but a call that the driver serialises over all threads
//! (making a context, allocating) moves the thread to the latest place of any.
//!
//! Not modelled: an operation that some other stream has submitted earlier and not finished when a
//! time is asked for is laid out afterwards. Programs that synchronise before they read times, as
//! all must, do not see this.

use super::Nanoseconds;
use super::engine::Engines;
use super::operation::{Cost, Lane, Moment, Node};
use super::plan::{Plan, Queue};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};
use std::thread::ThreadId;

/// What one submitting call costs the host: about what an asynchronous driver call takes on a
/// current server.
pub(crate) const SUBMIT: Nanoseconds = 1_500;

/// What a call costs the host that only marks a point in a stream, or makes it wait for one.
pub(crate) const MARK: Nanoseconds = 500;

/// How far back engines remember what they did: a thread that has been idle for longer finds them
/// free.
const MEMORY: Nanoseconds = 1_000_000_000;

/// This many threads' places are kept before those that are long past are dropped.
const THREADS: usize = 1024;

/// This many operations may be waiting to be laid out; a program that never asks for a time must
/// not fill the memory.
const PENDING: usize = 8192;

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

    /// The timeline of one more device, which has this many copy engines.
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
    /// Moves the calling thread to the latest of these places, where others are that it has waited
    /// for.
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

    /// Adds an operation that is part of one that was submitted: it waits for `after` and costs the
    /// host nothing.
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
    /// Nothing is laid out for it: of another thread's operations some may have run, and one that
    /// goes ahead of them not yet.
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

#[cfg(test)]
mod tests;
