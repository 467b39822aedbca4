//! Maps that a kernel changes, for a tensor of the same kind at another address or of another size.
//! They need `sm_90a`.
//!
//! A grouped matrix product whose sizes are computed on the device needs a map for each group. The
//! host encodes one map, and a warp makes the others from it: it copies the map to shared memory,
//! replaces the fields that differ, and publishes the result in global memory. The tensor memory
//! accelerator reads it there. PTX ISA, "tensormap.replace", "tensormap.cp_fenceproxy",
//! "fence.proxy.tensormap::generic"; CUDA C++ Programming Guide, "Encoding a Tensor Map on Device".

use core::marker::PhantomData;

use super::boxes::can_be;
use super::{EncodedMap, TensorMap, TensorMapMut};
use crate::kernel::Value;
use crate::state_space::{self, ptx};
use crate::{SharedArray, warp};

/// Memory for a map that a kernel makes. It is in global memory, and in shared memory while the
/// map is changed.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(128))]
pub struct MapStorage([u64; 16]);

impl MapStorage {
    /// Makes storage without a map.
    #[must_use]
    pub const fn empty() -> Self {
        MapStorage([0; 16])
    }

    /// Makes the map from these words, which the host has encoded.
    #[doc(hidden)]
    #[must_use]
    pub const fn from_words(words: [u64; 16]) -> Self {
        MapStorage(words)
    }
}

// SAFETY: the type is words without padding, because its size equals its alignment.
unsafe impl Value for MapStorage {}
// SAFETY: as above.
#[cfg(not(target_arch = "nvptx64"))]
unsafe impl crate::kernel::DeviceCopy for MapStorage {}
// SAFETY: the type is words, for which any bits are valid.
#[cfg(not(target_arch = "nvptx64"))]
unsafe impl crate::kernel::Zeroable for MapStorage {}

/// A map that is being changed, in shared memory. Fields that are not set keep their values.
///
/// ```
/// use lanewise_macros::{kernel, shared};
/// use lanewise_std::tma::{MapChange, MapStorage, TensorMap};
/// use lanewise_std::{GlobalMut, thread};
///
/// /// Makes a map of every second row of a part of the tensor, whose place and size are known on
/// /// the device only.
/// ///
/// /// # Safety
/// /// `part` has twice as many rows of `pitch` bytes, and nothing writes it.
/// #[kernel(min_arch = "sm_90a")]
/// #[launch_contract(dims = 1, block = 32, grid = 1)]
/// pub unsafe fn map_of_rows(
///     map: TensorMap<f32, 2>,
///     maps: GlobalMut<MapStorage>,
///     part: GlobalMut<f32>,
///     rows: u32,
///     pitch: u64,
/// ) {
///     shared! { static SCRATCH: [MapStorage; 1]; }
///     let change = |change: &MapChange<f32, 2>| {
///         change.set_address(part.address_of(0));
///         change.set_size::<1>(rows);
///         change.set_stride::<1>(2 * pitch);
///         change.set_box::<1>(rows.min(256));
///     };
///     // SAFETY: one warp uses the memory, and the tensor has the rows.
///     let part = unsafe { map.changed(&SCRATCH, maps.address_of(0), change) };
///     part.prefetch_map();
///     // SAFETY: it was made above.
///     let again = unsafe { TensorMap::<f32, 2>::published(maps.address_of(0)) };
///     again.prefetch([0, thread::block_idx_x() as i32]);
/// }
/// ```
#[derive(Debug)]
pub struct MapChange<T, const RANK: usize> {
    map: u32,
    tensor: PhantomData<*mut T>,
}

/// Replaces one field. For a field with several values, a number in the instruction selects one.
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
    /// Sets the address of the tensor, which is a multiple of 16 bytes in global memory.
    #[doc(alias = "tensormap.replace.tile.global_address")]
    #[inline]
    pub fn set_address(&self, address: *const T) {
        let address = state_space::global(address);
        // SAFETY: one thread calls it, before the map is published. The code that uses the map
        // promises that the tensor is valid.
        unsafe { replace!("global_address", "b64", reg64, self.map, address) }
    }

    /// Sets the number of elements of the tensor in this dimension.
    #[doc(alias = "tensormap.replace.tile.global_dim")]
    #[inline]
    pub fn set_size<const DIMENSION: usize>(&self, elements: u32) {
        const { assert!(DIMENSION < RANK, "the tensor has no such dimension") };
        // SAFETY: as for `set_address`.
        unsafe { replace!("global_dim", "b32", reg32, self.map, elements, DIMENSION) }
    }

    /// Sets the stride between elements in this dimension, in bytes: a multiple of 16. The
    /// dimension is at least 1.
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

    /// Sets the number of elements of a box in this dimension, 1 to 256.
    #[doc(alias = "tensormap.replace.tile.box_dim")]
    #[inline]
    pub fn set_box<const DIMENSION: usize>(&self, elements: u32) {
        const { assert!(DIMENSION < RANK, "the tensor has no such dimension") };
        // SAFETY: as for `set_address`.
        unsafe { replace!("box_dim", "b32", reg32, self.map, elements, DIMENSION) }
    }
}

/// Makes a map that this warp or another has published readable for the
/// accelerator, for [`published`](TensorMap::published).
///
/// # Safety
/// There is a map at the address, in global memory.
#[inline]
pub unsafe fn acquire(map: *const MapStorage) {
    // SAFETY: a fence only orders, and the caller promises that there is memory at the address.
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
            /// Returns this map with changes, which one thread makes. The map is written
            /// to `to`, and the warp may use it at once. Other threads get it from
            /// [`published`](Self::published). All 32 lanes of a warp call this
            /// function. Needs `sm_90a`.
            ///
            /// # Safety
            /// `to` is in global memory, at a multiple of 128 bytes. At the same time, no other
            /// thread uses `scratch`, or starts copies with an earlier map at `to`. The new map
            /// describes a tensor of `T` that exists while the map is used. No thread writes the
            /// tensor against the rules of the map's kind.
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
                // SAFETY: a map has a word for each lane, and both addresses have memory for a map.
                // The lanes wait for each other before and after the changes.
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

            /// Returns the map that [`changed`](Self::changed) has made at this address.
            ///
            /// # Safety
            /// [`changed`](Self::changed) has written a map of this kind there. A barrier, or an
            /// atomic of device scope, orders that write before this call.
            #[doc(alias = "fence.proxy.tensormap::generic.acquire")]
            #[inline]
            #[must_use]
            pub unsafe fn published(at: *const MapStorage) -> Self {
                // SAFETY: the caller promises that there is a map at the address.
                unsafe {
                    acquire(at);
                    Self::from_raw(at.cast::<EncodedMap>())
                }
            }
        }
    )*};
}
changes! { TensorMap TensorMapMut }
