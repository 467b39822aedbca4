//! Plain bulk copies: from and to global memory, into several blocks, and from block to block
//! of a cluster.

use lanewise_macros::{kernel, shared};
use lanewise_std::barrier::{Barrier, Parity};
use lanewise_std::bulk::{BlockAdd, BlockBitwise, BlockIncDec, BlockMinMax};
use lanewise_std::cache::CachePolicy;
use lanewise_std::fence::fence_proxy_async_shared;
use lanewise_std::kernel::Value;
use lanewise_std::scope::{Block, Cluster};
use lanewise_std::thread::{block_dim_x, block_idx_x, thread_idx_x};
use lanewise_std::tma::Tile;
use lanewise_std::vector::{Float4, UInt2};
use lanewise_std::{GlobalMut, SharedArray, bulk, cluster};

/// Elements that a block sends to another.
pub const PIECE: usize = 64;

/// `output += 2 * input` by plain bulk copies, in pieces of 256 words. Both lengths are multiples.
///
/// # Safety
/// Both begin at a multiple of 16 bytes.
#[kernel]
#[launch_contract(dims = 1)]
pub unsafe fn add_twice(input: &[u32], output: GlobalMut<u32>) {
    shared! {
        static PIECES: [Tile<[u32; WORDS]>; 1];
        static BARRIER: Barrier<Block> = 1;
    }
    const WORDS: usize = 256;
    let start = block_idx_x() as usize * WORDS;
    if start + WORDS > input.len().min(output.len()) {
        return;
    }
    let piece = PIECES.tile(0);
    if thread_idx_x() == 0 {
        // In two steps, where the other kernels here take one.
        BARRIER.expect_bytes(4 * WORDS as u32);
        let _ = BARRIER.arrive();
        // SAFETY: in bounds, and aligned as the caller says; read after the wait.
        unsafe { bulk::load(piece.as_ptr(), &raw const input[start], WORDS, &BARRIER) };
    }
    BARRIER.wait_parity(Parity::Even);
    if thread_idx_x() == 0 {
        for _ in 0..2 {
            // SAFETY: in bounds; no thread writes the piece; no other thread accesses the output.
            unsafe { bulk::store_add(output.address_of(start), piece.as_ptr(), WORDS) };
        }
        bulk::commit_group();
        bulk::wait_group::<0>();
    }
}

/// Prefetches the `count` words from `start` on and copies them into all blocks of the cluster.
/// Each block stores them after the previous one's. With a policy for the L2 cache, or without.
///
/// # Safety
/// The input begins at a multiple of 16 bytes, and `start` and `count` are multiples of 4, of
/// 256 at most.
#[kernel]
#[launch_contract(dims = 1)]
pub unsafe fn load_for_cluster(
    input: &[u32],
    start: u32,
    count: u32,
    hinted: bool,
    output: GlobalMut<u32>,
) {
    shared! {
        static WORDS: [Tile<[u32; 256]>; 1];
        static BARRIER: Barrier<Cluster> = 1;
    }
    let (start, count) = (start as usize, count as usize);
    if thread_idx_x() == 0 {
        let _ = BARRIER.arrive_expect_bytes(4 * count as u32);
        // The last block asks, for all.
        if cluster::block_rank() + 1 == cluster::num_blocks() {
            let all = ((1u32 << cluster::num_blocks()) - 1) as u16;
            let to = WORDS.tile(0).as_ptr();
            let from = &raw const input[start..start + count];
            // SAFETY: in bounds, and aligned as the caller says; there is room in each block, which
            // all have begun; it is read after the wait.
            unsafe {
                let from = from.cast::<u32>();
                if hinted {
                    let bulk = bulk::with_policy(CachePolicy::evict_last_of(0.25));
                    bulk.prefetch(from, count);
                    bulk.load_multicast(to, from, count, &BARRIER, all);
                } else {
                    bulk::prefetch(from, count);
                    bulk::load_multicast(to, from, count, &BARRIER, all);
                }
            }
        }
    }
    BARRIER.wait_parity(Parity::Even);
    let words = WORDS.tile(0);
    let output = output.part(block_idx_x() as usize * count, count);
    for i in (thread_idx_x() as usize..count).step_by(block_dim_x() as usize) {
        // SAFETY: they have come; the element is this thread's alone.
        unsafe { output.set(i, words.get(i)) };
    }
    cluster::sync_cluster();
}

/// Copies the first `PIECE` words of each block's part through shared memory, and adds them again,
/// with cache policies.
///
/// # Safety
/// Both begin at a multiple of 16 bytes.
#[kernel]
#[launch_contract(dims = 1)]
pub unsafe fn copy_with_policies(input: &[u32], output: GlobalMut<u32>) {
    shared! {
        static WORDS: [Tile<[u32; PIECE]>; 1];
        static BARRIER: Barrier<Block> = 1;
    }
    let start = block_idx_x() as usize * PIECE;
    if start + PIECE > input.len().min(output.len()) {
        return;
    }
    let words = WORDS.tile(0).as_ptr();
    if thread_idx_x() == 0 {
        let (once, unchanged) = (CachePolicy::evict_first(), CachePolicy::evict_unchanged());
        let _ = BARRIER.arrive_expect_bytes(4 * PIECE as u32);
        // SAFETY: in bounds, aligned as the caller says; no thread writes the words while they are
        // read, or touches that part of the output.
        unsafe {
            bulk::with_policy(once).load(words, &raw const input[start], PIECE, &BARRIER);
            BARRIER.wait_parity(Parity::Even);
            bulk::with_policy(unchanged).store(output.address_of(start), words, PIECE);
            bulk::commit_group();
            bulk::wait_group::<0>();
            bulk::with_policy(CachePolicy::evict_normal()).store_add(
                output.address_of(start),
                words,
                PIECE,
            );
            bulk::commit_group();
            bulk::wait_group::<0>();
        }
    }
}

/// A block's part of `values`, copied to shared memory.
#[inline(always)]
fn take<T: Value>(values: GlobalMut<T>, piece: SharedArray<T, PIECE>) {
    let start = block_idx_x() as usize * PIECE;
    for i in (thread_idx_x() as usize..PIECE).step_by(block_dim_x() as usize) {
        // SAFETY: the element is this thread's alone until the cluster's barrier.
        unsafe { piece.set(i, values.get(start + i)) };
    }
    fence_proxy_async_shared();
}

/// Kernels in which each block sends `PIECE` elements of `sent` to the next block of its cluster.
/// There they are combined with those of `values`: by one copy, or one by one from registers.
macro_rules! sends {
    ($($(#[$doc:meta])* $name:ident: $bound:ident of [$($ty:ty),*], by $($number:literal $how:ident),*, one by one $($one:literal $single:ident),*;)*) => {$(
        $(#[$doc])*
        #[kernel(instances($($ty),*))]
        #[launch_contract(dims = 1)]
        pub fn $name<T: $bound + Value>(sent: GlobalMut<T>, values: GlobalMut<T>, how: u32) {
            shared! {
                static SENT: [Tile<[T; PIECE]>; 1];
                static VALUES: [Tile<[T; PIECE]>; 1];
                static BARRIER: Barrier<Cluster> = 1;
            }
            take(sent, SENT.tile(0));
            take(values, VALUES.tile(0));
            if thread_idx_x() == 0 {
                let _ = BARRIER.arrive_expect_bytes(size_of::<[T; PIECE]>() as u32);
            }
            cluster::sync_cluster();
            let next = (cluster::block_rank() + 1) % cluster::num_blocks();
            if thread_idx_x() == 0 {
                let (to, from) = (VALUES.tile(0).as_ptr(), SENT.tile(0).as_ptr());
                // SAFETY: in bounds and aligned; all blocks are there until the end, and have
                // written theirs before the barrier.
                unsafe {
                    match how {
                        $($number => bulk::$how(to, from, PIECE, &BARRIER, next),)*
                        _ => {}
                    }
                }
            }
            let elements = VALUES.tile(0).distributed();
            for i in (thread_idx_x() as usize..PIECE).step_by(block_dim_x() as usize) {
                // SAFETY: as above.
                unsafe {
                    let one = SENT.tile(0).get(i);
                    match how {
                        $($one => elements.$single(next, i, one, &BARRIER),)*
                        _ => {}
                    }
                }
            }
            BARRIER.wait_parity(Parity::Even);
            let start = block_idx_x() as usize * PIECE;
            for i in (thread_idx_x() as usize..PIECE).step_by(block_dim_x() as usize) {
                // SAFETY: they have come; the element is this thread's alone.
                unsafe { values.set(start + i, VALUES.tile(0).get(i)) };
            }
            cluster::sync_cluster();
        }
    )*};
}
sends! {
    /// Copies, or adds.
    send: BlockAdd of [u32, i32, u64], by 0 copy_to_block, 1 add_to_block, one by one 2 set_async, 3 add_async;
    /// Keeps the minimum, or the maximum.
    send_bounds: BlockMinMax of [u32, i32], by 0 min_to_block, 1 max_to_block, one by one 2 min_async, 3 max_async;
    /// Combines bits: and, or, xor.
    send_bits: BlockBitwise of [u32, i32], by 0 and_to_block, 1 or_to_block, 2 xor_to_block, one by one 3 and_async, 4 or_async, 5 xor_async;
    /// Counts up, or down.
    send_counts: BlockIncDec of [u32], by 0 inc_to_block, 1 dec_to_block, one by one 2 inc_async, 3 dec_async;
}

/// Each thread sends what it has read to the next block of its cluster, which stores what arrives.
#[kernel(instances(f32, f64, UInt2, Float4))]
#[launch_contract(dims = 1)]
pub fn send_values<T: Value>(values: GlobalMut<T>) {
    shared! {
        static CAME: [T; PIECE];
        static BARRIER: Barrier<Cluster> = 1;
    }
    if thread_idx_x() == 0 {
        let _ = BARRIER.arrive_expect_bytes(size_of::<[T; PIECE]>() as u32);
    }
    cluster::sync_cluster();
    let next = (cluster::block_rank() + 1) % cluster::num_blocks();
    let start = block_idx_x() as usize * PIECE;
    for i in (thread_idx_x() as usize..PIECE).step_by(block_dim_x() as usize) {
        // SAFETY: one thread sends to an element, of a block that waits for it; each value is
        // one thread's alone.
        unsafe {
            CAME.distributed()
                .set_async(next, i, values.get(start + i), &BARRIER)
        };
    }
    BARRIER.wait_parity(Parity::Even);
    for i in (thread_idx_x() as usize..PIECE).step_by(block_dim_x() as usize) {
        // SAFETY: they have come; the value is this thread's alone.
        unsafe { values.set(start + i, CAME.get(i)) };
    }
    cluster::sync_cluster();
}
