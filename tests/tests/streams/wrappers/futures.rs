//! Streams that a task awaits.

use std::sync::mpsc;

use gpu::streams::advance::advance;
use lanewise::{Backend, DeviceBuffer, LaunchConfig};
use tests::future::block_on;

use super::streams;

#[test]
fn a_task_awaits_a_stream_and_others_go_on_meanwhile() {
    let _turn = tests::turn();
    let device = tests::device();
    let [stream, other] = streams(&device);
    // A GPU's driver calls host functions one after another, whatever streams they are in (CUDA
    // driver API, `cuLaunchHostFunc`). One that waits would hold up the call that wakes the other
    // stream's future, so on a GPU a long kernel keeps the first stream busy instead.
    let (release, wait) = mpsc::channel::<()>();
    let numbers = DeviceBuffer::<u32>::zeroed(&device, 32).expect("a buffer");
    let mut wound_on = DeviceBuffer::<u32>::zeroed(&device, 32).expect("a buffer");
    if device.backend() == Backend::Cuda {
        let config = LaunchConfig::for_num_elems(32);
        stream
            .launch(advance, config, (&numbers, &mut wound_on, 1 << 24))
            .expect("a launch");
    } else {
        stream
            .call(move || wait.recv().expect("a word"))
            .expect("a host function");
    }
    let (late, early) = (
        stream.finished().expect("a future"),
        other.finished().expect("a future"),
    );
    // The stream that is not held up finishes first; then the other is released.
    let held_up = block_on(async {
        let mut late = std::pin::pin!(late);
        early.await.expect("no fault");
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        let held_up = late.as_mut().poll(&mut context).is_pending();
        // On a GPU there is no host function that receives this.
        let _ = release.send(());
        late.await.expect("no fault");
        held_up
    });
    assert!(held_up, "the first stream was done before the second");
    // A stream that has already finished needs no wake-up.
    block_on(stream.finished().expect("a future")).expect("no fault");
}
