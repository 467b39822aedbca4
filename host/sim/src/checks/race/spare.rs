//! The memory that one launch's check has taken, kept for the next launch of the thread.

use std::cell::RefCell;

use super::Races;
use super::cells::Cells;
use super::record::Records;

thread_local! {
    /// Where the last launch of this thread kept what it knew. To get so much memory from the
    /// system anew takes as long as a small launch does.
    static SPARE: RefCell<Option<(Cells, Records)>> = const { RefCell::new(None) };
}

/// More bytes than these are given back to the system.
const MOST_SPARE: usize = 64 << 20;

impl Races {
    /// What a launch that is checked begins with: `alone` are the warps of a block, where no block
    /// reaches another's shared memory.
    pub(crate) fn begins(alone: Option<u32>) -> Self {
        let (cells, records) = SPARE
            .try_with(RefCell::take)
            .ok()
            .flatten()
            .unwrap_or_default();
        let mut races = Self::default();
        (races.cells, races.records, races.alone) = (cells, records, alone);
        races
    }
}

impl Drop for Races {
    fn drop(&mut self) {
        let bytes = self.cells.bytes() + self.records.bytes();
        if !(1..=MOST_SPARE).contains(&bytes) {
            return;
        }
        self.cells.reset();
        self.records.reset();
        let spare = (
            std::mem::take(&mut self.cells),
            std::mem::take(&mut self.records),
        );
        // A thread that ends has none any more.
        let _ = SPARE.try_with(|kept| kept.replace(Some(spare)));
    }
}
