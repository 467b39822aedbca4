//! `.ftz` and `.sat`: the forms of an f32 operation that these modifiers make of the plain one.
//!
//! PTX ISA 9.7.3. Operands are flushed, then the operation's rounded result is flushed, then
//! clamped. Macros, so that every form is a named function that inlines into its loop.
//!
//! Open in the ISA: which results count as subnormal. Measured on an H200, 2026-11-21: those that
//! are below the smallest normal number when rounded as if exponents had no end, so that a product
//! that only a subnormal's coarser digits round up to the smallest normal number is flushed.
//! `ftz_scaled!` finds them by the same operation on operands times 2^64; sums need it not, as
//! theirs are exact there.

/// As `ftz!`, of operations that round a tiny result: in brackets their operands, scaled for a
/// result of 2^64 times the size.
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
