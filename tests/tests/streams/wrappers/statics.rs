//! Statics of the device that one thread writes while others launch kernels.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;

use gpu::basics::device_globals::{TABLE, TABLE_LENGTH, VALUE, read_constant_table};
use lanewise::{DeviceBuffer, LaunchConfig, StreamOptions, in_threads};

/// Constant memory does not change while a kernel reads it, although another thread writes it and
/// the kernel's stream is one that plain copies don't wait for.
#[test]
fn constant_memory_is_written_between_the_launches_of_other_threads() {
    let _turn = tests::turn();
    let device = tests::device();
    let table = device.symbol(TABLE).expect("a static");
    table.write([0.0; TABLE_LENGTH]).expect("no fault");
    let launches = AtomicBool::new(true);
    in_threads([true, false], |writes| {
        if writes {
            for round in 0.. {
                if !launches.load(Ordering::Relaxed) {
                    return;
                }
                let value = [(round % 100) as f32; TABLE_LENGTH];
                table.write(value).expect("no fault");
                let read = table.read().expect("no fault");
                assert!(read == value, "{read:?}");
            }
        }
        let options = StreamOptions::new().non_blocking();
        let stream = device.stream_with(options).expect("a stream");
        let mut output = DeviceBuffer::<f32>::zeroed(&device, TABLE_LENGTH).expect("a buffer");
        let config = LaunchConfig::new(TABLE_LENGTH as u32 / 32, 32);
        let mixed = (0..500).find_map(|_| {
            stream
                .launch(read_constant_table, config, (&mut output,))
                .expect("a launch");
            let seen = output.to_vec().expect("no fault");
            seen.iter().any(|value| *value != seen[0]).then_some(seen)
        });
        launches.store(false, Ordering::Relaxed);
        assert_eq!(mixed, None);
    });
}

/// Writing a static waits for the host functions that streams have queued. Such a function may wait
/// for a launch, so the launch must not wait for the writer.
#[test]
fn a_static_is_written_while_a_host_function_waits_for_a_launch() {
    let _turn = tests::turn();
    let device = tests::device();
    let value = device.symbol(VALUE).expect("a static");
    let launches = AtomicBool::new(true);
    in_threads([true, false], |writes| {
        if writes {
            while launches.load(Ordering::Relaxed) {
                value.write(1.0).expect("no fault");
            }
            return;
        }
        let free = || device.stream_with(StreamOptions::new().non_blocking());
        let (calls, stream) = (free().expect("a stream"), free().expect("a stream"));
        let mut output = DeviceBuffer::<f32>::zeroed(&device, TABLE_LENGTH).expect("a buffer");
        let config = LaunchConfig::new(TABLE_LENGTH as u32 / 32, 32);
        for _ in 0..30 {
            let (go, wait) = mpsc::channel::<()>();
            calls
                .call(move || wait.recv().expect("the test goes on"))
                .expect("queued");
            stream
                .launch(read_constant_table, config, (&mut output,))
                .expect("a launch");
            go.send(()).expect("the stream waits");
            stream.synchronize().expect("no fault");
        }
        launches.store(false, Ordering::Relaxed);
    });
}
