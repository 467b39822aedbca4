//! Values that a host function or a recording drops. The calls that free them are not allowed
//! there, but they are freed all the same.

use std::time::{Duration, Instant};

use gpu::streams::advance::advance;
use lanewise::checks::{Checking, Guard};
use lanewise::texture::Texture;
use lanewise::{
    Device, DeviceBuffer, LaunchConfig, ManagedBuffer, MemoryPool, Module, MulticastBuffer,
    PinnedBuffer, Pinning, PitchedBuffer, Stream, StreamOptions, Surface,
};
use tests::isolate::isolated_with;

/// Something that can be dropped in another thread.
type Thing = Box<dyn std::any::Any + Send>;

/// Makes one, which may be in use on this stream.
type Make = fn(&Device, &Stream) -> Thing;

/// A buffer of zeros.
fn zeros(device: &Device) -> DeviceBuffer<u32> {
    DeviceBuffer::zeroed(device, 100).expect("a buffer")
}

const KINDS: [(&str, Make); 14] = [
    ("a buffer in use", |device, stream| {
        let (from, mut to) = (zeros(device), zeros(device));
        let shape = LaunchConfig::for_num_elems(100);
        let launched = stream.launch(advance, shape, (&from, &mut to, 100));
        launched.expect("a launch");
        Box::new((from, to))
    }),
    ("a buffer of a stream's", |_, stream| {
        Box::new(DeviceBuffer::<u32>::zeroed_on(stream, 100).expect("a buffer"))
    }),
    ("a pool and a buffer of it", |device, stream| {
        let pool = MemoryPool::new(device).expect("a pool");
        let buffer = pool.zeroed::<u32>(stream, 100).expect("a buffer");
        Box::new((pool, buffer))
    }),
    ("a buffer of no elements", |device, _| {
        Box::new(DeviceBuffer::<u32>::zeroed(device, 0).expect("a buffer"))
    }),
    ("pinned memory in use", |device, stream| {
        let pinned = PinnedBuffer::<u32>::zeroed(device, 100, Pinning::Cached);
        let (pinned, mut buffer) = (pinned.expect("memory"), zeros(device));
        let copied = stream.copy_in(&pinned, &mut buffer).expect("queued");
        copied.detach();
        Box::new((pinned, buffer))
    }),
    ("registered memory", |device, _| {
        let numbers = vec![[1u64; 3]; 50];
        Box::new(PinnedBuffer::register(device, numbers).expect("pinned"))
    }),
    ("managed memory", |device, _| {
        Box::new(ManagedBuffer::<u32>::zeroed(device, 100).expect("memory"))
    }),
    ("a padded matrix", |device, _| {
        Box::new(PitchedBuffer::from_matrix(device, &[1u32; 6], [3, 2]).expect("a matrix"))
    }),
    ("a texture", |device, _| {
        let texels = [1.0; 6];
        let made = Texture::<2>::from_slice(device, &texels, [3, 2], Default::default());
        Box::new(made.expect("a texture"))
    }),
    ("a surface", |device, _| {
        Box::new(Surface::<2>::zeroed(device, [3, 2]).expect("a surface"))
    }),
    ("a stream", |device, _| {
        Box::new(device.stream().expect("a stream"))
    }),
    ("an event", |_, stream| {
        Box::new(stream.record().expect("an event"))
    }),
    ("a recorded graph in use", |device, stream| {
        let mut buffer = zeros(device);
        let graph = device.record(|record| record.fill_zero(&mut buffer));
        let graph = graph.expect("a graph");
        graph.launch(stream).expect("a launch");
        Box::new((graph, buffer))
    }),
    ("a graph and what it is made from", |device, _| {
        let built = device.build_graph(|graph| graph.call(&[], || ()).map(drop));
        let (template, ()) = built.expect("a graph");
        Box::new((template.instantiate().expect("a graph"), template))
    }),
];

/// Sees that nothing is left of what was made since; another thread gives it back, a little later.
#[track_caller]
fn nothing_is_left(guard: &Guard, what: &str) {
    let patience = Instant::now() + Duration::from_secs(60);
    while let Some(leak) = guard.leaks().first() {
        assert!(Instant::now() < patience, "{what}: {leak}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Who records can't wait for a whole device, as these do before they go.
#[test]
fn what_a_recording_drops_is_given_back() {
    if tests::simulator("what is left", "a GPU does not list it").is_none() {
        return;
    }
    let test = "late::what_a_recording_drops_is_given_back";
    let answer = isolated_with(&[("LANEWISE_SIM_DEVICES", "2")], test, || {
        let devices = Device::all().expect("devices");
        let guard = Checking::leak().start();
        let numbers = MulticastBuffer::<u32>::zeroed(&devices, 100).expect("a buffer");
        let module = Module::from_ptx(&devices[0], include_str!("../faults/one_kernel.ptx"));
        let module = module.expect("a module");
        let recorded = devices[0].record(|_| {
            drop((numbers, module));
            Ok(())
        });
        drop(recorded.expect("a graph"));
        nothing_is_left(&guard, "a recording");
        "nothing".to_owned()
    });
    assert_eq!(answer.text, "nothing");
}

#[test]
fn what_a_host_function_drops_is_given_back() {
    let Some(device) = tests::simulator("what is left", "a GPU does not list it") else {
        return;
    };
    let free = StreamOptions::new().non_blocking();
    let calls = device.stream_with(free).expect("a stream");
    for (what, make) in KINDS {
        let stream = device.stream_with(free).expect("a stream");
        let guard = Checking::leak().start();
        let thing = make(&device, &stream);
        calls.call(move || drop(thing)).expect("queued");
        calls.synchronize().expect("no fault");
        nothing_is_left(&guard, what);
    }
}
