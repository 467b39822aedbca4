//! Text in an array: what `core::fmt` writes to where there is no heap.

use core::fmt;

/// Up to `N` bytes of text. A write that does not fit is cut and fails.
#[derive(Clone)]
pub(crate) struct Text<const N: usize> {
    bytes: [u8; N],
    length: usize,
}

impl<const N: usize> Text<N> {
    /// A buffer that holds no text yet.
    pub(crate) fn new() -> Text<N> {
        Text {
            bytes: [0; N],
            length: 0,
        }
    }

    /// Forgets the text.
    pub(crate) fn clear(&mut self) {
        self.length = 0;
    }

    /// The text that was written so far.
    pub(crate) fn as_str(&self) -> &str {
        core::str::from_utf8(&self.bytes[..self.length]).unwrap_or("cut inside a character")
    }
}

impl<const N: usize> fmt::Write for Text<N> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for &byte in text.as_bytes() {
            *self.bytes.get_mut(self.length).ok_or(fmt::Error)? = byte;
            self.length += 1;
        }
        Ok(())
    }
}
