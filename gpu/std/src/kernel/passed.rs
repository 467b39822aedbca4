//! How a kernel's parameters are passed, by their types.
//!
//! `#[kernel]` sees the name of a type, and a name says little: it may be an alias, or another
//! crate's type of the same name. So this trait tells, for the type itself, what the parameters of
//! the PTX are and how the value is made of them.

#[cfg(doc)]
use super::alignment_word;
use super::value::{Value, assert_value};

/// A type that a kernel takes, as the argument of a function: `fn(T)` stands for `T`. In this
/// place, lifetimes may be left out, as in the kernel's own signature.
///
/// # Safety
/// [`take`](Passed::take) makes the value from what [`give`](Passed::give) has returned for it, and
/// the builder's word describes the parameters.
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
    /// The builder's word in the kernel's description, in quotes. All words have the length of the
    /// longest one, by spaces at the end: JSON ignores them.
    const WORD: &'static str;
    /// The alignment of a slice's address, as [`alignment_word`] writes it.
    const ALIGNMENT: &'static str = " 1";
    /// Compiles only if a value may be a parameter.
    const CHECKED: () = ();

    /// Makes the value.
    ///
    /// # Safety
    /// The parameters are those of a launch, which keeps what they point to until the kernel ends.
    unsafe fn take<'a>(first: Self::First, second: Self::Second) -> Self::For<'a>;

    /// Returns the parameters for a launch from a kernel.
    fn give(value: Self::For<'_>) -> (Self::First, Self::Second);
}

// SAFETY: the parameter is the value itself.
unsafe impl<T: Value> Passed for fn(T) {
    type For<'a> = T;
    type First = T;
    type Second = ();
    type Element = T;
    const WORD: &'static str = match size_of::<T>() {
        0 => r#""empty"      "#,
        _ => r#""value"      "#,
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

/// Implements [`Passed`] for outputs, which are an address and a length. `"write_slice"` promises
/// the optimiser that no other thread accesses a thread's elements, and no other parameter reaches
/// them; `"cell_slice" ` promises nothing.
macro_rules! outputs {
    ($name:ident $(<$owner:ident>)? $(: $bound:ident)?, $word:literal) => {
        // SAFETY: the value is made of its own parts.
        unsafe impl<T: 'static $(+ $bound)? $(, $owner: 'static)?> $crate::kernel::Passed
            for for<'a> fn($name<'a, T $(, $owner)?>)
        {
            type For<'a> = $name<'a, T $(, $owner)?>;
            type First = *mut T;
            type Second = usize;
            type Element = T;
            const WORD: &'static str = $word;
            const ALIGNMENT: &'static str = $crate::kernel::alignment_word::<T>();

            #[inline(always)]
            unsafe fn take<'a>(first: *mut T, second: usize) -> Self::For<'a> {
                // SAFETY: the caller promises that they are parts of a value that is still there.
                unsafe { $name::from_raw_parts(first, second) }
            }

            #[inline(always)]
            fn give(value: $name<'_, T $(, $owner)?>) -> (*mut T, usize) {
                value.raw_parts()
            }
        }
    };
}

pub(crate) use outputs;
