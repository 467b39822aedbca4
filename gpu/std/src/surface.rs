//! Surfaces: the arrays behind textures, which kernels write, texel by texel.
//!
//! A surface has no sampler: its texels are at whole coordinates, in units of texels. What is outside is read as zero and not written. A kernel writes a surface, and
//! a later launch reads it as a [texture](crate::texture).
//! PTX ISA, "suld", "sust"; CUDA C++ Programming Guide, "Surface Memory".

use crate::kernel::Value;

macro_rules! surfaces {
    ($($(#[$doc:meta])* $name:ident $dimensions:literal $geometry:literal ($($axis:ident),*) $coordinates:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        #[repr(transparent)]
        pub struct $name(u64);

        // SAFETY: a number of 64 bits on both sides.
        unsafe impl Value for $name {}

        impl $name {
            /// The surface of a handle.
            ///
            /// # Safety
            #[doc = concat!("`handle` is of a ", $dimensions, "-dimensional surface object of floats with one channel, which lives until the kernel has ended.")]
            #[inline]
            #[must_use]
            pub const unsafe fn from_handle(handle: u64) -> Self {
                Self(handle)
            }

            /// The texel there; zero outside.
            ///
            /// # Safety
            /// No other thread writes it in this launch, unless a barrier of the block lies between and both are of that block.
            #[doc(alias = "suld")]
            #[inline]
            #[must_use]
            pub unsafe fn get(self, $($axis: u32),*) -> f32 {
                #[cfg(not(target_arch = "nvptx64"))]
                {
                    let _ = (self.0, $($axis),*);
                    crate::device_only(concat!("suld.b.", $geometry))
                }
                #[cfg(target_arch = "nvptx64")]
                {
                    let value: f32;
                    // SAFETY: whoever made `self` said that the handle is good; what is outside is not read.
                    unsafe {
                        core::arch::asm!(
                            concat!(
                                "{{ .reg .b32 bytes; min.u32 bytes, {x}, 0x1fffffff; shl.b32 bytes, bytes, 2; suld.b.", $geometry,
                                ".b32.zero {value}, [{surface}, ", $coordinates, "]; }}"
                            ),
                            value = lateout(reg32) value,
                            surface = in(reg64) self.0,
                            $($axis = in(reg32) $axis,)*
                            options(readonly, nostack, preserves_flags),
                        );
                    }
                    value
                }
            }

            /// Sets the texel there; nothing outside.
            ///
            /// # Safety
            /// No other thread reads or writes it in this launch, unless a barrier of the block lies between and both are of that block.
            #[doc(alias = "sust")]
            #[inline]
            pub unsafe fn set(self, $($axis: u32,)* value: f32) {
                #[cfg(not(target_arch = "nvptx64"))]
                {
                    let _ = (self.0, $($axis,)* value);
                    crate::device_only(concat!("sust.b.", $geometry))
                }
                #[cfg(target_arch = "nvptx64")]
                // SAFETY: as in `get`.
                unsafe {
                    core::arch::asm!(
                        concat!(
                            "{{ .reg .b32 bytes; min.u32 bytes, {x}, 0x1fffffff; shl.b32 bytes, bytes, 2; sust.b.", $geometry,
                            ".b32.zero [{surface}, ", $coordinates, "], {value}; }}"
                        ),
                        value = in(reg32) value,
                        surface = in(reg64) self.0,
                        $($axis = in(reg32) $axis,)*
                        options(nostack, preserves_flags),
                    );
                }
            }
        }
    )*};
}

surfaces! {
    /// A line of texels.
    Surface1d "one" "1d" (x) "{{bytes}}";
    /// A plane of texels.
    Surface2d "two" "2d" (x, y) "{{bytes, {y}}}";
    /// A volume of texels.
    Surface3d "three" "3d" (x, y, z) "{{bytes, {y}, {z}, {z}}}";
}
