//! `mbarrier`, as functions and as types.
//!
//! In a kernel, `static mut BAR: Barrier = Barrier::UNINIT;` makes `BAR` a barrier in shared
//! memory, whose address the functions take: `&raw mut BAR`.

use core::marker::PhantomData;

use lanewise_std::barrier::{self, BarrierStorage, Parity, Token};
use lanewise_std::inside;
use lanewise_std::scope::Block;
use lanewise_std::thread::{sync_threads, thread_idx_x};

pub use lanewise_std::fence::fence_proxy_async_shared as fence_proxy_async_shared_cta;
pub use lanewise_std::thread::nanosleep;

/// A barrier in shared memory. The value is the memory itself.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct Barrier {
    storage: BarrierStorage,
}

/// Returns the address of a barrier in shared memory.
fn address(bar: *const Barrier) -> u32 {
    inside::shared(bar)
}

/// # Safety
/// An initialised barrier is at the address.
#[inline]
pub(super) unsafe fn ours(bar: *const Barrier) -> barrier::Barrier<Block> {
    // SAFETY: the caller keeps the contract of this function.
    unsafe { barrier::Barrier::at_address(address(bar)) }
}

/// Initialises the barrier, whose phases take this many arrivals.
///
/// # Safety
/// One thread calls it, and there is a block barrier between this call and the use
/// by other threads.
#[inline]
pub unsafe fn mbarrier_init(bar: *mut Barrier, expected_count: u32) {
    // SAFETY: the caller keeps the contract of this function.
    unsafe { barrier::init_at(address(bar), expected_count) }
}

/// Arrives, and returns the token of the phase.
///
/// # Safety
/// The barrier was initialised.
#[inline]
#[must_use]
pub unsafe fn mbarrier_arrive(bar: *const Barrier) -> u64 {
    // SAFETY: the caller keeps the contract of this function.
    unsafe { ours(bar) }.arrive().raw()
}

/// Arrives, makes the phase wait for this many more bytes, and returns the token of the phase.
/// `tx_count` is ignored: a transaction is one unit, as in cuda-oxide.
///
/// # Safety
/// The barrier was initialised.
#[inline]
#[must_use]
pub unsafe fn mbarrier_arrive_expect_tx(bar: *const Barrier, tx_count: u32, bytes: u32) -> u64 {
    let _ = tx_count;
    // SAFETY: the caller keeps the contract of this function.
    unsafe { ours(bar) }.arrive_expect_bytes(bytes).raw()
}

/// Returns whether the phase of the token has ended.
///
/// # Safety
/// The barrier was initialised, and the token came from it.
#[inline]
#[must_use]
pub unsafe fn mbarrier_test_wait(bar: *const Barrier, token: u64) -> bool {
    // SAFETY: the caller keeps the contract of this function.
    unsafe { ours(bar).has_ended(&Token::from_raw(token)) }
}

/// Does the same as [`mbarrier_test_wait`], but may wait for a limited time before
/// it returns false.
///
/// # Safety
/// As for [`mbarrier_test_wait`].
#[inline]
#[must_use]
pub unsafe fn mbarrier_try_wait(bar: *const Barrier, token: u64) -> bool {
    // SAFETY: the caller keeps the contract of this function.
    unsafe { mbarrier_test_wait(bar, token) }
}

/// Returns whether the phase of this parity (0 or 1) has ended.
///
/// # Safety
/// The barrier was initialised.
#[inline]
#[must_use]
pub unsafe fn mbarrier_try_wait_parity(bar: *const Barrier, parity: u32) -> bool {
    // SAFETY: the caller keeps the contract of this function.
    unsafe { ours(bar) }.has_ended_parity(Parity::of(parity))
}

/// Waits for the phase of the token.
///
/// # Safety
/// As for [`mbarrier_test_wait`].
#[inline]
pub unsafe fn mbarrier_wait(bar: *const Barrier, token: u64) {
    // SAFETY: the caller keeps the contract of this function.
    unsafe { ours(bar).wait(Token::from_raw(token)) };
}

/// Arrives, and waits for the phase.
///
/// # Safety
/// The barrier was initialised.
#[inline]
pub unsafe fn mbarrier_arrive_and_wait(bar: *const Barrier) {
    // SAFETY: the caller keeps the contract of this function.
    unsafe { ours(bar) }.arrive_and_wait();
}

/// Destroys the barrier. Its memory can then be used for other data.
///
/// # Safety
/// One thread calls it, and the barrier is no longer used.
#[inline]
pub unsafe fn mbarrier_inval(bar: *mut Barrier) {
    // SAFETY: the caller keeps the contract of this function.
    unsafe { ours(bar).invalidate() }
}

/// The state of a barrier that is not initialised yet.
#[derive(Debug)]
pub enum Uninit {}
/// The state of a barrier that may be used.
#[derive(Debug)]
pub enum Ready {}
/// The state of a barrier that has ended and may not be used.
#[derive(Debug)]
pub enum Invalidated {}
/// The kind of barrier to which copies of the tensor memory accelerator report.
#[derive(Debug)]
pub enum TmaBarrier {}
/// The kind of barrier to which the matrix units report.
#[derive(Debug)]
pub enum MmaBarrier {}
/// The kind of barrier that anything may arrive at.
#[derive(Debug)]
pub enum GeneralBarrier {}

/// The proof that a thread has arrived in a phase.
#[derive(Clone, Copy, Debug)]
pub struct BarrierToken(u64);

impl BarrierToken {
    /// Returns the number of the phase.
    #[inline]
    #[must_use]
    pub const fn raw(self) -> u64 {
        self.0
    }

    /// Makes the token from a number.
    #[inline]
    #[must_use]
    pub const fn from_raw(raw: u64) -> Self {
        BarrierToken(raw)
    }
}

/// A barrier whose type contains its state: uninitialised, ready or invalidated.
#[derive(Debug)]
pub struct ManagedBarrier<State, Kind, const ID: usize = 0> {
    bar: *mut Barrier,
    state: PhantomData<fn() -> (State, Kind)>,
}

impl<State, Kind, const ID: usize> ManagedBarrier<State, Kind, ID> {
    #[inline]
    fn at(bar: *mut Barrier) -> Self {
        ManagedBarrier {
            bar,
            state: PhantomData,
        }
    }
}

impl<Kind, const ID: usize> ManagedBarrier<Uninit, Kind, ID> {
    /// Returns the barrier at `&raw mut BAR`.
    #[inline]
    #[must_use]
    pub fn from_static(bar: *mut Barrier) -> Self {
        Self::at(bar)
    }

    /// Initialises the barrier in thread 0. All threads of the block call it, and wait
    /// for each other.
    ///
    /// # Safety
    /// All threads of the block call it. The address was that of a kernel's barrier, and no thread
    /// uses the barrier earlier.
    #[inline]
    pub unsafe fn init(self, count: u32) -> ManagedBarrier<Ready, Kind, ID> {
        // SAFETY: the caller keeps the contract of this function.
        unsafe { self.init_by(count, 0) }
    }

    /// Initialises the barrier in the thread of rank `init_thread`.
    ///
    /// # Safety
    /// As for [`init`](Self::init); the block has such a thread.
    #[inline]
    pub unsafe fn init_by(self, count: u32, init_thread: u32) -> ManagedBarrier<Ready, Kind, ID> {
        if thread_idx_x() == init_thread {
            // SAFETY: only one thread calls it, and the others wait below.
            unsafe { mbarrier_init(self.bar, count) };
            if lanewise_std::inside::is_at_least(90) {
                fence_proxy_async_shared_cta();
            }
        }
        sync_threads();
        ManagedBarrier::at(self.bar)
    }
}

impl<Kind, const ID: usize> ManagedBarrier<Ready, Kind, ID> {
    /// Returns the barrier's address.
    #[inline]
    #[must_use]
    pub fn as_ptr(&self) -> *const Barrier {
        self.bar
    }

    /// Arrives for the calling thread.
    #[inline]
    #[must_use]
    pub fn arrive(&self) -> BarrierToken {
        // SAFETY: it was initialised.
        BarrierToken(unsafe { mbarrier_arrive(self.bar) })
    }

    /// Arrives, and makes the phase wait for this many more bytes.
    #[inline]
    #[must_use]
    pub fn arrive_expect_tx(&self, bytes: u32) -> BarrierToken {
        // SAFETY: it was initialised.
        BarrierToken(unsafe { mbarrier_arrive_expect_tx(self.bar, 1, bytes) })
    }

    /// Returns whether the phase of the token has ended.
    #[inline]
    #[must_use]
    pub fn try_wait(&self, token: BarrierToken) -> bool {
        // SAFETY: it was initialised.
        unsafe { mbarrier_try_wait(self.bar, token.0) }
    }

    /// Waits for the phase of the token.
    #[inline]
    pub fn wait(&self, token: BarrierToken) {
        while !self.try_wait(token) {}
    }

    /// Destroys the barrier. Its memory can then be used for other data.
    ///
    /// # Safety
    /// One thread calls it, and the barrier is no longer used.
    #[inline]
    pub unsafe fn inval(self) -> ManagedBarrier<Invalidated, Kind, ID> {
        // SAFETY: the caller keeps the contract of this function.
        unsafe { mbarrier_inval(self.bar) };
        ManagedBarrier::at(self.bar)
    }
}
