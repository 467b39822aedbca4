//! The options of a JIT compilation, as far as they have an effect: where to write logs.

use crate::abi::c_void;
use crate::error::Error;

/// The options of a JIT compilation that have an effect here: where to write logs. The others
/// choose between machine code that computes the same.
#[derive(Debug, Default)]
pub(crate) struct JitOptions {
    pub(crate) info: Log,
    pub(crate) error: Log,
    pub(crate) wall_time: Option<*mut *mut c_void>,
}

/// A buffer for a log, its size, and where that is, to be replaced by how much was written.
#[derive(Debug, Default)]
pub(crate) struct Log {
    pub(crate) buffer: Option<*mut u8>,
    /// Read once: what was written to `size` since is no size.
    room: usize,
    size: Option<*mut *mut c_void>,
}

// SAFETY: the pointers are the caller's, who states that they are good, on any thread, for as long
// as the options are used: for a module's, during the call; for a link's, until it is destroyed. A
// link, which several threads may use, holds its options in a lock, so that one call writes at a
// time.
unsafe impl Send for JitOptions {}

impl JitOptions {
    /// Writes what happened to the buffers, and how much was written to the sizes.
    ///
    /// # Safety
    /// The buffers are as large as the options said, and live.
    pub(crate) unsafe fn write(&self, error: Option<&Error>) {
        let (info, error) = match error {
            None => (
                "simulated: PTX read, checked and decoded".to_string(),
                String::new(),
            ),
            Some(error) => (String::new(), error.message.clone()),
        };
        // SAFETY: the caller's contract.
        unsafe {
            self.info.write(&info);
            self.error.write(&error);
            if let Some(place) = self.wall_time {
                // A float in the low bits of a pointer; nothing was compiled, so no time was spent.
                place.write(std::ptr::without_provenance_mut(0f32.to_bits() as usize));
            }
        }
    }
}

impl Log {
    /// Notes the size, which is a 32-bit number in a pointer's place.
    pub(crate) fn sized(&mut self, place: *mut *mut c_void, value: *mut c_void) {
        self.room = value.addr() as u32 as usize;
        self.size = Some(place);
    }

    /// # Safety
    /// The buffer has as many bytes as the size said.
    unsafe fn write(&self, text: &str) {
        let (Some(buffer), Some(size)) = (self.buffer, self.size) else {
            return;
        };
        if buffer.is_null() || self.room == 0 {
            return;
        }
        let taken = text.len().min(self.room - 1);
        // SAFETY: `taken` bytes and a zero byte are at most `room`.
        unsafe {
            std::ptr::copy_nonoverlapping(text.as_ptr(), buffer, taken);
            buffer.add(taken).write(0);
            size.write(std::ptr::without_provenance_mut(taken));
        }
    }
}
