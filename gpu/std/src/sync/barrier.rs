//! Barriers in shared memory (`mbarrier`), which wait for any number of threads and for the
//! bytes of copies.
//!
//! `sync_threads` is one barrier for the whole block. A [`Barrier`] is an object of 8 bytes, and a
//! block may have many. It counts *arrivals*; from `sm_90` it also counts the bytes that
//! asynchronous copies write. When all arrivals and bytes have come, the phase ends. The waiting
//! threads continue, and the next phase begins with the same counts. Arriving and waiting are two
//! steps, and a thread that arrives need not wait.
//!
//! The states are types. A kernel declares its barriers in its first statement, each with the
//! number of arrivals of a phase. Its entry point makes them, so each thread has them from its
//! start. [`Barrier::arrive`] returns a [`Token`] for the phase, and [`Barrier::wait`] takes it. A
//! thread without a token waits for a phase by its [`Parity`]. [`crate::pipeline`] is built on
//! these barriers and ensures the order of steps.
//!
//! ```
//! use lanewise_macros::{kernel, shared};
//! use lanewise_std::barrier::Barrier;
//! use lanewise_std::scope::Block;
//!
//! #[kernel(min_arch = "sm_80")]
//! pub fn two_steps() {
//!     shared! {
//!         static ALL: Barrier<Block>; // each thread of the block arrives
//!         static FIRST_WARP: Barrier<Block> = 32;
//!     }
//!     let token = ALL.arrive();
//!     // Work that needs nobody else goes here.
//!     ALL.wait(token);
//! }
//! ```
//!
//! A phase may wait for copies, by their number or by their bytes:
//!
//! ```
//! use lanewise_macros::{kernel, shared};
//! use lanewise_std::async_copy::copy_async;
//! use lanewise_std::barrier::{Barrier, Parity};
//! use lanewise_std::scope::Block;
//! use lanewise_std::thread::{sync_threads, thread_rank};
//! use lanewise_std::vector::Float4;
//! use lanewise_std::{bulk, gpu_assert};
//!
//! #[kernel(min_arch = "sm_90")]
//! #[launch_contract(dims = 1, block = 32)]
//! pub fn two_copies(input: &[Float4]) {
//!     shared! {
//!         static TILE: [Float4; 64];
//!         static COPIED: Barrier<Block> = 32;
//!         static BULK: Barrier<Block> = 1;
//!     }
//!     let i = thread_rank() as usize;
//!     gpu_assert!(input.len() >= 64, "too short");
//!     // SAFETY: in bounds; no thread accesses the cell before it has waited for the barrier.
//!     unsafe { copy_async(TILE.address_of(i), &raw const input[i]) };
//!     COPIED.arrive_with_copies();
//!     if i == 0 {
//!         BULK.expect_bytes(32 * size_of::<Float4>() as u32);
//!         // SAFETY: as above.
//!         unsafe { bulk::load(TILE.address_of(32), input[32..].as_ptr(), 32, &BULK) };
//!         let _ = BULK.arrive();
//!     }
//!     COPIED.wait_parity(Parity::Even);
//!     BULK.wait_parity(Parity::Even);
//!     sync_threads();
//!     if i == 0 {
//!         // SAFETY: all threads have waited, and nobody uses the barrier any more.
//!         unsafe { BULK.invalidate() };
//!     }
//! }
//! ```
//!
//! Elsewhere than in the first statement of a kernel, a barrier cannot be made. Threads may have
//! parted there: some would use it before it is there, and others would initialise it again.
//!
//! ```compile_fail
//! # use lanewise_macros::{kernel, shared};
//! # use lanewise_std::barrier::Barrier;
//! # use lanewise_std::scope::Block;
//! # use lanewise_std::thread::thread_rank;
//! #[kernel(min_arch = "sm_80")]
//! pub fn for_some() {
//!     if thread_rank() < 5 {
//!         shared! { static BARRIER: Barrier<Block> = 5; }
//!         BARRIER.arrive_and_wait();
//!     }
//! }
//! ```
//!
//! # What safe code can do wrong
//!
//! Threads wait forever, or go on too early, if fewer arrive than the number says, or if one waits
//! by an old token. PTX leaves more arrivals than a phase takes (those of a warp count together) or
//! 1 MiB to wait for undefined: the simulator ends the launch with a report, an H200 (driver
//! 580.159.04, 2026-11-29) ended 21 of 21. No type of this library relies on a `Barrier`: what is
//! read and written between its phases is raw memory, whose accesses are `unsafe`.
//!
//! PTX ISA, "Parallel Synchronization and Communication Instructions: mbarrier"; CUDA C++
//! Programming Guide, "Asynchronous Barrier".

#![cfg_attr(
    not(target_arch = "nvptx64"),
    allow(unused_variables, unreachable_code, dead_code)
)]

use core::marker::PhantomData;

use crate::kernel::AtEntry;
use crate::memory::shared::declaration;
use crate::phased::Memory;
use crate::scope::{Block, Cluster, Scope};
use crate::state_space::{self, ptx};
use crate::{cluster, target, thread};

/// The most arrivals of a phase. PTX ISA, "mbarrier object".
const MOST_ARRIVALS: u32 = (1 << 20) - 1;

/// Returns whether a phase has ended. A token or the phase's parity (`$parity`) identifies it. On
/// targets that have it, the macro uses the instruction that waits for a limited time.
macro_rules! phase_has_ended {
    ($scope:ident, $address:expr, $name:literal, $parity:literal, $register:ident, $phase:expr) => {{
        let ended: u32;
        macro_rules! ask {
            ($how:literal, $space:literal) => {
                ptx!($name:
                    concat!("{{ .reg .pred ended; mbarrier.", $how, $parity, $space, ".b64 ended, [{address}], {phase}; selp.u32 {ended}, 1, 0, ended; }}"),
                    ended = lateout(reg32) ended,
                    address = in(reg32) $address,
                    phase = in($register) $phase,
                    options(nostack, preserves_flags),
                )
            };
        }
        #[cfg_attr(
            not(target_arch = "nvptx64"),
            allow(
                clippy::if_same_then_else,
                reason = "they differ in the instruction, which the host has not"
            )
        )]
        // SAFETY: the barrier was initialised.
        unsafe {
            if $scope::IS_CLUSTER {
                ask!("try_wait", ".acquire.cluster.shared::cta");
            } else if target::is_at_least(90) {
                ask!("try_wait", ".shared");
            } else {
                ask!("test_wait", ".shared");
            }
        }
        ended != 0
    }};
}

/// The eight bytes of shared memory that a barrier uses.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
#[repr(C, align(8))]
pub struct BarrierStorage(u64);

/// A scope that a barrier can have: that of the [`Block`] or of the [`Cluster`]. Threads of other
/// blocks arrive through [`Barrier::of_block`]. All blocks of a cluster have made such a barrier
/// before any thread continues.
#[diagnostic::on_unimplemented(
    message = "a barrier has the scope `Block` or `Cluster`",
    label = "its threads are those of `{Self}`"
)]
pub trait BarrierScope: Scope {}

impl BarrierScope for Block {}
impl BarrierScope for Cluster {}

/// A barrier of this block. `static NAME: Barrier<Block> = 1;` in a kernel's first statement
/// declares one whose phases each take one arrival; any constant from 1 to 2^20 - 1 may stand
/// there. Without a number, each thread of the block arrives (of the cluster, for
/// `Barrier<Cluster>`).
#[doc(alias = "mbarrier.init")]
#[derive(Debug)]
pub struct Barrier<S> {
    /// The barrier's address in shared memory.
    address: u32,
    /// Makes the type neither `Send` nor `Sync`, because shared memory belongs to the block.
    scope: PhantomData<*mut S>,
}

/// Proof that this thread has arrived in a phase; [`Barrier::wait`] waits for the end
/// of that phase.
#[derive(Debug)]
#[must_use = "a thread that has arrived and never waits may go on too early; `let _ =` says that it is meant"]
pub struct Token(u64, PhantomData<*mut ()>);

impl Token {
    /// Returns the state word of the phase, for `compat`.
    #[doc(hidden)]
    #[inline]
    pub fn raw(&self) -> u64 {
        self.0
    }

    /// Makes the token from a state word.
    ///
    /// # Safety
    /// [`raw`](Self::raw) returned the word, of a token of this thread that waited for nothing yet.
    #[doc(hidden)]
    #[inline]
    pub unsafe fn from_raw(raw: u64) -> Self {
        Token(raw, PhantomData)
    }
}

/// The parity of a phase. It alternates, and the first phase is even.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parity {
    /// The first, third, ... phase.
    Even = 0,
    /// The second, fourth, ... phase.
    Odd = 1,
}

impl Parity {
    /// Returns the parity of the phase with this number. The first phase has number 0.
    #[inline]
    #[must_use]
    pub fn of(phase: u32) -> Self {
        if phase.is_multiple_of(2) {
            Parity::Even
        } else {
            Parity::Odd
        }
    }

    /// Returns the parity of the next phase.
    #[inline]
    #[must_use]
    pub fn next(self) -> Self {
        match self {
            Parity::Even => Parity::Odd,
            Parity::Odd => Parity::Even,
        }
    }
}

impl<S: Scope> Barrier<S> {
    /// Returns the barrier at an address.
    ///
    /// # Safety
    /// A barrier of this scope was initialised and published there, and it exists while it is used.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub unsafe fn at_address(address: u32) -> Self {
        Barrier {
            address,
            scope: PhantomData,
        }
    }

    /// Returns the barrier's address in shared memory, for instructions that take it.
    #[inline]
    pub(crate) fn address(&self) -> u32 {
        self.address
    }

    /// Arrives without waiting. Threads that wait for the phase see what this thread wrote
    /// before it arrived. See [what more arrivals do](self#what-safe-code-can-do-wrong).
    #[doc(alias = "mbarrier.arrive")]
    #[inline]
    pub fn arrive(&self) -> Token {
        let token: u64;
        // SAFETY: the barrier was initialised.
        unsafe {
            ptx!("mbarrier.arrive":
                "mbarrier.arrive.shared.b64 {token}, [{address}];",
                token = lateout(reg64) token,
                address = in(reg32) self.address,
                options(nostack, preserves_flags),
            );
        }
        Token(token, PhantomData)
    }

    /// Arrives, and waits until the phase ends.
    #[inline]
    pub fn arrive_and_wait(&self) {
        let token = self.arrive();
        self.wait(token);
    }

    /// Arrives for the last time. Later phases need, and [take](Self::arrive), one arrival less.
    #[doc(alias = "mbarrier.arrive_drop")]
    #[inline]
    pub fn arrive_and_drop(self) {
        // SAFETY: the barrier was initialised.
        unsafe {
            ptx!("mbarrier.arrive_drop":
                "{{ .reg .b64 state; mbarrier.arrive_drop.shared.b64 state, [{address}]; }}",
                address = in(reg32) self.address,
                options(nostack, preserves_flags),
            );
        }
    }

    /// Arrives when the copies of [`crate::async_copy`] that this thread has started are complete.
    /// Threads that wait for the phase see what the copies wrote. It replaces the thread's
    /// [`arrive`](Self::arrive), and the thread continues at once.
    #[doc(alias = "cp.async.mbarrier.arrive.noinc")]
    #[inline]
    pub fn arrive_with_copies(&self) {
        // SAFETY: the barrier was initialised.
        unsafe {
            ptx!("cp.async.mbarrier.arrive":
                "cp.async.mbarrier.arrive.noinc.shared.b64 [{address}];",
                address = in(reg32) self.address,
                options(nostack, preserves_flags),
            );
        }
    }

    /// Arrives, and makes the phase wait for `bytes` more bytes from copies that use this
    /// barrier. Needs `sm_90`.
    ///
    /// Start the copies next. A phase takes [less than 1 MiB](self#what-safe-code-can-do-wrong).
    #[doc(alias = "mbarrier.arrive.expect_tx")]
    #[inline]
    pub fn arrive_expect_bytes(&self, bytes: u32) -> Token {
        let token: u64;
        // SAFETY: the barrier was initialised.
        unsafe {
            ptx!("mbarrier.arrive.expect_tx":
                "mbarrier.arrive.expect_tx.shared.b64 {token}, [{address}], {bytes};",
                token = lateout(reg64) token,
                address = in(reg32) self.address,
                bytes = in(reg32) bytes,
                options(nostack, preserves_flags),
            );
        }
        Token(token, PhantomData)
    }

    /// Expects `bytes` more ([limit](Self::arrive_expect_bytes)), without arriving. Needs `sm_90`.
    #[doc(alias = "mbarrier.expect_tx")]
    #[inline]
    pub fn expect_bytes(&self, bytes: u32) {
        // SAFETY: the barrier was initialised.
        unsafe {
            ptx!("mbarrier.expect_tx":
                "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [{address}], {bytes};",
                address = in(reg32) self.address,
                bytes = in(reg32) bytes,
                options(nostack, preserves_flags),
            );
        }
    }

    /// Waits until the token's phase has ended. This thread then sees what the others wrote
    /// before they arrived.
    #[doc(alias = "mbarrier.try_wait")]
    #[inline]
    pub fn wait(&self, token: Token) {
        while !self.has_ended(&token) {}
    }

    /// Returns whether the token's phase has ended. From `sm_90` on, the instruction waits for a
    /// limited time before it returns false.
    ///
    /// The phase has to be the current one or the one before it.
    #[doc(alias = "mbarrier.test_wait")]
    #[inline]
    #[must_use]
    pub fn has_ended(&self, token: &Token) -> bool {
        phase_has_ended!(S, self.address, "mbarrier.test_wait", "", reg64, token.0)
    }

    /// Waits until the phase of this parity has ended. The thread need not have arrived in it.
    ///
    /// The thread has to know which phase it means. If the current phase has the other parity, the
    /// phase of this parity counts as ended, even if no such phase has begun yet. A producer relies
    /// on this when it waits for its first stage, which was never full.
    #[doc(alias = "mbarrier.try_wait.parity")]
    #[inline]
    pub fn wait_parity(&self, parity: Parity) {
        while !self.has_ended_parity(parity) {}
    }

    /// Returns whether the phase of this parity has ended. From `sm_90` on, the instruction waits
    /// for a limited time before it returns false.
    #[doc(alias = "mbarrier.test_wait.parity")]
    #[inline]
    #[must_use]
    pub fn has_ended_parity(&self, parity: Parity) -> bool {
        phase_has_ended!(
            S,
            self.address,
            "mbarrier.test_wait.parity",
            ".parity",
            reg32,
            parity as u32
        )
    }

    /// Destroys the barrier. Its memory may then be used for other data.
    ///
    /// # Safety
    /// One thread calls it, no thread waits or will arrive, and no copy that uses the barrier
    /// is still running.
    #[doc(alias = "mbarrier.inval")]
    #[inline]
    pub unsafe fn invalidate(self) {
        // SAFETY: the caller promises that the barrier is no longer used.
        unsafe {
            ptx!("mbarrier.inval":
                "mbarrier.inval.shared.b64 [{address}];",
                address = in(reg32) self.address,
                options(nostack, preserves_flags),
            );
        }
    }
}

impl Barrier<Cluster> {
    /// Returns the barrier at the same shared address in block `rank` of the cluster, so that this
    /// thread can arrive at it.
    ///
    /// # Safety
    /// The block has not ended when a thread arrives there: its threads wait for this barrier, or
    /// for the cluster, before they end.
    ///
    /// # Panics
    /// If the cluster has no block of this rank.
    #[doc(alias = "mapa")]
    #[inline]
    #[must_use]
    pub unsafe fn of_block(&self, rank: u32) -> RemoteBarrier {
        RemoteBarrier(self.address_in_block(rank), PhantomData)
    }

    /// Returns the address of the barrier in block `rank`, for instructions that take it.
    #[inline]
    pub(crate) fn address_in_block(&self, rank: u32) -> u32 {
        assert!(
            rank < cluster::num_blocks(),
            "a rank past the blocks of the cluster"
        );
        let address: u32;
        // SAFETY: the cluster has this block, and the instruction only computes an address.
        unsafe {
            ptx!("mapa.shared::cluster":
                "mapa.shared::cluster.u32 {address}, {own}, {rank};",
                address = lateout(reg32) address,
                own = in(reg32) self.address,
                rank = in(reg32) rank,
                options(pure, nomem, nostack, preserves_flags),
            );
        }
        address
    }
}

/// A barrier of any block of the cluster. Threads of all blocks arrive at it, and only the threads
/// of its own block wait.
///
/// ```
/// use lanewise_macros::{kernel, shared};
/// use lanewise_std::barrier::{Barrier, Parity, RemoteBarrier};
/// use lanewise_std::cluster::{block_rank, sync_cluster};
/// use lanewise_std::scope::Cluster;
/// use lanewise_std::thread::thread_rank;
///
/// /// The first block waits for two arrivals by the other.
/// #[kernel(min_arch = "sm_90")]
/// #[cluster_launch(2, 1, 1)]
/// pub fn tell_the_first() {
///     shared! { static TOLD: Barrier<Cluster> = 2; }
///     if block_rank() == 0 {
///         TOLD.wait_parity(Parity::Even);
///     } else if thread_rank() == 0 {
///         // SAFETY: the first block is there until the cluster's barrier.
///         let first: RemoteBarrier = unsafe { TOLD.of_block(0) };
///         first.arrive();
///         first.arrive_after_reads(); // nothing was written since
///     }
///     sync_cluster();
/// }
/// ```
#[derive(Debug)]
pub struct RemoteBarrier(u32, PhantomData<*mut ()>);

impl RemoteBarrier {
    /// Arrives. Threads that wait for the phase see what this thread wrote before it arrived.
    #[doc(alias = "mbarrier.arrive.shared::cluster")]
    #[inline]
    pub fn arrive(&self) {
        // SAFETY: each block of the cluster has made the barrier before any thread continued. Who
        // made this value has promised that its block is still there.
        unsafe {
            ptx!("mbarrier.arrive":
                "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [{address}];",
                address = in(reg32) self.0,
                options(nostack, preserves_flags),
            );
        }
    }

    /// Arrives, for a thread that has only read what the phase is about. Threads of another block
    /// that wait for the phase need not see what this thread wrote before it arrived.
    ///
    /// A consumer that gives a place back to a producer in another block uses it: the values are in
    /// its registers, or in the sum of products that were waited for: no store has to be seen.
    /// [`arrive`](Self::arrive) makes all stores of the thread visible to the cluster first, for
    /// which the hardware waits for those to global memory, too. PTX ISA, "mbarrier.arrive": if no
    /// scope is given, the instruction releases to the threads of its own block.
    #[doc(alias = "mbarrier.arrive.shared::cluster")]
    #[inline]
    pub fn arrive_after_reads(&self) {
        // SAFETY: as in `arrive`.
        unsafe {
            ptx!("mbarrier.arrive":
                "mbarrier.arrive.shared::cluster.b64 _, [{address}];",
                address = in(reg32) self.0,
                options(nostack, preserves_flags),
            );
        }
    }

    /// Arrives, and makes the phase wait for `bytes` more bytes.
    #[doc(alias = "mbarrier.arrive.expect_tx.shared::cluster")]
    #[inline]
    pub fn arrive_expect_bytes(&self, bytes: u32) {
        // SAFETY: as in `arrive`.
        unsafe {
            ptx!("mbarrier.arrive.expect_tx":
                "mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [{address}], {bytes};",
                address = in(reg32) self.0,
                bytes = in(reg32) bytes,
                options(nostack, preserves_flags),
            );
        }
    }
}

/// `N` barriers, one after another in shared memory. They are declared as a [`Barrier`] is, and the
/// number is that of each one: `static FULL: Barriers<Block, 4> = 1;`.
///
/// ```
/// use lanewise_macros::{kernel, shared};
/// use lanewise_std::barrier::{Barriers, Parity, Token};
/// use lanewise_std::scope::Block;
/// use lanewise_std::warp::warp_id;
///
/// /// Two halves of a block, each with a barrier of its own.
/// #[kernel(min_arch = "sm_80")]
/// #[launch_contract(dims = 1, block = 64)]
/// pub fn halves(rounds: u32) {
///     shared! { static HALVES: Barriers<Block, 2> = 32; }
///     let own = HALVES.at(warp_id() as usize);
///     let mut parity = Parity::of(0);
///     for _ in 0..rounds {
///         let token: Token = own.arrive();
///         while !own.has_ended(&token) {}
///         assert!(own.has_ended_parity(parity));
///         parity = parity.next();
///     }
///     own.arrive_and_wait();
///     own.arrive_and_drop(); // this thread comes to no later phase
/// }
/// ```
#[derive(Debug)]
pub struct Barriers<S, const N: usize> {
    first: u32,
    scope: PhantomData<*mut S>,
}

impl<S: Scope, const N: usize> Barriers<S, N> {
    /// Returns the barrier with this number.
    ///
    /// # Panics
    /// If `index` is not below `N`.
    #[inline]
    #[must_use]
    pub fn at(&self, index: usize) -> Barrier<S> {
        assert!(index < N, "a barrier past the last");
        Barrier {
            address: self.first + 8 * index as u32,
            scope: PhantomData,
        }
    }
}

impl<S: BarrierScope, const N: usize> AtEntry for Barriers<S, N> {
    type Initial = u32;

    const OF_CLUSTER: bool = S::IS_CLUSTER;

    #[inline(always)]
    fn meeting() -> bool {
        true
    }

    #[inline(always)]
    unsafe fn at_entry<Declaration>(arrivals: Option<u32>) -> Self {
        let memory = declaration::<Declaration, Memory<[BarrierStorage; N], Self>>();
        let first = state_space::shared(memory);
        let arrivals = arrivals.unwrap_or_else(|| {
            if S::IS_CLUSTER {
                cluster::num_threads()
            } else {
                thread::block_size()
            }
        });
        if thread::thread_rank() == 0 {
            for index in 0..N as u32 {
                // SAFETY: one thread calls it, and the others wait for it at the entry.
                unsafe { init_at(first + 8 * index, arrivals) };
            }
        }
        Barriers {
            first,
            scope: PhantomData,
        }
    }
}

impl<S: BarrierScope> AtEntry for Barrier<S> {
    type Initial = u32;

    const OF_CLUSTER: bool = S::IS_CLUSTER;

    #[inline(always)]
    fn meeting() -> bool {
        Barriers::<S, 1>::meeting()
    }

    #[inline(always)]
    unsafe fn at_entry<Declaration>(arrivals: Option<u32>) -> Self {
        // SAFETY: the caller keeps the contract of this function.
        unsafe { Barriers::<S, 1>::at_entry::<Declaration>(arrivals) }.at(0)
    }
}

/// Makes a barrier at a shared address.
///
/// # Panics
/// If the number of arrivals is not from 1 to 2^20 - 1.
///
/// # Safety
/// One thread calls it, there is memory for a barrier at the address, and a barrier of the block is
/// between this call and the use by other threads.
#[doc(hidden)]
#[inline]
pub unsafe fn init_at(address: u32, arrivals: u32) {
    assert!(
        (1..=MOST_ARRIVALS).contains(&arrivals),
        "a phase takes 1 to 2^20 - 1 arrivals"
    );
    // SAFETY: the caller keeps the contract of this function.
    unsafe {
        ptx!("mbarrier.init":
            "mbarrier.init.shared.b64 [{address}], {arrivals};",
            address = in(reg32) address,
            arrivals = in(reg32) arrivals,
            options(nostack, preserves_flags),
        );
    }
}

/// Orders the initialisation of barriers before their use by other blocks of the cluster.
#[inline]
pub(crate) fn fence_init() {
    // SAFETY: a fence only orders.
    unsafe {
        ptx!("fence.mbarrier_init": "fence.mbarrier_init.release.cluster;", options(nostack, preserves_flags));
    }
}
