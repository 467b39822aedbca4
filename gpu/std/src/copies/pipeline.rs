//! A pipeline: stages in shared memory. Producers fill some stages while consumers empty others.
//!
//! There are `STAGES` stages. A stage is a place in shared memory with two barriers. Producers
//! arrive at one when the place is full, and consumers arrive at the other when it is empty again.
//! A thread is a producer, a consumer or both, and visits the places in order, again and again. The
//! types determine which steps are possible:
//!
//! | step | gives | which ends by |
//! | --- | --- | --- |
//! | [`Producer::acquire`] waits until the place is empty | [`Empty`] | [`commit`](Empty::commit), [`commit_copies`](Empty::commit_copies), [`expect`](Empty::expect) |
//! | [`Consumer::wait`] waits until the place is full | [`Full`] | [`release`](Full::release), [`release_with_products`](Full::release_with_products), [`keep`](Full::keep) and [`release`](HeldStage::release) later |
//!
//! The value for a place borrows the thread's producer or consumer. So the thread has one place at
//! a time, and commits or releases it before it takes the next. Drop also commits or releases a
//! place. So no arrival is forgotten, none happens twice, and the kernel does not count phases.
//!
//! A kernel declares a pipeline in its first statement, with the numbers of producers and of
//! consumers: `static PLACES: Pipeline<4> = (1, 128);`. Without them, each thread of the block is
//! both. The kernel has to ensure that as many threads visit every place. If a thread exits early,
//! the others wait for ever. The simulator reports which arrivals are missing. What the places hold
//! is raw memory. CUDA C++ Programming Guide, "Pipeline", "Producer-Consumer Pattern through
//! Barriers".
//!
//! ```
//! use lanewise_macros::{kernel, shared};
//! use lanewise_std::pipeline::Pipeline;
//! use lanewise_std::thread::thread_rank;
//!
//! /// The first thread fills places, and the threads of another warp empty them.
//! #[kernel(min_arch = "sm_80")]
//! #[launch_contract(dims = 1, block = 64)]
//! pub fn two_roles(rounds: u32) {
//!     shared! { static PLACES: Pipeline<3> = (1, 32); }
//!     if thread_rank() == 0 {
//!         let mut producer = PLACES.producer();
//!         for _ in 0..rounds {
//!             producer.acquire().commit();
//!         }
//!     } else if thread_rank() >= 32 {
//!         let mut consumer = PLACES.consumer();
//!         for _ in 0..rounds {
//!             consumer.wait().release();
//!         }
//!     }
//! }
//! ```
//!
//! Copies that run in the background fill a place later, and tensor cores may empty it later:
//!
//! ```
//! use lanewise_macros::{kernel, shared};
//! use lanewise_std::async_copy::copy_async;
//! use lanewise_std::gpu_assert;
//! use lanewise_std::matrix::tcgen05::OneBlock;
//! use lanewise_std::pipeline::Pipeline;
//! use lanewise_std::thread::thread_rank;
//!
//! /// Each thread copies one element to each place.
//! #[kernel(min_arch = "sm_80")]
//! #[launch_contract(dims = 1, block = 32)]
//! pub fn with_copies(input: &[f32]) {
//!     shared! {
//!         static TILES: [[f32; 32]; 2];
//!         static PLACES: Pipeline<2>;
//!     }
//!     gpu_assert!(input.len() >= 32, "too short");
//!     let (mut producer, mut consumer) = PLACES.both();
//!     let place = producer.acquire();
//!     let i = thread_rank() as usize;
//!     // SAFETY: the cell is this thread's until the place is full.
//!     unsafe {
//!         let cell = TILES.address_of(place.stage()).cast::<f32>().add(i);
//!         copy_async(cell, &raw const input[i]);
//!     }
//!     place.commit_copies();
//!     consumer.wait().release();
//! }
//!
//! /// The place is empty when the products that read it are done.
//! #[kernel(min_arch = "sm_100a")]
//! #[launch_contract(dims = 1, block = 128)]
//! pub fn with_products() {
//!     shared! { static PLACES: Pipeline<2> = (1, 1); }
//!     if thread_rank() == 0 {
//!         PLACES.producer().acquire().commit();
//!     } else if thread_rank() == 32 {
//!         PLACES.consumer().wait().release_with_products::<OneBlock>();
//!     }
//! }
//! ```

use core::mem::ManuallyDrop;

use crate::barrier::{self, Barrier, BarrierStorage, Parity};
use crate::kernel::AtEntry;
use crate::matrix::tcgen05::{self, CtaGroup};
use crate::memory::shared::declaration;
use crate::phased::Memory;
use crate::scope::Block;
use crate::{state_space, thread};

/// The shared address of the first barrier, and the place and phase that the thread has reached.
#[derive(Debug)]
struct StageCursor<const STAGES: usize> {
    first: u32,
    stage: u32,
    parity: Parity,
}

impl<const STAGES: usize> StageCursor<STAGES> {
    const FULL: u32 = 0;
    const EMPTY: u32 = 8;

    fn new(first: u32, parity: Parity) -> Self {
        StageCursor {
            first,
            stage: 0,
            parity,
        }
    }

    /// Returns a barrier of the current place.
    #[inline(always)]
    fn barrier(&self, which: u32) -> Barrier<Block> {
        // SAFETY: the kernel's entry point has made the barriers of all places, and their memory
        // lives as long as the block.
        unsafe { Barrier::at_address(self.first + 16 * self.stage + which) }
    }

    /// Returns the number of the current place.
    #[inline(always)]
    fn stage(&self) -> usize {
        // SAFETY: `advance` returns to 0 after the last place. With this assumption, indices
        // computed from the number need no bounds check.
        unsafe { core::hint::assert_unchecked((self.stage as usize) < STAGES) };
        self.stage as usize
    }

    #[inline(always)]
    fn advance(&mut self) {
        self.stage += 1;
        if self.stage as usize == STAGES {
            self.stage = 0;
            self.parity = self.parity.next();
        }
    }
}

/// A pipeline, of which each thread takes its part.
#[derive(Debug)]
#[must_use = "take a part of it: `producer`, `consumer` or `both`"]
pub struct Pipeline<const STAGES: usize> {
    first: u32,
}

impl<const STAGES: usize> Pipeline<STAGES> {
    /// Returns this thread's part as a producer.
    #[inline]
    pub fn producer(self) -> Producer<STAGES> {
        // At the start every place is empty, because the phase before the first counts as ended.
        Producer(StageCursor::new(self.first, Parity::Odd))
    }

    /// Returns this thread's part as a consumer.
    #[inline]
    pub fn consumer(self) -> Consumer<STAGES> {
        Consumer(StageCursor::new(self.first, Parity::Even))
    }

    /// Returns both parts, for a thread that is both a producer and a consumer.
    ///
    /// Such a thread must not acquire a place that it has still to consume itself. So its producer
    /// can be at most `STAGES` places ahead.
    #[inline]
    pub fn both(self) -> (Producer<STAGES>, Consumer<STAGES>) {
        let first = self.first;
        (self.producer(), Pipeline { first }.consumer())
    }
}

impl<const STAGES: usize> AtEntry for Pipeline<STAGES> {
    /// The numbers of producers and of consumers.
    type Initial = (u32, u32);

    #[inline(always)]
    fn meeting() -> bool {
        true
    }

    #[inline(always)]
    unsafe fn at_entry<Declaration>(initial: Option<(u32, u32)>) -> Self {
        const { assert!(STAGES > 0, "a pipeline has at least one place") };
        // Two barriers for each place: full and empty.
        let memory = declaration::<Declaration, Memory<[[BarrierStorage; 2]; STAGES], Self>>();
        let first = state_space::shared(memory);
        let all = thread::block_size();
        let (producers, consumers) = initial.unwrap_or((all, all));
        if thread::thread_rank() == 0 {
            for stage in 0..STAGES as u32 {
                // SAFETY: one thread calls it, and the others wait for it at the entry.
                unsafe {
                    barrier::init_at(first + 16 * stage, producers);
                    barrier::init_at(first + 16 * stage + 8, consumers);
                }
            }
        }
        Pipeline { first }
    }
}

/// A thread that fills places.
#[derive(Debug)]
pub struct Producer<const STAGES: usize>(StageCursor<STAGES>);

/// A thread that empties places.
#[derive(Debug)]
pub struct Consumer<const STAGES: usize>(StageCursor<STAGES>);

impl<const STAGES: usize> Producer<STAGES> {
    /// Waits until all consumers have released the next place.
    #[doc(alias = "producer_acquire")]
    #[inline]
    pub fn acquire(&mut self) -> Empty<'_, STAGES> {
        self.0
            .barrier(StageCursor::<STAGES>::EMPTY)
            .wait_parity(self.0.parity);
        Empty(self)
    }
}

impl<const STAGES: usize> Consumer<STAGES> {
    /// Waits until all producers have filled the next place. This thread may then read what
    /// they wrote there.
    #[doc(alias = "consumer_wait")]
    #[inline]
    pub fn wait(&mut self) -> Full<'_, STAGES> {
        self.0
            .barrier(StageCursor::<STAGES>::FULL)
            .wait_parity(self.0.parity);
        Full(self)
    }
}

/// A place that is empty, for a producer to fill. It is committed when it is dropped.
#[derive(Debug)]
#[must_use = "the place is committed where this is dropped: fill it first"]
pub struct Empty<'a, const STAGES: usize>(&'a mut Producer<STAGES>);

impl<'a, const STAGES: usize> Empty<'a, STAGES> {
    /// Returns the number of the place.
    #[inline]
    #[must_use]
    pub fn stage(&self) -> usize {
        self.0.0.stage()
    }

    /// Reports that this thread has filled its part by ordinary writes.
    #[doc(alias = "producer_commit")]
    #[inline]
    pub fn commit(self) {
        drop(self);
    }

    /// Reports this thread's part as filled when the copies of [`crate::async_copy`] that it has
    /// started are complete. The thread continues at once.
    #[doc(alias = "producer_commit")]
    #[inline]
    pub fn commit_copies(self) {
        let place = ManuallyDrop::new(self);
        // SAFETY: `self` is not dropped, so the reference is moved out once.
        let producer = unsafe { core::ptr::read(&raw const place.0) };
        producer
            .0
            .barrier(StageCursor::<STAGES>::FULL)
            .arrive_with_copies();
        producer.0.advance();
    }

    /// Reports this thread's part as filled when `bytes` bytes have arrived. Start the bulk copies
    /// of these bytes with the barrier of the returned [`Expecting`]. Needs `sm_90`.
    #[inline]
    pub fn expect(self, bytes: u32) -> Expecting<'a, STAGES> {
        let place = ManuallyDrop::new(self);
        // SAFETY: `self` is not dropped, so the reference is moved out once.
        let producer = unsafe { core::ptr::read(&raw const place.0) };
        let _ = producer
            .0
            .barrier(StageCursor::<STAGES>::FULL)
            .arrive_expect_bytes(bytes);
        Expecting(producer)
    }
}

impl<const STAGES: usize> Drop for Empty<'_, STAGES> {
    #[inline]
    fn drop(&mut self) {
        let way = &mut self.0.0;
        let _ = way.barrier(StageCursor::<STAGES>::FULL).arrive();
        way.advance();
    }
}

/// A place that waits for the bytes of bulk copies. Start the copies, and then drop this value.
#[derive(Debug)]
#[must_use = "the bytes that are expected have to be asked for, by copies that name `barrier`"]
pub struct Expecting<'a, const STAGES: usize>(&'a mut Producer<STAGES>);

impl<const STAGES: usize> Expecting<'_, STAGES> {
    /// Returns the number of the place.
    #[inline]
    #[must_use]
    pub fn stage(&self) -> usize {
        self.0.0.stage()
    }

    /// Returns the barrier to which the copies report.
    #[inline]
    #[must_use]
    pub fn barrier(&self) -> Barrier<Block> {
        self.0.0.barrier(StageCursor::<STAGES>::FULL)
    }
}

impl<const STAGES: usize> Drop for Expecting<'_, STAGES> {
    #[inline]
    fn drop(&mut self) {
        self.0.0.advance();
    }
}

/// A place that is full, for a consumer to read. It is released when it is dropped.
#[derive(Debug)]
#[must_use = "the place is released where this is dropped: read it first"]
pub struct Full<'a, const STAGES: usize>(&'a mut Consumer<STAGES>);

impl<const STAGES: usize> Full<'_, STAGES> {
    /// Returns the number of the place.
    #[inline]
    #[must_use]
    pub fn stage(&self) -> usize {
        self.0.0.stage()
    }

    /// Reports that this thread has read its part.
    #[doc(alias = "consumer_release")]
    #[inline]
    pub fn release(self) {
        drop(self);
    }

    /// Lets the thread take the next place before it releases this one, for example because an
    /// asynchronous operation still reads it. A thread must keep fewer than `STAGES` places, or it
    /// waits for ever.
    #[inline]
    pub fn keep(self) -> HeldStage {
        let place = ManuallyDrop::new(self);
        // SAFETY: `self` is not dropped, so the reference is moved out once.
        let consumer = unsafe { core::ptr::read(&raw const place.0) };
        let kept = HeldStage(consumer.0.barrier(StageCursor::<STAGES>::EMPTY));
        consumer.0.advance();
        kept
    }

    /// Reports this thread's part as read when the products of [`crate::matrix::tcgen05`] that it
    /// has started are complete. The thread continues at once. Needs `sm_100a`.
    #[doc(alias = "tcgen05.commit")]
    #[inline]
    pub fn release_with_products<G: CtaGroup>(self) {
        let place = ManuallyDrop::new(self);
        // SAFETY: `self` is not dropped, so the reference is moved out once.
        let consumer = unsafe { core::ptr::read(&raw const place.0) };
        let empty = consumer.0.barrier(StageCursor::<STAGES>::EMPTY);
        // SAFETY: the barrier was made at the entry, and lives as long as the block.
        unsafe { tcgen05::commit::<G, _>(&empty) };
        consumer.0.advance();
    }
}

impl<const STAGES: usize> Drop for Full<'_, STAGES> {
    #[inline]
    fn drop(&mut self) {
        let way = &mut self.0.0;
        let _ = way.barrier(StageCursor::<STAGES>::EMPTY).arrive();
        way.advance();
    }
}

/// A place that is still read after the thread has taken the next one. It is released when
/// it is dropped.
///
/// ```
/// use lanewise_macros::{kernel, shared};
/// use lanewise_std::pipeline::{Consumer, Empty, Expecting, Full, HeldStage, Pipeline, Producer};
/// use lanewise_std::tma::{BoxOf, TensorMap, Tile};
/// use lanewise_std::thread::thread_rank;
///
/// /// The first thread brings boxes, and a warp adds up the last two of them at a time.
/// #[kernel(min_arch = "sm_90")]
/// #[launch_contract(dims = 1, block = 64)]
/// pub fn sums_of_two(map: TensorMap<u32, 2, BoxOf<32, 1>>, boxes: u32) {
///     shared! {
///         static BOXES: [Tile<[u32; 32]>; 3];
///         static STAGES: Pipeline<3> = (1, 32);
///     }
///     if thread_rank() == 0 {
///         let mut producer: Producer<3> = STAGES.producer();
///         for row in 0..boxes as i32 {
///             let empty: Empty<'_, 3> = producer.acquire();
///             let tile = BOXES.tile(empty.stage());
///             let full: Expecting<'_, 3> = empty.expect(128);
///             // SAFETY: the place is empty, and has room for a box.
///             unsafe { map.load(tile.as_ptr(), [0, row], &full.barrier()) };
///         }
///     } else if thread_rank() >= 32 {
///         let mut consumer: Consumer<3> = STAGES.consumer();
///         let mut before: Option<HeldStage> = None;
///         for _ in 0..boxes {
///             let full: Full<'_, 3> = consumer.wait();
///             let _ = BOXES.tile(full.stage());
///             // Two boxes are in use at a time, and a third one is on its way.
///             if let Some(before) = before.replace(full.keep()) {
///                 before.release();
///             }
///         }
///     }
/// }
/// ```
#[derive(Debug)]
#[must_use = "the place is released where this is dropped"]
pub struct HeldStage(Barrier<Block>);

impl HeldStage {
    /// Reports that this thread has read its part.
    #[inline]
    pub fn release(self) {
        drop(self);
    }
}

impl Drop for HeldStage {
    #[inline]
    fn drop(&mut self) {
        let _ = self.0.arrive();
    }
}
