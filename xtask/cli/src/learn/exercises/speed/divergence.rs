//! Send whole warps one way.
//!
//! Even threads run one loop and odd threads another. A warp executes both loops, one after the
//! other, each with half of its lanes. Distribute the work so that all lanes of a warp take the
//! same arm. Which thread computes which element is yours to choose.
//! The target: no branch at which lanes part.
//!
//! Read: execution/divergence
//@ hint: The elements 0 to 511 are stretched and the others folded. Which elements should a warp
//@   have?
//@ hint: Thread i may compute element i: then `i < 512` is the same in all lanes of a warp.
//@ fails: branches that part

use lanewise_macros::kernel;
use lanewise_std::thread;
use lanewise_std::{DisjointSlice, GlobalMut};

/// Stretches the elements below 512 and folds the 512 others. Launch: 1024 threads.
#[kernel]
pub fn stretch_and_fold(output: GlobalMut<u32>, steps: u32) {
    let t = thread::index_1d().get();
    //@ start
    let i = t / 2 + t % 2 * 512;
    //@ solution
    let i = t;
    //@ end
    let mut x = i as u32;
    if i < 512 {
        for _ in 0..steps {
            x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        }
    } else {
        for _ in 0..steps {
            x ^= x << 13;
            x ^= x >> 17;
            x ^= x << 5;
        }
    }
    // SAFETY: each thread has an element of its own.
    unsafe { output.set(i, x) };
}

#[cfg(test)]
mod check {
    use super::*;
    use crate::check::*;

    #[test]
    fn warps_do_not_part() {
        let (found, counters) = run(|device, stream| {
            let mut y = DeviceBuffer::zeroed(device, 1024)?;
            let config = LaunchConfig::new(8, 128);
            stream.launch(stretch_and_fold, config, (&mut y, 6))?;
            Ok(y.to_vec()?)
        });
        let stretch = |x: u32| x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let fold = |x: u32| {
            let x = x ^ x << 13;
            let x = x ^ x >> 17;
            x ^ x << 5
        };
        let one = |i: u32| (0..6).fold(i, |x, _| if i < 512 { stretch(x) } else { fold(x) });
        equal(&found, &Vec::from_iter((0..1024).map(one)));
        at_most("branches that part", counters.ptx_branches_divergent as f64, 0.0);
    }
}
