//! The C format string of one call, which is built at compile time.

use core::marker::PhantomData;

use super::{Arguments, Text};

/// The format of text `T` with arguments `A`.
pub(super) struct Format<T, A>(PhantomData<(T, A)>);

impl<T: Text, A: Arguments> Format<T, A> {
    /// The format and its final zero.
    const LENGTH: usize = {
        assert!(
            T::PIECES.len() == A::CONVERSIONS.len() + 1,
            "as many placeholders as arguments"
        );
        let mut length = 1;
        let mut i = 0;
        while i < T::PIECES.len() {
            length += T::PIECES[i].len();
            i += 1;
        }
        let mut i = 0;
        while i < A::CONVERSIONS.len() {
            length += A::CONVERSIONS[i].len();
            i += 1;
        }
        length
    };

    // An array's length cannot depend on `LENGTH` (generic constant expressions are not
    // stable), so there is one constant of each of these sizes; those that nothing uses do not
    // exist in the PTX.
    const BYTES_32: [u8; 32] = Self::bytes();
    const BYTES_64: [u8; 64] = Self::bytes();
    const BYTES_128: [u8; 128] = Self::bytes();
    const BYTES_256: [u8; 256] = Self::bytes();
    const BYTES_1024: [u8; 1024] = Self::bytes();

    /// The format, with at least one zero at its end.
    pub(super) const C_STRING: &'static [u8] = match Self::LENGTH {
        0..=32 => &Self::BYTES_32,
        33..=64 => &Self::BYTES_64,
        65..=128 => &Self::BYTES_128,
        129..=256 => &Self::BYTES_256,
        257..=1024 => &Self::BYTES_1024,
        _ => panic!("a format of `gpu_printf!` has at most 1023 bytes"),
    };

    /// The pieces with the conversions between them, and zeros up to `N`.
    const fn bytes<const N: usize>() -> [u8; N] {
        let mut bytes = [0; N];
        let mut at = 0;
        let mut i = 0;
        while i < T::PIECES.len() {
            at = append(&mut bytes, at, T::PIECES[i]);
            if i < A::CONVERSIONS.len() {
                at = append(&mut bytes, at, A::CONVERSIONS[i]);
            }
            i += 1;
        }
        bytes
    }
}

/// Copies `text` into `bytes` from `at` on, and returns the position after it. Bytes that do not
/// fit are left out.
const fn append<const N: usize>(bytes: &mut [u8; N], at: usize, text: &str) -> usize {
    let mut i = 0;
    while i < text.len() && at + i < N {
        bytes[at + i] = text.as_bytes()[i];
        i += 1;
    }
    at + i
}

#[cfg(test)]
mod tests {
    use super::*;

    enum Fraction {}
    // SAFETY: each `%` begins a conversion, at the end of its piece.
    unsafe impl Text for Fraction {
        const PIECES: &'static [&'static str] = &["%", " of %08.2", "\n"];
    }

    #[test]
    fn letters_come_from_the_types() {
        let format = Format::<Fraction, (u32, super::super::Fixed<f32>)>::C_STRING;
        assert_eq!(
            core::ffi::CStr::from_bytes_until_nul(format).unwrap(),
            c"%u of %08.2f\n"
        );
    }

    #[test]
    fn a_longer_format_takes_the_next_size() {
        enum Long {}
        // SAFETY: each `%` begins a conversion, at the end of its piece.
        unsafe impl Text for Long {
            const PIECES: &'static [&'static str] = &["0123456789012345678901234567890%", "!"];
        }
        let format = Format::<Long, (i64,)>::C_STRING;
        assert_eq!(format.len(), 64);
        assert_eq!(&format[30..37], b"0%lld!\0");
    }
}
