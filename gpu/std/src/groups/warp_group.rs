//! Operations of groups within a warp: shuffles, votes, reductions and scans, by rank.

use crate::target;
use crate::warp::operator::Operator;
use crate::warp::{self, FULL_MASK, Match, Shuffle, WARP_SIZE};

use super::{CoalescedGroup, Group};

/// A group of lanes of one warp.
///
/// Ranks count the group's threads from its lowest lane. The bits of votes are also in the order of
/// ranks, with bit 0 for rank 0.
pub trait WarpGroup: Group<Rank = u32> {
    /// The maximum number of threads in a group of this type.
    #[doc(hidden)]
    const MOST: u32;

    /// Returns the mask of the group's lanes, for the operations of [`warp`](crate::warp) whose
    /// names end in `_sync`.
    #[must_use]
    fn mask(&self) -> u32;

    /// Returns the lane of the thread of rank `rank`. If there is no such rank, the
    /// lane is unspecified.
    #[must_use]
    fn lane_of(&self, rank: u32) -> u32;

    /// Returns the value of the thread of rank `rank`. Each thread may pass a different `rank`.
    #[doc(alias = "shfl")]
    #[inline]
    #[must_use]
    fn shuffle<T: Shuffle>(&self, value: T, rank: u32) -> T {
        warp::shuffle_sync(self.mask(), value, self.lane_of(rank))
    }

    /// Returns the value of the thread whose rank is lower by `delta`. The lowest `delta` threads
    /// keep their own value.
    #[doc(alias = "shfl_up")]
    #[inline]
    #[must_use]
    fn shuffle_up<T: Shuffle>(&self, value: T, delta: u32) -> T {
        let rank = self.rank();
        self.shuffle(value, rank.checked_sub(delta).unwrap_or(rank))
    }

    /// Returns the value of the thread whose rank is higher by `delta`. The highest `delta` threads
    /// keep their own value.
    #[doc(alias = "shfl_down")]
    #[inline]
    #[must_use]
    fn shuffle_down<T: Shuffle>(&self, value: T, delta: u32) -> T {
        let above = self.rank().saturating_add(delta);
        self.shuffle(
            value,
            if above < self.size() {
                above
            } else {
                self.rank()
            },
        )
    }

    /// Returns whether `predicate` is true in any thread.
    #[inline]
    #[must_use]
    fn any(&self, predicate: bool) -> bool {
        warp::any_sync(self.mask(), predicate)
    }

    /// Returns whether `predicate` is true in all threads.
    #[inline]
    #[must_use]
    fn all(&self, predicate: bool) -> bool {
        warp::all_sync(self.mask(), predicate)
    }

    /// Returns the ranks of the threads in which `predicate` is true.
    #[inline]
    #[must_use]
    fn ballot(&self, predicate: bool) -> u32 {
        by_rank(warp::ballot_sync(self.mask(), predicate), self.mask())
    }

    /// Returns the ranks of the threads that have the same `value` as this thread. Needs `sm_70`.
    #[inline]
    #[must_use]
    fn match_any<T: Match>(&self, value: T) -> u32 {
        by_rank(warp::match_any_sync(self.mask(), value), self.mask())
    }

    /// Returns whether all threads have the same `value`. Needs `sm_70`.
    #[inline]
    #[must_use]
    fn match_all<T: Match>(&self, value: T) -> bool {
        warp::match_all_sync(self.mask(), value) != 0
    }

    /// Returns the threads of the group that have the same `label` as this one. Needs `sm_70`.
    #[doc(alias = "cg::labeled_partition")]
    #[inline]
    #[must_use]
    fn labeled_partition<T: Match>(&self, label: T) -> CoalescedGroup {
        CoalescedGroup::of(warp::match_any_sync(self.mask(), label))
    }

    /// Returns the threads of the group that have the same `predicate` as this one.
    #[doc(alias = "cg::binary_partition")]
    #[inline]
    #[must_use]
    fn binary_partition(&self, predicate: bool) -> CoalescedGroup {
        let yes = warp::ballot_sync(self.mask(), predicate);
        CoalescedGroup::of(if predicate { yes } else { self.mask() & !yes })
    }

    /// Returns the values of all threads combined, in each of these threads.
    #[doc(alias = "cg::reduce")]
    #[inline]
    #[must_use]
    fn reduce<T: Shuffle, O: Operator<T>>(&self, mut value: T, operator: O) -> T {
        if target::is_at_least(80)
            && let Some(reduced) = operator.redux(self.mask(), value)
        {
            return reduced;
        }
        let (rank, size) = (self.rank(), self.size());
        let combine = |value, other, comes_later| {
            if O::COMMUTATIVE || comes_later {
                operator.combine(value, other)
            } else {
                operator.combine(other, value)
            }
        };
        // The steps combine parts of 2, 4, 8, ... threads. After each step, all threads of a part
        // have the combined value of the part.
        let mut delta = 1;
        if Self::MOST == WARP_SIZE && size == WARP_SIZE {
            // All parts are there: two instructions a step, and not five.
            while delta < WARP_SIZE {
                let other = warp::shuffle_xor_sync(FULL_MASK, value, delta);
                value = combine(value, other, (rank ^ delta) > rank);
                delta *= 2;
            }
            return value;
        }
        while delta < Self::MOST {
            let other_part = (rank ^ delta) & !(delta - 1);
            let is_there = other_part < size;
            let other = self.shuffle(value, if is_there { other_part } else { rank });
            if is_there {
                value = combine(value, other, other_part > rank);
            }
            delta *= 2;
        }
        value
    }

    /// Returns the values of the threads up to and including this one combined.
    #[doc(alias = "cg::inclusive_scan")]
    #[inline]
    #[must_use]
    fn inclusive_scan<T: Shuffle, O: Operator<T>>(&self, mut value: T, operator: O) -> T {
        let rank = self.rank();
        let mut delta = 1;
        while delta < Self::MOST {
            let other = self.shuffle_up(value, delta);
            if rank >= delta {
                value = operator.combine(other, value);
            }
            delta *= 2;
        }
        value
    }

    /// Returns `initial` and the values of the threads before this one combined. In the first
    /// thread, it returns `initial` alone.
    #[doc(alias = "cg::exclusive_scan")]
    #[inline]
    #[must_use]
    fn exclusive_scan<T: Shuffle, O: Operator<T>>(&self, value: T, initial: T, operator: O) -> T {
        let inclusive = self.inclusive_scan(value, operator);
        let before = self.shuffle_up(inclusive, 1);
        if self.rank() == 0 {
            initial
        } else {
            operator.combine(initial, before)
        }
    }
}

/// Returns the bits of `lanes` that are in `mask`, compacted: bit `r` is the bit of the lane
/// of rank `r`.
#[inline]
fn by_rank(lanes: u32, mut mask: u32) -> u32 {
    if mask == warp::FULL_MASK {
        return lanes;
    }
    let mut ranks = 0;
    let mut rank = 0;
    while mask != 0 {
        let lane = mask.trailing_zeros();
        ranks |= (lanes >> lane & 1) << rank;
        rank += 1;
        mask &= mask - 1;
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::by_rank;

    #[test]
    fn bits_of_lanes_become_bits_of_ranks() {
        assert_eq!(by_rank(0b1010_0000, 0b1110_0001), 0b1010);
        assert_eq!(by_rank(u32::MAX, 0x8000_0001), 0b11);
        assert_eq!(by_rank(0, 0), 0);
        assert_eq!(by_rank(0x1234_5678, u32::MAX), 0x1234_5678);
    }
}
