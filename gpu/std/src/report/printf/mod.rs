//! The implementation of `gpu_printf!`: types that `vprintf` can print, and their format.
//!
//! The macro cuts the format string at the places of the conversion letters. This module takes
//! the letters from the arguments' types, in constants. So a format always fits its arguments.
//! The arguments are packed as in C's variadic calls: each is aligned to its own size, and `f32`
//! is widened to `f64`. CUDA C++ Programming Guide, "Formatted Output"; PTX interoperability,
//! "System Calls: vprintf".

mod arguments;
mod format;

pub use arguments::{Argument, Arguments, Exponent, Fixed, LowerHex, Octal, Pointer, UpperHex};

use crate::intrinsics;
use format::Format;

/// The format of one `gpu_printf!`: its text, cut at the places of the conversion letters.
///
/// Safe code cannot make one, whose `%s` would print the memory at any address:
///
/// ```compile_fail,E0200
/// struct Text;
/// impl lanewise_std::printf::Text for Text {
///     const PIECES: &'static [&'static str] = &["%s %", "\n"];
/// }
/// ```
///
/// # Safety
/// Each `%` in the text is doubled, except where a conversion begins: behind it are at most flags,
/// a width and a precision, and then the piece ends. Another piece follows.
#[doc(hidden)]
pub unsafe trait Text {
    /// The pieces of the text. There is one more piece than arguments.
    const PIECES: &'static [&'static str];
}

/// Returns the argument itself. Its bound gives an error message at an argument that
/// cannot be printed.
#[doc(hidden)]
#[inline(always)]
pub fn printable<A: Argument>(argument: A) -> A {
    argument
}

/// Prints arguments with a format. The text appears at the next synchronisation.
#[doc(hidden)]
#[inline]
pub fn print<T: Text, A: Arguments>(arguments: A) {
    let packed = arguments.pack();
    // SAFETY: the format ends in zero. By the contracts of `Text` and `Argument`, it has one
    // conversion for each argument, with the letters of the packed type.
    unsafe {
        intrinsics::vprintf(
            Format::<T, A>::C_STRING.as_ptr(),
            (&raw const packed).cast(),
        )
    };
}
