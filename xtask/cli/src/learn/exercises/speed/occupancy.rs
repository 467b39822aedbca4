//! Let more blocks run at the same time.
//!
//! A multiprocessor of an H200 has 228 KB of shared memory for all of its blocks. Each block here
//! takes 48 KB and uses 2 KB of it, so four blocks fit at a time: too few warps to hide the latency
//! of loads.
//! The target: at least 16 blocks on a multiprocessor.
//!
//! Read: execution/occupancy
//@ hint: How many cells do 512 threads need?
//@ fails: at least 16 blocks

use lanewise_macros::{kernel, shared};
use lanewise_std::{DisjointSlice, SharedLine, thread};

/// Reverses the elements of each block. Launch: blocks of 128 threads.
#[kernel]
#[launch_contract(dims = 1, block = 128)]
pub fn reverse_blocks(input: &[f32], mut output: DisjointSlice<f32>) {
    //@ start
    shared! { static LINE: SharedLine<f32, 12288>; }
    //@ solution
    shared! { static LINE: SharedLine<f32, 128>; }
    //@ end
    let first = thread::block_idx_x() as usize * 128;
    let line = LINE.fill::<1>(|i| input.get(first + i).copied().unwrap_or(0.0));
    if let Some(output) = output.get_mut(thread::index_1d()) {
        *output = line.get(127 - thread::thread_idx_x() as usize);
    }
}

#[cfg(test)]
mod check {
    use super::*;
    use crate::check::*;

    #[test]
    fn many_blocks_run_at_once() {
        let input = floats(512);
        let ((found, blocks), _) = run(|device, stream| {
            let x = DeviceBuffer::from_slice(device, &input)?;
            let mut y = DeviceBuffer::zeroed(device, 512)?;
            stream.launch(reverse_blocks, LaunchConfig::new(4, 128), (&x, &mut y))?;
            Ok((y.to_vec()?, device.active_blocks(reverse_blocks, 128, 0)?))
        });
        equal(
            &found,
            &Vec::from_iter(input.chunks(128).flat_map(|part| part.iter().rev().copied())),
        );
        assert!(blocks >= 16, "{blocks} blocks run at a time; the target is at least 16 blocks");
    }
}
