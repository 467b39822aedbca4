//! What PTX instructions compute: total functions on values.
//!
//! One file per subject of the PTX ISA's chapter 9.7; each names its section and is meant to be
//! read beside it, line by line. A function is called what the instruction is called, types and
//! modifiers last: `bfe.s32` is [`int::bfe_s32`], `fma.rz.f32` is [`float::fma_rz_f32`]. Nothing
//! here knows of lanes' registers, memory or scheduling.
//!
//! Rules that all of them keep:
//! - Total: every bit pattern of every operand gives a result; nothing panics, whatever the build
//!   profile.
//! - `.b32`, `.u32` and `.s32` operands are `u32`/`i32`; `.f32` and `.f64` are Rust's; `.f16` and
//!   `.bf16` are crate `half`'s; narrower floats are their bits; packed pairs are `u32`, as
//!   registers hold them; predicates are `bool`.
//! - Common operations are plain Rust arithmetic and selects, so that a loop over 32 lanes becomes
//!   vector code; where the compiler would rather branch around one of two values,
//!   `select_unpredictable` keeps both. Those that fuse (`fma`) want a caller compiled with
//!   `#[target_feature(enable = "fma")]`: they inline into it and become one instruction; without
//!   it they are a library call, slow and just as right.
//! - Values that the ISA leaves open are what an H200 gives where that was measured; else the
//!   choice is written at the function, marked "Open in the ISA".

/// Defines one function per row: the same meaning at several types.
///
/// `name: T` takes and returns `T`; `name(A, B) -> R` says each. Inside the body `T` is the first
/// operand's type and `R` the result's.
macro_rules! typed {
    // One function, its operands and result typed.
    (@one {$($doc:tt)*} |$a:ident| $body:expr; $name:ident($A:ty) -> $R:ty) => {
        typed!(@write {$($doc)*} $body; $name($a: $A) -> $A, $R);
    };
    (@one {$($doc:tt)*} |$a:ident, $b:ident| $body:expr; $name:ident($A:ty, $B:ty) -> $R:ty) => {
        typed!(@write {$($doc)*} $body; $name($a: $A, $b: $B) -> $A, $R);
    };
    (@one {$($doc:tt)*} |$a:ident, $b:ident, $c:ident| $body:expr; $name:ident($A:ty, $B:ty, $C:ty) -> $R:ty) => {
        typed!(@write {$($doc)*} $body; $name($a: $A, $b: $B, $c: $C) -> $A, $R);
    };
    (@one {$($doc:tt)*} |$a:ident, $b:ident, $c:ident, $d:ident| $body:expr;
     $name:ident($A:ty, $B:ty, $C:ty, $D:ty) -> $R:ty) => {
        typed!(@write {$($doc)*} $body; $name($a: $A, $b: $B, $c: $C, $d: $D) -> $A, $R);
    };
    // One function, its operands and result of one type.
    (@one {$($doc:tt)*} |$a:ident| $body:expr; $name:ident: $T:ty) => {
        typed!(@write {$($doc)*} $body; $name($a: $T) -> $T, $T);
    };
    (@one {$($doc:tt)*} |$a:ident, $b:ident| $body:expr; $name:ident: $T:ty) => {
        typed!(@write {$($doc)*} $body; $name($a: $T, $b: $T) -> $T, $T);
    };
    (@one {$($doc:tt)*} |$a:ident, $b:ident, $c:ident| $body:expr; $name:ident: $T:ty) => {
        typed!(@write {$($doc)*} $body; $name($a: $T, $b: $T, $c: $T) -> $T, $T);
    };
    (@write {$($doc:tt)*} $body:expr; $name:ident($($x:ident: $X:ty),+) -> $T:ty, $R:ty) => {
        $($doc)*
        #[inline(always)]
        pub(crate) fn $name($($x: $X),+) -> $R {
            #[allow(dead_code, reason = "not every body names it")]
            type T = $T;
            #[allow(dead_code, reason = "not every body names it")]
            type R = $R;
            $body
        }
    };
    // All rows, each with the documentation and the body.
    ($(#[$doc:meta])* |$($x:ident),+| $body:expr; $($name:ident: $T:ty),+ $(,)?) => {
        typed!(@rows {$(#[$doc])*} {|$($x),+| $body}; $({$name: $T})+);
    };
    ($(#[$doc:meta])* |$($x:ident),+| $body:expr; $($name:ident($($X:ty),+) -> $R:ty),+ $(,)?) => {
        typed!(@rows {$(#[$doc])*} {|$($x),+| $body}; $({$name($($X),+) -> $R})+);
    };
    (@rows $doc:tt $body:tt; $($row:tt)+) => {
        $(typed!(@row $doc $body $row);)+
    };
    (@row $doc:tt {$($body:tt)+} {$($row:tt)+}) => {
        typed!(@one $doc $($body)+; $($row)+);
    };
}

#[macro_use]
mod modifiers;

pub(crate) mod approx;
pub(crate) mod atomic;
pub(crate) mod compare;
pub(crate) mod convert;
mod exact;
pub(crate) mod float;
pub(crate) mod half;
pub(crate) mod int;
pub(crate) mod logic;
pub(crate) mod matrix;
pub(crate) mod mbarrier;
pub(crate) mod multimem;
mod odd;
pub(crate) mod rounding;
pub mod tensor;
pub(crate) mod texture;
pub(crate) mod video;
pub(crate) mod warp;

pub(crate) use rounding::Rounding;

#[cfg(test)]
mod tests;
