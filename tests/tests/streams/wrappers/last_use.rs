//! What is dropped is given back after its last use, wherever it was dropped, and nothing
//! is left over.

use std::any::Any;
use std::cell::RefCell;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, mpsc};

use gpu::basics::vector_add::vec_add;
use lanewise::checks::Checking;
use lanewise::{DeviceBuffer, LaunchConfig, PinnedBuffer, StreamOptions, Texture};

use super::{pinned, round_trip, streams};

/// The driver refuses every call in a host function, so a buffer or graph that is dropped there
/// cannot wait for the work that uses it. Its host memory must stay until that work is over. (On a
/// GPU a drop in a host function may wait for ever; see `cuLaunchHostFunc` in the driver's manual.)
#[test]
fn what_a_host_function_drops_stays_as_long_as_it_is_in_use() {
    let _turn = tests::turn();
    let Some(device) = tests::simulator(
        "it drops memory in a host function",
        "a GPU's driver may wait for itself",
    ) else {
        return;
    };
    let free = || device.stream_with(StreamOptions::new().non_blocking());
    let (busy, other) = (free().expect("a stream"), free().expect("a stream"));
    let (go, wait) = mpsc::channel::<()>();
    busy.call(move || wait.recv().expect("the test goes on"))
        .expect("queued");

    // So large that the allocator returns it to the system at once: a late access would crash.
    let mut registered = PinnedBuffer::register(&device, vec![1u8; 40 << 20]).expect("pinned");
    let zeros = DeviceBuffer::<u8>::zeroed(&device, registered.len()).expect("a buffer");
    busy.copy_out(&zeros, &mut registered)
        .expect("queued")
        .detach();

    let called = Arc::new(AtomicU32::new(0));
    let (template, ()) = device
        .build_graph(|graph| {
            let called = Arc::clone(&called);
            graph.call(&[], move || {
                called.fetch_add(1, Ordering::Relaxed);
            })?;
            Ok(())
        })
        .expect("a graph");
    let graph = template.instantiate().expect("a graph");
    drop(template);
    graph.launch(&busy).expect("launched");

    let (done, dropped) = mpsc::channel::<()>();
    let drops = move || {
        drop((registered, graph));
        done.send(()).expect("the test waits");
    };
    other.call(drops).expect("queued");
    dropped.recv().expect("it was called");
    let kept = Arc::strong_count(&called);
    go.send(()).expect("the stream waits");
    busy.synchronize().expect("no fault");
    assert_eq!(kept, 2, "the graph's function was gone before its call");
    assert_eq!(called.load(Ordering::Relaxed), 1);
}

/// A thread's local variables are destroyed in the reverse order of their first use. This one is
/// older than the library's own, so it frees its buffers after those are gone.
#[test]
fn a_threads_own_variables_give_back_what_they_hold() {
    type Held = RefCell<Vec<Box<dyn Any>>>;
    thread_local! { static HELD: Held = const { RefCell::new(Vec::new()) }; }
    let _turn = tests::turn();
    let device = tests::device();
    let work = || {
        HELD.with_borrow(Vec::is_empty); // before anything else
        let stream = device.stream().expect("a stream");
        let ones = DeviceBuffer::from_slice(&device, &[1.0f32; 100]).expect("a buffer");
        let mut sums = DeviceBuffer::<f32>::zeroed(&device, 100).expect("a buffer");
        let config = LaunchConfig::for_num_elems(100);
        let graph = device
            .record(|record| record.launch(vec_add, config, (&ones, &ones, &mut sums)))
            .expect("a graph");
        graph.launch(&stream).expect("launched");
        let mut host = PinnedBuffer::register(&device, vec![0.0f32; 100]).expect("pinned");
        stream.copy_out(&sums, &mut host).expect("queued").detach();
        let pooled = DeviceBuffer::<u32>::zeroed_on(&stream, 100).expect("a buffer");
        let texels = Texture::<1>::from_slice(&device, &[0.0; 8], [8], Default::default());
        let held: [Box<dyn Any>; 7] = [
            Box::new(ones),
            Box::new(sums),
            Box::new(graph),
            Box::new(host),
            Box::new(pooled),
            Box::new(texels.expect("a texture")),
            Box::new(stream),
        ];
        HELD.with_borrow_mut(|all| all.extend(held));
    };
    std::thread::scope(|scope| scope.spawn(work).join()).expect("no panic");
    device.synchronize().expect("no fault");
}

/// Parts, views and mapped memory remember the streams that use them, and forget them when
/// they are dropped.
#[test]
fn nothing_is_left_of_parts_views_and_mapped_memory() {
    let _turn = tests::turn();
    let Some(device) = tests::simulator("leaks", "a GPU looks for none") else {
        return;
    };
    // Loads the module, which stays.
    let mut whole = DeviceBuffer::<f32>::zeroed(&device, 64).expect("a buffer");
    round_trip(&device, &[1.0], &streams(&device));
    let guard = Checking::leak().start();
    {
        let stream = device.stream().expect("a stream");
        let mut memory = pinned(&device, &[1.0; 32]);
        let config = LaunchConfig::for_num_elems(32);
        let (mut low, high) = whole.split_at_mut(32);
        stream
            .launch(vec_add, config, (&*high, &*high, &mut low))
            .expect("a launch");
        let mut mapped = memory.mapped().expect("mapped memory");
        stream
            .launch(vec_add, config, (&*low, &*low, &mut mapped))
            .expect("a launch");
        drop((low, high, mapped));
        let view = whole.slice(0..32);
        let mut sum = DeviceBuffer::<f32>::zeroed(&device, 32).expect("a buffer");
        stream
            .launch(vec_add, config, (&*view, &*view, &mut sum))
            .expect("a launch");
    }
    drop(whole);
    let left = guard.leaks();
    assert!(left.is_empty(), "{left:#?}");
}
