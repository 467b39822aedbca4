//! The options of a JIT compilation that have an effect here: where to write logs.

use crate::abi::c_void;
use crate::error::Error;

/// The options of a JIT compilation that have an effect here: where to write logs. The other
/// options select between variants of machine code with the same results.
#[derive(Debug, Default)]
pub(crate) struct JitOptions {
    pub(crate) info: Log,
    pub(crate) error: Log,
    pub(crate) wall_time: Option<*mut *mut c_void>,
}

/// The buffer for a log, its size, and the place of the size. The length of the written text
/// replaces the size there.
#[derive(Debug, Default)]
pub(crate) struct Log {
    pub(crate) buffer: Option<*mut u8>,
    /// The size of the buffer. It is read once, because later writes replace `size` by the length
    /// of the text.
    room: usize,
    size: Option<*mut *mut c_void>,
}

// SAFETY: the pointers belong to the caller, who guarantees that they are valid on any thread while
// the options are used. For a module that is during the call, for a link until it is destroyed.
// Several threads may use a link. It protects its options with a lock, so that only one call writes
// at a time.
unsafe impl Send for JitOptions {}

impl JitOptions {
    /// Writes messages to the buffers, and their lengths to the sizes.
    ///
    /// # Safety
    /// The buffers are live and as large as the options specify.
    pub(crate) unsafe fn write(&self, error: Option<&Error>) {
        let (info, error) = match error {
            None => (
                "simulated: PTX read, checked and decoded".to_string(),
                String::new(),
            ),
            Some(error) => (String::new(), error.message.clone()),
        };
        // SAFETY: the caller keeps the contract.
        unsafe {
            self.info.write(&info);
            self.error.write(&error);
            if let Some(place) = self.wall_time {
                // The time is a float in the low bits of a pointer. It is 0 because
                // nothing was compiled.
                place.write(std::ptr::without_provenance_mut(0f32.to_bits() as usize));
            }
        }
    }
}

impl Log {
    /// Stores the size, which is a 32-bit number in place of a pointer.
    pub(crate) fn sized(&mut self, place: *mut *mut c_void, value: *mut c_void) {
        self.room = value.addr() as u32 as usize;
        self.size = Some(place);
    }

    /// # Safety
    /// The buffer has as many bytes as the size specifies.
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
