//! Rounding modes.
//!
//! PTX ISA 9.7.3, ".rnd", and 9.7.9 "cvt", ".frnd", ".irnd".

/// The neighbour that replaces a value which a type cannot represent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Rounding {
    /// `.rn`, `.rni`: to the nearest, ties to even.
    Nearest,
    /// `.rz`, `.rzi`: towards zero.
    Zero,
    /// `.rm`, `.rmi`: towards minus infinity.
    Down,
    /// `.rp`, `.rpi`: towards plus infinity.
    Up,
}
