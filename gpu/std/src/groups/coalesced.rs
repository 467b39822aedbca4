//! Groups of any lanes of a warp: lanes that are active together, or lanes with a common value.

use crate::warp;

use super::{Group, WarpGroup};

/// Some lanes of a warp, numbered from the lowest.
#[doc(alias = "cg::coalesced_group")]
#[derive(Clone, Copy, Debug)]
pub struct CoalescedGroup {
    mask: u32,
}

/// Returns the lanes of this warp that execute this call together, at this moment.
///
/// The hardware may separate lanes at places where the program does not, so the group may be
/// smaller than expected. Each thread is in exactly one group.
#[doc(alias = "cg::coalesced_threads")]
#[inline]
#[must_use]
pub fn coalesced_threads() -> CoalescedGroup {
    CoalescedGroup::of(warp::active_mask())
}

impl CoalescedGroup {
    #[inline(always)]
    pub(super) fn of(mask: u32) -> Self {
        CoalescedGroup { mask }
    }
}

impl Group for CoalescedGroup {
    type Rank = u32;

    #[inline]
    fn sync(&self) {
        warp::sync_warp(self.mask);
    }

    #[inline]
    fn rank(&self) -> u32 {
        (self.mask & warp::lanemask_lt()).count_ones()
    }

    #[inline]
    fn size(&self) -> u32 {
        self.mask.count_ones()
    }
}

impl WarpGroup for CoalescedGroup {
    const MOST: u32 = warp::WARP_SIZE;

    #[inline]
    fn mask(&self) -> u32 {
        self.mask
    }

    #[inline]
    fn lane_of(&self, rank: u32) -> u32 {
        nth_set_bit(self.mask, rank)
    }
}

/// Returns the position of the set bit that has `n` set bits below it, or 31 if there is none.
///
/// It is a binary search: if the lower half has too few set bits, the search continues in
/// the upper half.
#[doc(alias = "__fns")]
#[inline]
fn nth_set_bit(bits: u32, mut n: u32) -> u32 {
    let mut place = 0;
    let mut half = 16;
    while half > 0 {
        let lower = (bits >> place & !(u32::MAX << half)).count_ones();
        if n >= lower {
            n -= lower;
            place += half;
        }
        half /= 2;
    }
    place
}

#[cfg(test)]
mod tests {
    use super::nth_set_bit;

    #[test]
    fn the_nth_set_bit_is_found() {
        let mut bits = 1u32;
        for _ in 0..200 {
            bits = bits.wrapping_mul(0x9e37_79b9).wrapping_add(0x7f4a_7c15);
            let places = (0..32).filter(|place| bits >> place & 1 == 1);
            for (n, place) in places.enumerate() {
                assert_eq!(nth_set_bit(bits, n as u32), place, "{bits:#x}, {n}");
            }
            assert_eq!(nth_set_bit(bits, bits.count_ones()), 31, "{bits:#x}");
        }
        assert_eq!(nth_set_bit(u32::MAX, 31), 31);
        assert_eq!(nth_set_bit(0, 0), 31);
    }
}
