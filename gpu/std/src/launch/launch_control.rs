//! Cluster launch control, from `sm_100`: blocks that take over the work of blocks that
//! have not begun.
//!
//! A grid has a block for each piece of work, and the hardware starts as many as fit. A block that
//! has finished its work can cancel a block that has not begun, and do that block's work as well.
//! So barriers, tensor memory and tables in shared memory are set up once, as in a persistent
//! kernel. But work is still assigned when blocks become free, as in an ordinary kernel.
//!
//! [`WorkStealing`] does all of this on every target; before `sm_100` no block is cancelled, and
//! each block does its own work. A kernel can also use the instructions themselves: [`try_cancel`]
//! and [`CancelResponse::canceled`]. The simulated GPU runs code for targets before `sm_100`; it
//! rejects a kernel with these instructions, and its message names the kernel. PTX ISA,
//! "clusterlaunchcontrol.try_cancel", "clusterlaunchcontrol.query_cancel"; CUDA programming guide,
//! "Cluster Launch Control".

#![cfg_attr(
    not(target_arch = "nvptx64"),
    allow(unused_variables, unreachable_code, dead_code)
)]

use core::convert::Infallible;

use crate::barrier::{self, Barrier, BarrierStorage, Parity};
use crate::dim3::Dim3;
use crate::fence::fence_proxy_async_shared;
use crate::kernel::AtEntry;
use crate::memory::shared::declaration;
use crate::scope::{Block, Scope};
use crate::state_space::{self, ptx};
use crate::{cluster, intrinsics, target, thread};

/// The response of the hardware, in shared memory:
/// `shared! { static RESPONSE: [CancelResponse; 1]; }`.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(16))]
pub struct CancelResponse([u64; 2]);

impl CancelResponse {
    /// The number of bytes of a response, for the barrier to which they are reported.
    pub const BYTES: u32 = size_of::<Self>() as u32;

    /// Returns the position in the grid of the block that was cancelled, or of the first block of
    /// the cluster. Returns `None` if all blocks had already begun.
    #[doc(alias = "clusterlaunchcontrol.query_cancel")]
    #[inline]
    #[must_use]
    pub fn canceled(self) -> Option<Dim3> {
        let [low, high] = self.0;
        let (canceled, x, y, z): (u32, u32, u32, u32);
        // SAFETY: the instruction reads no memory.
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

/// Requests that the hardware cancels a cluster that has not begun (a block, in a launch without
/// clusters). The [`CancelResponse::BYTES`] of the response are reported to `barrier`, where one
/// thread has announced them. Needs `sm_100`.
///
/// # Safety
/// `response` is in this block's shared memory. One thread of one block calls it. It does not call
/// it again after a response without a cancelled block. No thread accesses the response before the
/// barrier's phase has ended. There is a
/// [`fence_proxy_async_shared`](crate::fence::fence_proxy_async_shared) between reads of the
/// previous response and this call. The kernel does the work of the block that was cancelled.
#[doc(alias = "clusterlaunchcontrol.try_cancel")]
#[inline]
pub unsafe fn try_cancel<S: Scope>(response: *mut CancelResponse, barrier: &Barrier<S>) {
    // SAFETY: the caller keeps the contract of this function.
    unsafe {
        ptx!("clusterlaunchcontrol.try_cancel":
            "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [{response}], [{barrier}];",
            response = in(reg32) state_space::shared(response),
            barrier = in(reg32) barrier.address(),
            options(nostack, preserves_flags),
        );
    }
}

/// Does the same as [`try_cancel`], but sends the response to all blocks of the cluster, at the
/// same shared address in each. Needs `sm_100a`.
///
/// # Safety
/// As for [`try_cancel`], for the response and the barrier of each block. All blocks of the cluster
/// have begun, and none has ended.
#[doc(alias = "clusterlaunchcontrol.try_cancel.multicast::cluster::all")]
#[inline]
pub unsafe fn try_cancel_multicast<S: Scope>(response: *mut CancelResponse, barrier: &Barrier<S>) {
    // SAFETY: the caller keeps the contract of this function.
    unsafe {
        ptx!("clusterlaunchcontrol.try_cancel":
            "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.multicast::cluster::all.b128 [{response}], [{barrier}];",
            response = in(reg32) state_space::shared(response),
            barrier = in(reg32) barrier.address(),
            options(nostack, preserves_flags),
        );
    }
}

/// The blocks of the grid that this block works for: `static BLOCKS: WorkStealing;` in a kernel's
/// first statement.
///
/// ```
/// use lanewise_macros::{kernel, shared};
/// use lanewise_std::atomic::{AtomicOrdering, DeviceAtomicU32};
/// use lanewise_std::launch_control::WorkStealing;
///
/// /// Counts the visits of each position of the grid.
/// #[kernel]
/// #[launch_contract(dims = 1)]
/// pub fn visits(counts: &[DeviceAtomicU32]) {
///     shared! { static BLOCKS: WorkStealing; }
///     BLOCKS.for_each(|block| {
///         counts[block.x as usize].fetch_add(1, AtomicOrdering::Relaxed);
///     });
/// }
/// ```
#[doc(alias = "work stealing")]
#[doc(alias = "persistent kernel")]
#[derive(Debug)]
pub struct WorkStealing(*mut Memory);

/// What the hardware answers, and the barrier to which it reports that.
#[repr(C, align(16))]
struct Memory {
    response: CancelResponse,
    barrier: BarrierStorage,
}

impl AtEntry for WorkStealing {
    type Initial = Infallible;

    #[inline(always)]
    fn meeting() -> bool {
        target::is_at_least(100)
    }

    #[inline(always)]
    unsafe fn at_entry<Declaration>(_: Option<Infallible>) -> Self {
        if !target::is_at_least(100) {
            return WorkStealing(core::ptr::null_mut());
        }
        let memory = declaration::<Declaration, Memory>().cast::<Memory>();
        let work = WorkStealing(memory);
        if thread::thread_rank() == 0 {
            // SAFETY: one thread calls it, and the others wait for it at the entry.
            unsafe { barrier::init_at(work.barrier(), 1) };
        }
        work
    }
}

impl WorkStealing {
    /// Returns the shared address of the barrier.
    #[inline(always)]
    fn barrier(&self) -> u32 {
        state_space::shared(self.0) + CancelResponse::BYTES
    }

    /// Calls `work` with this block's position in the grid, then with the positions of blocks that
    /// it has cancelled, until no block is left. Each position of the grid goes to exactly one
    /// block.
    ///
    /// All threads of the block call it, and all call `work` with the same positions. `work` uses
    /// its argument instead of [`thread::block_idx_x`]. The request for the next block is pending
    /// while `work` runs. In clusters of several blocks, each block does only its own work.
    #[inline]
    pub fn for_each(self, mut work: impl FnMut(Dim3)) {
        let own = Dim3 {
            x: thread::block_idx_x(),
            y: thread::block_idx_y(),
            z: thread::block_idx_z(),
        };
        if !target::is_at_least(100) || cluster::num_blocks() > 1 {
            work(own);
            return;
        }
        let first = thread::thread_rank() == 0;
        let response: *mut CancelResponse = self.0.cast();
        // SAFETY: the entry point has made the barrier.
        let barrier: Barrier<Block> = unsafe { Barrier::at_address(self.barrier()) };
        let (mut next, mut parity) = (Some(own), Parity::Even);
        while let Some(position) = next {
            if first {
                let _ = barrier.arrive_expect_bytes(CancelResponse::BYTES);
                fence_proxy_async_shared();
                // SAFETY: only one thread calls it, and no thread reads the response before the
                // wait. All threads have read the previous response, which had a block. The work
                // of the cancelled block is done below.
                unsafe { try_cancel(response, &barrier) };
            }
            work(position);
            barrier.wait_parity(parity);
            parity = parity.next();
            // SAFETY: the response has arrived. The next one is requested after the barrier below.
            // Nothing else uses that barrier, and a thread passes it once for each response. So
            // its n-th time is the n-th time for all threads, whatever `work` does.
            next = unsafe { response.read() }.canceled();
            // SAFETY: barrier 12 exists, and all threads of the block take part in it.
            unsafe { intrinsics::barrier_cta_sync(thread::RESPONSES) };
        }
    }
}
