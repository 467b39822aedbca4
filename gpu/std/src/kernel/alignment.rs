//! The alignment of a slice in a kernel's parameters, which follows from the size of its elements.
//!
//! A GPU reads 16 bytes at once if their address is a multiple of 16, and one byte at a time if it
//! may be any. Rust aligns `[i8; 4]` to one byte and `[f32; 4]` to four, so it would read the first
//! in four parts and the second as well. But memory of the device begins at a multiple of 256, and
//! the distance from its start to each element is a multiple of the element's size. So an element
//! is aligned to the largest power of two that divides its size. The host checks that for every
//! slice that it passes, and the builder tells LLVM.
//!
//! Source: CUDA C++ Programming Guide, "Device Memory Accesses: Size and Alignment Requirement".

/// The most bytes that a thread loads or stores at once. A larger alignment gains nothing.
const WIDEST: usize = 16;

/// Returns the alignment, in bytes, of a slice with elements of type `T` in a kernel's parameters:
/// the largest power of two that divides the element's size, at most 16, and at least what Rust
/// requires.
///
/// ```
/// use lanewise_std::kernel::slice_alignment;
///
/// assert_eq!(slice_alignment::<[i8; 4]>(), 4);
/// assert_eq!(slice_alignment::<[f32; 8]>(), 16);
/// assert_eq!(slice_alignment::<[f32; 3]>(), 4);
/// ```
#[must_use]
pub const fn slice_alignment<T>() -> usize {
    let (size, rust) = (size_of::<T>(), align_of::<T>());
    if size == 0 {
        return rust;
    }
    let by_size = 1 << size.trailing_zeros();
    let by_size = if by_size < WIDEST { by_size } else { WIDEST };
    if by_size > rust { by_size } else { rust }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[repr(C)]
    struct Vector3(f32, f32, f32);

    #[repr(C, align(64))]
    struct Line([u8; 64]);

    #[test]
    fn the_size_gives_the_alignment() {
        assert_eq!(slice_alignment::<u8>(), 1);
        assert_eq!(slice_alignment::<[u8; 3]>(), 1);
        assert_eq!(slice_alignment::<[u8; 6]>(), 2);
        assert_eq!(slice_alignment::<f64>(), 8);
        assert_eq!(slice_alignment::<Vector3>(), 4);
        assert_eq!(slice_alignment::<[f32; 6]>(), 8);
        assert_eq!(slice_alignment::<[f64; 16]>(), 16);
        assert_eq!(slice_alignment::<Line>(), 64);
        assert_eq!(slice_alignment::<[f32; 0]>(), 4);
    }
}
