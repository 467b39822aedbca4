//! The memory of one launch's check, kept for the next launch of the same host thread.

use std::cell::RefCell;

use super::Races;
use super::cells::Cells;
use super::record::Records;

thread_local! {
    /// The cells and records of this thread's last launch, emptied. Allocating so much memory from
    /// the system again takes as long as a small launch does.
    static SPARE: RefCell<Option<(Cells, Records)>> = const { RefCell::new(None) };
}

/// If the memory has more bytes than this, it is given back to the system.
const MOST_SPARE: usize = 64 << 20;

impl Races {
    /// Creates the check's state for a launch. `alone` is the number of warps of a block, if no
    /// block accesses another's shared memory.
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
        // A thread that ends has no thread-local memory any more.
        let _ = SPARE.try_with(|kept| kept.replace(Some(spare)));
    }
}
