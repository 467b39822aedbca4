//! The panic handler of the device, and the functions that take the place of `core`'s panics.
//!
//! A panic ends the launch. How it is reported is an option of the build (`--panic`):
//!
//! - `record`, the default: the thread stores the place, the text and up to four values in host
//!   memory and traps ([`record`](mod@record)). The host prints the message. A kernel that can
//!   panic then contains no call, and needs about the registers that it needs without the checks.
//! - `message`: the thread makes the text in its own memory and prints it by one call of `vprintf`,
//!   so that the lines of threads that panic together are not mixed.
//! - `trap`: the thread traps.
//!
//! If the compiler can prove that a kernel does not panic, the kernel's PTX contains none of this.

mod record;
mod trap;

use core::fmt::{self, Write};
use core::panic::{Location, PanicInfo};

use crate::thread;

/// The maximum length of a text, in bytes. A longer text is cut.
const LONGEST: usize = 256;

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    let mut text = Line {
        bytes: [0; LONGEST + 1],
        length: 0,
    };
    // A write to a `Line` cuts what does not fit, and does not fail.
    let _ = write!(text, "{}", info.message());
    match info.location() {
        // SAFETY: the text has this length, and a zero byte follows it.
        Some(place) => unsafe { __lanewise_panic_text(text.bytes.as_ptr(), text.length, place) },
        None => core::intrinsics::abort(),
    }
}

/// Prints `panicked at FILE:LINE: TEXT`, with block and thread. The builder replaces this function
/// if panics are recorded.
///
/// # Safety
/// `text` is valid for reads of `length` bytes and of a zero byte after them.
#[unsafe(no_mangle)]
#[cold]
#[inline(never)]
unsafe fn __lanewise_panic_text(text: *const u8, _length: usize, place: &Location<'_>) -> ! {
    use thread::*;
    #[repr(C)]
    struct Arguments(*const u8, u32, *const u8, u32, u32, u32, u32, u32, u32);
    let arguments = Arguments(
        place.file_as_c_str().as_ptr().cast(),
        place.line(),
        text,
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
    core::intrinsics::abort()
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
