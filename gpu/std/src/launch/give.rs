//! What a parent gives to a child: values, and memory that no other thread has.

use crate::kernel::Value;
use crate::memory::owned::Owned;
use crate::part_per_block::Order;
use crate::{DisjointSlice, PartPerBlock, PerBlock};

/// What a kernel takes as `Parameter`, as long as its parent gives it away: a value, [`Owned`]
/// memory, or a tuple of these.
///
/// # Safety
/// No thread of the grid has what `give` returns from `When` on.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not given to a child as `{Parameter}`",
    note = "a child gets values, and `Owned` memory: `PartPerBlock` and `PerBlock` have methods that return it"
)]
pub unsafe trait GiveAs<Parameter, When> {
    /// Gives it away.
    #[doc(hidden)]
    fn give(self) -> Parameter;
}

// SAFETY: a value is no memory.
unsafe impl<T: Value, When> GiveAs<T, When> for T {
    #[inline(always)]
    fn give(self) -> T {
        self
    }
}

macro_rules! outputs {
    ($($name:ident $(<$order:ident: $bound:ident, const $count:ident: $number:ty>)?)*) => {$(
        // SAFETY: no other thread has the memory from `When` on.
        unsafe impl<'a, T, When $(, $order: $bound, const $count: $number)?>
            GiveAs<$name<'a, T $(, $order, $count)?>, When> for Owned<'a, T, When>
        {
            #[inline(always)]
            fn give(self) -> $name<'a, T $(, $order, $count)?> {
                let (first, length) = self.into_raw_parts();
                // SAFETY: the elements are valid, and nobody else has them.
                unsafe { $name::from_raw_parts(first, length) }
            }
        }
    )*};
}

outputs! {
    DisjointSlice
    PartPerBlock<O: Order, const EACH: usize>
    PerBlock
}

macro_rules! tuples {
    ($($($argument:ident $parameter:ident $number:tt),*;)*) => {$(
        // SAFETY: each part keeps the contract.
        unsafe impl<When, $($argument, $parameter),*> GiveAs<($($parameter,)*), When> for ($($argument,)*)
        where
            $($argument: GiveAs<$parameter, When>,)*
        {
            #[inline(always)]
            fn give(self) -> ($($parameter,)*) {
                ($(self.$number.give(),)*)
            }
        }
    )*};
}

tuples! {
    A P 0;
    A P 0, B Q 1;
    A P 0, B Q 1, C R 2;
    A P 0, B Q 1, C R 2, D S 3;
    A P 0, B Q 1, C R 2, D S 3, E U 4;
    A P 0, B Q 1, C R 2, D S 3, E U 4, F V 5;
}
