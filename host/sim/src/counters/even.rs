//! Regular addresses: all the same, adjacent, or with a fixed stride. Most accesses have them.
//!
//! The sectors and passes of such an access follow from its start, its stride and its
//! number of lanes. The property tests of `sectors` and `banks` compare the results with
//! the general computation.

/// Lanes of a warp.
pub(crate) const LANES: usize = 32;

/// Consecutive lanes whose addresses are `start`, `start + step`, `start + 2 * step` and so on. If
/// the addresses fall from lane to lane, `start` belongs to the last lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Even {
    /// The lowest address.
    pub(crate) start: u64,
    /// The stride, in bytes.
    pub(crate) step: u64,
    /// The number of lanes.
    pub(crate) lanes: u64,
}

impl Even {
    /// Returns the accesses of the lanes of `mask`, if they have a fixed stride and are far from
    /// the end of the address space.
    #[inline(always)]
    pub(crate) fn of(addresses: &[u64; LANES], mask: u32) -> Option<Self> {
        let first = mask.trailing_zeros() as usize % LANES;
        let lanes = mask.count_ones();
        let run = mask >> first;
        if run & run.wrapping_add(1) != 0 || run == 0 {
            return None;
        }
        let start = addresses[first];
        let step = match lanes {
            1 => 0,
            _ => addresses[first + 1].wrapping_sub(start),
        };
        let mut expected = start.wrapping_sub(step.wrapping_mul(first as u64));
        let mut apart = 0;
        for (lane, address) in addresses.iter().enumerate() {
            let on = 0u64.wrapping_sub(u64::from(mask >> lane & 1));
            apart |= (address ^ expected) & on;
            expected = expected.wrapping_add(step);
        }
        let lanes = u64::from(lanes);
        let last = start.wrapping_add(step.wrapping_mul(lanes - 1));
        let (start, step) = match (step as i64) < 0 {
            true => (last, step.wrapping_neg()),
            false => (start, step),
        };
        // Sums of such numbers do not wrap.
        let near = start >> 62 == 0 && step >> 56 == 0;
        (apart == 0 && near).then_some(Self { start, step, lanes })
    }

    /// Returns the accesses of the lanes of `mask`, which begin at `start`, each `step`
    /// after the one before. Returns `None` if a lane is missing in between, or near the end
    /// of the address space.
    #[inline(always)]
    pub(crate) fn kept(start: u64, step: u64, mask: u32) -> Option<Self> {
        let run = mask >> (mask.trailing_zeros() % LANES as u32);
        let lanes = u64::from(mask.count_ones());
        let whole = run & run.wrapping_add(1) == 0 && run != 0;
        (whole && start >> 62 == 0).then_some(Self { start, step, lanes })
    }

    /// Returns the last address.
    #[inline(always)]
    pub(crate) fn last(&self) -> u64 {
        self.start + self.step * (self.lanes - 1)
    }

    /// Returns whether every address is a multiple of `size`, a power of two.
    #[inline(always)]
    pub(crate) fn aligned(&self, size: u64) -> bool {
        size.is_power_of_two() && (self.start | self.step) & (size - 1) == 0
    }
}

/// The lanes whose addresses equal or follow those of the lane before. They divide a warp into
/// pieces, which occur for blocks narrower than a warp.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Neighbours {
    /// The lanes that access memory.
    pub(crate) mask: u32,
    /// The stride of adjacent accesses, in bytes.
    size: u64,
    /// The lanes whose next lane accesses the same address.
    same: u32,
    /// The lanes whose next lane accesses the bytes that follow.
    next: u32,
}

impl Neighbours {
    /// Finds the neighbours among accesses of `size` bytes each.
    pub(crate) fn of(addresses: &[u64; LANES], mask: u32, size: u64) -> Self {
        let (mut same, mut next) = (0, 0);
        for lane in 0..LANES - 1 {
            let step = addresses[lane + 1].wrapping_sub(addresses[lane]);
            same |= u32::from(step == 0) << lane;
            next |= u32::from(step == size) << lane;
        }
        Self::found(mask, size, (same, next))
    }

    /// Creates the neighbours from two known masks: the lanes whose next lane accesses the same
    /// address, and the lanes whose next lane accesses the bytes that follow.
    #[inline(always)]
    pub(crate) fn found(mask: u32, size: u64, (same, next): (u32, u32)) -> Self {
        let both = mask & mask >> 1;
        Self {
            mask,
            size,
            same: same & both,
            next: next & both,
        }
    }

    /// Returns the number of pieces, or a slightly smaller number.
    #[inline(always)]
    fn pieces(&self) -> u32 {
        self.mask.count_ones() - (self.same | self.next).count_ones()
    }

    /// Returns whether there are so few pieces that processing each one by itself is
    /// worth the time.
    #[inline(always)]
    pub(crate) fn are_few(&self) -> bool {
        self.pieces() <= 8
    }

    /// Returns the first piece of the lanes `left`, which are part of the mask: its lanes, and the
    /// stride of their addresses.
    #[inline(always)]
    pub(crate) fn first(&self, left: u32) -> (u32, u64) {
        let lane = left.trailing_zeros();
        let run = |set: u32| (set >> lane).trailing_ones();
        let (same, next) = (run(self.same), run(self.next));
        let (more, step) = match next >= same {
            true => (next, self.size),
            false => (same, 0),
        };
        (u32::MAX >> (31 - more) << lane, step)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Addresses of many kinds. Most have a fixed stride, and some of those have one lane
    /// with another address.
    pub(crate) fn addresses() -> impl Strategy<Value = [u64; LANES]> {
        let step = prop_oneof![
            Just(0i64),
            -40i64..40,
            (0u32..12).prop_map(|log| 1 << log),
            (0u32..12).prop_map(|log| -(1 << log)),
            -5000i64..5000,
        ];
        let start = prop_oneof![4096u64..8192, Just(1 << 40), Just(u64::MAX - 300)];
        let odd = proptest::option::weighted(0.3, (0..LANES, 4096u64..8192));
        let align = 0u32..5;
        (start, step, odd, align, 1u64..33).prop_map(|(start, step, odd, align, wrap)| {
            std::array::from_fn(|lane| {
                let even =
                    start.wrapping_add_signed(step.wrapping_mul((lane as u64 % wrap) as i64));
                let address = odd
                    .filter(|(at, _)| *at == lane)
                    .map_or(even, |(_, odd)| odd);
                address >> align << align
            })
        })
    }

    /// Masks of many kinds.
    pub(crate) fn masks() -> impl Strategy<Value = u32> {
        prop_oneof![
            Just(u32::MAX),
            (0u32..32).prop_map(|n| u32::MAX >> n),
            (0u32..32, 0u32..32).prop_map(|(n, m)| u32::MAX >> n << m),
            any::<u32>(),
        ]
    }

    proptest! {
        #[test]
        fn what_is_even_is_where_it_says(addresses in addresses(), mask in masks()) {
            let mut there: Vec<u64> = (0..LANES).filter(|l| mask >> l & 1 != 0).map(|l| addresses[l]).collect();
            there.sort_unstable();
            if let Some(even) = Even::of(&addresses, mask) {
                let said: Vec<u64> = (0..even.lanes).map(|i| even.start + i * even.step).collect();
                prop_assert_eq!(said, there);
            }
        }
    }

    #[test]
    fn rows_strides_and_single_places_are_even() {
        for step in [0, 4, 128, 12] {
            let up = std::array::from_fn(|lane| 0x1000 + lane as u64 * step);
            let down = std::array::from_fn(|lane| 0x1000 + (31 - lane as u64) * step);
            let even = Some(Even {
                start: 0x1000,
                step,
                lanes: 32,
            });
            assert_eq!(
                (Even::of(&up, u32::MAX), Even::of(&down, u32::MAX)),
                (even, even)
            );
        }
        assert_eq!(Even::of(&[0x1000; LANES], 0b101), None, "a gap");
        assert_eq!(Even::of(&[0x1000; LANES], 0), None);
    }
}
