//! Atomic addition of vectors of floats, and atomic exchange of 128 bits. They need `sm_90`.
//!
//! An addition is atomic for each float separately: another thread may see the new value of some
//! floats and the old value of others. The vector operations save instructions. Those of 128 bits
//! are relaxed: a fence before or after them orders other accesses ([`crate::fence`]). PTX ISA,
//! "atom", `.vec_32_bit`, `.b128`.

#![cfg_attr(
    not(target_arch = "nvptx64"),
    allow(unused_variables, unreachable_code, dead_code)
)]

use super::{Atomic, AtomicOrdering, operations};
use crate::scope::Device;
use crate::state_space::ptx;
use crate::vector::{Float2, Float4};

macro_rules! vectors {
    ($($ty:ident($instruction:literal, $old:literal, $new:literal: $($field:ident $register:ident)*);)*) => {$(
        impl Atomic<$ty, Device> {
            /// Adds each float of `value` to the stored float, and returns the previous value.
            #[doc(alias = "atomicAdd")]
            #[doc(alias = "atom.add")]
            #[inline]
            pub fn fetch_add(&self, value: $ty, order: AtomicOrdering) -> $ty {
                operations::ordered::<Device, _>(order, || self.relaxed_add(value))
            }

            #[inline(always)]
            fn relaxed_add(&self, value: $ty) -> $ty {
                $(let $register: f32;)*
                // SAFETY: a reference is valid and aligned, and this type allows
                // only atomic access.
                unsafe {
                    ptx!($instruction:
                        concat!("{{ .reg .b64 at; cvta.to.global.u64 at, {address}; ", $instruction, " ", $old, ", [at], ", $new, "; }}"),
                        address = in(reg64) self.0.get(),
                        $($register = lateout(reg32) $register, $field = in(reg32) value.$field,)*
                        options(nostack, preserves_flags),
                    );
                }
                $ty { $($field: $register),* }
            }
        }
    )*};
}
vectors! {
    Float2("atom.global.add.v2.f32", "{{{old_x}, {old_y}}}", "{{{x}, {y}}}": x old_x y old_y);
    Float4("atom.global.add.v4.f32", "{{{old_x}, {old_y}, {old_z}, {old_w}}}", "{{{x}, {y}, {z}, {w}}}":
        x old_x y old_y z old_z w old_w);
}

/// Returns the lower and the upper half.
fn halves(value: u128) -> (u64, u64) {
    (value as u64, (value >> 64) as u64)
}

/// Returns the number made from these halves.
fn joined(low: u64, high: u64) -> u128 {
    u128::from(high) << 64 | u128::from(low)
}

/// 128 bits, for example a pointer and a count.
impl Atomic<u128, Device> {
    /// Stores `value`, and returns the previous value.
    #[doc(alias = "atomicExch")]
    #[doc(alias = "atom.exch.b128")]
    #[inline]
    pub fn swap(&self, value: u128) -> u128 {
        let (low, high): (u64, u64);
        let (new_low, new_high) = halves(value);
        // SAFETY: a reference is valid and aligned, and this type allows only atomic access.
        unsafe {
            ptx!("atom.exch.b128":
                "{{ .reg .b128 new, old; mov.b128 new, {{{new_low}, {new_high}}}; atom.exch.b128 old, [{address}], new; mov.b128 {{{low}, {high}}}, old; }}",
                address = in(reg64) self.0.get(),
                new_low = in(reg64) new_low,
                new_high = in(reg64) new_high,
                low = lateout(reg64) low,
                high = lateout(reg64) high,
                options(nostack, preserves_flags),
            );
        }
        joined(low, high)
    }

    /// Stores `new` if the value is `current`. Returns the previous value, as an error if it
    /// was not `current`.
    ///
    /// # Errors
    /// Returns the value that was not `current`.
    #[doc(alias = "atomicCAS")]
    #[doc(alias = "atom.cas.b128")]
    #[inline]
    pub fn compare_exchange(&self, current: u128, new: u128) -> Result<u128, u128> {
        let (low, high): (u64, u64);
        let ((current_low, current_high), (new_low, new_high)) = (halves(current), halves(new));
        // SAFETY: a reference is valid and aligned, and this type allows only atomic access.
        unsafe {
            ptx!("atom.cas.b128":
                "{{ .reg .b128 current, new, old; mov.b128 current, {{{current_low}, {current_high}}}; mov.b128 new, {{{new_low}, {new_high}}}; \
                 atom.cas.b128 old, [{address}], current, new; mov.b128 {{{low}, {high}}}, old; }}",
                address = in(reg64) self.0.get(),
                current_low = in(reg64) current_low,
                current_high = in(reg64) current_high,
                new_low = in(reg64) new_low,
                new_high = in(reg64) new_high,
                low = lateout(reg64) low,
                high = lateout(reg64) high,
                options(nostack, preserves_flags),
            );
        }
        match joined(low, high) {
            old if old == current => Ok(old),
            old => Err(old),
        }
    }

    /// Replaces the value by the result of `change`, and returns the previous value. It calls
    /// `change` again each time that another thread changes the value first.
    #[inline]
    pub fn fetch_update(&self, mut change: impl FnMut(u128) -> u128) -> u128 {
        let mut current = match self.compare_exchange(0, 0) {
            Ok(found) | Err(found) => found,
        };
        loop {
            match self.compare_exchange(current, change(current)) {
                Ok(found) => return found,
                Err(found) => current = found,
            }
        }
    }
}
