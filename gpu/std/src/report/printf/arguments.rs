//! The types that `gpu_printf!` prints, and how a list of them is packed.

use core::ffi::CStr;

/// A value that `gpu_printf!` can print.
///
/// ```compile_fail,E0200
/// struct Wrong;
/// impl lanewise_std::printf::Argument for Wrong {
///     const CONVERSION: &'static str = "s";
///     type Promoted = u64;
///     fn promote(self) -> u64 {
///         5
///     }
/// }
/// ```
///
/// # Safety
/// `CONVERSION` is the conversion of C's `printf` for a value of the type `Promoted`. If it is `s`,
/// [`promote`](Argument::promote) returns the address of a text that ends in zero.
#[diagnostic::on_unimplemented(
    message = "`gpu_printf!` cannot print `{Self}` this way",
    note = "`{{}}` prints integers, floats, `bool` and `&'static CStr`; `{{:x}}` integers; `{{:.2}}` and `{{:e}}` floats; `{{:p}}` pointers"
)]
pub unsafe trait Argument {
    /// The letters after `%` and the flags, for example `lld`.
    const CONVERSION: &'static str;
    /// The type as C passes it to a variadic function.
    type Promoted: Copy;
    /// Returns the value in the form in which C passes it.
    fn promote(self) -> Self::Promoted;
}

macro_rules! arguments {
    ($($ty:ty: $conversion:literal as $promoted:ty;)*) => {
        $(
            // SAFETY: the letters are those of the promoted type, which is a number.
            unsafe impl Argument for $ty {
                const CONVERSION: &'static str = $conversion;
                type Promoted = $promoted;
                #[inline]
                fn promote(self) -> $promoted {
                    self as $promoted
                }
            }
        )*
    };
}

arguments! {
    i8: "d" as i32;
    i16: "d" as i32;
    i32: "d" as i32;
    i64: "lld" as i64;
    isize: "lld" as i64;
    u8: "u" as u32;
    u16: "u" as u32;
    u32: "u" as u32;
    u64: "llu" as u64;
    usize: "llu" as u64;
    f32: "g" as f64;
    f64: "g" as f64;
}

// SAFETY: `s` takes the address of a text, and the two texts end in zero.
unsafe impl Argument for bool {
    const CONVERSION: &'static str = "s";
    type Promoted = *const u8;
    #[inline]
    fn promote(self) -> *const u8 {
        (if self { c"true" } else { c"false" }).promote()
    }
}

// SAFETY: `s` takes the address of a text, and a `CStr` ends in zero.
unsafe impl Argument for &'static CStr {
    const CONVERSION: &'static str = "s";
    type Promoted = *const u8;
    #[inline]
    fn promote(self) -> *const u8 {
        self.as_ptr().cast()
    }
}

/// Defines a wrapper for an argument that is formatted otherwise than with `{}`.
macro_rules! conversions {
    ($($(#[$doc:meta])* $wrapper:ident { $($ty:ty: $conversion:literal as $bits:ty as $promoted:ty;)* })*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug)]
            pub struct $wrapper<T>(pub T);

            $(
                // SAFETY: the letters are those of the promoted type, which is a number.
                unsafe impl Argument for $wrapper<$ty> {
                    const CONVERSION: &'static str = $conversion;
                    type Promoted = $promoted;
                    #[inline]
                    fn promote(self) -> $promoted {
                        self.0 as $bits as $promoted
                    }
                }
            )*
        )*
    };
}

conversions! {
    /// `{:.2}`: a float in the usual notation.
    Fixed {
        f32: "f" as f32 as f64;
        f64: "f" as f64 as f64;
    }
    /// `{:e}`: a float in scientific notation.
    Exponent {
        f32: "e" as f32 as f64;
        f64: "e" as f64 as f64;
    }
}

/// Formats of integers by their bits. Each type is first converted to the unsigned type of its
/// size, so that -1 in 8 bits is `ff`.
macro_rules! bit_conversions {
    ($($(#[$doc:meta])* $wrapper:ident $word:literal $long:literal)*) => {
        conversions! {
            $(
                $(#[$doc])*
                $wrapper {
                    i8: $word as u8 as u32;
                    i16: $word as u16 as u32;
                    i32: $word as u32 as u32;
                    i64: $long as u64 as u64;
                    isize: $long as usize as u64;
                    u8: $word as u8 as u32;
                    u16: $word as u16 as u32;
                    u32: $word as u32 as u32;
                    u64: $long as u64 as u64;
                    usize: $long as usize as u64;
                }
            )*
        }
    };
}

bit_conversions! {
    /// An integer that is printed as `{:x}` prints it.
    LowerHex "x" "llx"
    /// An integer that is printed as `{:X}` prints it.
    UpperHex "X" "llX"
    /// An integer that is printed as `{:o}` prints it.
    Octal "o" "llo"
}

/// A pointer, which is printed as an address.
#[derive(Clone, Copy, Debug)]
pub struct Pointer<T>(pub T);

// SAFETY: `p` prints an address and does not read from it.
unsafe impl<T> Argument for Pointer<*const T> {
    const CONVERSION: &'static str = "p";
    type Promoted = *const T;
    #[inline]
    fn promote(self) -> *const T {
        self.0
    }
}

// SAFETY: `p` prints an address and does not read from it.
unsafe impl<T> Argument for Pointer<*mut T> {
    const CONVERSION: &'static str = "p";
    type Promoted = *mut T;
    #[inline]
    fn promote(self) -> *mut T {
        self.0
    }
}

/// A list of arguments, which is a tuple of up to sixteen elements.
///
/// # Safety
/// `Packed` holds one value for each of the `CONVERSIONS`, in the same order and laid out as C lays
/// out a structure. Each value is what [`Argument`] requires for its conversion.
pub unsafe trait Arguments {
    /// The arguments' letters, in order.
    const CONVERSIONS: &'static [&'static str];
    /// The arguments in memory as `vprintf` reads them.
    type Packed: Copy;
    /// Lays the arguments out in memory as `vprintf` reads them.
    fn pack(self) -> Self::Packed;
}

macro_rules! tuples {
    ($($packed:ident($($name:ident: $ty:ident),*);)*) => {
        $(
            /// One list, laid out as C lays out a structure.
            #[doc(hidden)]
            #[repr(C)]
            #[derive(Clone, Copy, Debug)]
            pub struct $packed<$($ty),*> {
                $($name: $ty,)*
            }

            // SAFETY: the structure has the layout of C, and its fields are the promoted arguments.
            unsafe impl<$($ty: Argument),*> Arguments for ($($ty,)*) {
                const CONVERSIONS: &'static [&'static str] = &[$($ty::CONVERSION),*];
                type Packed = $packed<$($ty::Promoted),*>;
                #[inline]
                fn pack(self) -> Self::Packed {
                    let ($($name,)*) = self;
                    $packed { $($name: $name.promote(),)* }
                }
            }
        )*
    };
}

tuples! {
    Packed0();
    Packed1(a: A);
    Packed2(a: A, b: B);
    Packed3(a: A, b: B, c: C);
    Packed4(a: A, b: B, c: C, d: D);
    Packed5(a: A, b: B, c: C, d: D, e: E);
    Packed6(a: A, b: B, c: C, d: D, e: E, f: F);
    Packed7(a: A, b: B, c: C, d: D, e: E, f: F, g: G);
    Packed8(a: A, b: B, c: C, d: D, e: E, f: F, g: G, h: H);
    Packed9(a: A, b: B, c: C, d: D, e: E, f: F, g: G, h: H, i: I);
    Packed10(a: A, b: B, c: C, d: D, e: E, f: F, g: G, h: H, i: I, j: J);
    Packed11(a: A, b: B, c: C, d: D, e: E, f: F, g: G, h: H, i: I, j: J, k: K);
    Packed12(a: A, b: B, c: C, d: D, e: E, f: F, g: G, h: H, i: I, j: J, k: K, l: L);
    Packed13(a: A, b: B, c: C, d: D, e: E, f: F, g: G, h: H, i: I, j: J, k: K, l: L, m: M);
    Packed14(a: A, b: B, c: C, d: D, e: E, f: F, g: G, h: H, i: I, j: J, k: K, l: L, m: M, n: N);
    Packed15(a: A, b: B, c: C, d: D, e: E, f: F, g: G, h: H, i: I, j: J, k: K, l: L, m: M, n: N, o: O);
    Packed16(a: A, b: B, c: C, d: D, e: E, f: F, g: G, h: H, i: I, j: J, k: K, l: L, m: M, n: N, o: O, p: P);
}
