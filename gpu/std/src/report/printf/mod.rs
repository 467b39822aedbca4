//! What `gpu_printf!` stands on: types that `vprintf` can print, and the format that belongs to
//! them.
//!
//! The macro cuts the format string where a conversion letter belongs; here the letters come from
//! the arguments' types, in constants, so that a format that does not fit its arguments cannot be
//! written. The arguments are packed as C's variadic calls pack them: each at a multiple of its own
//! size, `f32` widened to `f64`. CUDA C++ Programming Guide, "Formatted Output"; PTX
//! interoperability, "System Calls: vprintf".

mod arguments;
mod format;

pub use arguments::{Argument, Arguments, Exponent, Fixed, LowerHex, Octal, Pointer, UpperHex};

use crate::intrinsics;
use format::Format;

/// The format of one `gpu_printf!`: its text, cut where the conversion letters belong.
#[doc(hidden)]
pub trait Text {
    /// One more piece than there are arguments.
    const PIECES: &'static [&'static str];
}

/// The argument itself; here for a message that points at it when it cannot be printed.
#[doc(hidden)]
#[inline(always)]
pub fn printable<A: Argument>(argument: A) -> A {
    argument
}

/// Prints arguments by a format; the text comes out at the next synchronisation.
#[doc(hidden)]
#[inline]
pub fn print<T: Text, A: Arguments>(arguments: A) {
    let packed = arguments.pack();
    // SAFETY: the format ends in zero, and its letters are those of the packed types.
    unsafe {
        intrinsics::vprintf(
            Format::<T, A>::C_STRING.as_ptr(),
            (&raw const packed).cast(),
        )
    };
}
