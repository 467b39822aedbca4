//! On which streams a buffer was used, so that the next use waits for those before as far as it has to.
//!
//! Reads may run beside one another; a write waits for all uses before, and a read for the writes before. What is remembered is the
//! streams: an event recorded there comes after the use. A buffer's parts ([`Order::split`]) remember their own uses, and the whole waits for
//! those of its parts.
//!
//! Such an event also comes after what was queued on the stream since, and has others wait for that: two devices that exchange rows would
//! work in turn. So once a buffer has been used on two streams, each use of it is marked by an event right behind it. What stays on one stream
//! pays nothing.
//!
//! A launch says first that it uses the buffer, and is queued on its stream a moment later. Between the two another thread may launch
//! with the same buffer (both only read it): its stream can't wait for what isn't queued yet. So a stream is remembered until every
//! launch that was under way has been queued; only then is waiting for the latest one waiting for all.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// So many streams are remembered that read; one more waits for them and stands for them all.
const READERS: usize = 16;

/// What a use does with the memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// It only reads it.
    Read,
    /// It may write it.
    Write,
}

/// A point of a queue, with a number that is larger for a later point of the same queue.
pub(crate) type Marked<S> = (u64, <S as Queue>::Mark);

/// What work is queued on: a stream.
pub(crate) trait Queue: Clone + PartialEq + std::fmt::Debug {
    /// A point in it.
    type Mark: Clone + std::fmt::Debug;

    /// The point behind what is queued by now; none if it can't be made.
    fn mark(&self) -> Option<Marked<Self>>;
}

/// The uses of one piece of memory. Clones are the same piece's.
#[derive(Debug)]
pub(crate) struct Order<S: Queue>(Arc<Mutex<Uses<S>>>);

#[derive(Debug)]
struct Uses<S: Queue> {
    /// The streams that may have written since all waited for all.
    writers: Vec<Past<S>>,
    /// The streams that have read since.
    readers: Vec<Past<S>>,
    /// Whether it has been used on more than one stream.
    crossed: bool,
    /// Of the parts that were made of it.
    parts: Vec<Order<S>>,
    /// Launches that have said that they use it, and may not be queued yet.
    under_way: usize,
    /// Those of them that may write it.
    writing: usize,
    /// Whether a graph that uses it is being launched. Graphs don't borrow what they use, so others wait for this.
    held: bool,
    /// Whether the memory was freed.
    gone: bool,
    /// The graph whose memory it is, and which alone may use it.
    graph: Option<u64>,
    /// Whether there may be graphs that use it, which borrow nothing.
    in_graphs: bool,
}

/// The last uses on one stream.
#[derive(Debug, Clone)]
struct Past<S: Queue> {
    stream: S,
    /// The latest of them.
    number: u64,
    /// The point behind them; none if they may not be queued yet or were not marked, and the stream's end at the time stands for it.
    mark: Option<Marked<S>>,
}

/// The outcome of an attempt to hold memory for a graph.
#[derive(Debug)]
pub(crate) enum HoldOutcome<S: Queue> {
    /// Nobody else begins a use until this is dropped.
    Held(HeldMemory<S>),
    /// Somebody's use is not queued yet: let go of the rest, and try again.
    Busy,
    /// The memory was freed.
    Gone,
}

/// Memory that is held: no other launch begins to use it. With the parts that it was split into.
#[derive(Debug)]
pub(crate) struct HeldMemory<S: Queue> {
    order: Order<S>,
    parts: Vec<HeldMemory<S>>,
}

impl<S: Queue> Drop for HeldMemory<S> {
    fn drop(&mut self) {
        self.order.lock().held = false;
    }
}

/// A launch that uses the memory, from before its arguments are made until it is queued.
#[derive(Debug)]
pub(crate) struct LaunchUse<S: Queue> {
    order: Order<S>,
    stream: S,
    access: Access,
    number: u64,
    is_over: bool,
}

/// The uses of one launch, which end together.
#[derive(Debug)]
pub(crate) struct LaunchUses<S: Queue>(pub(crate) Vec<LaunchUse<S>>);

impl<S: Queue> Clone for Order<S> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<S: Queue> Default for Order<S> {
    fn default() -> Self {
        Self(Arc::new(Mutex::new(Uses {
            writers: Vec::new(),
            readers: Vec::new(),
            crossed: false,
            parts: Vec::new(),
            under_way: 0,
            writing: 0,
            held: false,
            gone: false,
            graph: None,
            in_graphs: false,
        })))
    }
}

impl<S: Queue> Order<S> {
    /// Of memory that a graph allocates and frees, each time it is launched.
    pub(crate) fn of_graph(graph: u64) -> Self {
        let order = Self::default();
        order.lock().graph = Some(graph);
        order
    }

    /// The graph whose memory it is.
    pub(crate) fn graph(&self) -> Option<u64> {
        self.lock().graph
    }

    /// Notes that there is a graph that uses it.
    pub(crate) fn enter_graph(&self) {
        self.lock().in_graphs = true;
    }

    /// Whether there may be a graph that uses it: another thread may launch that at any time, even while somebody has the memory for himself.
    pub(crate) fn is_in_graphs(&self) -> bool {
        self.lock().in_graphs
    }

    fn lock(&self) -> MutexGuard<'_, Uses<S>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The same once no graph is being launched with it, which takes no longer than a launch.
    fn lock_free(&self) -> MutexGuard<'_, Uses<S>> {
        loop {
            let uses = self.lock();
            if !uses.held {
                return uses;
            }
            drop(uses);
            std::thread::yield_now();
        }
    }

    /// Holds it for a graph that is to be launched and uses it in this way.
    pub(crate) fn hold(&self, access: Access) -> HoldOutcome<S> {
        let mut uses = self.lock();
        if uses.gone {
            return HoldOutcome::Gone;
        }
        // Reads that are not queued yet are in no reader's way. One may take long: a copy to the host waits for what the default stream does.
        let in_the_way = match access {
            Access::Read => uses.writing,
            Access::Write => uses.under_way,
        };
        if uses.held || in_the_way > 0 {
            return HoldOutcome::Busy;
        }
        // Who has a part borrows the whole, and the graph does not: it may be launched beside them.
        uses.join_parts_but(|part| part.is_somebodys());
        let mut parts = Vec::with_capacity(uses.parts.len());
        for part in &uses.parts {
            match part.hold(access) {
                HoldOutcome::Held(part) => parts.push(part),
                otherwise => return otherwise,
            }
        }
        uses.held = true;
        let order = self.clone();
        HoldOutcome::Held(HeldMemory { order, parts })
    }

    /// Whether anybody but the whole knows this part's order.
    fn is_somebodys(&self) -> bool {
        Arc::strong_count(&self.0) > 1
    }

    /// Notes that the memory is about to be freed.
    pub(crate) fn end(&self) {
        self.lock_free().gone = true;
    }

    /// Whether both are the same memory's.
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl<S: Queue> Order<S> {
    /// Begins a use on `stream`: calls `wait` with each stream that has to be waited for, and the point in it if that is known.
    pub(crate) fn begin<E>(
        &self,
        stream: &S,
        access: Access,
        mut wait: impl FnMut(&S, Option<&Marked<S>>) -> Result<(), E>,
    ) -> Result<LaunchUse<S>, E> {
        let mut uses = self.lock_free();
        // A part's readers may have been told to wait for one another only; the whole takes all of them for writers.
        uses.join_parts_but(|_| false);
        let number = uses.wait(stream, access, &mut wait)?;
        uses.under_way += 1;
        uses.writing += usize::from(access == Access::Write);
        Ok(LaunchUse {
            order: self.clone(),
            stream: stream.clone(),
            access,
            number,
            is_over: false,
        })
    }

    /// The same for a graph that holds it: a use of the whole, and of each part that somebody has and may use later.
    pub(crate) fn begin_held<E>(
        held: &HeldMemory<S>,
        stream: &S,
        access: Access,
        mut wait: impl FnMut(&S, Option<&Marked<S>>) -> Result<(), E>,
    ) -> Result<(), E> {
        for used in held.parts.iter().chain([held]) {
            used.order.lock().wait(stream, access, &mut wait)?;
        }
        Ok(())
    }

    /// Forgets the uses so far, so that the next waits for none.
    pub(crate) fn forget(&self) {
        let mut uses = self.lock();
        uses.writers.clear();
        uses.readers.clear();
        uses.parts.clear();
    }

    /// The orders of so many parts, whose uses begin after those of the whole so far. The parts that were made before are used no more.
    pub(crate) fn split(&self, parts: usize) -> Vec<Self> {
        let mut uses = self.lock_free();
        uses.join_parts_but(|_| false);
        let new = || {
            Self(Arc::new(Mutex::new(Uses {
                writers: uses.writers.clone(),
                readers: uses.readers.clone(),
                crossed: uses.crossed,
                parts: Vec::new(),
                under_way: 0,
                writing: 0,
                held: false,
                gone: false,
                graph: uses.graph,
                in_graphs: uses.in_graphs,
            })))
        };
        let made: Vec<Self> = (0..parts).map(|_| new()).collect();
        uses.parts.clone_from(&made);
        made
    }

    /// Every stream that used it, or a part of it, and may not have ended.
    pub(crate) fn streams(&self) -> Vec<S> {
        let uses = self.lock();
        let mut all = Vec::new();
        let mut add = |stream: &S| {
            if !all.contains(stream) {
                all.push(stream.clone());
            }
        };
        for past in uses.writers.iter().chain(&uses.readers) {
            add(&past.stream);
        }
        for part in &uses.parts {
            part.streams().iter().for_each(&mut add);
        }
        all
    }
}

impl<S: Queue> Uses<S> {
    /// Takes over the uses of the parts, as writes, and forgets the parts; but for those that stay.
    fn join_parts_but(&mut self, stays: impl Fn(&Order<S>) -> bool) {
        for part in std::mem::take(&mut self.parts) {
            if stays(&part) {
                self.parts.push(part);
                continue;
            }
            let part = part.lock();
            self.crossed |= part.crossed;
            for earlier in part.writers.iter().chain(&part.readers) {
                join(&mut self.writers, earlier);
            }
        }
    }

    /// Calls `wait` with each stream that a use on `stream` comes after, and notes the use, whose number comes back.
    fn wait<E>(
        &mut self,
        stream: &S,
        access: Access,
        wait: &mut impl FnMut(&S, Option<&Marked<S>>) -> Result<(), E>,
    ) -> Result<u64, E> {
        let compress = access == Access::Read && self.readers.len() >= READERS;
        let readers_too = (access == Access::Write || compress).then_some(&self.readers);
        let earlier = self.writers.iter().chain(readers_too.into_iter().flatten());
        for Past { stream, mark, .. } in earlier.filter(|earlier| earlier.stream != *stream) {
            self.crossed = true;
            wait(stream, mark.as_ref())?;
        }
        let past = Past::new(stream);
        let number = past.number;
        match access {
            // All that was launched is queued, and this stream waits for it.
            Access::Write if self.under_way == 0 => {
                self.writers = vec![past];
                self.readers.clear();
            }
            Access::Write => begin_again(&mut self.writers, past),
            Access::Read if compress && self.under_way == 0 => self.readers = vec![past],
            Access::Read => begin_again(&mut self.readers, past),
        }
        Ok(number)
    }
}

/// The next use's.
fn number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

impl<S: Queue> Past<S> {
    /// A use that begins.
    fn new(stream: &S) -> Self {
        Self {
            stream: stream.clone(),
            number: number(),
            mark: None,
        }
    }
}

/// Notes a use that begins.
fn begin_again<S: Queue>(list: &mut Vec<Past<S>>, now: Past<S>) {
    match list.iter_mut().find(|past| past.stream == now.stream) {
        Some(past) => *past = now,
        None => list.push(now),
    }
}

/// Adds uses: of two marks of one stream the later stands for both, and none for all.
fn join<S: Queue>(list: &mut Vec<Past<S>>, other: &Past<S>) {
    let Some(past) = list.iter_mut().find(|past| past.stream == other.stream) else {
        list.push(other.clone());
        return;
    };
    past.number = past.number.max(other.number);
    match (&past.mark, &other.mark) {
        (Some((one, _)), Some((two, _))) if one >= two => {}
        (None, _) => {}
        _ => past.mark.clone_from(&other.mark),
    }
}

impl<S: Queue> LaunchUse<S> {
    /// Notes that what it was for has been waited for: a write came after all other uses, so that all are over.
    pub(crate) fn settle(&self) {
        match self.access {
            Access::Write => self.order.forget(),
            // Unless another thread has begun a use on the same stream since, which need not be over.
            Access::Read => {
                let is_it =
                    |past: &Past<S>| past.stream == self.stream && past.number == self.number;
                self.order.lock().readers.retain(|past| !is_it(past));
            }
        }
    }

    /// Ends it: what it was for is queued. `mark` gives the point behind that.
    fn end(&mut self, mark: impl FnOnce() -> Option<Marked<S>>) {
        if std::mem::replace(&mut self.is_over, true) {
            return;
        }
        let mut uses = self.order.lock();
        uses.under_way -= 1;
        uses.writing -= usize::from(self.access == Access::Write);
        if !uses.crossed {
            return;
        }
        // A stream that is not there any more has been waited for, or its uses are over.
        let Uses {
            writers, readers, ..
        } = &mut *uses;
        let mut own = writers
            .iter_mut()
            .chain(readers)
            .filter(|past| past.stream == self.stream)
            .peekable();
        if own.peek().is_some() {
            let mark = mark();
            // Another thread's use may have begun and ended since this launch was queued: its point comes later.
            let is_newer = |past: &&mut Past<S>| match (&past.mark, &mark) {
                (Some((earlier, _)), Some((this, _))) => earlier < this,
                _ => true,
            };
            own.filter(is_newer)
                .for_each(|past| past.mark.clone_from(&mark));
        }
    }
}

impl<S: Queue> Drop for LaunchUse<S> {
    fn drop(&mut self) {
        let stream = self.stream.clone();
        self.end(|| stream.mark());
    }
}

impl<S: Queue> Drop for LaunchUses<S> {
    fn drop(&mut self) {
        // One point is behind all of them.
        let mut common: Option<Option<Marked<S>>> = None;
        for part in &mut self.0 {
            let stream = part.stream.clone();
            part.end(|| common.get_or_insert_with(|| stream.mark()).clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    thread_local! {
        /// Points marked so far.
        static MARKED: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
        /// What another thread does once the next point is marked.
        static AT_NEXT_MARK: std::cell::Cell<Option<Box<dyn FnOnce()>>> = const { std::cell::Cell::new(None) };
    }

    impl Queue for &'static str {
        type Mark = u64;

        fn mark(&self) -> Option<(u64, u64)> {
            let number = MARKED.get() + 1;
            MARKED.set(number);
            if let Some(meanwhile) = AT_NEXT_MARK.take() {
                meanwhile();
            }
            Some((number, number))
        }
    }

    /// Begins a use, and gives the streams that it waited for.
    fn begin(
        order: &Order<&'static str>,
        stream: &'static str,
        access: Access,
    ) -> (LaunchUse<&'static str>, Vec<&'static str>) {
        let mut waited = Vec::new();
        let begun = order.begin(&stream, access, |earlier, _| {
            waited.push(*earlier);
            Ok::<(), ()>(())
        });
        (begun.expect("waiting succeeds"), waited)
    }

    /// A use that is over at once: the streams and points that it waited for.
    fn points(
        order: &Order<&'static str>,
        stream: &'static str,
        access: Access,
    ) -> Vec<(&'static str, Option<u64>)> {
        let mut waited = Vec::new();
        let begun = order.begin(&stream, access, |earlier, mark| {
            waited.push((*earlier, mark.map(|(_, mark)| *mark)));
            Ok::<(), ()>(())
        });
        begun.expect("waiting succeeds");
        waited
    }

    #[test]
    fn what_is_used_on_two_streams_is_waited_for_where_the_use_ends() {
        let order = Order::default();
        points(&order, "a", Access::Write);
        assert_eq!(MARKED.get(), 0, "one stream needs no marks");
        assert_eq!(points(&order, "b", Access::Write), [("a", None)]);
        // From here on each use is marked.
        assert_eq!(points(&order, "a", Access::Read), [("b", Some(1))]);
        let two = [("b", Some(1)), ("a", Some(2))];
        assert_eq!(points(&order, "c", Access::Write), two);
        // A use that is not queued yet has no point.
        let (under_way, _) = begin(&order, "a", Access::Write);
        assert_eq!(points(&order, "b", Access::Read), [("a", None)]);
        drop(under_way);
        let after = points(&order, "d", Access::Write);
        assert_eq!(after.len(), 2);
        assert!(after.iter().all(|(_, mark)| mark.is_some()), "{after:?}");
    }

    /// A launch's buffers end their uses one after another, at one point. Another thread that reads the last of them, on the same stream, may be done in
    /// between: its point is the later one.
    #[test]
    fn a_later_point_is_not_forgotten_for_an_earlier_one() {
        let (first, last) = (Order::default(), Order::default());
        for order in [&first, &last] {
            points(order, "a", Access::Write);
            points(order, "b", Access::Write);
        }
        let launch = [&first, &last].map(|order| begin(order, "c", Access::Read).0);
        AT_NEXT_MARK.set(Some(Box::new({
            let last = last.clone();
            move || drop(points(&last, "c", Access::Read))
        })));
        drop(LaunchUses(launch.into()));
        let latest = MARKED.get();
        let waited = points(&last, "d", Access::Write);
        assert!(waited.contains(&("c", Some(latest))), "{waited:?}");
        let waited = points(&first, "d", Access::Write);
        assert!(waited.contains(&("c", Some(latest - 1))), "{waited:?}");
    }

    #[test]
    fn of_two_parts_on_one_stream_the_later_use_stands_for_both() {
        let order = Order::default();
        points(&order, "a", Access::Write);
        points(&order, "b", Access::Write);
        for _ in 0..3 {
            let parts = order.split(3);
            points(&parts[0], "a", Access::Write);
            points(&parts[2], "a", Access::Write);
            points(&parts[1], "b", Access::Write);
            let last = MARKED.get();
            let waited = points(&order, "c", Access::Read);
            assert_eq!(waited, [("b", Some(last)), ("a", Some(last - 1))]);
        }
    }

    fn write(order: &Order<&'static str>, stream: &'static str) -> Vec<&'static str> {
        begin(order, stream, Access::Write).1
    }

    fn read(order: &Order<&'static str>, stream: &'static str) -> Vec<&'static str> {
        begin(order, stream, Access::Read).1
    }

    #[test]
    fn a_write_waits_for_the_last_one_on_another_stream() {
        let order = Order::default();
        assert_eq!(write(&order, "a"), [""; 0]);
        assert_eq!(write(&order, "a"), [""; 0]);
        assert_eq!(write(&order, "b"), ["a"]);
        assert_eq!(write(&order, "b"), [""; 0]);
        order.forget();
        assert_eq!(write(&order, "a"), [""; 0]);
    }

    #[test]
    fn reads_wait_for_the_write_and_not_for_one_another() {
        let order = Order::default();
        write(&order, "a");
        assert_eq!(read(&order, "b"), ["a"]);
        assert_eq!(read(&order, "c"), ["a"]);
        assert_eq!(write(&order, "a"), ["b", "c"]);
        assert_eq!(read(&order, "b"), ["a"]);
    }

    #[test]
    fn many_readers_are_remembered_by_one() {
        const NAMES: [&str; READERS + 1] = [
            "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15",
            "16",
        ];
        let order = Order::default();
        for name in &NAMES[..READERS] {
            assert_eq!(read(&order, name), [""; 0]);
        }
        assert_eq!(read(&order, "16"), NAMES[..READERS]);
        assert_eq!(write(&order, "w"), ["16"]);
    }

    /// Two threads read; the second can't wait for the first, which isn't queued. A writer on the second's stream has to.
    #[test]
    fn a_use_that_was_not_queued_yet_is_waited_for_later() {
        let order = Order::default();
        let (first, _) = begin(&order, "a", Access::Write);
        let (second, waited) = begin(&order, "b", Access::Write);
        assert_eq!(waited, ["a"]);
        drop((first, second));
        assert_eq!(write(&order, "b"), ["a"]);
        // Now it has been waited for.
        assert_eq!(write(&order, "b"), [""; 0]);
    }

    #[test]
    fn parts_wait_for_the_whole_and_the_whole_for_its_parts() {
        let order = Order::default();
        write(&order, "a");
        let parts = order.split(2);
        assert_eq!(write(&parts[0], "b"), ["a"]);
        assert_eq!(read(&parts[1], "c"), ["a"], "and not for the other part");
        assert_eq!(order.streams(), ["a", "b", "c"]);
        assert_eq!(write(&order, "d"), ["a", "b", "c"]);
        // New parts come after what the last ones did.
        let parts = order.split(1);
        assert_eq!(write(&parts[0], "a"), ["d"]);
        let again = order.split(1);
        assert_eq!(write(&again[0], "e"), ["d", "a"]);
    }

    #[test]
    fn what_is_over_is_not_waited_for() {
        let order = Order::default();
        write(&order, "a");
        begin(&order, "b", Access::Read).0.settle();
        let (written, waited) = begin(&order, "c", Access::Write);
        assert_eq!(waited, ["a"]);
        written.settle();
        drop(written);
        assert_eq!(write(&order, "d"), [""; 0]);
    }

    /// A thread copies to the host on the default stream, and another launches there meanwhile: the launch need not be over when the copy is.
    #[test]
    fn a_read_that_is_over_settles_no_later_one_on_its_stream() {
        let order = Order::default();
        let (copy, _) = begin(&order, "default", Access::Read);
        read(&order, "default");
        copy.settle();
        drop(copy);
        assert_eq!(write(&order, "other"), ["default"]);
    }

    #[test]
    fn a_graph_holds_what_nobody_is_about_to_use_and_what_is_there() {
        let order = Order::default();
        let (under_way, _) = begin(&order, "a", Access::Read);
        assert!(matches!(order.hold(Access::Write), HoldOutcome::Busy));
        let reads = order.hold(Access::Read);
        assert!(
            matches!(reads, HoldOutcome::Held(_)),
            "both only read: {reads:?}"
        );
        drop((reads, under_way));
        let (under_way, _) = begin(&order, "a", Access::Write);
        assert!(matches!(order.hold(Access::Read), HoldOutcome::Busy));
        drop(under_way);
        let HoldOutcome::Held(held) = order.hold(Access::Write) else {
            panic!("nobody uses it")
        };
        assert!(
            matches!(order.hold(Access::Write), HoldOutcome::Busy),
            "by another graph"
        );
        let mut waited = Vec::new();
        let wait = |earlier: &&'static str, _: Option<&(u64, u64)>| {
            waited.push(*earlier);
            Ok::<(), ()>(())
        };
        Order::begin_held(&held, &"g", Access::Write, wait).expect("waiting succeeds");
        assert_eq!(waited, ["a"]);
        // Another thread's use begins when the graph's launch is queued.
        let used = std::thread::scope(|scope| {
            let other = scope.spawn(|| read(&order, "b"));
            std::thread::sleep(std::time::Duration::from_millis(5));
            assert!(!other.is_finished());
            drop(held);
            other.join().expect("no panic")
        });
        assert_eq!(used, ["g"]);
        order.end();
        assert!(matches!(order.hold(Access::Write), HoldOutcome::Gone));
    }

    #[test]
    fn a_graph_holds_the_parts_that_somebody_has() {
        let order = Order::default();
        let mut parts = order.split(2);
        write(&parts[0], "a");
        drop(parts.pop());
        let (under_way, _) = begin(&parts[0], "b", Access::Read);
        assert!(matches!(order.hold(Access::Write), HoldOutcome::Busy));
        drop(under_way);
        let HoldOutcome::Held(held) = order.hold(Access::Write) else {
            panic!("nobody uses it")
        };
        assert!(
            matches!(parts[0].hold(Access::Write), HoldOutcome::Busy),
            "with the whole"
        );
        let mut waited = Vec::new();
        let wait = |earlier: &&'static str, _: Option<&(u64, u64)>| {
            waited.push(*earlier);
            Ok::<(), ()>(())
        };
        Order::begin_held(&held, &"g", Access::Write, wait).expect("waiting succeeds");
        assert_eq!(waited, ["a", "b"]);
        drop(held);
        assert_eq!(write(&parts[0], "c"), ["g"], "the part after the graph");
        assert_eq!(write(&order, "d"), ["g", "c"], "the whole after its part");
    }

    #[test]
    fn a_use_that_could_not_wait_is_none() {
        let order = Order::default();
        write(&order, "a");
        assert!(order.begin(&"b", Access::Write, |_, _| Err(())).is_err());
        assert_eq!(write(&order, "b"), ["a"]);
    }
}
