//! Resources that a program has not freed: by a guard, and by the environment at the program's end.

use gpu::instruction::increment::incr_atomic;
use lanewise::checks::{Checking, FindingKind};
use lanewise::{Device, DeviceBuffer, LaunchConfig};
use tests::isolate::isolated_with;

/// Leaves two buffers, which one line makes, and a stream; gives back an event and another stream.
fn leave(device: &Device) {
    for size in [256, 512] {
        std::mem::forget(DeviceBuffer::<u32>::zeroed(device, size).expect("memory"));
    }
    std::mem::forget(device.stream().expect("a stream"));
    drop(device.stream().expect("a stream"));
    drop(device.event().expect("an event"));
}

#[test]
fn a_guard_knows_what_its_thread_has_left() {
    let Some(device) = super::simulator() else {
        return;
    };
    let guard = Checking::leak().start();
    assert!(guard.leaks().is_empty());
    leave(&device);
    let found = guard.leaks();
    assert!(found.iter().all(|f| f.kind == FindingKind::Leak));
    let texts: Vec<String> = found.iter().map(|f| f.to_string()).collect();
    let [buffers, stream] = &texts[..] else {
        panic!("{texts:#?}")
    };
    // Whether there are lines in the stack depends on how this was built.
    for part in [
        "leak: 2 allocations of device memory were not given back, 3072 bytes\n  --> tests/tests/checks/leaks.rs:",
        "\n   = made by `cuMemAlloc_v2` at tests/tests/checks/leaks.rs:",
        "\n     in `checks::leaks::leave`",
        "\n     in `checks::leaks::a_guard_knows_what_its_thread_has_left`",
        "\n   = help: call cuMemFree when it is no longer needed",
    ] {
        assert!(buffers.contains(part), "{part:?} is not in\n{buffers}");
    }
    for part in [
        "leak: 1 stream was not given back\n",
        "\n   = made by `cuStreamCreateWithPriority`\n     in `checks::leaks::leave`",
    ] {
        assert!(stream.contains(part), "{part:?} is not in\n{stream}");
    }
    for library in [
        "lanewise::",
        "lanewise_driver::",
        "cust::",
        "core::",
        "clone",
    ] {
        assert!(
            !buffers.contains(library),
            "{library} is no line of the program:\n{buffers}"
        );
    }
    // Resources from before this point are not counted as leaks.
    let guard = Checking::leak().start();
    assert!(guard.leaks().is_empty());
}

#[test]
fn the_end_of_the_program_lists_what_it_left_and_nothing_of_ours() {
    if super::simulator().is_none() {
        return;
    }
    let name = "leaks::the_end_of_the_program_lists_what_it_left_and_nothing_of_ours";
    let body = || {
        let device = tests::device();
        leave(&device);
        // A module and a context that live as long as the process.
        let stream = device.stream().expect("a stream");
        let mut counter = DeviceBuffer::from_slice(&device, &[0]).expect("a counter");
        let launch = stream.launch(incr_atomic, LaunchConfig::new(1, 32), (&mut counter,));
        launch.expect("a launch");
        stream.synchronize().expect("no fault");
        String::new()
    };
    let answer = isolated_with(&[("LANEWISE_CHECKS", "leak")], name, body);
    let leaks = answer.stderr.lines().filter(|line| line.contains("leak: "));
    let leaks: Vec<&str> = leaks.collect();
    assert_eq!(
        leaks,
        [
            "lanewise: leak: 2 allocations of device memory were not given back, 3072 bytes",
            "lanewise: leak: 1 stream was not given back",
        ],
        "{}",
        answer.stderr
    );
    let answer = isolated_with(&[("LANEWISE_CHECKS", "all")], name, body);
    assert_eq!(answer.stderr, "", "a leak is no part of `all`");
}

/// A context that ends frees what the program left in it. The report contains that too.
#[test]
fn the_end_of_a_context_is_the_end_of_what_was_left_in_it() {
    if super::simulator().is_none() {
        return;
    }
    let name = "leaks::the_end_of_a_context_is_the_end_of_what_was_left_in_it";
    let body = || {
        use cust::sys;
        // Linking `host` is what gives the program the driver's symbols.
        let device = tests::device();
        let mut context = std::ptr::null_mut();
        let mut address = 0;
        // SAFETY: results have places, and the context is not used when it has gone.
        unsafe {
            assert_eq!(sys::cuCtxCreate_v2(&mut context, 0, 0) as u32, 0);
            assert_eq!(sys::cuMemAlloc_v2(&mut address, 100) as u32, 0);
            assert_eq!(sys::cuCtxDestroy_v2(context) as u32, 0);
        }
        drop(device);
        String::new()
    };
    let answer = isolated_with(&[("LANEWISE_CHECKS", "leak")], name, body);
    let first = answer.stderr.lines().next().unwrap_or_default();
    assert_eq!(
        first,
        "lanewise: leak: 1 allocation of device memory was not given back, 100 bytes"
    );
    assert_eq!(answer.stderr.matches("leak: ").count(), 1);
}
