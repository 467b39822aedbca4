//! Orders in which the steps of several jobs can be queued on several streams.
//!
//! Each schedule is a function of the streams and the jobs. Job `i` goes to stream `i`. If there
//! are more jobs than streams, the streams take turns. The result is the same with each schedule,
//! but the overlap differs.

use anyhow::Result;
use lanewise::{Stream, in_threads};

/// Work of several steps, each of which needs the step before it.
pub trait Job {
    /// Returns the number of steps.
    fn steps(&self) -> usize;

    /// Queues a step on `stream`.
    ///
    /// # Errors
    /// The driver's error. After a fault in a kernel, every call on its context returns that error.
    fn step(&mut self, step: usize, stream: &Stream) -> Result<()>;
}

/// An order in which the steps of all jobs are queued on the streams.
pub type Schedule<J> = fn(&[Stream], &mut [J]) -> Result<()>;

/// Queues all steps of the first job, then all steps of the second, and so on.
///
/// # Errors
/// The error of a step.
pub fn depth_first<J: Job>(streams: &[Stream], jobs: &mut [J]) -> Result<()> {
    for (job, stream) in jobs.iter_mut().zip(streams.iter().cycle()) {
        for step in 0..job.steps() {
            job.step(step, stream)?;
        }
    }
    Ok(())
}

/// Queues the first step of all jobs, then the second step of all, and so on.
///
/// # Errors
/// The error of a step.
pub fn breadth_first<J: Job>(streams: &[Stream], jobs: &mut [J]) -> Result<()> {
    let steps = jobs.iter().map(Job::steps).max().unwrap_or(0);
    for step in 0..steps {
        for (job, stream) in jobs.iter_mut().zip(streams.iter().cycle()) {
            if step < job.steps() {
                job.step(step, stream)?;
            }
        }
    }
    Ok(())
}

/// Starts a thread for each stream, which queues the stream's jobs one after another.
///
/// # Errors
/// The error of a step.
pub fn thread_per_stream<J: Job + Send>(streams: &[Stream], jobs: &mut [J]) -> Result<()> {
    let mut shares: Vec<Vec<&mut J>> = streams.iter().map(|_| Vec::new()).collect();
    for (i, job) in jobs.iter_mut().enumerate() {
        shares[i % streams.len()].push(job);
    }
    let queue = |(stream, share): (&Stream, Vec<&mut J>)| {
        for job in share {
            for step in 0..job.steps() {
                job.step(step, stream)?;
            }
        }
        Ok(())
    };
    in_threads(streams.iter().zip(shares), queue)
        .into_iter()
        .collect()
}

/// Makes the streams wait for everything that is queued on `main` now.
///
/// # Errors
/// The driver's error. After a fault in a kernel, every call on its context returns that error.
pub fn fork(main: &Stream, streams: &[Stream]) -> Result<()> {
    let now = main.record()?;
    Ok(streams
        .iter()
        .try_for_each(|stream| stream.wait_event(&now))?)
}

/// Makes `main` wait for everything that is queued on the streams.
///
/// # Errors
/// The driver's error. After a fault in a kernel, every call on its context returns that error.
pub fn join(main: &Stream, streams: &[Stream]) -> Result<()> {
    Ok(streams
        .iter()
        .try_for_each(|stream| main.wait_for(stream))?)
}
