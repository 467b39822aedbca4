//! Operations for the crate's own target alone.

/// `levels!(fn name = body<A, B, F> where ..)`: makes `name::<A, B, F>()`, which returns the
/// [`Handler`](super::op::Handler) of `body::<Level, A, B, F>` for this processor's level.
macro_rules! levels {
    ($(#[$doc:meta])* $vis:vis fn $name:ident = $body:ident $(<$($g:ident),*>)? $(where $($bound:tt)*)?) => {
        $(#[$doc])*
        $vis fn $name $(<$($g),*>)? () -> $crate::machine::op::Handler $(where $($bound)*)? {
            use $crate::machine::{core::Core, op::{Handler, Op}};
            unsafe fn portable $(<$($g),*>)? (core: &mut Core<'_>, op: *const Op) -> *const Op $(where $($bound)*)? {
                // SAFETY: passed on to the caller, who runs decoded operations only.
                unsafe { $body::<$crate::machine::level::Portable $($(,$g)*)?>(core, op) }
            }
            portable $(::<$($g),*>)? as Handler
        }
    };
}
pub(crate) use levels;
