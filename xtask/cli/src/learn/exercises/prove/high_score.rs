//! Prove that the highest score stays.
//!
//! Two threads compare their score with the best one, and store it if it is higher. The lower score
//! can overwrite the higher one: both compare with 0, then both store.
//!
//! Read: instruction/threshold
//@ hint: An atomic maximum compares and stores in one operation.
//@ hint: `best[0].fetch_max(score, AtomicOrdering::Relaxed);`
//@ fails: the best score is 10
//@ fails: 1  block 0, thread (0,0,0)

use lanewise_macros::kernel;
use lanewise_std::atomic::{AtomicOrdering, DeviceAtomicU32};
use lanewise_std::thread;

/// Raises `best[0]` to 10 and 20. Launch: two blocks of one thread.
#[kernel]
pub fn score(best: &[DeviceAtomicU32]) {
    let score = 10 * (thread::block_idx_x() + 1);
    //@ start
    if best[0].load(AtomicOrdering::Relaxed) < score {
        best[0].store(score, AtomicOrdering::Relaxed);
    }
    //@ solution
    best[0].fetch_max(score, AtomicOrdering::Relaxed);
    //@ end
}

#[cfg(test)]
mod check {
    use super::*;
    use crate::check::*;

    #[test]
    fn the_highest_score_stays() {
        prove(|device, stream| {
            let mut best = DeviceBuffer::<u32>::zeroed(device, 1)?;
            stream.launch(score, LaunchConfig::new(2, 1), (&mut best,))?;
            let best = best.to_vec()?[0];
            ensure(best == 20, format!("the best score is {best}"))?;
            Ok(())
        });
    }
}
