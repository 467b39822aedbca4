//! Memory pools: the memory that they hold, keep and give back.

use gpu::basics::vector_add::vec_add;
use lanewise::{DeviceBuffer, LaunchConfig, MemoryError, MemoryPool, StreamOptions};

const BYTES: usize = 5 << 20;

#[test]
fn a_pool_knows_what_is_used() {
    let _turn = tests::turn();
    let device = tests::device();
    let stream = device.stream().expect("a stream");
    let pool = MemoryPool::new(&device).expect("a pool");
    assert_eq!(pool.kept().expect("an answer"), 0);
    pool.keep(u64::MAX).expect("an answer");
    assert_eq!(pool.kept().expect("an answer"), u64::MAX);
    let used = || pool.usage().expect("an answer").used;
    assert_eq!(used(), 0);
    let first = pool.zeroed::<u8>(&stream, BYTES).expect("memory");
    let second = pool.zeroed::<u32>(&stream, BYTES / 4).expect("memory");
    let usage = pool.usage().expect("an answer");
    assert!(usage.used >= 2 * BYTES as u64, "{usage:?}");
    assert!(
        usage.reserved >= usage.used && usage.most_used >= usage.used,
        "{usage:?}"
    );
    assert_eq!(second.to_vec().expect("a copy"), vec![0; BYTES / 4]);
    drop(first);
    stream.synchronize().expect("no fault");
    assert_eq!(used(), usage.used / 2);
    drop(second);
    stream.synchronize().expect("no fault");
    let after = pool.usage().expect("an answer");
    // It keeps all, and what it has had is not forgotten.
    assert_eq!((after.used, after.most_used), (0, usage.most_used));
    assert!(after.reserved >= 2 * BYTES as u64, "{after:?}");
    pool.forget_most().expect("an answer");
    pool.trim(0).expect("an answer");
    let empty = pool.usage().expect("an answer");
    assert_eq!((empty.reserved, empty.used, empty.most_used), (0, 0, 0));
}

#[test]
fn a_buffer_may_outlive_its_pool() {
    let _turn = tests::turn();
    let device = tests::device();
    let stream = device.stream().expect("a stream");
    let pool = MemoryPool::new(&device).expect("a pool");
    let buffer = pool.zeroed::<u32>(&stream, 1000).expect("memory");
    let none = pool.zeroed::<u32>(&stream, 0).expect("no memory");
    drop(pool);
    assert_eq!(buffer.to_vec().expect("a copy"), vec![0; 1000]);
    assert!(none.is_empty());
    drop(buffer);
    stream.synchronize().expect("no fault");
}

#[test]
fn memory_of_a_stream_is_of_the_devices_pool() {
    let _turn = tests::turn();
    let device = tests::device();
    let stream = device.stream().expect("a stream");
    let pool = device.memory_pool().expect("a pool");
    let buffer = DeviceBuffer::<u8>::zeroed_on(&stream, BYTES).expect("memory");
    // Other tests use that pool as well.
    assert!(pool.usage().expect("an answer").used >= BYTES as u64);
    drop(buffer);
    let too_much = pool.zeroed::<u8>(&stream, 1 << 50).expect_err("too much");
    assert!(
        matches!(too_much, MemoryError::OutOfMemory { .. }),
        "{too_much}"
    );
}

#[test]
fn pooled_memory_is_zero_and_goes_back_after_its_uses() {
    let _turn = tests::turn();
    let device = tests::device();
    let stream = device.stream().expect("a stream");
    let other = device
        .stream_with(StreamOptions::new().non_blocking())
        .expect("a stream");
    let ones = DeviceBuffer::from_slice(&device, &[1.0f32; 1000]).expect("a buffer");
    let mut sum = DeviceBuffer::<f32>::zeroed(&device, 1000).expect("a buffer");
    for _ in 0..20 {
        let pooled = DeviceBuffer::<f32>::zeroed_on(&stream, 1000).expect("pooled memory");
        let config = LaunchConfig::for_num_elems(1000);
        other
            .launch(vec_add, config, (&ones, &pooled, &mut sum))
            .expect("a launch");
        // Dropped while the other stream may still read it.
    }
    assert_eq!(sum.to_vec().expect("no fault"), [1.0; 1000]);
    let pooled = DeviceBuffer::<f32>::zeroed_on(&stream, 3).expect("pooled memory");
    assert_eq!(pooled.to_vec().expect("no fault"), [0.0; 3]);
    assert!(
        DeviceBuffer::<f32>::zeroed_on(&stream, 0)
            .expect("nothing")
            .is_empty()
    );
    let error = DeviceBuffer::<u8>::zeroed_on(&stream, 1 << 50).expect_err("too much");
    assert!(
        error.to_string().starts_with("no room on the device"),
        "{error}"
    );
}
