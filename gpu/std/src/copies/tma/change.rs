//! Maps that a kernel changes: the same kind of tensor elsewhere, of another size. From `sm_90a`.
//!
//! A grouped matrix product whose sizes only the device knows needs a map for each group. The host
//! encodes one map, and a warp makes the others from it: it copies the map to shared memory,
//! replaces what differs, and publishes the result in global memory, where the tensor memory
//! accelerator reads it. PTX ISA, "tensormap.replace", "tensormap.cp_fenceproxy",
//! "fence.proxy.tensormap::generic"; CUDA C++ Programming Guide, "Encoding a Tensor Map on Device".

use core::marker::PhantomData;

use super::boxes::can_be;
use super::{EncodedMap, TensorMap, TensorMapMut};
use crate::kernel::Value;
use crate::state_space::{self, ptx};
use crate::{SharedArray, warp};

/// Memory for a map that a kernel makes: in global memory, and in shared memory while it is
/// changed.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(128))]
pub struct MapStorage([u64; 16]);

impl MapStorage {
    /// A place without a map.
    #[must_use]
    pub const fn empty() -> Self {
        MapStorage([0; 16])
    }

    /// The map of these words: what the host encodes.
    #[doc(hidden)]
    #[must_use]
    pub const fn from_words(words: [u64; 16]) -> Self {
        MapStorage(words)
    }
}

// SAFETY: words, as large as they are aligned.
unsafe impl Value for MapStorage {}
// SAFETY: as above.
#[cfg(not(target_arch = "nvptx64"))]
unsafe impl crate::kernel::DeviceCopy for MapStorage {}
// SAFETY: words, of any bits.
#[cfg(not(target_arch = "nvptx64"))]
unsafe impl crate::kernel::Zeroable for MapStorage {}

/// A map that is being changed, in shared memory. What is not set stays as it was.
#[derive(Debug)]
pub struct MapChange<T, const RANK: usize> {
    map: u32,
    tensor: PhantomData<*mut T>,
}

/// One field, which a number in the instruction names where there are several.
macro_rules! replace {
    ($field:literal, $width:literal, $register:ident, $map:expr, $value:expr $(, $dimension:expr)?) => {
        ptx!("tensormap.replace":
            concat!("tensormap.replace.tile.", $field, ".shared::cta.b1024.", $width, " [{map}]", $(replace!(@ $dimension),)? ", {value};"),
            map = in(reg32) $map,
            value = in($register) $value,
            $(dimension = const $dimension,)?
            options(nostack, preserves_flags),
        )
    };
    (@ $dimension:expr) => { ", {dimension}" };
}

impl<T, const RANK: usize> MapChange<T, RANK> {
    /// The tensor lies here, at a multiple of 16 bytes of global memory.
    #[doc(alias = "tensormap.replace.tile.global_address")]
    #[inline]
    pub fn set_address(&self, address: *const T) {
        let address = state_space::global(address);
        // SAFETY: one thread, before the map is published; whoever uses it answers for the tensor.
        unsafe { replace!("global_address", "b64", reg64, self.map, address) }
    }

    /// It has this many elements in this dimension.
    #[doc(alias = "tensormap.replace.tile.global_dim")]
    #[inline]
    pub fn set_size<const DIMENSION: usize>(&self, elements: u32) {
        const { assert!(DIMENSION < RANK, "the tensor has no such dimension") };
        // SAFETY: as for `set_address`.
        unsafe { replace!("global_dim", "b32", reg32, self.map, elements, DIMENSION) }
    }

    /// It is this many bytes from one element to the next in this dimension, from 1 on: a multiple
    /// of 16.
    #[doc(alias = "tensormap.replace.tile.global_stride")]
    #[inline]
    pub fn set_stride<const DIMENSION: usize>(&self, bytes: u64) {
        const {
            assert!(
                DIMENSION >= 1 && DIMENSION < RANK,
                "the first dimension has no stride, and behind the last there is none"
            )
        };
        // The instruction counts strides from 0.
        // SAFETY: as for `set_address`.
        unsafe {
            replace!(
                "global_stride",
                "b64",
                reg64,
                self.map,
                bytes,
                DIMENSION - 1
            )
        }
    }

    /// A box has this many elements in this dimension, 1 to 256.
    #[doc(alias = "tensormap.replace.tile.box_dim")]
    #[inline]
    pub fn set_box<const DIMENSION: usize>(&self, elements: u32) {
        const { assert!(DIMENSION < RANK, "the tensor has no such dimension") };
        // SAFETY: as for `set_address`.
        unsafe { replace!("box_dim", "b32", reg32, self.map, elements, DIMENSION) }
    }
}

/// Has what a warp's threads, or those of others, have published be read as a map: what
/// [`published`](TensorMap::published) does.
///
/// # Safety
/// A map is there, in global memory.
#[inline]
pub(crate) unsafe fn acquire(map: *const MapStorage) {
    // SAFETY: a fence only orders; the caller says that the memory is there.
    unsafe {
        ptx!("fence.proxy.tensormap":
            "fence.proxy.tensormap::generic.acquire.gpu [{map}], 128;",
            map = in(reg64) map,
            options(nostack, preserves_flags),
        );
    }
}

macro_rules! changes {
    ($($map:ident)*) => {$(
        impl<'a, T: Copy, const RANK: usize> $map<'a, T, RANK> {
            /// This map with changes, which one thread makes; it is written to `to`, and the warp
            /// may use it at once. Other threads have it by [`published`](Self::published). From
            /// `sm_90a`. All 32 lanes of a warp call it.
            ///
            /// # Safety
            /// `to` is in global memory, at a multiple of 128 bytes. Nobody else uses `scratch`
            /// meanwhile, or copies by what was a map at `to`. What the map describes is a tensor
            /// of `T` that is there as long as the map is used, and that nobody writes against the
            /// rules of the map's kind.
            #[doc(alias = "tensormap.cp_fenceproxy")]
            #[inline]
            pub unsafe fn changed(
                &self,
                scratch: &SharedArray<MapStorage, 1>,
                to: *mut MapStorage,
                change: impl FnOnce(&MapChange<T, RANK>),
            ) -> $map<'a, T, RANK> {
                const { can_be(RANK) };
                const WARP: u32 = u32::MAX;
                const WORDS: usize = size_of::<MapStorage>() / size_of::<u32>();
                let lane = warp::lane_id() as usize;
                let (from, own) = (self.encoded.cast::<u32>(), scratch.as_ptr().cast::<u32>());
                let (map, global) = (state_space::shared(own), state_space::global(to));
                // SAFETY: a map has a word for each lane, and both places are as large; the lanes
                // wait for each other before and behind the changes.
                unsafe {
                    const { assert!(WORDS == warp::WARP_SIZE as usize) };
                    own.add(lane).write(from.add(lane).read());
                    warp::sync_warp(WARP);
                    if lane == 0 {
                        change(&MapChange { map, tensor: PhantomData });
                    }
                    warp::sync_warp(WARP);
                    ptx!("tensormap.cp_fenceproxy":
                        "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [{global}], [{map}], 128;",
                        global = in(reg64) global,
                        map = in(reg32) map,
                        options(nostack, preserves_flags),
                    );
                    Self::published(to)
                }
            }

            /// The map that [`changed`](Self::changed) has made there.
            ///
            /// # Safety
            /// It has, by a map of this kind, and this thread knows of it by a barrier, or an
            /// atomic of the device's scope.
            #[doc(alias = "fence.proxy.tensormap::generic.acquire")]
            #[inline]
            #[must_use]
            pub unsafe fn published(at: *const MapStorage) -> Self {
                // SAFETY: the caller says that a map is there.
                unsafe {
                    acquire(at);
                    Self::from_raw(at.cast::<EncodedMap>())
                }
            }
        }
    )*};
}
changes! { TensorMap TensorMapMut }
