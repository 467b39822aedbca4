//! `.ftz` and `.sat`: derives the forms of an f32 operation with these modifiers from
//! the plain one.
//!
//! PTX ISA 9.7.3. Operands are flushed first. The operation's rounded result is then flushed,
//! and then clamped. These are macros, so every form is a named function that can be inlined
//! into its loop.
//!
//! Open in the ISA: which results count as subnormal. Measured on an H200, 2026-11-21: a result
//! counts as subnormal if it is below the smallest normal number when rounded with an unlimited
//! exponent range. So a product is flushed if only the coarser rounding of subnormals makes it the
//! smallest normal number. `ftz_scaled!` finds such results with the same operation on operands
//! times 2^64. Sums do not need that, because they are exact in this range.

/// Like `ftz!`, for operations that round a tiny result. The brackets contain their operands,
/// scaled so that the result is 2^64 times as large.
macro_rules! ftz_scaled {
    ($($name:ident($($x:ident),+) [$($scaled:expr),+] => $ftz:ident);+ $(;)?) => {$(
        #[doc = concat!("[`", stringify!($name), "`] with `.ftz`.")]
        #[inline(always)]
        pub(crate) fn $ftz($($x: f32),+) -> f32 {
            $(let $x = ftz_f32($x);)+
            flush_tiny($name($($x),+), $name($($scaled),+))
        }
    )+};
}

/// The form of an f32 operation with `.sat`, from the one without.
macro_rules! sat {
    ($($name:ident($($x:ident),+) => $sat:ident);+ $(;)?) => {$(
        #[doc = concat!("[`", stringify!($name), "`] with `.sat`.")]
        #[inline(always)]
        pub(crate) fn $sat($($x: f32),+) -> f32 {
            sat_f32($name($($x),+))
        }
    )+};
}

/// The forms of an f32 operation with `.ftz`, `.sat` and both, from the plain one.
macro_rules! ftz_and_sat {
    ($($name:ident($($x:ident),+) => $ftz:ident, $sat:ident, $ftz_sat:ident);+ $(;)?) => {$(
        #[doc = concat!("[`", stringify!($name), "`] with `.ftz`.")]
        #[inline(always)]
        pub(crate) fn $ftz($($x: f32),+) -> f32 {
            ftz_f32($name($(ftz_f32($x)),+))
        }

        #[doc = concat!("[`", stringify!($name), "`] with `.sat`.")]
        #[inline(always)]
        pub(crate) fn $sat($($x: f32),+) -> f32 {
            sat_f32($name($($x),+))
        }

        #[doc = concat!("[`", stringify!($name), "`] with `.ftz` and `.sat`.")]
        #[inline(always)]
        pub(crate) fn $ftz_sat($($x: f32),+) -> f32 {
            sat_f32($ftz($($x),+))
        }
    )+};
}

/// The form of an f32 operation with `.ftz`, from the plain one.
macro_rules! ftz {
    ($($name:ident($($x:ident),+) => $ftz:ident);+ $(;)?) => {$(
        #[doc = concat!("[`", stringify!($name), "`] with `.ftz`.")]
        #[inline(always)]
        pub(crate) fn $ftz($($x: f32),+) -> f32 {
            ftz_f32($name($(ftz_f32($x)),+))
        }
    )+};
}
