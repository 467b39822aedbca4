//! Global memory: how many 32-byte sectors an access touches.
//!
//! It is the number of distinct sectors over the whole warp instruction, for any width of a lane's
//! access. An H200 counts in the same way (driver 580, 2026-11-21).

use super::even::Even;

const LANES: usize = 32;

/// Returns the sectors of `sector` bytes, a power of two, that one warp's access of `size` bytes a
/// lane touches, and the bytes that it requests. Bytes that several lanes request count once.
#[inline(always)]
pub(crate) fn sectors(addresses: &[u64; LANES], mask: u32, size: u64, sector: u64) -> (u64, u64) {
    // If the upper half of the warp has the same addresses as the lower half, it adds nothing.
    // Blocks of 16 by 16 threads often have such accesses.
    let again = mask == u32::MAX && addresses[..LANES / 2] == addresses[LANES / 2..];
    let mask = if again { mask >> (LANES / 2) } else { mask };
    Even::of(addresses, mask)
        .and_then(|even| sectors_of(even, size, sector))
        .unwrap_or_else(|| sectors_of_any(addresses, mask, size, sector))
}

/// [`sectors`] of addresses with a fixed stride. Returns `None` if a lane's bytes may lie
/// in two sectors.
#[inline(always)]
fn sectors_of(even: Even, size: u64, sector: u64) -> Option<(u64, u64)> {
    if !even.aligned(size) || size > sector {
        return None;
    }
    let log = sector.trailing_zeros();
    let touched = match even.step <= sector {
        true => (even.last() >> log) - (even.start >> log) + 1,
        false => even.lanes,
    };
    let distinct = if even.step == 0 { 1 } else { even.lanes };
    Some((touched, distinct * size))
}

/// [`sectors`] of arbitrary addresses.
#[inline(never)]
fn sectors_of_any(addresses: &[u64; LANES], mask: u32, size: u64, sector: u64) -> (u64, u64) {
    let (mut active, mut lanes) = ([0; LANES], 0);
    for (lane, &address) in addresses.iter().enumerate() {
        // Adjacent lanes with the same address count once. Such addresses are dropped here.
        if mask >> lane & 1 != 0 && (lanes == 0 || active[lanes - 1] != address) {
            active[lanes] = address;
            lanes += 1;
        }
    }
    let active = &mut active[..lanes];
    if !active.is_sorted() {
        active.sort_unstable();
    }
    let log = sector.trailing_zeros();
    // The addresses are sorted. So a sector that was counted before can only be the
    // last one counted.
    let (mut distinct, mut count, mut next) = (0, 0, 0);
    for (i, &address) in active.iter().enumerate() {
        distinct += u64::from(i == 0 || active[i - 1] != address);
        // The bounds of the access are checked later, so this address may be the last of
        // the address space.
        let (first, last) = (address >> log, address.saturating_add(size - 1) >> log);
        count += (last + 1).saturating_sub(first.max(next));
        next = next.max(last + 1);
    }
    let wanted = distinct * size;
    (count, wanted)
}

#[cfg(test)]
mod tests {
    use super::super::even::tests::{addresses, masks};
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn even_addresses_are_counted_as_any(addresses in addresses(), mask in masks(), size in 0u32..6, sector in 5u32..8) {
            let (size, sector) = (1 << size, 1 << sector);
            prop_assert_eq!(sectors(&addresses, mask, size, sector), sectors_of_any(&addresses, mask, size, sector));
        }
    }

    // What an H200 counted: size, mask, address by lane, sectors.
    #[test]
    fn sectors_are_those_measured() {
        type Row = (u64, u32, fn(u64) -> u64, u64);
        let rows: [Row; 17] = [
            (4, u32::MAX, |l| l * 4, 4),
            (4, u32::MAX, |l| l * 4 + 4, 5),
            (4, u32::MAX, |l| l * 8, 8),
            (4, u32::MAX, |l| l * 32, 32),
            (4, u32::MAX, |l| l * 128, 32),
            (4, u32::MAX, |_| 0, 1),
            (4, 0xffff, |l| l * 4, 2),
            (8, u32::MAX, |l| l * 8, 8),
            (8, u32::MAX, |l| l * 16, 16),
            (16, u32::MAX, |l| l * 16, 16),
            (16, u32::MAX, |l| l * 32, 32),
            (16, u32::MAX, |l| l * 128, 32),
            (16, u32::MAX, |_| 0, 1),
            (1, u32::MAX, |l| l, 1),
            (4, 0, |l| l, 0),
            // Reversed and overlapping: order does not matter.
            (4, u32::MAX, |l| (31 - l) * 4, 4),
            (8, u32::MAX, |l| l / 2 * 32, 16),
        ];
        for (i, (size, mask, address, expected)) in rows.into_iter().enumerate() {
            let addresses = std::array::from_fn(|lane| 0x1000 + address(lane as u64));
            assert_eq!(sectors(&addresses, mask, size, 32).0, expected, "row {i}");
        }
    }

    #[test]
    fn an_access_at_the_end_of_all_addresses_is_counted() {
        assert_eq!(sectors(&[u64::MAX; LANES], u32::MAX, 8, 32), (1, 8));
    }

    #[test]
    fn wanted_bytes_are_counted_once() {
        let spread = std::array::from_fn(|lane| lane as u64 * 128);
        assert_eq!(sectors(&spread, u32::MAX, 4, 32), (32, 128));
        assert_eq!(sectors(&[64; LANES], u32::MAX, 4, 32), (1, 4));
    }
}
