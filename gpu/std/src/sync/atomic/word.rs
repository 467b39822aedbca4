//! Atomics of 32 and 64 bits.
//!
//! The order in which threads add floats is not fixed, and the rounding of a sum depends on it. So
//! two runs may differ in the last bits.

use super::{Atomic, AtomicOrdering, operations, system};
use crate::intrinsics;
use crate::scope::{Block, Device, System};

/// A number of 32 or 64 bits: `u32`, `i32`, `f32`, `u64`, `i64`, `f64`. `Scope` is one of those in
/// [`scope`](crate::scope).
///
/// ```
/// use lanewise_macros::kernel;
/// use lanewise_std::atomic::{Atomic, AtomicOrdering, Word};
/// use lanewise_std::scope::Device;
///
/// /// Takes what is there, adds a part of it to another number, and gives it back.
/// fn pass_on<T: Word<Device> + Copy>(from: &Atomic<T, Device>, to: &Atomic<T, Device>, nothing: T) {
///     let taken = from.swap(nothing, AtomicOrdering::Relaxed);
///     to.fetch_add(taken, AtomicOrdering::Relaxed);
///     from.fetch_sub(taken, AtomicOrdering::Relaxed);
/// }
///
/// #[kernel]
/// pub fn pass_all(from: &[Atomic<f32, Device>], to: &[Atomic<f32, Device>]) {
///     let ([from], [to]) = (from, to) else { return };
///     pass_on(from, to, 0.0);
///     let relaxed = AtomicOrdering::Relaxed;
///     let _ = to.compare_exchange(1.0, 2.0, relaxed, relaxed);
/// }
/// ```
pub trait Word<Scope>: sealed::Word<Scope> {}

/// A [`Word`] that is an integer.
///
/// ```
/// use lanewise_macros::kernel;
/// use lanewise_std::atomic::{Atomic, AtomicOrdering, Integer};
/// use lanewise_std::scope::{Device, Scope, System};
///
/// /// Works in every scope, and with each type of integers.
/// fn note<T: Integer<S> + Copy, S: Scope>(least: &Atomic<T, S>, most: &Atomic<T, S>, value: T) {
///     least.fetch_min(value, AtomicOrdering::Relaxed);
///     most.fetch_max(value, AtomicOrdering::Relaxed);
/// }
///
/// /// `bits` has three words, and `turn` a number below 4.
/// #[kernel]
/// pub fn note_all(
///     input: &[u32],
///     range: &[Atomic<u32, System>],
///     bits: &[Atomic<u32, Device>],
///     turn: &[Atomic<u32, Device>],
/// ) {
///     let ([least, most], [all, any, odd], [turn]) = (range, bits, turn) else {
///         return;
///     };
///     for &value in input {
///         note(least, most, value);
///         all.fetch_and(value, AtomicOrdering::Relaxed);
///         any.fetch_or(value, AtomicOrdering::Relaxed);
///         odd.fetch_xor(value, AtomicOrdering::Relaxed);
///         turn.fetch_inc(3, AtomicOrdering::Relaxed);
///     }
///     turn.fetch_dec(3, AtomicOrdering::Relaxed);
/// }
/// ```
pub trait Integer<Scope>: Word<Scope> + sealed::Integer<Scope> {}

mod sealed {
    use super::AtomicOrdering;

    /// The functions that are `unsafe` require a valid and aligned address, and that only atomic
    /// operations access it at the same time.
    pub trait Word<Scope>: Copy {
        unsafe fn load(at: *const Self, order: AtomicOrdering) -> Self;
        unsafe fn store(at: *mut Self, value: Self, order: AtomicOrdering);
        unsafe fn swap(at: *mut Self, value: Self, order: AtomicOrdering) -> Self;
        unsafe fn add(at: *mut Self, value: Self, order: AtomicOrdering) -> Self;
        unsafe fn sub(at: *mut Self, value: Self, order: AtomicOrdering) -> Self;
        unsafe fn compare_exchange(
            at: *mut Self,
            current: Self,
            new: Self,
            orders: (AtomicOrdering, AtomicOrdering),
        ) -> (Self, bool);
    }

    pub trait Integer<Scope>: Word<Scope> {
        unsafe fn and(at: *mut Self, value: Self, order: AtomicOrdering) -> Self;
        unsafe fn or(at: *mut Self, value: Self, order: AtomicOrdering) -> Self;
        unsafe fn xor(at: *mut Self, value: Self, order: AtomicOrdering) -> Self;
        unsafe fn max(at: *mut Self, value: Self, order: AtomicOrdering) -> Self;
        unsafe fn min(at: *mut Self, value: Self, order: AtomicOrdering) -> Self;
    }
}

/// Implements one operation with a value by the function of the scope's module.
macro_rules! by_function {
    ($module:ident::$scope:ident: $($name:ident = $function:ident;)*) => {$(
        #[inline(always)]
        unsafe fn $name(at: *mut Self, value: Self, order: AtomicOrdering) -> Self {
            // SAFETY: as the caller promises.
            unsafe { $module::$function::<$scope, Self>(at, value, order) }
        }
    )*};
}

macro_rules! integers {
    ($($module:ident::$scope:ident)*: $types:tt) => { $(integers! { @ $module::$scope $types })* };
    (@ $module:ident::$scope:ident { $($ty:ident $max:ident $min:ident;)* }) => {$(
        impl Word<$scope> for $ty {}
        impl Integer<$scope> for $ty {}

        impl sealed::Word<$scope> for $ty {
            #[inline(always)]
            unsafe fn load(at: *const Self, order: AtomicOrdering) -> Self {
                // SAFETY: as the caller promises.
                unsafe { $module::load::<$scope, Self>(at, order) }
            }

            #[inline(always)]
            unsafe fn store(at: *mut Self, value: Self, order: AtomicOrdering) {
                // SAFETY: as the caller promises.
                unsafe { $module::store::<$scope, Self>(at, value, order) }
            }

            #[inline(always)]
            unsafe fn compare_exchange(
                at: *mut Self,
                current: Self,
                new: Self,
                orders: (AtomicOrdering, AtomicOrdering),
            ) -> (Self, bool) {
                // SAFETY: as the caller promises.
                unsafe { $module::compare_exchange::<$scope, Self>(at, current, new, orders) }
            }

            by_function! { $module::$scope: swap = swap; add = add; sub = sub; }
        }

        impl sealed::Integer<$scope> for $ty {
            by_function! { $module::$scope: and = and; or = or; xor = xor; max = $max; min = $min; }
        }
    )*};
}

integers! {
    operations::Device operations::Block system::System: {
        u32 umax umin;
        i32 max min;
        u64 umax umin;
        i64 max min;
    }
}

/// Floats. The hardware adds them, and all other operations are those of their bits.
macro_rules! floats {
    ($($scope:ident: $ty:ident as $bits:ident, $module:ident::$add:ident;)*) => {$(
        impl Word<$scope> for $ty {}

        impl sealed::Word<$scope> for $ty {
            #[inline(always)]
            unsafe fn load(at: *const Self, order: AtomicOrdering) -> Self {
                // SAFETY: as the caller promises. The bits have the float's size and alignment.
                Self::from_bits(unsafe {
                    <$bits as sealed::Word<$scope>>::load(at.cast(), order)
                })
            }

            #[inline(always)]
            unsafe fn store(at: *mut Self, value: Self, order: AtomicOrdering) {
                // SAFETY: as above.
                unsafe {
                    <$bits as sealed::Word<$scope>>::store(at.cast(), value.to_bits(), order);
                }
            }

            #[inline(always)]
            unsafe fn swap(at: *mut Self, value: Self, order: AtomicOrdering) -> Self {
                // SAFETY: as above.
                Self::from_bits(unsafe {
                    <$bits as sealed::Word<$scope>>::swap(at.cast(), value.to_bits(), order)
                })
            }

            #[inline(always)]
            unsafe fn add(at: *mut Self, value: Self, order: AtomicOrdering) -> Self {
                // SAFETY: as the caller promises.
                operations::ordered::<$scope, _>(order, || unsafe { $module::$add(at, value) })
            }

            #[inline(always)]
            unsafe fn sub(at: *mut Self, value: Self, order: AtomicOrdering) -> Self {
                // SAFETY: as the caller promises.
                unsafe { <Self as sealed::Word<$scope>>::add(at, -value, order) }
            }

            #[inline(always)]
            unsafe fn compare_exchange(
                at: *mut Self,
                current: Self,
                new: Self,
                orders: (AtomicOrdering, AtomicOrdering),
            ) -> (Self, bool) {
                let (current, new) = (current.to_bits(), new.to_bits());
                // SAFETY: as for `load`.
                let (old, done) = unsafe {
                    <$bits as sealed::Word<$scope>>::compare_exchange(
                        at.cast(), current, new, orders,
                    )
                };
                (Self::from_bits(old), done)
            }
        }
    )*};
}

floats! {
    Device: f32 as u32, intrinsics::atomic_add_f32;
    Device: f64 as u64, intrinsics::atomic_add_f64;
    Block: f32 as u32, intrinsics::atomic_add_f32;
    Block: f64 as u64, intrinsics::atomic_add_f64;
    System: f32 as u32, system::add_f32;
    System: f64 as u64, system::add_f64;
}

/// Defines the operations that store a result and return what was there before.
macro_rules! operations {
    ($($(#[$attribute:meta])* $name:ident = $operation:ident;)*) => {$(
        $(#[$attribute])*
        /// Returns the previous value.
        #[inline]
        pub fn $name(&self, value: T, order: AtomicOrdering) -> T {
            // SAFETY: a reference is valid and aligned, and this type allows only atomic access.
            unsafe { T::$operation(self.0.get(), value, order) }
        }
    )*};
}

impl<T: Word<Scope>, Scope> Atomic<T, Scope> {
    /// Returns the value at this moment. `Release` counts as `Relaxed` here, and
    /// `AcqRel` as `Acquire`.
    #[doc(alias = "ld.relaxed")]
    #[inline]
    #[must_use]
    pub fn load(&self, order: AtomicOrdering) -> T {
        // SAFETY: a reference is valid and aligned, and this type allows only atomic access.
        unsafe { T::load(self.0.get(), order) }
    }

    /// Sets the value. `Acquire` counts as `Relaxed` here, and `AcqRel` as `Release`.
    #[doc(alias = "st.relaxed")]
    #[inline]
    pub fn store(&self, value: T, order: AtomicOrdering) {
        // SAFETY: as in `load`.
        unsafe { T::store(self.0.get(), value, order) }
    }

    operations! {
        /// Sets the value to `value`.
        #[doc(alias = "atomicExch")]
        #[doc(alias = "atom.exch")]
        swap = swap;
        /// Adds `value`; integers modulo 2^32 or 2^64.
        #[doc(alias = "atomicAdd")]
        #[doc(alias = "atom.add")]
        fetch_add = add;
        /// Subtracts `value`; integers modulo 2^32 or 2^64.
        #[doc(alias = "atomicSub")]
        fetch_sub = sub;
    }

    /// Sets the value to `new` if it is `current`, and returns the previous value. Floats are
    /// compared by their bits, so a NaN may be equal to itself, and the two zeros are different.
    ///
    /// `success` is the order of the exchange. `failure` is the order of the load if there is no
    /// exchange; there `Release` counts as `Relaxed`, and `AcqRel` as `Acquire`.
    ///
    /// # Errors
    /// Returns the value that was not `current`.
    #[doc(alias = "atomicCAS")]
    #[doc(alias = "atom.cas")]
    #[inline]
    pub fn compare_exchange(
        &self,
        current: T,
        new: T,
        success: AtomicOrdering,
        failure: AtomicOrdering,
    ) -> Result<T, T> {
        let orders = (success, failure);
        // SAFETY: as in `load`.
        let (old, done) = unsafe { T::compare_exchange(self.0.get(), current, new, orders) };
        if done { Ok(old) } else { Err(old) }
    }
}

impl<T: Integer<Scope>, Scope> Atomic<T, Scope> {
    operations! {
        /// Clears the bits that are clear in `value`.
        #[doc(alias = "atomicAnd")]
        #[doc(alias = "atom.and")]
        fetch_and = and;
        /// Sets the bits that are set in `value`.
        #[doc(alias = "atomicOr")]
        #[doc(alias = "atom.or")]
        fetch_or = or;
        /// Flips the bits that are set in `value`.
        #[doc(alias = "atomicXor")]
        #[doc(alias = "atom.xor")]
        fetch_xor = xor;
        /// Stores the maximum of the current value and `value`.
        #[doc(alias = "atomicMax")]
        #[doc(alias = "atom.max")]
        fetch_max = max;
        /// Stores the minimum of the current value and `value`.
        #[doc(alias = "atomicMin")]
        #[doc(alias = "atom.min")]
        fetch_min = min;
    }
}
