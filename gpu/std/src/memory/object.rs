//! The handles of textures and surfaces: numbers by which the driver identifies an object.

/// Defines the type of a handle:
/// `object_handle!(/** Docs. */ Texture2d, "two-dimensional texture object")`.
macro_rules! object_handle {
    ($(#[$doc:meta])* $name:ident, $object:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        #[repr(transparent)]
        pub struct $name(u64);

        // SAFETY: the handle is a 64-bit number on the host and on the device.
        unsafe impl crate::kernel::Value for $name {
            const LAYOUT: u64 = crate::kernel::layout::named(stringify!($name));
        }

        impl $name {
            /// Makes the object from the handle that the driver returned for it.
            ///
            /// # Safety
            #[doc = concat!("`handle` names a ", $object, ", which lives until the kernel has ended.")]
            #[inline]
            #[must_use]
            pub const unsafe fn from_handle(handle: u64) -> Self {
                Self(handle)
            }
        }
    };
}

pub(super) use object_handle;
