//! A panic in a function that the library calls: it reaches the caller or ends in the function, and
//! no half-made object is left.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use lanewise::checks::{self, Checking, Exploring};
use lanewise::{
    Device, DeviceBuffer, DriverError, GraphError, Stream, counters, in_threads, trace,
};

/// What the functions work on.
struct Shared {
    device: Device,
    stream: Stream,
    buffer: DeviceBuffer<u32>,
}

/// Ends whatever calls it, without a word on stderr.
fn panics<T>() -> T {
    resume_unwind(Box::new("on purpose"))
}

/// A function with a panic in it, and what it is called.
type Named = (&'static str, fn(&mut Shared));

/// Where the panic comes through to the caller.
const THROUGH: [Named; 12] = [
    ("Device::record", |it| {
        let recorded = it.device.record(|record| {
            record.fill_zero(&mut it.buffer)?;
            panics()
        });
        drop(recorded);
    }),
    ("Device::record, within another", |it| {
        let recorded = it.device.record(|outer| {
            outer.fill_zero(&mut it.buffer)?;
            it.device.record(|_| panics()).map(drop)
        });
        drop(recorded);
    }),
    ("Device::build_graph", |it| {
        let built = it.device.build_graph(|graph| {
            graph.fill_zero(&[], &mut it.buffer)?;
            graph.allocate::<u32>(&[], 7)?;
            graph.call(&[], || ())?;
            panics::<Result<(), GraphError>>()
        });
        drop(built);
    }),
    ("GraphBuilder::record", |it| {
        let built = it.device.build_graph(|graph| {
            let panic = |record: &mut lanewise::Record<'_>| {
                record.fill_zero(&mut it.buffer)?;
                panics()
            };
            graph.record(&[], panic).map(drop)
        });
        drop(built);
    }),
    ("GraphBuilder::while_loop", |it| {
        let built = it.device.build_graph(|graph| {
            let (condition, _) = graph.condition(0)?;
            let panic = |body: &mut lanewise::GraphBuilder<'_>| {
                body.fill_zero(&[], &mut it.buffer)?;
                panics()
            };
            graph.while_loop(&[], condition, panic).map(drop)
        });
        drop(built);
    }),
    ("Graph::extend", |it| {
        let built = it.device.build_graph(|graph| graph.empty(&[]).map(drop));
        let (template, ()) = built.expect("a graph");
        let extended = template.extend(|graph| {
            graph.fill_zero(&[], &mut it.buffer)?;
            panics::<Result<(), GraphError>>()
        });
        drop(extended);
    }),
    ("Graph::update", |it| {
        let graph = it.device.record(|record| record.fill_zero(&mut it.buffer));
        let updated = graph.expect("a graph").update(|record| {
            record.fill_zero(&mut it.buffer)?;
            panics()
        });
        drop(updated);
    }),
    ("counters::of", |it| {
        let fill = || {
            it.stream.fill_zero(&mut it.buffer).expect("no fault");
            panics::<Result<(), DriverError>>()
        };
        drop(counters::of(&it.device, fill));
    }),
    ("checks::of", |it| {
        let panic = || panics::<Result<(), DriverError>>();
        drop(checks::of(&it.device, Checking::all(), panic));
    }),
    ("checks::explore", |it| {
        let panic = || panics::<Result<(), DriverError>>();
        drop(checks::explore(&it.device, Exploring::weak(), panic));
    }),
    ("in_threads", |it| {
        in_threads([0, 1, 2], |number| match number {
            1 => panics(),
            _ => it.buffer.to_vec().expect("no fault"),
        });
    }),
    ("trace::range", |_| trace::range("a range", panics)),
];

/// Where it ends in the function.
const WITHIN: [Named; 2] = [
    ("Stream::call", |it| {
        it.stream.call(panics).expect("queued");
    }),
    ("GraphBuilder::call", |it| {
        let built = it
            .device
            .build_graph(|graph| graph.call(&[], panics).map(drop));
        let graph = built.expect("a graph").0.instantiate().expect("a graph");
        graph.launch(&it.stream).expect("a launch");
        it.stream.synchronize().expect("no fault");
    }),
];

#[test]
fn a_panic_leaves_nothing_behind() {
    let Some(device) = tests::simulator("leaks after a panic", "a GPU does not list them") else {
        return;
    };
    let through = THROUGH.map(|named| (named, true));
    let within = WITHIN.map(|named| (named, false));
    for ((what, work), comes_through) in through.into_iter().chain(within) {
        let guard = Checking::leak().start();
        let mut shared = Shared {
            device: device.clone(),
            stream: device.stream().expect("a stream"),
            buffer: DeviceBuffer::zeroed(&device, 40).expect("a buffer"),
        };
        let panicked = catch_unwind(AssertUnwindSafe(|| work(&mut shared))).is_err();
        assert_eq!(panicked, comes_through, "{what}");
        let Shared {
            stream, mut buffer, ..
        } = shared;
        buffer.fill(3).expect("the device goes on");
        let graph = device.record(|record| record.fill_zero(&mut buffer));
        let graph = graph.expect("the device records");
        assert_eq!(buffer.to_vec().expect("no fault"), [3; 40], "{what}");
        graph.launch(&stream).expect("a launch");
        assert_eq!(buffer.to_vec().expect("no fault"), [0; 40], "{what}");
        drop((graph, stream, buffer));
        device.synchronize().expect("no fault");
        let leaks = guard.leaks();
        assert!(leaks.is_empty(), "{what}: {}", leaks[0]);
    }
}
