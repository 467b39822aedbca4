//! Textures: memory that is read through a sampler.
//!
//! A texture is an array of one, two or three dimensions, read by coordinates that are floats: the sampler takes the nearest
//! element or blends those around, and says what stands outside. How, the host decides when it makes the texture; the kernel
//! has a handle. Reads are through the texture cache, which is made for neighbours in two dimensions.
//!
//! Blends are cheap and coarse: weights are fixed-point numbers with 8 bits behind the point, so that a result can be off by a
//! 512th of the difference of two neighbours, on each axis.
//! PTX ISA, "tex"; CUDA C++ Programming Guide, "Texture Memory", "Texture Fetching".

use crate::kernel::Value;

macro_rules! textures {
    ($($(#[$doc:meta])* $name:ident $dimensions:literal $geometry:literal ($($axis:ident),*) $coordinates:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        #[repr(transparent)]
        pub struct $name(u64);

        // SAFETY: a number of 64 bits on both sides.
        unsafe impl Value for $name {}

        impl $name {
            /// The texture of a handle.
            ///
            /// # Safety
            #[doc = concat!("`handle` is of a ", $dimensions, "-dimensional texture object, which lives until the kernel has ended.")]
            #[inline]
            #[must_use]
            pub const unsafe fn from_handle(handle: u64) -> Self {
                Self(handle)
            }

            /// The first channel there.
            #[doc(alias = "tex")]
            #[inline]
            #[must_use]
            pub fn sample(self, $($axis: f32),*) -> f32 {
                self.sample_all($($axis),*)[0]
            }

            /// All four channels there. What a channel holds that the texture has not is not said.
            #[inline]
            #[must_use]
            pub fn sample_all(self, $($axis: f32),*) -> [f32; 4] {
                #[cfg(not(target_arch = "nvptx64"))]
                {
                    let _ = (self.0, $($axis),*);
                    crate::device_only(concat!("tex.", $geometry))
                }
                #[cfg(target_arch = "nvptx64")]
                {
                    let (r, g, b, a);
                    // SAFETY: whoever made `self` said that the handle is good; a fetch reads, and reads nothing outside.
                    unsafe {
                        core::arch::asm!(
                            concat!("tex.", $geometry, ".v4.f32.f32 {{{r}, {g}, {b}, {a}}}, [{texture}, ", $coordinates, "];"),
                            r = out(reg32) r,
                            g = out(reg32) g,
                            b = out(reg32) b,
                            a = out(reg32) a,
                            texture = in(reg64) self.0,
                            $($axis = in(reg32) $axis,)*
                            options(pure, readonly, nostack, preserves_flags),
                        );
                    }
                    [r, g, b, a]
                }
            }
        }
    )*};
}

textures! {
    /// A line of texels.
    Texture1d "one" "1d" (x) "{{{x}}}";
    /// A plane of texels.
    Texture2d "two" "2d" (x, y) "{{{x}, {y}}}";
    /// A volume of texels.
    Texture3d "three" "3d" (x, y, z) "{{{x}, {y}, {z}, {z}}}";
}
