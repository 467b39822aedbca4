//! Pairs of volatile accesses that nothing orders.
//!
//! `volatile` makes each access happen, and orders nothing. A place that a loop polls until it
//! changes is a flag, which programs have always passed messages by. Anything else (sums of a warp
//! without `bar.warp.sync`, arrays without a barrier) is a mistake. Whether a place is polled is
//! known only when the launch has ended.

use std::collections::{HashMap, HashSet};

/// A place: the block whose shared memory it is, or `None` for global memory; and the word.
type Place = (Option<u64>, u64);

/// The most places that are remembered for one pair of instructions.
const MOST: usize = 16;

/// The pairs of a launch, by the places of the two instructions in the program.
#[derive(Debug, Default)]
pub(crate) struct VolatilePairs {
    places: HashMap<(u32, u32), Vec<Place>>,
    polled: HashSet<Place>,
}

impl VolatilePairs {
    /// Notes that a place is polled.
    pub(crate) fn polled(&mut self, shared: Option<u64>, address: u64) {
        self.polled.insert((shared, address / 4));
    }

    /// Notes a pair at a place.
    pub(crate) fn found(&mut self, pair: (u32, u32), shared: Option<u64>, address: u64) {
        let places = self.places.entry(pair).or_default();
        let place = (shared, address / 4);
        if places.len() < MOST && !places.contains(&place) {
            places.push(place);
        }
    }

    /// Returns the pairs that were found at polled places only.
    pub(crate) fn of_flags(&self) -> impl Iterator<Item = (u32, u32)> {
        let polled = |places: &[Place]| places.iter().all(|place| self.polled.contains(place));
        let pairs = self.places.iter().filter(move |(_, places)| polled(places));
        pairs.map(|(&pair, _)| pair)
    }
}
