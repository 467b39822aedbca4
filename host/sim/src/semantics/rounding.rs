//! Rounding modes.
//!
//! PTX ISA 9.7.3, ".rnd", and 9.7.9 "cvt", ".frnd", ".irnd".

/// Which neighbour stands for a value that a type does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Rounding {
    /// `.rn`, `.rni`: the nearer; of two equally near, the one with an even last digit.
    Nearest,
    /// `.rz`, `.rzi`: the one towards zero.
    Zero,
    /// `.rm`, `.rmi`: the one towards minus infinity.
    Down,
    /// `.rp`, `.rpi`: the one towards plus infinity.
    Up,
}
