//! Reduce with fewer barriers.
//!
//! The block halves its numbers in shared memory, with a barrier after each of eight steps. Within
//! a warp no barrier of the block is needed: shuffles, or `block_reduce`, which adds each warp by
//! shuffles and needs barriers for the eight sums of warps only.
//! The target: at most 2 barriers for each warp.
//!
//! Read: warp/reduce_shuffle
//@ hint: `block_reduce(own, Sum)` replaces the whole loop.
//@ hint: The shared line is no longer needed.
//@ fails: barriers for each warp: 9

use lanewise_macros::{kernel, shared};
use lanewise_std::collective::{Sum, block_reduce};
use lanewise_std::{PerBlock, thread};

/// `sums[b]` is the sum of the elements of block `b`. Launch: blocks of 256 threads.
#[kernel]
#[launch_contract(dims = 1, block = 256)]
pub fn block_sums(input: &[u32], mut sums: PerBlock<u32>) {
    let own = input.get(thread::index_1d().get()).copied().unwrap_or(0);
    //@ start
    shared! { static LINE: [u32; 256]; }
    let t = thread::thread_idx_x() as usize;
    // SAFETY: in each step the threads that write have cells of their own, and a barrier follows.
    unsafe { LINE.set(t, own) };
    thread::sync_threads();
    for half in [128, 64, 32, 16, 8, 4, 2, 1] {
        if t < half {
            // SAFETY: as above.
            unsafe { LINE.set(t, LINE.get(t) + LINE.get(t + half)) };
        }
        thread::sync_threads();
    }
    // SAFETY: the last barrier is behind us.
    let total = unsafe { LINE.get(0) };
    //@ solution
    let total = block_reduce(own, Sum);
    //@ end
    if let Some(sum) = sums.get_mut() {
        *sum = total;
    }
}

#[cfg(test)]
mod check {
    use super::*;
    use crate::check::*;

    #[test]
    fn warps_seldom_wait() {
        let input = numbers(1000);
        let (found, counters) = run(|device, stream| {
            let x = DeviceBuffer::from_slice(device, &input)?;
            let mut sums = DeviceBuffer::zeroed(device, 4)?;
            stream.launch(block_sums, LaunchConfig::new(4, 256), (&x, &mut sums))?;
            Ok(sums.to_vec()?)
        });
        equal(&found, &Vec::from_iter(input.chunks(256).map(|part| part.iter().sum())));
        at_most("barriers for each warp", counters.barriers as f64 / 32.0, 2.0);
    }
}
