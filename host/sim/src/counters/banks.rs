//! Shared memory: how many passes an access takes over the banks.
//!
//! `HARDWARE.md`, section 3: a model that reproduces all 55 loads, stores and matrix loads that were measured on an H200. A
//! bank is four bytes wide (eight on Kepler, where it is set so) and there are 32. An access runs in phases of as many
//! lanes as all banks together can serve; a phase takes as many passes (wavefronts) as the busiest bank has distinct
//! words. One word that several lanes want is one word, for stores too. Loads wider than a bank run in half as many
//! phases when every lane's neighbour (`lane ^ 1`) wants the same address or is off.

/// Passes, and those above the fewest possible.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Passes {
    /// All passes.
    pub(crate) wavefronts: u64,
    /// Passes above one for each phase.
    pub(crate) conflicts: u64,
}

const LANES: usize = 32;
const BANKS: u64 = 32;

/// The passes of one warp's access of `size` bytes a lane; `load` where it reads.
pub(crate) fn passes(
    addresses: &[u64; LANES],
    mask: u32,
    size: u64,
    load: bool,
    width: u64,
) -> Passes {
    let on = |lane: usize| mask >> lane & 1 != 0;
    let mut lanes = (BANKS * width / size.max(1)).clamp(1, LANES as u64) as usize;
    let twins =
        (0..LANES).all(|lane| !on(lane) || !on(lane ^ 1) || addresses[lane] == addresses[lane ^ 1]);
    if load && lanes < LANES && twins {
        lanes *= 2;
    }
    let mut total = Passes::default();
    for phase in (0..LANES).step_by(lanes) {
        let active = (phase..phase + lanes).filter(|&lane| on(lane));
        // Distinct words of the phase, by bank: a lane of at most 32 bytes wants at most eight words.
        let (mut words, mut count) = ([0u64; LANES * 8], 0);
        for lane in active {
            let (first, last) = (
                addresses[lane] / width,
                addresses[lane].saturating_add(size - 1) / width,
            );
            for word in first..=last.min(first + 7) {
                words[count] = word;
                count += 1;
            }
        }
        let words = &mut words[..count];
        words.sort_unstable();
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
    use super::*;

    /// Lanes, address by lane, wavefronts, conflicts.
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

    // The tables of HARDWARE.md, section 3, measured on an H200.

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
