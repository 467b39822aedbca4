//! Blocks that take the work of blocks which have not begun, from `sm_100`: cluster launch control.
//!
//! A grid has a block for each piece of work, and the hardware starts as many as fit. A block that
//! has finished its work can cancel a block that has not begun, and do that block's work as well.
//! So barriers, tensor memory and tables in shared memory are set up once, as in a persistent
//! kernel, and work is still dealt out as blocks become free, as in an ordinary one.
//!
//! [`for_each_block`] does all of this on every target; before `sm_100` nothing is cancelled, and
//! each block does its own work. A kernel can also use the instructions themselves: [`try_cancel`]
//! and [`CancelResponse::canceled`]. The simulated GPU runs code for targets before `sm_100`; it
//! refuses a kernel with these instructions and names it. PTX ISA,
//! "clusterlaunchcontrol.try_cancel", "clusterlaunchcontrol.query_cancel"; CUDA programming guide,
//! "Cluster Launch Control".

#![cfg_attr(
    not(target_arch = "nvptx64"),
    allow(unused_variables, unreachable_code, dead_code)
)]

use crate::barrier::{self, Barrier, BarrierStorage, Block, Parity, Scope};
use crate::dim3::Dim3;
use crate::state_space::{self, ptx};
use crate::{SharedArray, bulk, cluster, target, thread};

/// What the hardware answers, in shared memory:
/// `shared! { static RESPONSE: [CancelResponse; 1]; }`.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(16))]
pub struct CancelResponse([u64; 2]);

impl CancelResponse {
    /// Bytes of an answer, for the barrier that is told of them.
    pub const BYTES: u32 = size_of::<Self>() as u32;

    /// The position in the grid of the block that was cancelled, or of the first one of the
    /// cluster; `None` if no block was left that had not begun.
    #[doc(alias = "clusterlaunchcontrol.query_cancel")]
    #[inline]
    #[must_use]
    pub fn canceled(self) -> Option<Dim3> {
        let [low, high] = self.0;
        let (canceled, x, y, z): (u32, u32, u32, u32);
        // SAFETY: it reads no memory.
        unsafe {
            ptx!("clusterlaunchcontrol.query_cancel":
                "{{ .reg .b128 response; .reg .pred canceled; .reg .b32 nothing;",
                "mov.b128 response, {{ {low}, {high} }};",
                "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 canceled, response;",
                "selp.u32 {canceled}, 1, 0, canceled;",
                "mov.u32 {x}, 0; mov.u32 {y}, 0; mov.u32 {z}, 0;",
                "@canceled clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {{ {x}, {y}, {z}, nothing }}, response; }}",
                low = in(reg64) low,
                high = in(reg64) high,
                canceled = out(reg32) canceled,
                x = out(reg32) x,
                y = out(reg32) y,
                z = out(reg32) z,
                options(nomem, nostack, preserves_flags),
            );
        }
        (canceled != 0).then_some(Dim3 { x, y, z })
    }
}

/// Asks the hardware to cancel a cluster that has not begun (a block, in a launch without
/// clusters). The [`CancelResponse::BYTES`] of the answer are reported to `barrier`, where one
/// thread has announced them. From `sm_100`.
///
/// # Safety
/// `response` is in this block's shared memory. One thread of one block calls it, and not again
/// after an answer that nothing is left. No thread touches the response before the barrier's phase
/// has ended, and a [`fence_proxy_async`](crate::bulk::fence_proxy_async) stands between reads of
/// the previous answer and this call. The kernel does the work of the block that was cancelled.
#[doc(alias = "clusterlaunchcontrol.try_cancel")]
#[inline]
pub unsafe fn try_cancel<S: Scope>(response: *mut CancelResponse, barrier: &Barrier<S>) {
    // SAFETY: the caller's promise.
    unsafe {
        ptx!("clusterlaunchcontrol.try_cancel":
            "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [{response}], [{barrier}];",
            response = in(reg32) state_space::shared(response),
            barrier = in(reg32) barrier.address(),
            options(nostack, preserves_flags),
        );
    }
}

/// As [`try_cancel`], with the answer to all blocks of the cluster, each at the same place. For
/// `sm_100a`.
///
/// # Safety
/// As for [`try_cancel`], for the response and the barrier of each block: all of them are there.
#[doc(alias = "clusterlaunchcontrol.try_cancel.multicast::cluster::all")]
#[inline]
pub unsafe fn try_cancel_multicast<S: Scope>(response: *mut CancelResponse, barrier: &Barrier<S>) {
    // SAFETY: the caller's promise.
    unsafe {
        ptx!("clusterlaunchcontrol.try_cancel":
            "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.multicast::cluster::all.b128 [{response}], [{barrier}];",
            response = in(reg32) state_space::shared(response),
            barrier = in(reg32) barrier.address(),
            options(nostack, preserves_flags),
        );
    }
}

/// What [`for_each_block`] needs: `shared! { static STEALING: [StealStorage; 1]; }`.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(16))]
pub struct StealStorage {
    response: CancelResponse,
    barrier: BarrierStorage,
}

/// Calls `work` with this block's position in the grid, then with the positions of blocks that it
/// has cancelled, until none is left. Each position of the grid is handed to exactly one block.
///
/// All threads of the block call it, and all call `work` with the same positions; `work` uses its
/// argument in place of [`thread::block_idx_x`]. The next block is asked for while `work` runs.
/// Blocks in clusters of several do only their own work.
#[doc(alias = "work stealing")]
#[doc(alias = "persistent kernel")]
#[inline]
pub fn for_each_block(storage: &SharedArray<StealStorage, 1>, mut work: impl FnMut(Dim3)) {
    let own = Dim3 {
        x: thread::block_idx_x(),
        y: thread::block_idx_y(),
        z: thread::block_idx_z(),
    };
    if !target::is_at_least(100) || cluster::num_blocks() > 1 {
        work(own);
        return;
    }
    let response: *mut CancelResponse = storage.as_ptr().cast();
    let first = thread::thread_rank() == 0;
    let place = state_space::shared(response) + CancelResponse::BYTES;
    if first {
        // SAFETY: one thread, before the others know of the barrier; the storage has room for it
        // behind the answer.
        unsafe { barrier::init_at(place, 1) };
    }
    barrier::publish::<Block>();
    // SAFETY: it was made, and all threads know of it.
    let barrier: Barrier<Block> = unsafe { Barrier::at_address(place) };
    let (mut next, mut parity) = (Some(own), Parity::Even);
    while let Some(position) = next {
        if first {
            let _ = barrier.arrive_expect_bytes(CancelResponse::BYTES);
            bulk::fence_proxy_async();
            // SAFETY: one thread; nobody reads the answer before the wait, all have read the one
            // before, and it was that there is one; its work is done below.
            unsafe { try_cancel(response, &barrier) };
        }
        work(position);
        barrier.wait_parity(parity);
        parity = parity.next();
        // SAFETY: the answer is there.
        next = unsafe { response.read() }.canceled();
        thread::sync_threads();
    }
}
