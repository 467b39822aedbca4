//! Prove that one thread wins.
//!
//! Two threads want the same job. Each looks whether it is free, marks it as taken, and writes its
//! number into its own result. Both can look before one of them marks.
//!
//! Read: instruction/atomics
//@ hint: Looking and marking have to be one operation.
//@ hint: `compare_exchange(0, 1, AtomicOrdering::Relaxed, AtomicOrdering::Relaxed).is_ok()` is true
//@   for one thread alone.
//@ fails: 2 threads have the job
//@ fails: 1  block 0, thread (0,0,0)

use lanewise_macros::kernel;
use lanewise_std::atomic::{AtomicOrdering, DeviceAtomicU32};
use lanewise_std::{DisjointSlice, thread};

/// `won[i]` is 1 if thread i got the job. Launch: two blocks of one thread.
#[kernel]
pub fn claim(job: &[DeviceAtomicU32], mut won: DisjointSlice<u32>) {
    //@ start
    let is_mine = job[0].load(AtomicOrdering::Relaxed) == 0;
    job[0].store(1, AtomicOrdering::Relaxed);
    //@ solution
    let relaxed = AtomicOrdering::Relaxed;
    let is_mine = job[0].compare_exchange(0, 1, relaxed, relaxed).is_ok();
    //@ end
    if let Some(won) = won.get_mut(thread::index_1d()) {
        *won = is_mine.into();
    }
}

#[cfg(test)]
mod check {
    use super::*;
    use crate::check::*;

    #[test]
    fn one_thread_gets_the_job() {
        prove(|device, stream| {
            let mut job = DeviceBuffer::<u32>::zeroed(device, 1)?;
            let mut won = DeviceBuffer::<u32>::zeroed(device, 2)?;
            stream.launch(claim, LaunchConfig::new(2, 1), (&mut job, &mut won))?;
            let winners = won.to_vec()?.iter().sum::<u32>();
            ensure(winners == 1, format!("{winners} threads have the job"))?;
            Ok(())
        });
    }
}
