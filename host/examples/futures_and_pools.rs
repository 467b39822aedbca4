//! Three ways to keep the host from waiting: a stream that a task awaits, memory from a pool, and
//! managed memory with advice on where it will be needed.

use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake};
use std::thread::Thread;

use kernels::{fill, vec_add};
use lanewise::{
    Advice, Device, DeviceBuffer, LaunchConfig, ManagedBuffer, MemoryLocation, StreamOptions,
};

const LENGTH: usize = 1 << 20;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let device = Device::open()?;
    // The greatest priority: blocks of this stream start before blocks of other streams.
    let greatest = device.stream_priorities()?.greatest;
    let stream = device.stream_with(StreamOptions::new().priority(greatest))?;
    let config = LaunchConfig::for_num_elems(LENGTH);

    // Each step uses the memory of an earlier step again, because the pool keeps it.
    // ANCHOR: pool
    let pool = device.memory_pool()?;
    pool.keep(u64::MAX)?;
    let mut sum = DeviceBuffer::<f32>::zeroed(&device, LENGTH)?;
    for step in 0..5 {
        let mut twos = DeviceBuffer::<f32>::zeroed_on(&stream, LENGTH)?;
        stream.launch(fill, config, (&mut twos, 2.0 * step as f32))?;
        let mut next = DeviceBuffer::<f32>::zeroed_on(&stream, LENGTH)?;
        stream.launch(vec_add, config, (&sum, &twos, &mut next))?;
        sum = next;
    } // what a step is done with goes back as the stream gets there; nobody waits
    // ANCHOR_END: pool

    // Any executor works. This one runs a task on this thread.
    // ANCHOR: future
    block_on(async {
        stream.finished()?.await?; // other tasks run meanwhile
        println!("the sum is {}", sum.to_vec()?[LENGTH - 1]); // 20
        Ok::<_, Box<dyn std::error::Error>>(())
    })?;
    // ANCHOR_END: future
    let usage = pool.usage()?;
    println!(
        "the pool has {} bytes, {} of them in use",
        usage.reserved, usage.used
    );
    drop(sum);
    stream.synchronize()?;
    pool.trim(0)?;

    // ANCHOR: managed
    let mut memory = ManagedBuffer::<f32>::zeroed(&device, LENGTH)?;
    memory.as_mut_slice()?.fill(1.5);
    memory.advise(Advice::Preferred(Some(MemoryLocation::Device(&device))))?;
    memory.prefetch(&stream, MemoryLocation::Device(&device))?; // before the kernel asks for page after page
    let mut doubled = DeviceBuffer::<f32>::zeroed(&device, LENGTH)?;
    stream.launch(vec_add, config, (&memory, &memory, &mut doubled))?;
    memory.prefetch(&stream, MemoryLocation::Host)?;
    // ANCHOR_END: managed
    println!(
        "twice {} is {}",
        memory.as_slice()?[0],
        doubled.to_vec()?[0]
    ); // 1.5, 3
    Ok(())
}

/// Runs a future on this thread, which sleeps while there is nothing to do.
fn block_on<T>(future: impl Future<Output = T>) -> T {
    struct Unpark(Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Arc::new(Unpark(std::thread::current())).into();
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(value) => return value,
            Poll::Pending => std::thread::park(),
        }
    }
}
