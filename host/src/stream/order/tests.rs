//! Which streams a use waits for, and at which points, on queues that are only names.

use super::uses::READERS;
use super::{Access, BegunUse, HoldOutcome, LaunchUse, Order, Queue, end_together};

thread_local! {
    /// Points marked so far.
    static MARKED: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
    /// What another thread does once the next point is marked.
    static AT_NEXT_MARK: std::cell::Cell<Option<Box<dyn FnOnce()>>> = const { std::cell::Cell::new(None) };
}

impl Queue for &'static str {
    type Mark = u64;

    fn number(&self) -> u64 {
        if *self == "default" {
            return 0;
        }
        self.bytes()
            .fold(0, |number, byte| number << 8 | u64::from(byte))
    }

    fn mark(&self) -> Option<(u64, u64)> {
        let number = MARKED.get() + 1;
        MARKED.set(number);
        if let Some(meanwhile) = AT_NEXT_MARK.take() {
            meanwhile();
        }
        Some((number, number))
    }
}

/// Begins a use, and returns the streams that it waited for.
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

/// Makes a use that is over at once, and returns the streams and points that it waited for.
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

/// Holds memory that no other thread uses for a graph's launch that writes it. Returns the streams
/// that it waited for.
fn hold_on(order: &Order<&'static str>, stream: &'static str) -> Vec<&'static str> {
    let mut waited = Vec::new();
    let held = order.hold_on(&stream, Access::Write, |earlier, _| {
        waited.push(*earlier);
        Ok::<(), ()>(())
    });
    assert_eq!(held, Ok(HoldOutcome::Held), "nobody uses the memory");
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

/// A launch's buffers end their uses one after another, at one point. Another thread that reads the
/// last of them, on the same stream, may be done in between: its point is the later one.
#[test]
fn a_later_point_is_not_forgotten_for_an_earlier_one() {
    let (first, last) = (Order::default(), Order::default());
    for order in [&first, &last] {
        points(order, "a", Access::Write);
        points(order, "b", Access::Write);
    }
    let mut launch = Vec::new();
    for order in [&first, &last] {
        let wait = |_: &_, _: Option<&_>| Ok::<(), ()>(());
        // SAFETY: the orders live until the end of the test.
        let begun = unsafe { order.begin_among(&mut launch, &"c", Access::Read, wait) };
        begun.expect("waiting succeeds");
    }
    AT_NEXT_MARK.set(Some(Box::new({
        let last = last.clone();
        move || drop(points(&last, "c", Access::Read))
    })));
    end_together(&mut launch, &"c");
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
        "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "16",
    ];
    let order = Order::default();
    for name in &NAMES[..READERS] {
        assert_eq!(read(&order, name), [""; 0]);
    }
    assert_eq!(read(&order, "16"), NAMES[..READERS]);
    assert_eq!(write(&order, "w"), ["16"]);
}

/// Begins a use as a launch does. The order lives until the use has ended.
fn launch(
    order: &Order<&'static str>,
    stream: &'static str,
    access: Access,
) -> Vec<BegunUse<&'static str>> {
    let mut uses = Vec::new();
    let wait = |earlier: &_, _: Option<&_>| -> Result<(), ()> {
        panic!("expected nothing to wait for, found {earlier}")
    };
    // SAFETY: the tests end the use before they drop the order.
    let begun = unsafe { order.begin_among(&mut uses, &stream, access, wait) };
    begun.expect("waiting succeeds");
    uses
}

/// A thread launches on the only stream that has used the memory. Before the launch is queued,
/// two others read the memory, one on another stream and one on this one, which marks a point.
#[test]
fn a_stream_that_is_no_longer_alone_is_waited_for_to_its_end() {
    let order = Order::default();
    points(&order, "a", Access::Read);
    let mut late = launch(&order, "a", Access::Read);
    points(&order, "b", Access::Read);
    points(&order, "a", Access::Read);
    end_together(&mut late, &"a");
    let waited = points(&order, "c", Access::Write);
    assert!(waited.contains(&("a", None)), "{waited:?}");
}

#[test]
fn a_stream_that_has_only_read_is_not_alone_for_a_write() {
    let order = Order::default();
    points(&order, "a", Access::Read);
    end_together(&mut launch(&order, "a", Access::Write), &"a");
    assert_eq!(read(&order, "b"), ["a"]);
}

#[test]
fn a_graph_is_not_launched_beside_a_launch_on_the_only_stream() {
    let order = Order::default();
    points(&order, "a", Access::Write);
    order.enter_graph();
    let mut under_way = launch(&order, "a", Access::Write);
    assert!(order.hold(Access::Write) == HoldOutcome::Busy);
    end_together(&mut under_way, &"a");
    assert_eq!(hold_on(&order, "g"), ["a"]);
}

/// Two threads read; the second can't wait for the first, which isn't queued. A writer on the
/// second's stream has to.
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
    begin(&order, "default", Access::Read).0.settle();
    let (written, waited) = begin(&order, "c", Access::Write);
    assert_eq!(waited, ["a"]);
    written.settle();
    assert_eq!(write(&order, "d"), [""; 0]);
}

/// A thread copies to the host on the default stream, and another launches there meanwhile: the
/// launch need not be over when the copy is.
#[test]
fn a_read_that_is_over_settles_no_later_one_on_its_stream() {
    let order = Order::default();
    let (copy, _) = begin(&order, "default", Access::Read);
    read(&order, "default");
    copy.settle();
    assert_eq!(write(&order, "other"), ["default"]);
}

#[test]
fn a_graph_holds_what_nobody_is_about_to_use_and_what_is_there() {
    let order = Order::default();
    let (under_way, _) = begin(&order, "a", Access::Read);
    assert!(order.hold(Access::Write) == HoldOutcome::Busy);
    let reads = order.hold(Access::Read);
    assert!(reads == HoldOutcome::Held, "both only read: {reads:?}");
    order.release();
    drop(under_way);
    let (under_way, _) = begin(&order, "a", Access::Write);
    assert!(order.hold(Access::Read) == HoldOutcome::Busy);
    drop(under_way);
    let waited = hold_on(&order, "g");
    assert!(
        order.hold(Access::Write) == HoldOutcome::Busy,
        "by another graph"
    );
    assert_eq!(waited, ["a"]);
    // Another thread's use begins when the graph's launch is queued.
    let used = std::thread::scope(|scope| {
        let other = scope.spawn(|| read(&order, "b"));
        std::thread::sleep(std::time::Duration::from_millis(5));
        assert!(!other.is_finished());
        order.release();
        other.join().expect("no panic")
    });
    assert_eq!(used, ["g"]);
    order.end();
    assert!(order.hold(Access::Write) == HoldOutcome::Gone);
}

#[test]
fn a_graph_holds_the_parts_that_somebody_has() {
    let order = Order::default();
    let mut parts = order.split(2);
    write(&parts[0], "a");
    drop(parts.pop());
    let (under_way, _) = begin(&parts[0], "b", Access::Read);
    assert!(order.hold(Access::Write) == HoldOutcome::Busy);
    drop(under_way);
    let waited = hold_on(&order, "g");
    assert!(
        parts[0].hold(Access::Write) == HoldOutcome::Busy,
        "with the whole"
    );
    assert_eq!(waited, ["a", "b"]);
    order.release();
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
