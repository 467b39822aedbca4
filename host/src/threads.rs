//! Threads that share a piece of work with the devices.
//!
//! Any thread may use a device, its streams and buffers. [`in_threads`] is for those that do a part
//! of one thread's work: what is counted or checked of that work includes theirs, and on the
//! simulator's clock they begin where it is, so that times are the same in every run.

use lanewise_driver::Fork;

/// Does `work` with each of `items` in a thread of its own, and returns what came of it, in their
/// order.
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
/// With what a thread panicked with, once all have ended.
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
