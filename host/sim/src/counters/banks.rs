//! Shared memory: how many passes over the banks an access takes.
//!
//! The model reproduces all 55 loads, stores and matrix loads that were measured on an H200 (driver
//! 580, 2026-11-21). There are 32 banks, each four bytes wide (eight on Kepler, if the program asks
//! for that). An access runs in phases of as many lanes as all banks can serve together. A phase
//! takes as many passes (wavefronts) as the busiest bank has distinct words; a word that several
//! lanes access counts once, also for stores. Loads wider than a bank run in half as many phases
//! when every lane's neighbour (`lane ^ 1`) accesses the same address or is inactive.

use super::even::Even;

/// The passes of an access, and how many of them exceed the fewest possible.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Passes {
    /// The number of passes over the banks.
    pub(crate) wavefronts: u64,
    /// The number of passes above one for each phase.
    pub(crate) conflicts: u64,
}

const LANES: usize = 32;
const BANKS: u64 = 32;

/// Returns the passes of one warp's access of `size` bytes a lane, to banks of `width` bytes, a
/// power of two. `load` is true if it reads.
#[inline(always)]
pub(crate) fn passes(
    addresses: &[u64; LANES],
    mask: u32,
    size: u64,
    load: bool,
    width: u64,
) -> Passes {
    Even::of(addresses, mask)
        .and_then(|even| passes_of(even, mask, size, load, width))
        .unwrap_or_else(|| passes_of_any(addresses, mask, size, load, width))
}

/// Returns the number of lanes of one phase. `twins` returns whether every lane's neighbour
/// accesses the same address or is inactive.
#[inline(always)]
fn phase_lanes(size: u64, load: bool, width: u64, twins: impl FnOnce() -> bool) -> usize {
    let lanes = (BANKS * width / size.max(1)).clamp(1, LANES as u64) as usize;
    if load && lanes < LANES && twins() {
        lanes * 2
    } else {
        lanes
    }
}

/// [`passes`] of the addresses of `mask` if they have a fixed stride. Returns `None` if the stride
/// is neither a number of whole words nor less than a word.
#[inline(always)]
fn passes_of(even: Even, mask: u32, size: u64, load: bool, width: u64) -> Option<Passes> {
    if !even.aligned(size) || size > BANKS {
        return None;
    }
    let pairs = mask & mask >> 1 & 0x5555_5555;
    let lanes = phase_lanes(size, load, width, || even.step == 0 || pairs == 0);
    // The number of lanes of a phase that access words of one bank follows from the number of
    // strides after which the same bank comes again.
    let turn = if even.step == 0 || (even.step < width && size <= width) {
        0 // its words lie side by side, fewer than there are banks
    } else if even.step.is_multiple_of(width) {
        1 << (even.step / width).trailing_zeros().min(BANKS.ilog2())
    } else {
        return None;
    };
    let mut total = Passes::default();
    for phase in (0..LANES).step_by(lanes) {
        let there = (u64::from(mask) >> phase) & ((1 << lanes) - 1);
        if there != 0 {
            let wanted = u64::from(there.count_ones());
            let passes = (wanted * turn).div_ceil(BANKS).max(1);
            total.wavefronts += passes;
            total.conflicts += passes - 1;
        }
    }
    Some(total)
}

/// [`passes`] of arbitrary addresses.
#[inline(never)]
fn passes_of_any(addresses: &[u64; LANES], mask: u32, size: u64, load: bool, width: u64) -> Passes {
    let on = |lane: usize| mask >> lane & 1 != 0;
    let lanes = phase_lanes(size, load, width, || {
        (0..LANES).all(|lane| !on(lane) || !on(lane ^ 1) || addresses[lane] == addresses[lane ^ 1])
    });
    let log = width.trailing_zeros();
    let mut total = Passes::default();
    for phase in (0..LANES).step_by(lanes) {
        let active = (phase..phase + lanes).filter(|&lane| on(lane));
        // The distinct words of the phase, by bank. A lane of at most 32 bytes accesses at
        // most eight words.
        let (mut words, mut count) = ([0u64; LANES * 8], 0);
        for lane in active {
            let (first, last) = (
                addresses[lane] >> log,
                addresses[lane].saturating_add(size - 1) >> log,
            );
            for word in first..=last.min(first + 7) {
                // Adjacent lanes with the same word count once. Such words are dropped here.
                if count == 0 || words[count - 1] != word {
                    words[count] = word;
                    count += 1;
                }
            }
        }
        let words = &mut words[..count];
        if !words.is_sorted() {
            words.sort_unstable();
        }
        let mut banks = [0u64; BANKS as usize];
        for (i, &word) in words.iter().enumerate() {
            if i == 0 || words[i - 1] != word {
                banks[(word % BANKS) as usize] += 1;
            }
        }
        let passes = banks.into_iter().max().unwrap_or(0);
        total.wavefronts += passes;
        total.conflicts += passes.saturating_sub(1);
    }
    total
}

#[cfg(test)]
mod tests {
    use super::super::even::tests::{addresses, masks};
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn even_addresses_pass_as_any(
            addresses in addresses(), mask in masks(), size in 0u32..6, load: bool, width in 2u32..4,
        ) {
            let (size, width) = (1 << size, 1 << width);
            prop_assert_eq!(
                passes(&addresses, mask, size, load, width),
                passes_of_any(&addresses, mask, size, load, width)
            );
        }
    }

    /// A mask of lanes, the address by lane, wavefronts, conflicts.
    type Row = (u32, fn(u64) -> u64, u64, u64);

    const ALL: u32 = u32::MAX;
    const EVEN: u32 = 0x5555_5555;

    fn check(size: u64, load: bool, rows: &[Row]) {
        for (i, &(mask, address, wavefronts, conflicts)) in rows.iter().enumerate() {
            let addresses = std::array::from_fn(|lane| address(lane as u64));
            let got = passes(&addresses, mask, size, load, 4);
            assert_eq!(
                got,
                Passes {
                    wavefronts,
                    conflicts
                },
                "{size} bytes, load {load}, row {i}"
            );
        }
    }

    // What an H200 counted (driver 580, 2026-11-21).

    #[test]
    fn four_byte_loads() {
        check(
            4,
            true,
            &[
                (ALL, |l| l * 4, 1, 0),
                (ALL, |l| l * 8, 2, 1),
                (ALL, |l| l * 16, 4, 3),
                (ALL, |l| l * 128, 32, 31),
                (ALL, |_| 0, 1, 0),
                (ALL, |l| (l & 1) * 128, 2, 1),
                (0xffff, |l| l * 8, 1, 0),
            ],
        );
    }

    #[test]
    fn eight_byte_loads() {
        check(
            8,
            true,
            &[
                (ALL, |l| l * 8, 2, 0),
                (ALL, |_| 0, 1, 0),
                (ALL, |l| l * 16, 4, 2),
                (ALL, |l| l * 128, 32, 30),
                (ALL, |l| l / 2 * 8, 1, 0),
                (ALL, |l| l % 16 * 8, 2, 0),
                (ALL, |l| l % 4 * 8, 2, 0),
                (ALL, |l| (l % 2 * 16 + l / 2) * 8, 4, 2),
                (0xffff, |l| l * 8, 1, 0),
                (EVEN, |l| l * 8, 2, 1),
                (EVEN, |l| l * 16, 4, 3),
                (ALL, |l| if l < 16 { 0 } else { (l - 16) * 8 }, 2, 0),
                (ALL, |l| if l < 16 { l * 16 } else { 0 }, 3, 1),
            ],
        );
    }

    #[test]
    fn sixteen_byte_loads() {
        check(
            16,
            true,
            &[
                (ALL, |l| l * 16, 4, 0),
                (ALL, |_| 0, 2, 0),
                (ALL, |l| l * 32, 8, 4),
                (ALL, |l| l * 128, 32, 28),
                (ALL, |l| l / 2 * 16, 2, 0),
                (ALL, |l| l / 4 * 16, 2, 0),
                (ALL, |l| l % 8 * 16, 4, 0),
                (ALL, |l| l % 16 * 16, 4, 0),
                (ALL, |l| (l % 4 * 8 + l / 4) * 16, 16, 12),
                (ALL, |l| (l % 2 * 16 + l / 2) * 16, 8, 4),
                (0xff, |l| l * 16, 1, 0),
                (0x1111_1111, |l| l * 16, 4, 2),
                (0x1111_1111, |l| l * 128, 8, 6),
                (ALL, |l| l * 144, 4, 0),
                (ALL, |l| if l < 8 { l * 128 } else { 0 }, 11, 7),
            ],
        );
    }

    #[test]
    fn stores() {
        check(
            4,
            false,
            &[
                (ALL, |l| l * 4, 1, 0),
                (ALL, |l| l * 8, 2, 1),
                (ALL, |l| l * 128, 32, 31),
                (ALL, |_| 0, 1, 0),
            ],
        );
        check(1, false, &[(ALL, |l| l, 1, 0)]);
        check(
            8,
            false,
            &[
                (ALL, |l| l * 8, 2, 0),
                (ALL, |_| 0, 2, 0),
                (ALL, |l| l * 16, 4, 2),
                (ALL, |l| (l % 2 * 16 + l / 2) * 8, 4, 2),
                (ALL, |l| l % 16 * 8, 2, 0),
            ],
        );
        check(
            16,
            false,
            &[
                (ALL, |l| l * 16, 4, 0),
                (ALL, |_| 0, 4, 0),
                (ALL, |l| l * 32, 8, 4),
                (ALL, |l| (l % 4 * 8 + l / 4) * 16, 16, 12),
                (ALL, |l| l % 8 * 16, 4, 0),
            ],
        );
    }

    #[test]
    fn eight_byte_banks_serve_doubles_in_one_phase() {
        let addresses = std::array::from_fn(|lane| lane as u64 * 8);
        assert_eq!(
            passes(&addresses, ALL, 8, false, 8),
            Passes {
                wavefronts: 1,
                conflicts: 0
            }
        );
        assert_eq!(
            passes(&addresses, ALL, 4, false, 8),
            Passes {
                wavefronts: 1,
                conflicts: 0
            }
        );
    }
}
