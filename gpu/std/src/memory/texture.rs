//! Textures: memory that is read through a sampler.
//!
//! A texture is an array of one, two or three dimensions that is read at floating-point
//! coordinates. The sampler takes the nearest element or interpolates between neighbours. It also
//! determines what a read outside the array returns. The host chooses both when it makes the
//! texture, and the kernel has a handle. Reads go through the texture cache, which is optimised for
//! neighbours in two dimensions.
//!
//! Interpolation is cheap and coarse. Its weights are fixed-point numbers with 8 fractional bits,
//! so a result can be off by 1/512 of the difference of two neighbours on each axis. PTX ISA,
//! "tex"; CUDA C++ Programming Guide, "Texture Memory", "Texture Fetching".

use super::object::object_handle;

macro_rules! textures {
    ($($(#[$doc:meta])* $name:ident $dimensions:literal $geometry:literal ($($axis:ident),*) $coordinates:literal;)*) => {$(
        object_handle!($(#[$doc])* $name, concat!($dimensions, "-dimensional texture object"));

        impl $name {
            /// Returns the first channel of the texture at these coordinates.
            #[doc(alias = "tex")]
            #[inline]
            #[must_use]
            pub fn sample(self, $($axis: f32),*) -> f32 {
                self.sample_all($($axis),*)[0]
            }

            /// Returns all four channels of the texture at these coordinates. The value of a
            /// channel that the texture does not have is unspecified.
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
                    // SAFETY: the caller of `from_handle` promised that the handle is valid. A
                    // fetch writes no memory, and reads nothing outside the texture.
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
