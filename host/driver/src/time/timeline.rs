//! When each operation starts and ends in modelled time.
//!
//! The timeline is a graph: an operation waits for others (its stream's last one, an event, the legacy default stream) and
//! for the moment at which the host submitted it. Costs become known when operations have really run, in any order; spans
//! are laid out in the order of submission, which does not depend on how the host's threads were scheduled.
//!
//! Each host thread has a place on the timeline as well; a new one starts at the latest that any has. Every call that
//! submits something takes the thread [`SUBMIT`], and a call that waits moves it to the end of what it waited for. The host's
//! own computations take no time, and that one thread waits for another is not seen; but a call that the driver serialises over
//! all threads (making a context, allocating) moves the thread to the latest place of any.
//!
//! Not modelled: an operation that some other stream has submitted earlier and not finished when a time is asked for is
//! laid out afterwards. Programs that synchronise before they read times, as all must, do not see this.

use super::Nanoseconds;
use super::engine::{Engine, Engines};
use parking_lot::Mutex;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, OnceLock};
use std::thread::ThreadId;

/// What one submitting call costs the host: about what an asynchronous driver call takes on a current server.
pub(crate) const SUBMIT: Nanoseconds = 1_500;

/// How far back engines remember what they did: a thread that has been idle for longer finds them free.
const MEMORY: Nanoseconds = 1_000_000_000;

/// So many threads' places are kept before those that are long past are dropped.
const THREADS: usize = 1024;

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

/// An operation on the timeline.
#[derive(Debug)]
pub(crate) struct Node {
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
    /// The moment from which the operation could run, if all that it waits for is laid out.
    fn ready(&self) -> Option<Nanoseconds> {
        let submitted = self.submitted.lock().known()?;
        self.after
            .lock()
            .iter()
            .try_fold(submitted, |latest, node| Some(latest.max(*node.end.get()?)))
    }

    /// How long it took, once it has run.
    pub(crate) fn duration(&self) -> Nanoseconds {
        self.cost.get().map_or(0, |cost| cost.duration)
    }

    /// Finds the span, if all is known that it depends on.
    fn lay_out(&self, engines: &mut Engines) -> bool {
        let Some((cost, ready)) = self.cost.get().zip(self.ready()) else {
            return false;
        };
        let start = engines.take(cost.engine, ready, cost.duration);
        // Set once: the timeline drops a node from its list when this returns true.
        let _ = self.end.set(start.saturating_add(cost.duration));
        self.after.lock().clear();
        self.submitted.lock().node = None;
        true
    }
}

/// The timeline of one device.
#[derive(Debug)]
pub(crate) struct Timeline {
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// Submitted and not laid out, in the order of submission.
    pending: VecDeque<Arc<Node>>,
    engines: Engines,
    hosts: HashMap<ThreadId, Moment>,
    /// The latest known place of a host thread.
    latest: Nanoseconds,
}

impl Timeline {
    /// The timeline of a device with so many copy engines, at time zero.
    pub(crate) fn new(copy_engines: u32) -> Timeline {
        let engines = Engines::new(copy_engines);
        let (pending, hosts) = (VecDeque::new(), HashMap::new());
        Timeline {
            state: Mutex::new(State {
                pending,
                engines,
                hosts,
                latest: 0,
            }),
        }
    }

    /// Adds an operation that waits for `after`; its cost is told later by [`Timeline::ran`].
    pub(crate) fn submit(&self, after: Vec<Arc<Node>>) -> Arc<Node> {
        let mut state = self.state.lock();
        let host = state.host();
        host.plus = host.plus.saturating_add(SUBMIT);
        state.add(after)
    }

    /// Adds an operation that is part of one that was submitted: it waits for `after` and costs the host nothing.
    pub(crate) fn follow(&self, after: Vec<Arc<Node>>) -> Arc<Node> {
        self.state.lock().add(after)
    }

    /// Tells what an operation cost; each operation is told once.
    pub(crate) fn ran(&self, node: &Node, cost: Cost) {
        // The first telling holds: an operation runs once.
        let _ = node.cost.set(cost);
        self.state.lock().lay_out(Through::Unfinished);
    }

    /// Moves the host to the end of `nodes`, for which it has really waited.
    pub(crate) fn wait(&self, nodes: Vec<Arc<Node>>) {
        let mut state = self.state.lock();
        let joined = state.add(nodes);
        // The join has just been made, so its cost is not set yet.
        let _ = joined.cost.set(Cost::NOTHING);
        *state.host() = Moment {
            node: Some(joined),
            plus: 0,
        };
        state.lay_out(Through::Unfinished);
    }

    /// Moves the calling thread to the latest place that any thread has.
    pub(crate) fn catch_up(&self) {
        let mut state = self.state.lock();
        let latest = state.latest;
        let host = state.host();
        if host.known().is_some_and(|place| place < latest) {
            *host = Moment {
                node: None,
                plus: latest,
            };
        }
    }

    /// The calling thread's place.
    pub(crate) fn place(&self) -> Moment {
        self.state.lock().host().clone()
    }

    /// When a thread's place was, or `None` if something it comes after has not run.
    pub(crate) fn moment(&self, place: &Moment) -> Option<Nanoseconds> {
        if place.known().is_none() {
            self.state.lock().lay_out(Through::End);
        }
        place.known()
    }

    /// When `node` ended, or `None` if it, or something it waits for, has not run.
    pub(crate) fn end(&self, node: &Node) -> Option<Nanoseconds> {
        if node.end.get().is_none() {
            self.state.lock().lay_out(Through::End);
        }
        node.end.get().copied()
    }
}

/// How far to lay out.
#[derive(Clone, Copy, PartialEq)]
enum Through {
    /// Up to the first operation that has not run.
    Unfinished,
    /// All that can be.
    End,
}

impl State {
    /// The calling thread's place.
    fn host(&mut self) -> &mut Moment {
        let start = Moment {
            node: None,
            plus: self.latest,
        };
        self.hosts
            .entry(std::thread::current().id())
            .or_insert(start)
    }

    fn add(&mut self, after: Vec<Arc<Node>>) -> Arc<Node> {
        let submitted = self.host().clone();
        let node = Arc::new(Node {
            after: Mutex::new(after),
            submitted: Mutex::new(submitted),
            cost: OnceLock::new(),
            end: OnceLock::new(),
        });
        self.pending.push_back(node.clone());
        node
    }

    fn lay_out(&mut self, through: Through) {
        match through {
            Through::Unfinished => {
                while self
                    .pending
                    .front()
                    .is_some_and(|node| node.lay_out(&mut self.engines))
                {
                    self.pending.pop_front();
                }
            }
            Through::End => self.pending.retain(|node| !node.lay_out(&mut self.engines)),
        }
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
        self.engines.forget(past);
        if self.hosts.len() > THREADS {
            self.hosts
                .retain(|_, host| host.known().is_none_or(|place| place > past));
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
        let copy = timeline.submit(vec![]);
        let kernel = timeline.submit(vec![copy.clone()]);
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
                let copy = timeline.submit(vec![]);
                let kernel = timeline.submit(vec![copy.clone()]);
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
        let first = timeline.submit(vec![]);
        timeline.ran(&first, KERNEL);
        timeline.wait(vec![first.clone()]);
        let second = timeline.submit(vec![]);
        timeline.ran(&second, COPY);
        assert_eq!(
            timeline.end(&second),
            Some(timeline.end(&first).unwrap() + SUBMIT + 10_000)
        );
    }

    #[test]
    fn an_unfinished_stream_does_not_hold_up_another() {
        let timeline = Timeline::new(3);
        let stuck = timeline.submit(vec![]);
        let free = timeline.submit(vec![]);
        timeline.ran(&free, KERNEL);
        assert_eq!(timeline.end(&free), Some(2 * SUBMIT + 10_000));
        timeline.ran(&stuck, KERNEL);
        assert_eq!(timeline.end(&stuck), Some(2 * SUBMIT + 20_000));
    }
}
