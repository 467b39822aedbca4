//! Barriers in shared memory: tokens, threads that leave, arrivals from other blocks.

use lanewise_macros::{kernel, shared};
use lanewise_std::atomic::{AtomicOrdering, DeviceAtomicU32};
use lanewise_std::barrier::{Barrier, Barriers, Parity};
use lanewise_std::fence::fence;
use lanewise_std::scope::{Block, Cluster};
use lanewise_std::thread::{self, block_dim_x, thread_idx_x};
use lanewise_std::{DisjointSlice, cluster};

/// The most threads of a block here.
const THREADS: usize = 256;

/// Each thread writes a value, arrives, and reads its neighbour's value after the wait. It does so
/// `rounds` times, with two barriers in turn.
#[kernel]
#[launch_contract(dims = 1)]
pub fn pass_on(mut output: DisjointSlice<u32>, rounds: u32) {
    shared! {
        static VALUES: [[u32; THREADS]; 2];
        static BARRIERS: Barriers<Block, 2>;
    }
    let threads = block_dim_x();
    let own = thread_idx_x() as usize;
    let next = (own + 1) % threads as usize;
    let mut value = own as u32;
    for round in 0..rounds {
        let turn = (round % 2) as usize;
        // SAFETY: the reads of this half were two rounds ago, and the barrier of the round between
        // comes after them.
        unsafe { VALUES.set_at(turn, own, value) };
        let token = BARRIERS.at(turn).arrive();
        BARRIERS.at(turn).wait(token);
        // SAFETY: set before the barrier.
        value = unsafe { VALUES.get_at(turn, next) };
    }
    let index = thread::index_1d();
    if let Some(element) = output.get_mut(&index) {
        *element = value;
    }
}

/// Thread `t` takes part in phases 0 to `t` and leaves. In each phase the remaining threads count
/// themselves. The last thread writes the sum of the counts.
#[kernel]
#[launch_contract(dims = 1)]
pub fn leave_one_by_one(mut output: DisjointSlice<u32>) {
    shared! { static BARRIER: Barrier<Block>; }
    let threads = block_dim_x();
    let own = thread_idx_x();
    let mut left = 0;
    for phase in 0..own {
        BARRIER.arrive_and_wait();
        left += threads - phase;
    }
    BARRIER.arrive_and_drop();
    let index = thread::index_1d();
    if let Some(element) = output.get_mut(&index) {
        *element = left;
    }
}

/// Every thread of the cluster arrives at the barrier of the next block. Each block waits for the
/// previous block, and reads what that block left in its last place.
#[kernel]
#[launch_contract(dims = 1, block = 32)]
pub fn arrive_afar(mut output: DisjointSlice<u32>) {
    shared! {
        static BARRIER: Barrier<Cluster> = 32; // the threads of the block before
        static VALUES: [u32; 3];
    }
    let (rank, blocks) = (cluster::block_rank(), cluster::num_blocks());
    if thread_idx_x() == 0 {
        // SAFETY: this thread alone writes it, in the block after this, before it arrives there.
        unsafe {
            let all = VALUES.distributed();
            all.set((rank + 1) % blocks, all.block_len() - 1, 100 + rank);
        }
    }
    // SAFETY: the blocks end after a barrier of the cluster.
    unsafe { BARRIER.of_block((rank + 1) % blocks) }.arrive();
    BARRIER.wait_parity(Parity::Even);
    let index = thread::index_1d();
    if let Some(element) = output.get_mut(&index) {
        // SAFETY: written before the arrival of the thread that wrote it.
        *element = unsafe { VALUES.get(2) };
    }
    cluster::sync_cluster(); // no block ends while others arrive at its barrier
}

/// A letter and a flag in a cluster. The first block writes both, and the others spin and then read
/// the letter. Fences with cluster scope order the accesses.
#[kernel]
#[launch_contract(dims = 1)]
pub fn letter(mut output: DisjointSlice<u32>, rounds: u32) {
    shared! {
        static LETTER: [u32; 1];
        static FLAG: [u32; 1];
    }
    let (rank, own) = (cluster::block_rank(), thread_idx_x());
    let all = [LETTER.distributed(), FLAG.distributed()];
    if rank == 0 && own == 0 {
        // SAFETY: no other thread reads it before the cluster's barrier.
        unsafe { FLAG.set(0, 0) };
    }
    cluster::sync_cluster();
    // SAFETY: it is in the first block's shared memory, which is there until the end, and only
    // atomics touch it from here on.
    let flag = unsafe { DeviceAtomicU32::from_ptr(all[1].address_of(0, 0)) };
    let mut read = 0;
    for round in 1..=rounds {
        if own == 0 && rank == 0 {
            // SAFETY: the others have read it, or begin after the flag is set.
            unsafe { all[0].set(0, 0, 1000 + round) };
            fence(Cluster, AtomicOrdering::Release);
            flag.store(round, AtomicOrdering::Relaxed);
        } else if own == 0 {
            while flag.load(AtomicOrdering::Relaxed) < round {
                thread::nanosleep(20);
            }
            fence(Cluster, AtomicOrdering::Acquire);
            // SAFETY: written before the flag.
            read = unsafe { all[0].get(0, 0) };
        }
        cluster::sync_cluster();
    }
    let index = thread::index_1d();
    if let Some(element) = output.get_mut(&index) {
        *element = read;
    }
}
