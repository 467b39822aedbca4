//! Filling all elements of a buffer with one value.

use std::panic::Location;

use bytemuck::{Pod, Zeroable};

use super::{DeviceBuffer, MemoryError};
use crate::memory::pattern::Pattern;
use crate::stream::order::Access;
use crate::{DeviceCopy, DriverError};

impl<T: DeviceCopy> DeviceBuffer<T> {
    /// Sets every byte to zero.
    ///
    /// # Errors
    /// The driver's error. After a fault in a kernel, every call on its context returns that error.
    #[track_caller]
    pub fn fill_zero(&mut self) -> Result<(), MemoryError>
    where
        T: Zeroable,
    {
        self.set_all(Pattern::ZERO, Location::caller())
    }

    /// Sets every element to `value`. An element has 1, 2 or 4 bytes.
    ///
    /// # Errors
    /// As [`Self::fill_zero`].
    #[doc(alias = "cudaMemset")]
    #[track_caller]
    pub fn fill(&mut self, value: T) -> Result<(), MemoryError>
    where
        T: Pod,
    {
        self.set_all(Pattern::of(value), Location::caller())
    }

    /// Fills the buffer with a pattern that is a valid `T`.
    #[track_caller]
    pub(super) fn set_all(
        &mut self,
        pattern: Pattern,
        at: &'static Location<'static>,
    ) -> Result<(), MemoryError> {
        let count = self.len() * size_of::<T>() / pattern.bytes as usize;
        if count == 0 {
            return Ok(());
        }
        if self.is_in_graphs() {
            let stream = self.device().default_stream();
            stream.set_all(self, pattern, at)?;
            return Ok(stream.record()?.synchronize()?);
        }
        let begun = self.use_now(Access::Write, at)?;
        // SAFETY: the buffer owns this many bytes, and the driver refuses an address that is not
        // aligned to the pattern.
        let (call, result) = unsafe { pattern.set(self.address(), count) };
        DriverError::check(call, result, at)?;
        Ok(self.used_now(begun, Access::Write, at)?)
    }
}
