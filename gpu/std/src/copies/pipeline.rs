//! A pipeline: places in shared memory that producers fill while consumers empty others.
//!
//! There are `STAGES` places. Each has two barriers: producers arrive at one when the place is
//! full, consumers at the other when it is empty again. A thread is a producer, a consumer or both,
//! and visits the places in order, again and again. The types say what it may do when:
//!
//! | step | gives | which ends by |
//! | --- | --- | --- |
//! | [`Producer::acquire`] waits until the place is empty | [`Empty`] | [`commit`](Empty::commit), [`commit_copies`](Empty::commit_copies), [`expect`](Empty::expect) |
//! | [`Consumer::wait`] waits until the place is full | [`Full`] | [`release`](Full::release), [`release_with_products`](Full::release_with_products), [`keep`](Full::keep) and [`release`](HeldStage::release) later |
//!
//! A place that a thread holds borrows its producer or consumer, so the thread has one place at a
//! time and ends it before the next. A place that is dropped is committed or released. So no
//! arrival is forgotten, none happens twice, and the kernel does not count phases.
//!
//! The kernel has to see to the number of arrivals: each of the `producers` and `consumers` threads
//! that [`Pipeline::init`] is told of has to go through every place. A thread that leaves early
//! leaves the others waiting; the simulator reports what is missing. CUDA C++ Programming Guide,
//! "Pipeline", "Producer-Consumer Pattern through Barriers".

use core::mem::ManuallyDrop;

use crate::barrier::{self, Barrier, BarrierStorage, Block, Parity};
use crate::matrix::tcgen05::{self, Group};
use crate::shared::SharedArray;
use crate::{state_space, thread};

/// What one place's barriers are made of: `shared! { static BARRIERS: [StageStorage; STAGES]; }`.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(8))]
pub struct StageStorage {
    full: BarrierStorage,
    empty: BarrierStorage,
}

/// Shared addresses of the barriers of a place, and where the thread is on its way round the
/// places.
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

    /// A barrier of the place that it is at.
    #[inline(always)]
    fn barrier(&self, which: u32) -> Barrier<Block> {
        // SAFETY: `Pipeline::init` has made the barriers of all places, and the storage is the
        // block's.
        unsafe { Barrier::at_address(self.first + 16 * self.stage + which) }
    }

    /// The number of the place that it is at.
    #[inline(always)]
    fn stage(&self) -> usize {
        // SAFETY: `advance` begins anew at the last place; so indices that are made of it need no
        // check.
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

/// A pipeline that was made; each thread takes its part of it.
#[derive(Debug)]
#[must_use = "take a part of it: `producer`, `consumer` or `both`"]
pub struct Pipeline<const STAGES: usize> {
    first: u32,
}

impl<const STAGES: usize> Pipeline<STAGES> {
    /// Makes a pipeline for `producers` producing and `consumers` consuming threads. All threads of
    /// the block call it, and none goes on before the pipeline exists.
    #[inline]
    pub fn init(
        storage: &SharedArray<StageStorage, STAGES>,
        producers: u32,
        consumers: u32,
    ) -> Self {
        const { assert!(STAGES > 0, "a pipeline has at least one place") };
        let first = state_space::shared(storage.as_ptr());
        if thread::thread_rank() == 0 {
            for stage in 0..STAGES as u32 {
                // SAFETY: one thread, before the others know of the barriers.
                unsafe {
                    barrier::init_at(first + 16 * stage, producers);
                    barrier::init_at(first + 16 * stage + 8, consumers);
                }
            }
        }
        barrier::publish::<Block>();
        Pipeline { first }
    }

    /// This thread's part as a producer.
    #[inline]
    pub fn producer(self) -> Producer<STAGES> {
        // Before anything was consumed every place is empty: the phase before the first counts as
        // ended.
        Producer(StageCursor::new(self.first, Parity::Odd))
    }

    /// This thread's part as a consumer.
    #[inline]
    pub fn consumer(self) -> Consumer<STAGES> {
        Consumer(StageCursor::new(self.first, Parity::Even))
    }

    /// Both parts, for a thread that is one of the producers and one of the consumers.
    ///
    /// It must not acquire a place that is still to be consumed by itself: at most `STAGES` places
    /// ahead.
    #[inline]
    pub fn both(self) -> (Producer<STAGES>, Consumer<STAGES>) {
        let first = self.first;
        (self.producer(), Pipeline { first }.consumer())
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
    /// Waits until all producers have filled the next place; what they wrote there is this thread's
    /// to read.
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
    /// The number of the place.
    #[inline]
    #[must_use]
    pub fn stage(&self) -> usize {
        self.0.0.stage()
    }

    /// Says that this thread has filled its part, by ordinary writes.
    #[doc(alias = "producer_commit")]
    #[inline]
    pub fn commit(self) {
        drop(self);
    }

    /// Says that this thread's part is filled when the copies of [`crate::async_copy`] that it has
    /// started are done. The thread goes on at once.
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

    /// Says that this thread's part is filled when `bytes` bytes have come. Start the bulk copies
    /// that bring them with the barrier of the [`Expecting`] that this returns. From `sm_90`.
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

/// A place that waits for bytes which bulk copies bring: start them, and let this go.
#[derive(Debug)]
#[must_use = "the bytes that are expected have to be asked for, by copies that name `barrier`"]
pub struct Expecting<'a, const STAGES: usize>(&'a mut Producer<STAGES>);

impl<const STAGES: usize> Expecting<'_, STAGES> {
    /// The number of the place.
    #[inline]
    #[must_use]
    pub fn stage(&self) -> usize {
        self.0.0.stage()
    }

    /// The barrier that the copies tell.
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
    /// The number of the place.
    #[inline]
    #[must_use]
    pub fn stage(&self) -> usize {
        self.0.0.stage()
    }

    /// Says that this thread has read its part.
    #[doc(alias = "consumer_release")]
    #[inline]
    pub fn release(self) {
        drop(self);
    }

    /// Lets the thread go on to the next place before it releases this one, because something is
    /// still reading it. A thread must keep fewer places than there are, or it waits for ever.
    #[inline]
    pub fn keep(self) -> HeldStage {
        let place = ManuallyDrop::new(self);
        // SAFETY: `self` is not dropped, so the reference is moved out once.
        let consumer = unsafe { core::ptr::read(&raw const place.0) };
        let kept = HeldStage(consumer.0.barrier(StageCursor::<STAGES>::EMPTY));
        consumer.0.advance();
        kept
    }

    /// Says that this thread's part is read when the products of [`crate::matrix::tcgen05`] that it
    /// has started are done. The thread goes on at once. For `sm_100a`.
    #[doc(alias = "tcgen05.commit")]
    #[inline]
    pub fn release_with_products<G: Group>(self) {
        let place = ManuallyDrop::new(self);
        // SAFETY: `self` is not dropped, so the reference is moved out once.
        let consumer = unsafe { core::ptr::read(&raw const place.0) };
        let empty = consumer.0.barrier(StageCursor::<STAGES>::EMPTY);
        // SAFETY: the barrier was made by `Pipeline::init`, and is there as long as the block.
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

/// A place that is read while the thread has gone on. It is released when it is dropped.
#[derive(Debug)]
#[must_use = "the place is released where this is dropped"]
pub struct HeldStage(Barrier<Block>);

impl HeldStage {
    /// Says that this thread has read its part.
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
