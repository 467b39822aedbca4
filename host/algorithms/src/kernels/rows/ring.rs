//! Rows that come through a ring of places in shared memory, for clusters that have many rows.
//!
//! A block has the same columns of all its rows. Its first thread starts bulk copies of the next
//! rows while the threads work at one: a copy has two rounds of the block, and as many are under
//! way as there are places. Threads take a row to their registers, so its places are free again
//! before the row is done.

use core::marker::PhantomData;

use lanewise_std::barrier::{Barrier, Barriers, Parity};
use lanewise_std::scope::Block;
use lanewise_std::thread::{grid_dim_x, sync_threads, thread_idx_x};
use lanewise_std::unroll::unroll;
use lanewise_std::{DynamicSharedArray, bulk, cluster, gpu_assert};

use super::Element;
use super::row::Row;

/// The most places of a ring.
pub(super) const PLACES: usize = 16;
/// Rounds that a place has room for.
pub(super) const OF_PLACE: usize = 2;

/// A part of the ring's rows: of each of `INPUTS` matrices.
pub(super) struct Ring<'a, E, const N: usize, const INPUTS: usize> {
    /// The row that is next to be read, of which the thread has `N` elements.
    row: Row<E, true, N, true>,
    /// The number of rows, and the number of clusters that share them.
    rows: u32,
    clusters: u32,
    inputs: [&'a [E]; INPUTS],
    /// A barrier for each place.
    barriers: Barriers<Block, PLACES>,
    /// The first place.
    first: *mut E,
    /// The number of places, and the one that is next to be read, in this phase.
    places: u32,
    place: u32,
    parity: Parity,
    /// The row of the copy that is next to be started, and which of the row's copies it is.
    next: u32,
    part: u32,
    scope: PhantomData<*mut E>,
}

impl<'a, E: Element, const N: usize, const INPUTS: usize> Ring<'a, E, N, INPUTS> {
    /// Copies of a row of one input.
    const PARTS: usize = Row::<E, true, N, true>::ROUNDS / OF_PLACE;

    /// Starts the first copies. All threads of the cluster call it, with barriers of one arrival.
    /// In front of its places, the ring leaves `reserved` bytes of the launch's shared memory for
    /// the kernel.
    #[inline(always)]
    pub(super) fn new(
        inputs: [&'a [E]; INPUTS],
        barriers: Barriers<Block, PLACES>,
        columns: u32,
        reserved: usize,
    ) -> Self {
        let row = Row::<E, true, N, true>::new(columns);
        let rows = inputs[0].len().checked_div(columns as usize).unwrap_or(0);
        gpu_assert!(rows <= u32::MAX as usize, "there are too many rows");
        for input in inputs {
            gpu_assert!(
                input.len() >= rows * columns as usize,
                "an input is too short"
            );
            gpu_assert!(row.are_aligned(input.as_ptr()), "rows are not aligned");
        }
        let of_place = OF_PLACE as u32 * row.step;
        let memory = DynamicSharedArray::<[u8; 16]>::offset(reserved);
        let first = memory.as_ptr().cast::<E>();
        let room = memory.len() * E::LANES;
        gpu_assert!(
            room >= of_place as usize,
            "there is too little shared memory"
        );
        let places = (room as u32 / of_place).min(PLACES as u32);
        let mut ring = Ring {
            row,
            rows: rows as u32,
            clusters: grid_dim_x() / cluster::num_blocks(),
            inputs,
            barriers,
            first,
            places,
            place: 0,
            parity: Parity::Even,
            next: row.row,
            part: 0,
            scope: PhantomData,
        };
        for place in 0..places {
            ring.start(place);
        }
        ring
    }

    /// Starts the next copy to a place that is free.
    #[inline(always)]
    fn start(&mut self, place: u32) {
        if self.next >= self.rows {
            return;
        }
        if thread_idx_x() == 0 {
            let of_place = OF_PLACE as u32 * self.row.step;
            let mut input = self.inputs[0];
            for other in 1..INPUTS {
                if self.part as usize >= other * Self::PARTS {
                    input = self.inputs[other];
                }
            }
            let part = self.part % Self::PARTS as u32;
            let column = self.row.of_block + part * of_place;
            let count = self.row.columns.saturating_sub(column).min(of_place) as usize;
            let barrier = self.barrier(place);
            let _ = barrier.arrive_expect_bytes((count * size_of::<E>()) as u32);
            if count > 0 {
                let start = self.next as usize * self.row.columns as usize + column as usize;
                let from = input.as_ptr().wrapping_add(start);
                let to = self.first.wrapping_add((place * of_place) as usize);
                // SAFETY: the columns are in the row, and the place has room for them; all are
                // whole groups of sixteen bytes. All threads have read what was in the place, and
                // read it again when they have waited for its barrier.
                unsafe { bulk::load(to, from, count, &barrier) };
            }
        }
        self.part += 1;
        if self.part as usize == INPUTS * Self::PARTS {
            self.part = 0;
            self.next += self.clusters;
        }
    }

    #[inline(always)]
    fn barrier(&self, place: u32) -> Barrier<Block> {
        self.barriers.at(place as usize % PLACES)
    }

    /// Returns the cluster's next row, whose elements have to be read next.
    #[inline(always)]
    pub(super) fn next(&mut self) -> Option<Row<E, true, N, true>> {
        let row = self.row;
        self.row.row += self.clusters;
        (row.row < self.rows).then_some(row)
    }

    /// Returns the thread's elements of the next input of the row; `past` stands for columns past
    /// the end.
    #[inline(always)]
    pub(super) fn read(&mut self, past: f32) -> [f32; N] {
        let mut values = [past; N];
        let lanes = E::LANES;
        unroll::<16>(|part| {
            if part >= Self::PARTS {
                return;
            }
            self.barrier(self.place).wait_parity(self.parity);
            let place = (self.place * OF_PLACE as u32 * self.row.step) as usize;
            let place = place + thread_idx_x() as usize * lanes;
            for round in part * OF_PLACE..(part + 1) * OF_PLACE {
                if self.row.has(round) {
                    let of_round = (round % OF_PLACE) * self.row.step as usize;
                    let place = self.first.wrapping_add(place + of_round);
                    // SAFETY: the copy to this place has ended, and has these columns.
                    let group = unsafe { Row::<E, true, N, true>::read(place) };
                    for lane in 0..lanes {
                        values[round * lanes + lane] = group[lane];
                    }
                }
            }
            sync_threads(); // all have read what was in the place
            self.start(self.place);
            self.place += 1;
            if self.place == self.places {
                self.place = 0;
                self.parity = self.parity.next();
            }
        });
        values
    }
}
