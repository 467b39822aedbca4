//! Barriers in shared memory (`mbarrier`): for any number of threads, and for bytes that copies
//! bring.
//!
//! `sync_threads` is one barrier for the whole block. A [`Barrier`] is an object of 8 bytes, and a
//! block may have many. It counts *arrivals*; from `sm_90` it also counts the bytes that
//! asynchronous copies bring. When nothing is missing any more, the phase ends: the waiting threads
//! go on, and the next phase begins with the same counts. Arriving and waiting are two steps, and a
//! thread that arrives need not wait.
//!
//! The states are types. A `shared!` declaration of [`BarrierStorage`] is only memory.
//! [`Barrier::init`], which the whole block calls, makes a barrier in it. [`Barrier::arrive`] gives
//! a [`Token`] for the phase, and [`Barrier::wait`] takes it. A thread without a token waits for a
//! phase by its [`Parity`]. [`crate::pipeline`] is built on these barriers and keeps the order of
//! steps by itself.
//!
//! ```
//! use lanewise_macros::{kernel, shared};
//! use lanewise_std::barrier::{Barrier, Block};
//! use lanewise_std::barrier::BarrierStorage;
//! use lanewise_std::thread;
//!
//! #[kernel(min_arch = "sm_80")]
//! pub fn two_steps() {
//!     shared! { static BARRIER: [BarrierStorage; 1]; }
//!     let barrier = Barrier::<Block>::init(&BARRIER, thread::block_size());
//!     let token = barrier.arrive();
//!     // Work that needs nobody else goes here.
//!     barrier.wait(token);
//! }
//! ```
//!
//! PTX ISA, "Parallel Synchronization and Communication Instructions: mbarrier"; CUDA C++
//! Programming Guide, "Asynchronous Barrier".

#![cfg_attr(
    not(target_arch = "nvptx64"),
    allow(unused_variables, unreachable_code, dead_code)
)]

use core::marker::PhantomData;

use crate::shared::SharedArray;
use crate::state_space::{self, ptx};
use crate::{cluster, target, thread};

/// Whether a phase has ended, which is named by a token or by its parity (`$parity`): by an
/// instruction that waits a while, where the target has one.
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

/// Eight bytes of shared memory that a barrier is made of:
/// `shared! { static BARRIER: [BarrierStorage; 1]; }`.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(8))]
pub struct BarrierStorage(u64);

mod sealed {
    pub trait Sealed {}
}

/// Which threads arrive at a barrier: those of the [`Block`] or of the [`Cluster`].
pub trait Scope: sealed::Sealed {
    /// Whether threads of other blocks arrive.
    const IS_CLUSTER: bool;
}

/// The threads of the block.
#[derive(Debug)]
pub enum Block {}

/// The threads of the cluster, from `sm_90`: those of other blocks arrive by [`Barrier::of_block`].
#[derive(Debug)]
pub enum Cluster {}

impl sealed::Sealed for Block {}
impl sealed::Sealed for Cluster {}
impl Scope for Block {
    const IS_CLUSTER: bool = false;
}
impl Scope for Cluster {
    const IS_CLUSTER: bool = true;
}

/// A barrier of this block that was initialised.
#[derive(Debug)]
pub struct Barrier<S> {
    /// In shared memory.
    address: u32,
    /// Neither `Send` nor `Sync`: shared memory is the block's.
    scope: PhantomData<*mut S>,
}

/// Proof that this thread has arrived in a phase; [`Barrier::wait`] waits for the end of that
/// phase.
#[derive(Debug)]
#[must_use = "a thread that has arrived and never waits may go on too early; `let _ =` says that it is meant"]
pub struct Token(u64, PhantomData<*mut ()>);

impl Token {
    /// The state word of the phase, as `compat` hands it out.
    #[cfg(feature = "compat")]
    #[inline]
    pub(crate) fn raw(&self) -> u64 {
        self.0
    }

    /// The token of a state word that [`raw`](Self::raw) gave.
    #[cfg(feature = "compat")]
    #[inline]
    pub(crate) fn from_raw(raw: u64) -> Self {
        Token(raw, PhantomData)
    }
}

/// Which of two phases: they alternate, and the first is even.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parity {
    /// The first, third, ... phase.
    Even = 0,
    /// The second, fourth, ... phase.
    Odd = 1,
}

impl Parity {
    /// The parity of the phase with this number; the first phase has number 0.
    #[inline]
    #[must_use]
    pub fn of(phase: u32) -> Self {
        if phase.is_multiple_of(2) {
            Parity::Even
        } else {
            Parity::Odd
        }
    }

    /// The parity of the next phase.
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
    /// Makes a barrier whose phases each take `arrivals` arrivals, 1 to 2^20 - 1. All threads of
    /// the block call it (with the cluster's scope, all threads of the cluster); none goes on
    /// before the barrier exists.
    #[doc(alias = "mbarrier.init")]
    #[inline]
    pub fn init(storage: &SharedArray<BarrierStorage, 1>, arrivals: u32) -> Self {
        Self::init_several(storage, |_| arrivals).at(0)
    }

    /// Makes `N` barriers at once; barrier `i` takes `arrivals[i]` arrivals in each phase.
    #[inline]
    pub fn init_several<const N: usize>(
        storage: &SharedArray<BarrierStorage, N>,
        mut arrivals: impl FnMut(usize) -> u32,
    ) -> Barriers<S, N> {
        let first = state_space::shared(storage.as_ptr());
        if thread::thread_rank() == 0 {
            for index in 0..N {
                // SAFETY: one thread, before the others know of the barrier.
                unsafe { init_at(first + 8 * index as u32, arrivals(index)) };
            }
        }
        publish::<S>();
        Barriers {
            first,
            scope: PhantomData,
        }
    }

    /// The barrier at an address.
    ///
    /// # Safety
    /// A barrier of this scope was initialised there, all threads have learnt of it, and it exists
    /// for as long as it is used.
    #[inline]
    pub(crate) unsafe fn at_address(address: u32) -> Self {
        Barrier {
            address,
            scope: PhantomData,
        }
    }

    /// Its shared address, for instructions that name it.
    #[inline]
    pub(crate) fn address(&self) -> u32 {
        self.address
    }

    /// Arrives and goes on. Threads that wait for the phase see what this thread wrote before.
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

    /// Arrives, and waits for the phase.
    #[inline]
    pub fn arrive_and_wait(&self) {
        let token = self.arrive();
        self.wait(token);
    }

    /// Arrives for the last time: later phases take one arrival less.
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

    /// Arrives once the copies of [`crate::async_copy`] that this thread has started are done.
    /// Threads that wait for the phase see what the copies brought. It replaces the thread's
    /// [`arrive`](Self::arrive), and the thread goes on at once.
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

    /// Arrives, and makes the phase wait for `bytes` more bytes from copies that name this barrier.
    /// From `sm_90`.
    ///
    /// Start the copies afterwards. All copies of one phase bring less than 1 MiB.
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

    /// Makes the phase wait for `bytes` more bytes, without arriving. From `sm_90`.
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

    /// Waits until the token's phase has ended. This thread then sees what the others wrote before
    /// they arrived.
    #[doc(alias = "mbarrier.try_wait")]
    #[inline]
    pub fn wait(&self, token: Token) {
        while !self.has_ended(&token) {}
    }

    /// Whether the token's phase has ended. From `sm_90` the instruction itself waits a while
    /// before it says no.
    ///
    /// The phase has to be the one that runs or the one before.
    #[doc(alias = "mbarrier.test_wait")]
    #[inline]
    #[must_use]
    pub fn has_ended(&self, token: &Token) -> bool {
        phase_has_ended!(S, self.address, "mbarrier.test_wait", "", reg64, token.0)
    }

    /// Waits until the phase of this parity has ended, without having arrived in it.
    ///
    /// The thread has to know which phase it means. A phase of the other parity, which has not
    /// begun, counts as ended: a producer that waits for its first place relies on this, since that
    /// place was never full.
    #[doc(alias = "mbarrier.try_wait.parity")]
    #[inline]
    pub fn wait_parity(&self, parity: Parity) {
        while !self.has_ended_parity(parity) {}
    }

    /// Whether the phase of this parity has ended. From `sm_90` the instruction waits a while
    /// before it says no.
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

    /// Destroys the barrier: its memory may then be used for something else.
    ///
    /// # Safety
    /// One thread calls it, no thread waits or will arrive, and no copy is on its way to it.
    #[doc(alias = "mbarrier.inval")]
    #[inline]
    pub unsafe fn invalidate(self) {
        // SAFETY: the caller says that nobody uses it any more.
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
    /// The barrier at the same place in block `rank` of the cluster, to arrive at from here.
    ///
    /// # Panics
    /// If the cluster has no block of this rank.
    #[doc(alias = "mapa")]
    #[inline]
    #[must_use]
    pub fn of_block(&self, rank: u32) -> RemoteBarrier {
        assert!(
            rank < cluster::num_blocks(),
            "a rank past the blocks of the cluster"
        );
        let address: u32;
        // SAFETY: the cluster has this block; computes an address.
        unsafe {
            ptx!("mapa.shared::cluster":
                "mapa.shared::cluster.u32 {address}, {own}, {rank};",
                address = lateout(reg32) address,
                own = in(reg32) self.address,
                rank = in(reg32) rank,
                options(pure, nomem, nostack, preserves_flags),
            );
        }
        RemoteBarrier(address, PhantomData)
    }
}

/// A barrier of a block of the cluster, this one or another: threads arrive at it, and those of its
/// own block wait.
#[derive(Debug)]
pub struct RemoteBarrier(u32, PhantomData<*mut ()>);

impl RemoteBarrier {
    /// Its address as the cluster has it, for instructions that name it.
    #[inline]
    pub(crate) fn address(&self) -> u32 {
        self.0
    }

    /// Arrives. Threads that wait for the phase see what this thread wrote before. The block must
    /// not have ended.
    #[doc(alias = "mbarrier.arrive.shared::cluster")]
    #[inline]
    pub fn arrive(&self) {
        // SAFETY: the barrier was initialised in each block of the cluster before any went on.
        unsafe {
            ptx!("mbarrier.arrive":
                "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [{address}];",
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

/// Several barriers, one after another in shared memory.
#[derive(Debug)]
pub struct Barriers<S, const N: usize> {
    first: u32,
    scope: PhantomData<*mut S>,
}

impl<S: Scope, const N: usize> Barriers<S, N> {
    /// The barrier with this number.
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

/// Makes a barrier at a shared address.
///
/// # Safety
/// One thread calls it, there is room for one, and nobody uses it before [`publish`].
#[inline]
pub(crate) unsafe fn init_at(address: u32, arrivals: u32) {
    // SAFETY: the caller's promise.
    unsafe {
        ptx!("mbarrier.init":
            "mbarrier.init.shared.b64 [{address}], {arrivals};",
            address = in(reg32) address,
            arrivals = in(reg32) arrivals,
            options(nostack, preserves_flags),
        );
    }
}

/// Makes the new barriers known to all threads, to asynchronous copies and to the other blocks of
/// the cluster.
#[inline]
pub(crate) fn publish<S: Scope>() {
    if target::is_at_least(90) {
        // SAFETY: a fence only orders.
        unsafe {
            ptx!("fence.mbarrier_init": "fence.mbarrier_init.release.cluster;", options(nostack, preserves_flags));
            ptx!("fence.proxy.async": "fence.proxy.async.shared::cta;", options(nostack, preserves_flags));
        }
    }
    if S::IS_CLUSTER {
        cluster::sync_cluster();
    } else {
        thread::sync_threads();
    }
}
