//! The mbarrier object: counts of pending arrivals and of pending bytes, and a phase that ends when
//! both are zero.
//!
//! PTX ISA 9.7.13.15 "Parallel Synchronization and Communication Instructions: mbarrier". The
//! object is opaque in the ISA, with 64 bits in shared memory. Here these bits contain, from the
//! lowest: arrivals pending in this phase (20 bits), arrivals expected in the next (20), pending
//! bytes (21, with a bias of 2^20), the phase (1), and a mark. The mark distinguishes an object
//! from memory that was never written: zeros are not an object. Whatever the ISA leaves undefined
//! is an error here.

/// The largest count of arrivals, and of bytes in either direction.
const MOST: i64 = (1 << 20) - 1;
/// The bias of the stored byte count.
const BIAS: i64 = 1 << 20;
/// The highest two bits of a valid object.
const MARK: u64 = 0b10;

/// The fields of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mbarrier {
    /// The parity of the current phase.
    pub(crate) phase: bool,
    /// Arrivals that the current phase still needs.
    pub(crate) pending: u32,
    /// Arrivals that each further phase needs.
    pub(crate) expected: u32,
    /// Bytes that are expected and have not arrived. The count is negative if bytes arrived before
    /// they were expected.
    pub(crate) bytes: i32,
}

/// Operations that the ISA does not define.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum MbarrierError {
    /// The memory contains no mbarrier.
    #[error("no mbarrier is there: `mbarrier.init` was not run, or `mbarrier.inval` was")]
    Invalid,
    /// `mbarrier.init` of an object that is valid.
    #[error(
        "an mbarrier is initialised that is in use: `mbarrier.init` was run before, and `mbarrier.inval` was not"
    )]
    Live,
    /// A count outside the ISA's range.
    #[error("a count of {0} arrivals; it has to be between 1 and {MOST}")]
    Count(u32),
    /// More arrivals than the phase still needs.
    #[error("{count} arrivals at an mbarrier that waits for {pending} in this phase")]
    TooMany {
        /// The number of arrivals.
        count: u32,
        /// The number that the phase still needed.
        pending: u32,
    },
    /// `.noComplete` with the last arrival of a phase.
    #[error("an arrival with `.noComplete` completes the phase")]
    Completes,
    /// A byte count outside the ISA's range.
    #[error("{0} bytes are on their way to one mbarrier; the range ends at {MOST}")]
    Bytes(i64),
}

impl Mbarrier {
    /// `mbarrier.init`: returns a new object in its first phase.
    pub(crate) fn new(count: u32) -> Result<Self, MbarrierError> {
        if count == 0 || i64::from(count) > MOST {
            return Err(MbarrierError::Count(count));
        }
        Ok(Self {
            phase: false,
            pending: count,
            expected: count,
            bytes: 0,
        })
    }

    /// Reads an object from the bits in memory.
    pub(crate) fn of(bits: u64) -> Result<Self, MbarrierError> {
        if bits >> 62 != MARK {
            return Err(MbarrierError::Invalid);
        }
        let field = |at: u32, width: u32| bits >> at & ((1 << width) - 1);
        Ok(Self {
            phase: field(61, 1) != 0,
            pending: field(0, 20) as u32,
            expected: field(20, 20) as u32,
            bytes: (field(40, 21) as i64 - BIAS) as i32,
        })
    }

    /// Returns whether the bits are those of an object that was initialised with this count, and
    /// not of other data that was stored over it.
    pub(crate) fn is_live(bits: u64, count: u32) -> bool {
        Self::of(bits).is_ok_and(|it| (1..=count).contains(&it.expected))
    }

    /// Returns the bits in memory. `mbarrier.arrive` returns these bits of the old object.
    pub(crate) fn bits(self) -> u64 {
        let bytes = (i64::from(self.bytes) + BIAS) as u64 & ((1 << 21) - 1);
        MARK << 62
            | u64::from(self.phase) << 61
            | bytes << 40
            | u64::from(self.expected) << 20
            | u64::from(self.pending)
    }

    /// Ends the phase if nothing is pending. Returns whether it did.
    fn settle(&mut self) -> bool {
        let ends = self.pending == 0 && self.bytes == 0;
        if ends {
            self.phase = !self.phase;
            self.pending = self.expected;
        }
        ends
    }

    /// `mbarrier.arrive`: adds this many arrivals. Returns whether the phase ended.
    pub(crate) fn arrive(&mut self, count: u32) -> Result<bool, MbarrierError> {
        if count == 0 || i64::from(count) > MOST {
            return Err(MbarrierError::Count(count));
        }
        let pending = self.pending;
        self.pending = pending
            .checked_sub(count)
            .ok_or(MbarrierError::TooMany { count, pending })?;
        Ok(self.settle())
    }

    /// `mbarrier.arrive_drop`: adds arrivals of threads that further phases do not wait for.
    /// Returns whether the phase ended.
    pub(crate) fn arrive_drop(&mut self, count: u32) -> Result<bool, MbarrierError> {
        let pending = self.expected;
        self.expected = pending
            .checked_sub(count)
            .ok_or(MbarrierError::TooMany { count, pending })?;
        self.arrive(count)
    }

    /// `cp.async.mbarrier.arrive` without `.noinc`: adds one pending arrival.
    pub(crate) fn announce(&mut self) -> Result<(), MbarrierError> {
        if i64::from(self.pending) == MOST {
            return Err(MbarrierError::Count(self.pending + 1));
        }
        self.pending += 1;
        Ok(())
    }

    /// `mbarrier.expect_tx`: adds pending bytes. Returns whether the phase ended, because the bytes
    /// had arrived before.
    pub(crate) fn expect_tx(&mut self, bytes: u32) -> Result<bool, MbarrierError> {
        self.add(i64::from(bytes))?;
        Ok(self.settle())
    }

    /// `mbarrier.complete_tx`: removes bytes that have arrived. Returns whether the phase ended.
    pub(crate) fn complete_tx(&mut self, bytes: u32) -> Result<bool, MbarrierError> {
        self.add(-i64::from(bytes))?;
        Ok(self.settle())
    }

    fn add(&mut self, bytes: i64) -> Result<(), MbarrierError> {
        let sum = i64::from(self.bytes) + bytes;
        if sum.abs() > MOST {
            return Err(MbarrierError::Bytes(sum));
        }
        self.bytes = sum as i32;
        Ok(())
    }

    /// `mbarrier.test_wait` with the result of an arrival: returns whether that arrival's
    /// phase has ended.
    pub(crate) fn ended(self, state: u64) -> bool {
        self.ended_parity((state >> 61) as u32)
    }

    /// `mbarrier.test_wait.parity`: returns whether the last phase of this parity has ended.
    pub(crate) fn ended_parity(self, parity: u32) -> bool {
        u32::from(self.phase) != parity & 1
    }
}

/// `mbarrier.pending_count`: returns the arrivals that were pending when `state` was returned.
pub(crate) fn pending_count(state: u64) -> u32 {
    (state & ((1 << 20) - 1)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_go_to_memory_and_back() {
        for (pending, expected, bytes) in [
            (1, 1, 0),
            (0, MOST as u32, -1),
            (77, 5, MOST as i32),
            (3, 9, -MOST as i32),
        ] {
            for phase in [false, true] {
                let object = Mbarrier {
                    phase,
                    pending,
                    expected,
                    bytes,
                };
                assert_eq!(Mbarrier::of(object.bits()), Ok(object));
            }
        }
        for bits in [0, 1, u64::MAX, 1 << 62] {
            assert_eq!(Mbarrier::of(bits), Err(MbarrierError::Invalid));
        }
    }

    #[test]
    fn a_phase_takes_all_arrivals_and_all_bytes() {
        let mut object = Mbarrier::new(3).expect("a count in range");
        let first = object.bits();
        assert_eq!(object.arrive(2), Ok(false));
        assert_eq!((pending_count(first), pending_count(object.bits())), (3, 1));
        assert_eq!(object.expect_tx(64), Ok(false));
        assert_eq!(object.arrive(1), Ok(false), "bytes are missing");
        assert!(!object.ended(first) && !object.ended_parity(0) && object.ended_parity(1));
        assert_eq!(object.complete_tx(64), Ok(true));
        assert!(object.ended(first) && object.ended_parity(0) && !object.ended_parity(1));
        assert_eq!((object.pending, object.bytes), (3, 0));
        // Bytes may arrive before they are expected.
        assert_eq!(object.complete_tx(16), Ok(false));
        assert_eq!(object.arrive(3), Ok(false));
        assert_eq!(object.expect_tx(16), Ok(true));
    }

    #[test]
    fn who_drops_is_not_waited_for_again() {
        let mut object = Mbarrier::new(2).expect("a count in range");
        assert_eq!(object.arrive_drop(1), Ok(false));
        assert_eq!(object.arrive(1), Ok(true));
        assert_eq!(object.arrive(1), Ok(true), "one is left");
        assert_eq!(
            object.arrive(2),
            Err(MbarrierError::TooMany {
                count: 2,
                pending: 1
            })
        );
    }
}
