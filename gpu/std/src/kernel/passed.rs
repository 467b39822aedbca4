//! How a kernel's parameters are passed, by their types.
//!
//! `#[kernel]` sees the name of a type, and a name says little: it may be an alias, or another
//! crate's type of the same name. So this trait tells, for the type itself, what the parameters of
//! the PTX are and how the value is made of them.

use super::Lowering;
use super::value::{Value, assert_value};

/// A type that a kernel takes, as the argument of a function: `fn(T)` stands for `T`. In this
/// place, lifetimes may be left out, as in the kernel's own signature.
///
/// # Safety
/// [`take`](Passed::take) makes the value from what [`give`](Passed::give) has returned for it, and
/// the lowering describes the parameters.
#[doc(hidden)]
pub unsafe trait Passed {
    /// The type, with this lifetime for what it borrows.
    type For<'a>;
    /// The first parameter of the PTX.
    type First;
    /// The second one. There is none if the type has no bytes.
    type Second;
    /// The type whose layout the host and the device must agree on: of the elements, or the value.
    type Element;
    /// What the parameters of the PTX are, for the builder.
    const LOWERING: Lowering;
    /// The alignment of a slice's address, in bytes.
    const ALIGNMENT: usize = 1;
    /// Compiles only if a value may be a parameter.
    const CHECKED: () = ();
    /// The number of the block's barriers that belong to the parameter. There is one for all
    /// parameters of a kernel: see [`PartPerBlock`](crate::PartPerBlock).
    const BARRIERS: usize = 0;

    /// Makes the value.
    ///
    /// # Safety
    /// The parameters are those of a launch, which keeps what they point to until the kernel ends.
    unsafe fn take<'a>(first: Self::First, second: Self::Second) -> Self::For<'a>;

    /// Returns the parameters for a launch from a kernel.
    fn give(value: Self::For<'_>) -> (Self::First, Self::Second);
}

/// Compiles only if at most one of a kernel's parameters has a barrier: [`Passed::BARRIERS`].
#[doc(hidden)]
pub const fn assert_one_barrier(of_parameters: &[usize]) {
    let (mut all, mut next) = (0, 0);
    while next < of_parameters.len() {
        all += of_parameters[next];
        next += 1;
    }
    assert!(
        all <= 1,
        "a kernel has at most one `PartPerBlock`, because one barrier divides its steps"
    );
}

// SAFETY: the parameter is the value itself.
unsafe impl<T: Value> Passed for fn(T) {
    type For<'a> = T;
    type First = T;
    type Second = ();
    type Element = T;
    const LOWERING: Lowering = match size_of::<T>() {
        0 => Lowering::Empty,
        _ => Lowering::ByValue,
    };
    const CHECKED: () = assert_value::<T>();

    #[inline(always)]
    unsafe fn take<'a>(first: T, (): ()) -> Self::For<'a> {
        first
    }

    #[inline(always)]
    fn give(value: T) -> (T, ()) {
        (value, ())
    }
}

/// Implements [`Passed`] for outputs, which are an address and a length. `WriteSlice` promises the
/// optimiser that no other thread accesses a thread's elements, and no other parameter reaches
/// them; `CellSlice` promises nothing.
macro_rules! outputs {
    ($name:ident $(<$owner:ident $(, const $count:ident: $number:ty)?>)? $(: $bound:ident)?, $lowering:ident $(, $barriers:literal)?) => {
        // SAFETY: the value is made of its own parts.
        unsafe impl<T: 'static $(+ $bound)? $(, $owner: 'static $(, const $count: $number)?)?> $crate::kernel::Passed
            for for<'a> fn($name<'a, T $(, $owner $(, $count)?)?>)
        {
            $(const BARRIERS: usize = $barriers;)?
            type For<'a> = $name<'a, T $(, $owner $(, $count)?)?>;
            type First = *mut T;
            type Second = usize;
            type Element = T;
            const LOWERING: $crate::kernel::Lowering = $crate::kernel::Lowering::$lowering;
            const ALIGNMENT: usize = $crate::kernel::slice_alignment::<T>();

            #[inline(always)]
            unsafe fn take<'a>(first: *mut T, second: usize) -> Self::For<'a> {
                // SAFETY: the caller promises that they are parts of a value that is still there.
                unsafe { $name::from_raw_parts(first, second) }
            }

            #[inline(always)]
            fn give(value: $name<'_, T $(, $owner $(, $count)?)?>) -> (*mut T, usize) {
                value.raw_parts()
            }
        }
    };
}

/// Gives an output that wraps another one its parts, which are those of the other.
macro_rules! wrapper {
    ($name:ident $(<$owner:ident, const $count:ident: $number:ty>)? ($inner:ident $(, $marker:expr)?)) => {
        impl<T $(, $owner, const $count: $number)?> $name<'_, T $(, $owner, $count)?> {
            /// Returns the parts, which `#[kernel]` passes on when a kernel launches another.
            #[doc(hidden)]
            #[inline]
            #[must_use]
            pub fn raw_parts(&self) -> (*mut T, usize) {
                self.0.raw_parts()
            }

            /// Makes the output of its parts. `#[kernel]` calls it with its two parameters.
            ///
            /// # Safety
            #[doc = concat!("As for [`", stringify!($inner), "::from_raw_parts`](crate::", stringify!($inner), "::from_raw_parts).")]
            /// Each thread of the launch has one such value.
            #[doc(hidden)]
            #[inline]
            #[must_use]
            pub unsafe fn from_raw_parts(first: *mut T, second: usize) -> Self {
                // SAFETY: the caller promises the same.
                $name(unsafe { $inner::from_raw_parts(first, second) } $(, $marker)?)
            }
        }
    };
}

pub(crate) use {outputs, wrapper};
