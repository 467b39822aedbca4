//! The results of PTX instructions, as total functions on values.
//!
//! There is one file for each subject of the PTX ISA's chapter 9.7. Each file names its section,
//! and can be compared with it line by line. A function has the name of its instruction, with types
//! and modifiers last: `bfe.s32` is [`int::bfe_s32`], `fma.rz.f32` is [`float::fma_rz_f32`]. This
//! module has no access to lanes' registers, memory or scheduling.
//!
//! Rules for all of these functions:
//! - Total: every bit pattern of every operand has a result. Nothing panics, in any build profile.
//! - `.b32`, `.u32` and `.s32` operands are `u32`/`i32`. `.f32` and `.f64` are Rust's types. `.f16`
//!   and `.bf16` are those of crate `half`. Narrower floats are their bits. Packed pairs are `u32`,
//!   as in registers. Predicates are `bool`.
//! - Common operations are plain Rust arithmetic and selects, so that a loop over 32 lanes becomes
//!   vector code. Where the compiler would otherwise branch around one of two values,
//!   `select_unpredictable` computes both. Fused operations (`fma`) need a caller that is compiled
//!   with `#[target_feature(enable = "fma")]`: they are inlined into it and become one instruction.
//!   Without it they are a library call, which is slow but has the same result.
//! - Where the ISA does not define a result, it is the one measured on an H200, if it was measured.
//!   Otherwise the choice is documented at the function, marked "Open in the ISA".

/// Defines one function per row: the same operation with several types.
///
/// `name: T` takes and returns `T`; `name(A, B) -> R` gives each type. Inside the body, `T` is the
/// first operand's type and `R` the result's.
macro_rules! typed {
    // One function whose operands and result have their own types.
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
    // One function whose operands and result have one type.
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
    // All rows. Each has the documentation and the body.
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
