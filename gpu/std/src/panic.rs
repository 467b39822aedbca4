//! The panic handler of the device: it prints the message, the place and the thread, and traps.
//!
//! The text is built in the thread's own memory and printed by one call, so that the lines of
//! threads that panic together are not mixed. If the compiler can prove that a kernel does not
//! panic, the kernel's PTX contains none of this code.

use core::ffi::CStr;
use core::fmt::{self, Write};
use core::panic::PanicInfo;

use crate::thread;

/// The maximum length of a report, in bytes. A longer report is cut.
const LONGEST: usize = 256;

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    report(info);
    core::intrinsics::abort()
}

/// Prints the message, the place, and the thread.
#[cold]
#[inline(never)]
fn report(info: &PanicInfo<'_>) {
    let mut text = Line {
        bytes: [0; LONGEST + 1],
        length: 0,
    };
    // A write to a `Line` cuts what does not fit, and does not fail.
    let _ = write!(text, "{}", info.message());
    let (file, line) = match info.location() {
        Some(place) => (place.file_as_c_str(), place.line()),
        None => (c"an unknown place", 0),
    };
    print(&text, file, line);
}

/// `panicked at FILE:LINE: TEXT`, with block and thread.
fn print(text: &Line, file: &CStr, line: u32) {
    use thread::*;
    #[repr(C)]
    struct Arguments(*const u8, u32, *const u8, u32, u32, u32, u32, u32, u32);
    let arguments = Arguments(
        file.as_ptr().cast(),
        line,
        text.bytes.as_ptr(),
        block_idx_x(),
        block_idx_y(),
        block_idx_z(),
        thread_idx_x(),
        thread_idx_y(),
        thread_idx_z(),
    );
    let format = c"panicked at %s:%u: %s, block (%u,%u,%u), thread (%u,%u,%u)\n";
    // SAFETY: the format's letters are those of the arguments, whose strings end in zero.
    unsafe { crate::intrinsics::vprintf(format.as_ptr().cast(), (&raw const arguments).cast()) };
}

/// Text of limited length that ends in zero.
struct Line {
    bytes: [u8; LONGEST + 1],
    length: usize,
}

impl fmt::Write for Line {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for &byte in text.as_bytes() {
            if self.length < LONGEST {
                self.bytes[self.length] = byte;
                self.length += 1;
            }
        }
        Ok(())
    }
}
