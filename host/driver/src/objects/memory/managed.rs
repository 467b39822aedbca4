//! The advice that a program has given about managed memory, and where the memory was
//! last prefetched to.
//!
//! Source: CUDA driver API reference, `cuMemAdvise` and `cuMemRangeGetAttribute`. Managed memory
//! does not move here, so advice changes nothing. It is stored for each range of addresses, so that
//! a program can read it back.

use crate::abi::CUdevice;
use parking_lot::Mutex;
use std::collections::{BTreeMap, BTreeSet};

/// `CU_DEVICE_INVALID`: no place.
pub(crate) const NOWHERE: CUdevice = -2;

/// The advice for a range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Advice {
    pub(crate) read_mostly: bool,
    pub(crate) preferred: CUdevice,
    pub(crate) accessed_by: BTreeSet<CUdevice>,
    pub(crate) prefetched: CUdevice,
}

impl Default for Advice {
    fn default() -> Advice {
        Advice {
            read_mostly: false,
            preferred: NOWHERE,
            accessed_by: BTreeSet::new(),
            prefetched: NOWHERE,
        }
    }
}

/// For each start address, the end of the range and the advice. Ranges do not overlap. An address
/// in no range has no advice.
static STRETCHES: Mutex<BTreeMap<u64, (u64, Advice)>> = Mutex::new(BTreeMap::new());

/// Makes `at` the end of one range and the start of another, if it is inside of one.
fn split(stretches: &mut BTreeMap<u64, (u64, Advice)>, at: u64) {
    let Some((_, (end, advice))) = stretches.range_mut(..at).next_back() else {
        return;
    };
    if *end > at {
        let rest = (std::mem::replace(end, at), advice.clone());
        stretches.insert(at, rest);
    }
}

/// Changes the advice for `bytes` from `start`.
pub(crate) fn change(start: u64, bytes: u64, change: impl Fn(&mut Advice)) {
    let end = start.saturating_add(bytes);
    let stretches = &mut *STRETCHES.lock();
    split(stretches, start);
    split(stretches, end);
    let mut at = start;
    while at < end {
        let next = stretches.range(at..end).next().map(|(&next, _)| next);
        match next {
            Some(next) if next == at => {
                if let Some((stop, advice)) = stretches.get_mut(&at) {
                    change(advice);
                    at = *stop;
                }
            }
            next => {
                let mut advice = Advice::default();
                change(&mut advice);
                let stop = next.unwrap_or(end);
                stretches.insert(at, (stop, advice));
                at = stop;
            }
        }
    }
}

/// Removes the advice for `bytes` from `start`.
pub(crate) fn forget(start: u64, bytes: u64) {
    let end = start.saturating_add(bytes);
    let stretches = &mut *STRETCHES.lock();
    split(stretches, start);
    split(stretches, end);
    stretches.retain(|&at, _| at < start || at >= end);
}

/// Returns the advice of each part of `bytes` from `start`.
pub(crate) fn parts(start: u64, bytes: u64) -> Vec<Advice> {
    let end = start.saturating_add(bytes);
    let stretches = &*STRETCHES.lock();
    let mut at = start;
    let mut parts = Vec::new();
    let before = stretches.range(..start).next_back();
    if let Some((_, (stop, advice))) = before.filter(|(_, (stop, _))| *stop > start) {
        parts.push(advice.clone());
        at = *stop;
    }
    for (&next, (stop, advice)) in stretches.range(at.min(end)..end) {
        if next > at {
            parts.push(Advice::default());
        }
        parts.push(advice.clone());
        at = *stop;
    }
    if at < end {
        parts.push(Advice::default());
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_holds_for_its_stretch_and_no_more() {
        let at = 0x7777_0000_0000;
        change(at + 100, 100, |advice| advice.preferred = 0);
        change(at + 150, 100, |advice| advice.read_mostly = true);
        let parts_of = |start, bytes| {
            let parts = parts(at + start, bytes);
            parts
                .into_iter()
                .map(|part| (part.preferred, part.read_mostly))
                .collect::<Vec<_>>()
        };
        assert_eq!(parts_of(100, 50), [(0, false)]);
        assert_eq!(parts_of(160, 20), [(0, true)]);
        assert_eq!(parts_of(200, 50), [(NOWHERE, true)]);
        assert_eq!(parts_of(0, 100), [(NOWHERE, false)]);
        assert_eq!(
            parts_of(90, 170),
            [
                (NOWHERE, false),
                (0, false),
                (0, true),
                (NOWHERE, true),
                (NOWHERE, false)
            ]
        );
        forget(at + 120, 1000);
        assert_eq!(parts_of(100, 200), [(0, false), (NOWHERE, false)]);
        forget(at, 1000);
    }
}
