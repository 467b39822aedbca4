//! Threads that share a piece of work with the devices.
//!
//! Any thread may use a device, its streams and buffers. [`in_threads`] is for threads that do a
//! part of one thread's work. The counters and checks of that thread then include their
//! launches. On the simulator's clock they begin at that thread's time, so that times are the
//! same in every run.

use lanewise_driver::Fork;

/// Calls `work` with each of `items` in a thread of its own, and returns the results in the order
/// of the items.
///
/// ```
/// use lanewise::{Device, DeviceBuffer, in_threads};
///
/// let device = Device::open()?;
/// let sums = in_threads([1.0f32, 2.0, 3.0], |value| {
///     let buffer = DeviceBuffer::from_slice(&device, &[value; 100])?;
///     Ok::<_, lanewise::MemoryError>(buffer.to_vec()?.iter().sum::<f32>())
/// });
/// assert_eq!(sums.into_iter().collect::<Result<Vec<_>, _>>()?, [100.0, 200.0, 300.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Panics
/// If a thread panics, with the same payload, after all threads have ended.
pub fn in_threads<I, R>(items: impl IntoIterator<Item = I>, work: impl Fn(I) -> R + Sync) -> Vec<R>
where
    I: Send,
    R: Send,
{
    let fork = Fork::new();
    let done = std::thread::scope(|scope| {
        let (fork, work) = (&fork, &work);
        let start = |item| {
            scope.spawn(move || {
                let _part = fork.enter();
                work(item)
            })
        };
        let threads: Vec<_> = items.into_iter().map(start).collect();
        threads
            .into_iter()
            .map(|thread| thread.join())
            .collect::<Vec<_>>()
    });
    fork.join();
    let unwind = |panic| std::panic::resume_unwind(panic);
    done.into_iter()
        .map(|done| done.unwrap_or_else(unwind))
        .collect()
}
