//! Surfaces: the arrays that textures read, which kernels can read and write texel by texel.
//!
//! A surface has no sampler. Coordinates are whole numbers of texels. A read outside the
//! surface returns zero, and a write outside does nothing. A kernel writes a surface, and a
//! later launch reads it as a [texture](crate::texture). PTX ISA, "suld", "sust"; CUDA C++
//! Programming Guide, "Surface Memory".

use super::object::object_handle;

macro_rules! surfaces {
    ($($(#[$doc:meta])* $name:ident $dimensions:literal $geometry:literal ($($axis:ident),*) $coordinates:literal;)*) => {$(
        object_handle!($(#[$doc])* $name, concat!($dimensions, "-dimensional surface object of floats with one channel"));

        impl $name {
            /// Returns the texel at these coordinates, or zero outside the surface.
            ///
            /// # Safety
            /// No other thread writes this texel during the launch, except a thread of the same
            /// block with a barrier between the two accesses.
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
                    // SAFETY: the caller of `from_handle` promised that the handle is valid;
                    // nothing outside the surface is read.
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

            /// Sets the texel at these coordinates. A write outside the surface does nothing.
            ///
            /// # Safety
            /// No other thread reads or writes this texel during the launch, except a thread of the
            /// same block with a barrier between the two accesses.
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
