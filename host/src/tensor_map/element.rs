//! The types of tensor elements.

use lanewise_driver::tensor::Element;
use lanewise_std::float8::{E4m3, E5m2};
use lanewise_std::half::{Bf16, F16};

use crate::DeviceCopy;

/// A type of elements that tensor maps support.
///
/// # Safety
/// `ELEMENT` has the type's size, and any bits are a valid value.
pub unsafe trait TensorElement: DeviceCopy {
    /// The driver's value for the type.
    const ELEMENT: Element;
}

macro_rules! elements {
    ($($ty:ty: $element:ident;)*) => {$(
        // SAFETY: the type is a number with this many bits.
        unsafe impl TensorElement for $ty {
            const ELEMENT: Element = Element::$element;
        }
    )*};
}
elements! {
    u8: U8;
    E4m3: U8;
    E5m2: U8;
    u16: U16;
    u32: U32;
    i32: S32;
    u64: U64;
    i64: S64;
    F16: F16;
    Bf16: Bf16;
    f32: F32;
    f64: F64;
}
