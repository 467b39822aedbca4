//! A search through all schedules of a small program: the tree of the choices made so far, and
//! which choice to try next.
//!
//! The program runs again and again from its beginning. Each run repeats the choices of the
//! run before it up to one point and chooses differently there: a depth-first search, as loom
//! and shuttle do it for threads of a CPU. The choices are which thread runs next before an
//! access to memory that others can reach, and which of the values that the memory model
//! allows a load returns.
//!
//! Runs that differ only in the order of independent accesses (to other places, or two reads) need
//! to be run once. A thread whose next access was already tried at a point sleeps in the other
//! branches of that point until another thread does something that depends on the access (sleep
//! sets: Godefroid, "Partial-Order Methods for the Verification of Concurrent Systems", 1996).

use std::sync::{Mutex, MutexGuard, PoisonError};

/// The most runs, if the caller sets no limit.
const RUNS: u64 = 100_000;
/// The most choices of one run. A run with more choices goes on without branching, and the search
/// is then not complete.
const CHOICES: usize = 4096;

/// A thread of execution: a lane, or the lanes of a warp that run together, named by
/// the lowest lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ThreadId {
    /// The team's index in the grid.
    pub(crate) team: u64,
    /// The block's number in the grid.
    pub(crate) block: u64,
    pub(crate) warp: u32,
    pub(crate) lane: u32,
}

/// What a thread's next step does to memory.
#[derive(Debug, Clone, Default)]
pub(crate) struct Footprint {
    /// Host addresses with the number of bytes at each.
    pub(crate) ranges: Vec<(u64, u64)>,
    pub(crate) writes: bool,
    /// Whether it is a `fence.sc`.
    pub(crate) sc: bool,
}

impl Footprint {
    /// Returns whether the order of the two accesses matters.
    pub(crate) fn depends(&self, other: &Self) -> bool {
        self.sc && other.sc || (self.writes || other.writes) && self.meets(other)
    }

    /// Adds the accesses of another footprint.
    pub(crate) fn join(&mut self, other: Self) {
        self.ranges.extend(other.ranges);
        self.writes |= other.writes;
        self.sc |= other.sc;
    }

    /// Returns whether the two access a byte in common.
    pub(crate) fn meets(&self, other: &Self) -> bool {
        let meet = |&(a, n): &(u64, u64)| {
            let mut others = other.ranges.iter();
            others.any(|&(b, m)| a < b + m && b < a + n)
        };
        self.ranges.iter().any(meet)
    }

    /// Returns whether no other thread can observe the access.
    pub(crate) fn is_nothing(&self) -> bool {
        self.ranges.is_empty() && !self.sc
    }
}

/// The choices of all runs so far. The caller passes one exploration to every launch of the
/// program, as [`Launch::exploration`](crate::Launch::exploration).
#[derive(Debug)]
pub struct Exploration {
    tree: Mutex<Tree>,
    most: u64,
    weak: bool,
    /// Whether runs record their steps.
    tells: bool,
}

#[derive(Debug, Default)]
struct Tree {
    nodes: Vec<Node>,
    /// The number of choices that this run has passed.
    depth: usize,
    /// Threads that sleep now.
    sleep: Vec<ThreadId>,
    /// Whether this run makes no more choices. Either an earlier run did the rest, or the run
    /// is too long.
    coasts: bool,
    runs: u64,
    /// Whether a run was too long, or the program behaved differently when it ran again.
    partial: bool,
    /// The steps of the run, as text.
    steps: Vec<String>,
}

#[derive(Debug)]
enum Node {
    /// Which thread runs next.
    Thread {
        enabled: Vec<ThreadId>,
        sleep: Vec<ThreadId>,
        tried: Vec<ThreadId>,
        chosen: usize,
    },
    /// Which of `count` values a load returns.
    Value { count: usize, chosen: usize },
}

impl Exploration {
    /// Begins a search. With `weak`, loads may also return older values that the PTX
    /// memory model allows.
    pub fn new(weak: bool) -> Self {
        Self {
            tree: Mutex::default(),
            most: RUNS,
            weak,
            tells: true,
        }
    }

    /// Turns off the record of steps, also for a run that ends in a fault. For a program of few
    /// instructions that saves a quarter of the time.
    #[must_use]
    pub fn without_steps(self) -> Self {
        Self {
            tells: false,
            ..self
        }
    }

    /// Stops after this many runs.
    #[must_use]
    pub fn at_most(self, runs: u64) -> Self {
        Self { most: runs, ..self }
    }

    /// Returns whether loads may read old values.
    pub fn is_weak(&self) -> bool {
        self.weak
    }

    /// Begins the next run. Returns false if all different runs are done, or if the
    /// limit is reached.
    pub fn next_run(&self) -> bool {
        let mut tree = self.tree();
        if tree.runs > 0 && !tree.advance() {
            return false;
        }
        if tree.runs >= self.most {
            tree.partial = true;
            return false;
        }
        tree.runs += 1;
        tree.depth = 0;
        tree.coasts = false;
        tree.sleep.clear();
        tree.steps.clear();
        true
    }

    /// The number of runs so far.
    pub fn runs(&self) -> u64 {
        self.tree().runs
    }

    /// Returns whether every schedule was run: no run was cut off, and the program depended on
    /// nothing but its schedule. Call it after [`next_run`](Self::next_run) has returned false.
    pub fn is_complete(&self) -> bool {
        !self.tree().partial
    }

    /// Returns the steps of the last run, one line for each: the thread, the place, and its access
    /// to memory. Empty after [`without_steps`](Self::without_steps).
    pub fn steps(&self) -> Vec<String> {
        self.tree().steps.clone()
    }

    /// Returns whether launches record their steps.
    pub(crate) fn tells_steps(&self) -> bool {
        self.tells
    }

    /// Adds the steps of a launch.
    pub(crate) fn record(&self, steps: Vec<String>) {
        self.tree().steps.extend(steps);
    }

    /// Begins a launch. No thread of an earlier launch sleeps in it.
    pub(crate) fn begin(&self) {
        self.tree().sleep.clear();
    }

    /// Chooses the thread that runs next. `enabled` lists the threads that can run, each with the
    /// accesses that it is about to make.
    pub(crate) fn thread(&self, enabled: &[(ThreadId, Footprint)]) -> usize {
        let mut tree = self.tree();
        let chosen = tree.thread(enabled);
        let (who, does) = &enabled[chosen];
        // A sleeping thread wakes when another thread does something that its next step depends on.
        let awake = |other: &ThreadId| {
            let of = enabled.iter().find(|(it, _)| it == other);
            other == who || of.is_none_or(|(_, footprint)| footprint.depends(does))
        };
        tree.sleep.retain(|other| !awake(other));
        chosen
    }

    /// Chooses one of `count` values.
    pub(crate) fn value(&self, count: usize) -> usize {
        self.tree().value(count)
    }

    fn tree(&self) -> MutexGuard<'_, Tree> {
        self.tree.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Tree {
    /// Goes to the next branch that was not taken. Returns false if there is none.
    fn advance(&mut self) -> bool {
        while let Some(node) = self.nodes.last_mut() {
            let more = match node {
                Node::Value { count, chosen } => {
                    *chosen += 1;
                    chosen < count
                }
                Node::Thread {
                    enabled,
                    sleep,
                    tried,
                    chosen,
                } => {
                    tried.push(enabled[*chosen]);
                    let next = enabled
                        .iter()
                        .position(|who| !tried.contains(who) && !sleep.contains(who));
                    *chosen = next.unwrap_or(*chosen);
                    next.is_some()
                }
            };
            if more {
                return true;
            }
            self.nodes.pop();
        }
        false
    }

    /// Returns the number of this choice's node, if an earlier run made the choice. Returns `None`
    /// if the choice needs a new node.
    fn known(&mut self) -> Option<usize> {
        if self.depth < self.nodes.len() {
            self.depth += 1;
            return Some(self.depth - 1);
        }
        if self.nodes.len() >= CHOICES {
            (self.coasts, self.partial) = (true, true);
        }
        None
    }

    fn thread(&mut self, enabled: &[(ThreadId, Footprint)]) -> usize {
        if self.coasts {
            return 0;
        }
        if let [(who, _)] = enabled {
            // If the thread sleeps, an earlier run did the rest in another order.
            self.coasts = self.sleep.contains(who);
            return 0;
        }
        match self.known() {
            Some(at) => {
                let Node::Thread {
                    enabled: then,
                    sleep,
                    tried,
                    chosen,
                } = &self.nodes[at]
                else {
                    return self.strayed();
                };
                let same = then.iter().eq(enabled.iter().map(|(who, _)| who));
                let (chosen, sleep) = (*chosen, [sleep.as_slice(), tried].concat());
                if !same {
                    return self.strayed();
                }
                self.sleep = sleep;
                chosen
            }
            None if self.coasts => 0,
            None => {
                let awake = |(who, _): &(ThreadId, Footprint)| !self.sleep.contains(who);
                let Some(chosen) = enabled.iter().position(awake) else {
                    // Earlier runs did all that is left, in another order.
                    self.coasts = true;
                    return 0;
                };
                self.nodes.push(Node::Thread {
                    enabled: enabled.iter().map(|(who, _)| *who).collect(),
                    sleep: self.sleep.clone(),
                    tried: Vec::new(),
                    chosen,
                });
                self.depth += 1;
                chosen
            }
        }
    }

    fn value(&mut self, count: usize) -> usize {
        if self.coasts || count < 2 {
            return 0;
        }
        match self.known() {
            Some(at) => match self.nodes[at] {
                Node::Value {
                    count: then,
                    chosen,
                } if then == count => chosen,
                _ => self.strayed(),
            },
            None if self.coasts => 0,
            None => {
                self.nodes.push(Node::Value { count, chosen: 0 });
                self.depth += 1;
                0
            }
        }
    }

    /// Records that the program behaved differently from the run before, although the choices
    /// were the same.
    fn strayed(&mut self) -> usize {
        (self.coasts, self.partial) = (true, true);
        0
    }
}
