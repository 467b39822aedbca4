//! The tensor memory accelerator, from `sm_90`: boxes of tensors on their way between global and
//! shared memory.
//!
//! A *tensor map* says where a tensor of 1 to 5 dimensions lies, how large it is, and how large a
//! box one instruction moves. The host encodes it (`lanewise::tensor_map`), the launch passes it,
//! and a thread names a box by the coordinates of its first element. The part of a box that lies
//! outside the tensor is loaded as zeros and not stored, so there are no bounds to check.
//!
//! | the kernel takes | the host passes | and it can |
//! | --- | --- | --- |
//! | `TensorMap<T, RANK>` | `&tensor_map::TensorMap` over a `&` buffer | load |
//! | `TensorMapMut<T, RANK>` | `&mut tensor_map::TensorMapMut` over a `&mut` buffer | load, store, add |
//! | `Im2colMap<T, RANK>` | `&tensor_map::Im2colMap` over a `&` buffer | load pixels of images |
//! | `Im2colMapMut<T, RANK>` | `&mut tensor_map::Im2colMapMut` over a `&mut` buffer | load, store and add pixels |
//!
//! Coordinates begin with the dimension that is contiguous in memory: `[column, row]` for a matrix.
//! The first coordinate is a multiple of 16 bytes (of 4 elements of `f32`), also outside the
//! tensor, and a store takes no negative ones. A GPU ends a kernel that breaks this with an illegal
//! instruction (seen on an H200, driver 580.159, 2026-11-22; the ISA does not say it); the
//! simulator says which coordinate is wrong. Loads report their bytes to a barrier, stores belong
//! to groups, and both see shared memory as [`crate::bulk`] says. A box in shared memory begins at
//! a multiple of 128 bytes: `shared! { static BOX: [Tile<[f32; 512]>; 2]; }`, or [`SwizzledTile`]
//! for a swizzle of 128 bytes. PTX ISA, "Tensors", "cp.async.bulk.tensor",
//! "cp.reduce.async.bulk.tensor", "cp.async.bulk.prefetch.tensor"; CUDA C++ Programming Guide,
//! "Tensor Memory Accelerator".

#![cfg_attr(
    not(target_arch = "nvptx64"),
    allow(unused_variables, unreachable_code, dead_code)
)]

use core::marker::PhantomData;

use crate::cache::CachePolicy;
use crate::state_space::{self, ptx};
use crate::{DynamicSharedArray, SharedArray};

mod boxes;
mod change;
mod images;
mod instruction;
mod rows;
mod swizzle;

pub use crate::bulk::{ReduceAdd, ReduceBitwise, ReduceIncDec, ReduceMinMax};
#[cfg(feature = "compat")]
pub(crate) use change::acquire;
pub use change::{MapChange, MapStorage};
pub use swizzle::swizzled;

/// The 128 bytes of a tensor map, which only the driver and the hardware can read.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct EncodedMap([u64; 16]);

/// Shared memory for a box, at a multiple of 128 bytes.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(128))]
pub struct Tile<A>(A);

/// Shared memory for a box that is swizzled, or that `wgmma` reads: at a multiple of 1024 bytes,
/// where the pattern begins.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(1024))]
pub struct SwizzledTile<A>(A);

macro_rules! tiles {
    ($($tile:ident)*) => {$(
        impl<T: Copy, const N: usize, const TILES: usize> SharedArray<$tile<[T; N]>, TILES> {
            /// One of the tiles, as an array.
            ///
            /// # Panics
            /// If there is no such tile.
            #[inline]
            #[must_use]
            pub fn tile(&self, index: usize) -> SharedArray<T, N> {
                assert!(index < TILES, "a tile past the last");
                // SAFETY: a tile is in bounds, and begins with its array.
                unsafe { SharedArray::from_raw(self.as_ptr().add(index).cast()) }
            }
        }
    )*};
}
tiles! { Tile SwizzledTile }

/// Tiles of `N` elements in the launch's dynamic shared memory, each at a multiple of 1024 bytes,
/// for any box: `TILES` of them.
#[derive(Clone, Copy, Debug)]
pub struct DynamicTiles<T, const N: usize, const TILES: usize>(*mut T);

impl<T: Copy, const N: usize, const TILES: usize> DynamicTiles<T, N, TILES> {
    /// Bytes of dynamic shared memory that the launch gives for them, wherever the region begins.
    pub const BYTES: u32 = dynamic_tile_bytes::<[T; N]>(TILES);

    /// The tiles, from the region's first multiple of 1024 on; nothing if the launch gave less than
    /// [`BYTES`](Self::BYTES). Two calls give the same memory.
    #[inline]
    #[must_use]
    pub fn get() -> Option<Self> {
        let region = DynamicSharedArray::<u8>::get();
        let start = state_space::shared(region.as_ptr()) as usize;
        let first = start.next_multiple_of(TILE_ALIGN) - start;
        let enough = first + TILES * Self::EACH <= region.len();
        enough.then(|| DynamicTiles(region.as_ptr().wrapping_add(first).cast()))
    }

    /// Bytes from tile to tile.
    const EACH: usize = size_of::<[T; N]>().next_multiple_of(TILE_ALIGN);

    /// The tile of this number, from 0.
    ///
    /// # Panics
    /// If there is no such tile.
    #[inline]
    #[must_use]
    pub fn tile(&self, index: usize) -> SharedArray<T, N> {
        assert!(index < TILES, "a tile past the last");
        // SAFETY: in bounds of the region, as `get` has seen, and aligned.
        unsafe { SharedArray::from_raw(self.0.byte_add(index * Self::EACH)) }
    }
}

/// Bytes of dynamic shared memory for this many tiles `A`, wherever the region begins.
const fn dynamic_tile_bytes<A>(tiles: usize) -> u32 {
    let each = size_of::<A>().next_multiple_of(TILE_ALIGN);
    (tiles * each + TILE_ALIGN) as u32
}

/// What swizzled tiles begin at a multiple of.
const TILE_ALIGN: usize = align_of::<SwizzledTile<u8>>();

macro_rules! maps {
    ($($(#[$doc:meta])* $name:ident<$borrow:ty>;)*) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name<'a, T, const RANK: usize> {
            encoded: *const EncodedMap,
            policy: Option<CachePolicy>,
            memory: PhantomData<$borrow>,
        }

        impl<T, const RANK: usize> $name<'_, T, RANK> {
            /// The map at a parameter's place: what `#[kernel]` makes of its parameter.
            ///
            /// # Safety
            /// A map of this type and rank is there, which the host has encoded.
            #[doc(hidden)]
            #[inline(always)]
            #[must_use]
            pub unsafe fn from_raw(encoded: *const EncodedMap) -> Self {
                $name { encoded, policy: None, memory: PhantomData }
            }

            /// The same map, whose copies have the second-level cache keep what they touch as this
            /// policy says.
            #[doc(alias = "L2::cache_hint")]
            #[inline]
            #[must_use]
            pub fn with_policy(&self, policy: CachePolicy) -> $name<'_, T, RANK> {
                $name { encoded: self.encoded, policy: Some(policy), memory: PhantomData }
            }

            /// Has the map itself brought near, so that the first copy does not wait for it.
            #[doc(alias = "prefetch.tensormap")]
            #[inline]
            pub fn prefetch_map(&self) {
                // SAFETY: a map is there; nothing is changed.
                unsafe {
                    ptx!("prefetch.tensormap":
                        "prefetch.tensormap [{map}];",
                        map = in(reg64) self.encoded,
                        options(nostack, preserves_flags),
                    );
                }
            }
        }
    )*};
}
maps! {
    /// A tensor that the kernel reads, in boxes.
    TensorMap<&'a [T]>;
    /// A tensor that the kernel writes, in boxes.
    TensorMapMut<&'a mut [T]>;
    /// Images that the kernel reads, in columns of pixels as a convolution meets them.
    Im2colMap<&'a [T]>;
    /// Images that the kernel writes, in columns of pixels.
    Im2colMapMut<&'a mut [T]>;
}
