//! `.ftz` and `.sat`: the forms of an f32 operation that these modifiers make of the plain one.
//!
//! PTX ISA 9.7.3. Operands are flushed, then the operation's rounded result is flushed, then clamped. Macros, so that every
//! form is a named function that inlines into its loop.

/// The forms of an f32 operation with `.ftz`, `.sat` and both, from the plain one.
macro_rules! ftz_and_sat {
    ($($name:ident($($x:ident),+) => $ftz:ident, $sat:ident, $ftz_sat:ident);+ $(;)?) => {$(
        #[doc = concat!("[`", stringify!($name), "`] with `.ftz`.")]
        #[inline(always)]
        pub fn $ftz($($x: f32),+) -> f32 {
            ftz_f32($name($(ftz_f32($x)),+))
        }

        #[doc = concat!("[`", stringify!($name), "`] with `.sat`.")]
        #[inline(always)]
        pub fn $sat($($x: f32),+) -> f32 {
            sat_f32($name($($x),+))
        }

        #[doc = concat!("[`", stringify!($name), "`] with `.ftz` and `.sat`.")]
        #[inline(always)]
        pub fn $ftz_sat($($x: f32),+) -> f32 {
            sat_f32($ftz($($x),+))
        }
    )+};
}

/// The form of an f32 operation with `.ftz`, from the plain one.
macro_rules! ftz {
    ($($name:ident($($x:ident),+) => $ftz:ident);+ $(;)?) => {$(
        #[doc = concat!("[`", stringify!($name), "`] with `.ftz`.")]
        #[inline(always)]
        pub fn $ftz($($x: f32),+) -> f32 {
            ftz_f32($name($(ftz_f32($x)),+))
        }
    )+};
}
