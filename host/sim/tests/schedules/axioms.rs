//! The PTX memory model as it is written: which outcomes of a litmus test its axioms allow. The
//! simulator never uses this module. The simulator gets outcomes by running threads, and this
//! module by trying every way in which reads, writes and fences may be related.
//!
//! PTX ISA, "Memory Consistency Model": relations in "Morally Strong Operations", "Release and
//! Acquire Patterns", "Ordering of Memory Operations"; the conditions on them in "Axioms". A test
//! consists of loads, stores, atomics and fences on whole words, one after another. For anything
//! else there is no answer.

use std::collections::BTreeSet;

use super::litmus::{Where, holds};

/// Pairs of events: for each event, the set of its successors.
type Relation = Vec<u64>;

/// How an operation takes part in the order between threads.
#[derive(Debug, Clone, Copy, Default)]
struct Order {
    /// The ordering of a strong operation.
    scope: Option<Scope>,
    acquires: bool,
    releases: bool,
}

/// The scope of a strong access or a fence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scope {
    Block,
    Cluster,
    Device,
}

/// The value that is written.
#[derive(Debug, Clone, Copy)]
enum Value {
    Number(u32),
    /// A value that the thread has loaded, by its event.
    Loaded(usize),
    /// The value of an atomic, from what its read returns and this operand.
    Sum(usize, u32),
}

#[derive(Debug, Clone, Copy)]
enum Act {
    Read {
        place: usize,
        /// Whether the operation is `red`, which forms no acquire pattern.
        silent: bool,
    },
    Write {
        place: usize,
        value: Value,
        /// The read of the same atomic.
        atomic: Option<usize>,
    },
    Fence {
        sc: bool,
    },
}

#[derive(Debug, Clone, Copy)]
struct Event {
    /// `None` for the place's initial value.
    thread: Option<usize>,
    act: Act,
    order: Order,
}

impl Event {
    fn place(&self) -> Option<usize> {
        match self.act {
            Act::Read { place, .. } | Act::Write { place, .. } => Some(place),
            Act::Fence { .. } => None,
        }
    }

    fn reads(&self) -> bool {
        matches!(self.act, Act::Read { .. })
    }

    fn writes(&self) -> bool {
        matches!(self.act, Act::Write { .. })
    }
}

/// A test's events. The places' initial values come before all others.
struct Program {
    events: Vec<Event>,
    /// Which events access one place.
    same: Relation,
    /// Release patterns: the first operation, and the write. Acquire patterns: the last one,
    /// and the read.
    releases: Vec<(usize, usize)>,
    acquires: Vec<(usize, usize)>,
    /// The events whose values are part of the outcome, in the order of their registers.
    shown: Vec<usize>,
    at: Where,
}

/// The outcomes that the axioms allow.
pub(super) struct Allowed {
    /// Registers by thread, and then what the first `ends` places hold.
    pub(super) outcomes: BTreeSet<Vec<u32>>,
    /// Writes of one place race. Threads then need not agree on their order.
    pub(super) races: bool,
}

/// Returns what the axioms allow for a test, or `None` if the test has something that is
/// not supported here.
pub(super) fn allowed(threads: &[&str], at: Where, ends: usize) -> Option<Allowed> {
    let program = Program::parse(threads, at)?;
    let writes = program.of(|e| e.writes() && e.thread.is_some());
    let race = |a: usize, b: usize| program.same(a, b) && !program.strong(a, b);
    let mut pairs = writes
        .iter()
        .flat_map(|&a| writes.iter().map(move |&b| (a, b)));
    let races = pairs.any(|(a, b)| race(a, b));
    let mut found = BTreeSet::new();
    let reads = program.of(Event::reads);
    let mut from = vec![0; program.events.len()];
    program.each_source(&reads, &mut from, ends, &mut found);
    let outcomes = found;
    Some(Allowed { outcomes, races })
}

impl Program {
    /// The writes of atomics, each with the read of the same atomic.
    fn atomics(&self) -> impl Iterator<Item = (usize, usize)> {
        let events = self.events.iter().enumerate();
        events.filter_map(|(write, event)| match event.act {
            Act::Write {
                atomic: Some(read), ..
            } => Some((write, read)),
            _ => None,
        })
    }

    fn parse(threads: &[&str], at: Where) -> Option<Self> {
        let mut events = Vec::new();
        for place in 0..3 {
            let value = Value::Number(0);
            let act = Act::Write {
                place,
                value,
                atomic: None,
            };
            let order = Order::default();
            events.push(Event {
                thread: None,
                act,
                order,
            });
        }
        let mut shown = Vec::new();
        for (thread, body) in threads.iter().enumerate() {
            let mut loaded = [None; 8];
            for statement in body.split(';').map(str::trim).filter(|it| !it.is_empty()) {
                parse(statement, thread, &mut loaded, &mut events)?;
            }
            shown.extend(loaded.iter().flatten());
        }
        let at_place = |place: usize| {
            let events = events.iter().enumerate();
            set(events
                .filter(|(_, e)| e.place() == Some(place))
                .map(|(i, _)| i))
        };
        let places = [0, 1, 2].map(at_place);
        let same = events
            .iter()
            .map(|e| e.place().map_or(0, |place| places[place]));
        let mut program = Self {
            same: same.collect(),
            releases: Vec::new(),
            acquires: Vec::new(),
            events,
            shown,
            at,
        };
        program.releases = program.patterns(true);
        program.acquires = program.patterns(false);
        Some(program)
    }

    fn of(&self, which: impl Fn(&Event) -> bool) -> Vec<usize> {
        let all = 0..self.events.len();
        all.filter(|&i| which(&self.events[i])).collect()
    }

    /// Whether two operations are morally strong.
    fn strong(&self, a: usize, b: usize) -> bool {
        let (x, y) = (&self.events[a], &self.events[b]);
        if x.thread == y.thread {
            return true;
        }
        let reaches = |scope: Option<Scope>| {
            scope.is_some_and(|scope| {
                let word = match scope {
                    Scope::Block => "cta",
                    Scope::Cluster => "cluster",
                    Scope::Device => "gpu",
                };
                holds(word, self.at)
            })
        };
        x.thread.is_some() && y.thread.is_some() && reaches(x.order.scope) && reaches(y.order.scope)
    }

    fn same(&self, a: usize, b: usize) -> bool {
        self.same[a] >> b & 1 == 1
    }

    /// Tries every write of its place for each read.
    fn each_source(
        &self,
        reads: &[usize],
        from: &mut Vec<usize>,
        ends: usize,
        found: &mut BTreeSet<Vec<u32>>,
    ) {
        let Some((&read, rest)) = reads.split_first() else {
            self.with_sources(from, ends, found);
            return;
        };
        for write in self.of(Event::writes) {
            if self.same(read, write) {
                from[read] = write;
                self.each_source(rest, from, ends, found);
            }
        }
    }

    /// Computes the values. No value may come out of thin air.
    fn values(&self, from: &[usize]) -> Option<Vec<u32>> {
        let mut known: Vec<Option<u32>> = vec![None; self.events.len()];
        loop {
            let mut more = false;
            for (i, event) in self.events.iter().enumerate() {
                if known[i].is_some() {
                    continue;
                }
                known[i] = match event.act {
                    Act::Read { .. } => known[from[i]],
                    Act::Fence { .. } => Some(0),
                    Act::Write { value, .. } => match value {
                        Value::Number(number) => Some(number),
                        Value::Loaded(read) => known[read],
                        Value::Sum(read, number) => known[read].map(|v| v.wrapping_add(number)),
                    },
                };
                more |= known[i].is_some();
            }
            if !more {
                return known.into_iter().collect();
            }
        }
    }

    fn with_sources(&self, from: &[usize], ends: usize, found: &mut BTreeSet<Vec<u32>>) {
        let Some(values) = self.values(from) else {
            return;
        };
        let fences = self.of(|e| matches!(e.act, Act::Fence { sc: true }));
        let observes = self.observes(from);
        each_order(&fences, &mut |fences| {
            let base = self.base(&observes, fences);
            // Fence-SC: its order does not contradict causality.
            if fences.iter().any(|&f| base[f] >> f & 1 == 1) {
                return;
            }
            let causes = self.causes(&observes, &base);
            for place in self.each_coherence(from, &causes) {
                if self.holds(from, &causes, &place) {
                    let mut outcome: Vec<u32> = self.shown.iter().map(|&e| values[e]).collect();
                    outcome.extend((0..ends).map(|i| values[*place[i].last().expect("one")]));
                    found.insert(outcome);
                }
            }
        });
    }

    /// Pairs of a write and a read of its value, also through atomics that were read in between.
    fn observes(&self, from: &[usize]) -> Relation {
        let mut observes = vec![0; self.events.len()];
        for read in self.of(Event::reads) {
            let write = from[read];
            if self.strong(write, read) {
                observes[write] |= 1 << read;
            }
        }
        for _ in 0..self.events.len() {
            for (i, read) in self.atomics() {
                let behind = observes[i];
                for of in observes.iter_mut().filter(|of| **of >> read & 1 == 1) {
                    *of |= behind;
                }
            }
        }
        observes
    }

    /// Its release patterns, or its acquire patterns.
    fn patterns(&self, releases: bool) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        for (a, first) in self.events.iter().enumerate() {
            let takes = match releases {
                true => first.order.releases && !first.reads(),
                false => first.order.acquires && !first.writes(),
            };
            if !takes {
                continue;
            }
            for (b, other) in self.events.iter().enumerate() {
                let strong = other.thread == first.thread && other.order.scope.is_some();
                let fits = match releases {
                    true => other.writes() && a <= b,
                    false => matches!(other.act, Act::Read { silent: false, .. }) && b <= a,
                };
                let fence = first.place().is_none();
                if strong && fits && (fence || self.same(a, b)) {
                    found.push((a, b));
                }
            }
        }
        found
    }

    /// Base causality order: program order and synchronization.
    fn base(&self, observes: &Relation, fences: &[usize]) -> Relation {
        let count = self.events.len();
        let mut base: Relation = vec![0; count];
        for (a, behind) in base.iter_mut().enumerate() {
            for b in a + 1..count {
                let (x, y) = (self.events[a].thread, self.events[b].thread);
                if x.is_none() && y.is_some() || x.is_some() && x == y {
                    *behind |= 1 << b;
                }
            }
        }
        for (i, &a) in fences.iter().enumerate() {
            for &b in &fences[i + 1..] {
                if self.strong(a, b) {
                    base[a] |= 1 << b;
                }
            }
        }
        for &(release, write) in &self.releases {
            for &(acquire, read) in &self.acquires {
                let apart = self.events[release].thread != self.events[acquire].thread;
                if apart && observes[write] >> read & 1 == 1 && self.strong(release, acquire) {
                    base[release] |= 1 << acquire;
                }
            }
        }
        close(&mut base);
        base
    }

    /// Causality order, of operations on one place.
    fn causes(&self, observes: &Relation, base: &Relation) -> Relation {
        let behind = |a: usize| members(observes[a]).fold(base[a], |behind, z| behind | base[z]);
        let events = self.same.iter().enumerate();
        events.map(|(a, same)| behind(a) & same).collect()
    }

    /// Tries every order of each place's writes in which its initial value is first, no write comes
    /// before one that it follows, and no atomic's write comes before the one that it read.
    fn each_coherence(&self, from: &[usize], causes: &Relation) -> Vec<Vec<Vec<usize>>> {
        // The writes that each event comes before.
        let mut behind = causes.clone();
        for (write, read) in self.atomics() {
            behind[from[read]] |= 1 << write;
        }
        let mut all: Vec<Vec<Vec<usize>>> = vec![Vec::new()];
        for place in 0..3 {
            let writes = self.of(|e| e.writes() && e.place() == Some(place));
            let (first, others) = (writes[0], &writes[1..]);
            let mut next = Vec::new();
            each_order(others, &mut |others| {
                let mut before = 1 << first;
                let right = others.iter().all(|&write| {
                    let follows = behind[write] & before == 0;
                    before |= 1 << write;
                    follows
                });
                if right {
                    let order = [&[first], others].concat();
                    next.extend(
                        all.iter()
                            .map(|before| [&before[..], std::slice::from_ref(&order)].concat()),
                    );
                }
            });
            all = next;
        }
        all
    }

    /// Checks atomicity, coherence of each place, and causality.
    fn holds(&self, from: &[usize], causes: &Relation, order: &[Vec<usize>]) -> bool {
        let count = self.events.len();
        // Writes that race are in no order.
        let mut coherence: Relation = vec![0; count];
        for writes in order {
            for (i, &a) in writes.iter().enumerate() {
                for &b in &writes[i + 1..] {
                    if self.strong(a, b) || causes[a] >> b & 1 == 1 {
                        coherence[a] |= 1 << b;
                    }
                }
            }
        }
        close(&mut coherence);
        let before = |a: usize, b: usize| coherence[a] >> b & 1 == 1;
        for (i, read) in self.atomics() {
            let between = |w: usize| before(from[read], w) && before(w, i) && self.strong(w, i);
            if self.of(Event::writes).into_iter().any(between) {
                return false;
            }
        }
        let mut located: Relation = vec![0; count];
        for a in 0..count {
            for b in (0..count).filter(|&b| self.same(a, b)) {
                let (x, y) = (&self.events[a], &self.events[b]);
                let program = x.thread == y.thread && a < b;
                let communicates = match (x.reads(), y.reads()) {
                    (false, true) => from[b] == a,
                    (false, false) => before(a, b),
                    (true, false) => before(from[a], b),
                    (true, true) => false,
                };
                if program || communicates && self.strong(a, b) {
                    located[a] |= 1 << b;
                }
            }
        }
        close(&mut located);
        if (0..count).any(|a| located[a] >> a & 1 == 1) {
            return false;
        }
        self.of(Event::reads).into_iter().all(|read| {
            let source = from[read];
            let known = |w: usize| causes[w] >> read & 1 == 1;
            let older = |w: usize| known(w) && before(source, w);
            causes[read] >> source & 1 == 0 && !self.of(Event::writes).into_iter().any(older)
        })
    }
}

/// Reads one instruction.
fn parse(
    statement: &str,
    thread: usize,
    loaded: &mut [Option<usize>; 8],
    events: &mut Vec<Event>,
) -> Option<()> {
    let (opcode, operands) = statement.split_once(' ').unwrap_or((statement, ""));
    let operands: Vec<&str> = operands.split(',').map(str::trim).collect();
    let words: Vec<&str> = opcode.split('.').collect();
    let has = |word: &str| words.contains(&word);
    let mut order = Order {
        scope: None,
        acquires: has("acquire") || has("acq_rel") || has("sc"),
        releases: has("release") || has("acq_rel") || has("sc"),
    };
    let reach = match () {
        () if has("cta") => Some(Scope::Block),
        () if has("cluster") => Some(Scope::Cluster),
        () if has("gpu") || has("gl") || has("sys") || has("volatile") => Some(Scope::Device),
        () => None,
    };
    let place = |operand: &str| ["[x]", "[y]", "[z]"].iter().position(|it| *it == operand);
    let register = |operand: &str| operand.strip_prefix("%r")?.parse::<usize>().ok();
    order.scope = reach;
    let thread = Some(thread);
    let mut add = |act, order| {
        events.push(Event { thread, act, order });
        events.len() - 1
    };
    match words[0] {
        "ld" => {
            let place = place(operands[1])?;
            let silent = false;
            let event = add(Act::Read { place, silent }, order);
            loaded[register(operands[0])?] = Some(event);
        }
        "st" => {
            let value = match register(operands[1]) {
                Some(register) => Value::Loaded(loaded[register]?),
                None => Value::Number(operands[1].parse().ok()?),
            };
            let place = place(operands[0])?;
            let atomic = None;
            let act = Act::Write {
                place,
                value,
                atomic,
            };
            add(act, order);
        }
        "atom" | "red" => {
            let silent = words[0] == "red";
            let at = usize::from(!silent);
            let place = place(operands[at])?;
            let number = operands[at + 1].parse().ok()?;
            order.scope = order.scope.or(Some(Scope::Device));
            // What acquires is the read, what releases is the write.
            let (read, write) = (
                Order {
                    releases: false,
                    ..order
                },
                Order {
                    acquires: false,
                    ..order
                },
            );
            let event = add(Act::Read { place, silent }, read);
            let value = match () {
                () if has("add") => Value::Sum(event, number),
                () if has("exch") => Value::Number(number),
                () => return None,
            };
            let atomic = Some(event);
            let act = Act::Write {
                place,
                value,
                atomic,
            };
            add(act, write);
            if !silent {
                loaded[register(operands[0])?] = Some(event);
            }
        }
        "fence" | "membar" => {
            let sc = has("sc") || words[0] == "membar";
            order = Order {
                acquires: true,
                releases: true,
                ..order
            };
            add(Act::Fence { sc }, order);
        }
        // Arithmetic on values that were not loaded.
        "add" if operands.iter().all(|it| register(it).is_none()) => {}
        _ => return None,
    }
    Some(())
}

/// Calls `call` with every order of some events.
fn each_order(of: &[usize], call: &mut dyn FnMut(&[usize])) {
    fn go(done: usize, of: &mut [usize], call: &mut dyn FnMut(&[usize])) {
        if done == of.len() {
            call(of);
            return;
        }
        for next in done..of.len() {
            of.swap(done, next);
            go(done + 1, of, call);
            of.swap(done, next);
        }
    }
    go(0, &mut of.to_vec(), call);
}

/// The set of these events.
fn set(events: impl Iterator<Item = usize>) -> u64 {
    events.fold(0, |set, event| set | 1 << event)
}

/// The events of a set.
fn members(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let event = (set != 0).then(|| set.trailing_zeros() as usize)?;
        set &= set - 1;
        Some(event)
    })
}

/// Returns the transitive closure of a relation.
fn close(relation: &mut Relation) {
    for middle in 0..relation.len() {
        let behind = relation[middle];
        for of in relation.iter_mut().filter(|of| **of >> middle & 1 == 1) {
            *of |= behind;
        }
    }
}
