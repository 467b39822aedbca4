//! Advice on managed memory, and managed memory that is fetched ahead.

use gpu::basics::vector_add::vec_add;
use lanewise::{Advice, DeviceBuffer, LaunchConfig, ManagedBuffer, MemoryLocation};

use tests::isolate::isolated_with;

use super::streams;

#[test]
fn managed_memory_takes_advice_and_is_fetched_ahead() {
    let _turn = tests::turn();
    let device = tests::device();
    let [stream, _] = streams(&device);
    let mut memory = ManagedBuffer::<f32>::zeroed(&device, 1000).expect("managed memory");
    memory.as_mut_slice().expect("no fault").fill(2.0);
    let here = MemoryLocation::Device(&device);
    for advice in [
        Advice::ReadMostly(true),
        Advice::ReadMostly(false),
        Advice::Preferred(Some(here)),
        Advice::Preferred(None),
        Advice::AccessedBy(MemoryLocation::Host),
        Advice::NotAccessedBy(MemoryLocation::Host),
    ] {
        memory.advise(advice).expect("taken");
    }
    memory.prefetch(&stream, here).expect("queued");
    let mut sum = DeviceBuffer::<f32>::zeroed(&device, 1000).expect("a buffer");
    let config = LaunchConfig::for_num_elems(1000);
    stream
        .launch(vec_add, config, (&memory, &memory, &mut sum))
        .expect("a launch");
    memory
        .prefetch(&stream, MemoryLocation::Host)
        .expect("queued");
    assert_eq!(sum.to_vec().expect("no fault"), [4.0; 1000]);
    assert_eq!(memory.as_slice().expect("no fault"), [2.0; 1000]);
    let none = ManagedBuffer::<f32>::zeroed(&device, 0).expect("nothing");
    none.advise(Advice::ReadMostly(true))
        .expect("nothing to do");
    none.prefetch(&stream, MemoryLocation::Host)
        .expect("nothing to do");
}

/// A slice of the host's would be accessed while kernels run, which such a device does not allow.
#[test]
fn a_device_without_concurrent_access_has_no_managed_memory() {
    let test = "wrappers::managed::a_device_without_concurrent_access_has_no_managed_memory";
    let environment = [("LANEWISE_DEVICE", "sim"), ("LANEWISE_MODEL", "k40")];
    let answer = isolated_with(&environment, test, || {
        match ManagedBuffer::<f32>::zeroed(&tests::device(), 8) {
            Ok(_) => "a buffer".to_owned(),
            Err(error) => error.to_string(),
        }
    });
    let expected = "the host must not access managed memory while a kernel runs";
    assert!(answer.text.contains(expected), "{}", answer.text);
}
