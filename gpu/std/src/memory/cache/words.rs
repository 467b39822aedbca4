//! Loads and stores with a cache operator, of any value of 1 to 16 bytes.
//!
//! A value is one instruction if its alignment is its size, otherwise one for each unit of its
//! alignment. The instructions name global memory, and a reference can be to other memory, so each
//! access tests that first. The test is gone where the compiler knows the memory, as it does for
//! what a kernel's parameters point to.

use crate::kernel::Value;

/// The bytes of a value that one instruction moves: the alignment, as far as there are such
/// instructions.
#[cfg(target_arch = "nvptx64")]
const fn unit<T>() -> usize {
    if align_of::<T>() < 16 {
        align_of::<T>()
    } else {
        16
    }
}

/// Compiles only for values that one instruction can move if they are aligned to their size.
const fn assert_small<T>() {
    assert!(
        size_of::<T>() <= 16,
        "a cache operator applies to values of at most 16 bytes"
    );
}

/// Returns whether the address is in global memory. On the host it panics, as `instruction`.
#[allow(
    unreachable_code,
    unused_variables,
    reason = "the host panics, and the device has no use for the name"
)]
#[inline(always)]
pub(crate) fn is_global<T>(place: *const T, instruction: &'static str) -> bool {
    #[cfg(not(target_arch = "nvptx64"))]
    crate::device_only(instruction);
    // SAFETY: the instruction only looks at the address.
    unsafe { crate::intrinsics::isspacep_global(place.cast()) }
}

/// One unit of a value, from global memory.
#[cfg(target_arch = "nvptx64")]
macro_rules! load_unit {
    ($instruction:literal, $type:literal, $register:ident, $word:ty, $from:expr, $to:expr) => {{
        let value: $word;
        core::arch::asm!(
            "cvta.to.global.u64 {global}, {place};",
            concat!($instruction, $type, " {value}, [{global}];"),
            global = out(reg64) _,
            value = lateout($register) value,
            place = in(reg64) $from,
            options(pure, readonly, nostack, preserves_flags),
        );
        value
    }};
}

macro_rules! loads {
    ($($name:ident: $instruction:literal;)*) => {$(
        #[inline(always)]
        pub(super) fn $name<T: Value>(place: &T) -> T {
            const { assert_small::<T>() };
            if !is_global(place, $instruction) {
                return *place;
            }
            #[cfg(not(target_arch = "nvptx64"))]
            {
                *place
            }
            #[cfg(target_arch = "nvptx64")]
            {
                let mut value = core::mem::MaybeUninit::<T>::uninit();
                let (from, to) = (core::ptr::from_ref(place).cast::<u8>(), value.as_mut_ptr().cast::<u8>());
                let mut at = 0;
                while at < size_of::<T>() {
                    // SAFETY: the unit is inside of the value, whose alignment is a multiple of
                    // the unit's. The value is in global memory, and nothing writes it while
                    // there is a shared reference to it.
                    unsafe {
                        let (from, to) = (from.add(at), to.add(at));
                        match const { unit::<T>() } {
                            1 => *to = load_unit!($instruction, ".b8", reg16, u16, from, to) as u8,
                            2 => *to.cast() = load_unit!($instruction, ".b16", reg16, u16, from, to),
                            4 => *to.cast() = load_unit!($instruction, ".b32", reg32, u32, from, to),
                            8 => *to.cast() = load_unit!($instruction, ".b64", reg64, u64, from, to),
                            _ => {
                                let (low, high): (u64, u64);
                                core::arch::asm!(
                                    "cvta.to.global.u64 {global}, {place};",
                                    concat!($instruction, ".v2.b64 {{{low}, {high}}}, [{global}];"),
                                    global = out(reg64) _,
                                    low = lateout(reg64) low,
                                    high = lateout(reg64) high,
                                    place = in(reg64) from,
                                    options(pure, readonly, nostack, preserves_flags),
                                );
                                *to.cast() = [low, high];
                            }
                        }
                    }
                    at += const { unit::<T>() };
                }
                // SAFETY: all bytes are those of a valid value.
                unsafe { value.assume_init() }
            }
        }
    )*};
}

loads! {
    load_ca: "ld.global.ca";
    load_cg: "ld.global.cg";
    load_cs: "ld.global.cs";
}

/// One unit of a value, to global memory.
#[cfg(target_arch = "nvptx64")]
macro_rules! store_unit {
    ($instruction:literal, $type:literal, $register:ident, $value:expr, $to:expr) => {
        core::arch::asm!(
            "cvta.to.global.u64 {global}, {place};",
            concat!($instruction, $type, " [{global}], {value};"),
            global = out(reg64) _,
            value = in($register) $value,
            place = in(reg64) $to,
            options(nostack, preserves_flags),
        )
    };
}

macro_rules! stores {
    ($($name:ident: $instruction:literal;)*) => {$(
        #[inline(always)]
        pub(super) fn $name<T: Value>(place: &mut T, value: T) {
            const { assert_small::<T>() };
            if !is_global(place, $instruction) {
                *place = value;
                return;
            }
            #[cfg(target_arch = "nvptx64")]
            {
                use core::mem::MaybeUninit;

                let (from, to) = (core::ptr::from_ref(&value).cast::<u8>(), core::ptr::from_mut(place).cast::<u8>());
                let mut at = 0;
                while at < size_of::<T>() {
                    // SAFETY: the unit is inside of both values, whose alignment is a multiple of
                    // the unit's. The place is in global memory and this thread's alone. Bytes
                    // that are padding stay without a value.
                    unsafe {
                        let (from, to) = (from.add(at), to.add(at));
                        match const { unit::<T>() } {
                            1 => store_unit!($instruction, ".b8", reg16, *from.cast::<MaybeUninit<i8>>(), to),
                            2 => store_unit!($instruction, ".b16", reg16, *from.cast::<MaybeUninit<u16>>(), to),
                            4 => store_unit!($instruction, ".b32", reg32, *from.cast::<MaybeUninit<u32>>(), to),
                            8 => store_unit!($instruction, ".b64", reg64, *from.cast::<MaybeUninit<u64>>(), to),
                            _ => {
                                let [low, high] = *from.cast::<[MaybeUninit<u64>; 2]>();
                                core::arch::asm!(
                                    "cvta.to.global.u64 {global}, {place};",
                                    concat!($instruction, ".v2.b64 [{global}], {{{low}, {high}}};"),
                                    global = out(reg64) _,
                                    low = in(reg64) low,
                                    high = in(reg64) high,
                                    place = in(reg64) to,
                                    options(nostack, preserves_flags),
                                );
                            }
                        }
                    }
                    at += const { unit::<T>() };
                }
            }
        }
    )*};
}

stores! {
    store_cg: "st.global.cg";
    store_cs: "st.global.cs";
    store_wt: "st.global.wt";
}
