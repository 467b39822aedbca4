//! Where a thread is in a ring of places that others fill or empty.

use core::hint::assert_unchecked;

use lanewise_std::barrier::Parity;

/// A place of a ring of `STAGES`, and the phase of its barriers.
pub(crate) struct Place<const STAGES: usize> {
    stage: usize,
    pub(crate) parity: Parity,
}

impl<const STAGES: usize> Place<STAGES> {
    #[inline(always)]
    pub(crate) fn new(parity: Parity) -> Self {
        Place { stage: 0, parity }
    }

    #[inline(always)]
    pub(crate) fn stage(&self) -> usize {
        // SAFETY: `advance` returns to 0 after the last place.
        unsafe { assert_unchecked(self.stage < STAGES) };
        self.stage
    }

    #[inline(always)]
    pub(crate) fn advance(&mut self) {
        self.stage += 1;
        if self.stage == STAGES {
            self.stage = 0;
            self.parity = self.parity.next();
        }
    }
}
