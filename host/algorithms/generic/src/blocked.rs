//! Neighbours for each thread: a warp loads memory in stripes and exchanges them in shared memory.
//!
//! A load of a warp is of neighbours, sixteen bytes for each lane, so a lane's next load is 32
//! lanes further. A scan wants all of a lane's elements to be neighbours: then the lane goes
//! through them by itself, and the lanes exchange one value instead of one for each load. With an
//! odd number of rounds, both orders are in different banks.

use core::array::from_fn;

use lanewise_std::async_copy::copy_async_prefix;
use lanewise_std::warp::{FULL_MASK, WARP_SIZE, lane_id, sync_warp};

use crate::sixteen::Sixteen;

/// The steps from a round to the next, and from a lane to the next.
type Steps = [usize; 2];

/// Round `r` of lane `l` is number `32 r + l`.
const STRIPED: Steps = [WARP_SIZE as usize, 1];

/// Round `r` of lane `l` is number `rounds l + r`.
const fn blocked(rounds: usize) -> Steps {
    [1, rounds]
}

/// What a warp has in shared memory: `ROUNDS` elements for each lane.
#[derive(Clone, Copy)]
pub(super) struct OfWarp<N, const ROUNDS: usize>(*mut N);

impl<N: Copy, const ROUNDS: usize> OfWarp<N, ROUNDS> {
    /// Returns the part of this warp of the block.
    ///
    /// # Safety
    /// `of_block` is in shared memory, which has room for the elements of all warps.
    #[inline(always)]
    pub(super) unsafe fn new(of_block: *mut N, warp: u32) -> Self {
        OfWarp(of_block.wrapping_add(warp as usize * WARP_SIZE as usize * ROUNDS))
    }

    /// Starts copies of the warp's elements, of which `from` is this lane's first one.
    ///
    /// # Safety
    /// `from` and those of the further rounds are in global memory and aligned to sixteen bytes.
    /// Until a wait for the copies, nobody accesses the room.
    #[inline(always)]
    pub(super) unsafe fn start_copies(self, from: *const N) {
        let pieces = const { size_of::<N>() / size_of::<Sixteen<u32, 4>>() };
        for round in 0..ROUNDS {
            let from = from
                .wrapping_add(round * STRIPED[0])
                .cast::<Sixteen<u32, 4>>();
            let to = self.place(STRIPED, round).cast::<Sixteen<u32, 4>>();
            for piece in 0..pieces {
                // SAFETY: the caller promises the same.
                unsafe { copy_async_prefix(to.wrapping_add(piece), from.wrapping_add(piece), 16) };
            }
        }
    }

    /// Returns this lane's neighbours, when copies or another lane's writes are seen.
    ///
    /// # Safety
    /// All elements were written.
    #[inline(always)]
    pub(super) unsafe fn neighbours(self) -> [N; ROUNDS] {
        // SAFETY: the caller promises the same.
        from_fn(|round| unsafe { self.place(blocked(ROUNDS), round).read() })
    }

    /// Gives each lane its neighbours, of elements in stripes. All lanes of the warp call this.
    ///
    /// # Safety
    /// Nobody else accesses the room.
    #[inline(always)]
    pub(super) unsafe fn to_blocked(self, striped: [N; ROUNDS]) -> [N; ROUNDS] {
        // SAFETY: the caller promises the same.
        unsafe { self.exchange(striped, STRIPED, blocked(ROUNDS)) }
    }

    /// Gives each lane its stripes, of neighbours. All lanes of the warp call this.
    ///
    /// # Safety
    /// As for [`to_blocked`](Self::to_blocked).
    #[inline(always)]
    pub(super) unsafe fn to_striped(self, neighbours: [N; ROUNDS]) -> [N; ROUNDS] {
        // SAFETY: the caller promises the same.
        unsafe { self.exchange(neighbours, blocked(ROUNDS), STRIPED) }
    }

    #[inline(always)]
    unsafe fn exchange(self, values: [N; ROUNDS], from: Steps, to: Steps) -> [N; ROUNDS] {
        sync_warp(FULL_MASK); // what was in the room was read
        for (round, value) in values.into_iter().enumerate() {
            // SAFETY: the room is the warp's, and each lane's places are its own.
            unsafe { self.place(from, round).write(value) };
        }
        sync_warp(FULL_MASK);
        // SAFETY: written by the warp's lanes.
        from_fn(|round| unsafe { self.place(to, round).read() })
    }

    /// Returns the place of one of this lane's rounds.
    #[inline(always)]
    fn place(self, steps: Steps, round: usize) -> *mut N {
        self.0
            .wrapping_add(round * steps[0] + lane_id() as usize * steps[1])
    }
}
