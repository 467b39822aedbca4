//! The tensor memory accelerator, from `sm_90`: copies of boxes of tensors between global
//! and shared memory.
//!
//! A *tensor map* contains the address and the sizes of a tensor of 1 to 5 dimensions, and the
//! size of the box that one instruction moves. The host encodes the map
//! (`lanewise::tensor_map`), and the launch passes it. A thread selects a box by the coordinates
//! of its first element. The part of a box outside the tensor is loaded as zeros and is not
//! stored, so there are no bounds to check.
//!
//! | the kernel takes | the host passes | and it can |
//! | --- | --- | --- |
//! | `TensorMap<T, RANK>` | `&tensor_map::TensorMap` over a `&` buffer | load |
//! | `TensorMapMut<T, RANK>` | `&mut tensor_map::TensorMapMut` over a `&mut` buffer | load, store, add |
//! | `Im2colMap<T, RANK>` | `&tensor_map::Im2colMap` over a `&` buffer | load pixels of images |
//! | `Im2colMapMut<T, RANK>` | `&mut tensor_map::Im2colMapMut` over a `&mut` buffer | load, store and add pixels |
//!
//! A copy moves as many bytes as the map says, and the kernel cannot read the map. A kernel that
//! has room for boxes of one size takes `TensorMap<T, RANK, BoxOf<COLUMNS, ROWS>>`: the host passes
//! only maps of such boxes. See [`BoxOf`].
//!
//! Coordinates begin with the dimension that is contiguous in memory: `[column, row]` for a matrix.
//! The first coordinate is a multiple of 16 bytes (of 4 elements of `f32`), also outside the
//! tensor, and a store takes no negative coordinates. A GPU ends a kernel that breaks this rule
//! with an illegal instruction (seen on an H200, driver 580.159, 2026-11-22; the ISA does not
//! mention it). The simulator reports which coordinate is wrong.
//!
//! Loads report their bytes to a barrier, and stores belong to groups. Both access shared memory as
//! [`crate::bulk`] describes. A box in shared memory begins at a multiple of 128 bytes:
//! `shared! { static BOX: [Tile<[f32; 512]>; 2]; }`, or [`SwizzledTile`] for a swizzle of 128
//! bytes. PTX ISA, "Tensors", "cp.async.bulk.tensor", "cp.reduce.async.bulk.tensor",
//! "cp.async.bulk.prefetch.tensor"; CUDA C++ Programming Guide, "Tensor Memory Accelerator".

#![cfg_attr(
    not(target_arch = "nvptx64"),
    allow(unused_variables, unreachable_code, dead_code)
)]

use core::marker::PhantomData;

use crate::cache::CachePolicy;
use crate::state_space::{self, ptx};
use crate::{DynamicSharedArray, SharedArray};

mod box_of;
mod boxes;
mod change;
mod images;
mod instruction;
mod rows;
mod swizzle;

pub use crate::bulk::{ReduceAdd, ReduceBitwise, ReduceIncDec, ReduceMinMax};
pub use box_of::{AnyBox, BoxOf, BoxSize};
#[doc(hidden)]
pub use change::acquire;
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

/// Shared memory for a box that is swizzled, or that `wgmma` reads. It begins at a multiple of 1024
/// bytes, where the swizzle pattern begins.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(1024))]
pub struct SwizzledTile<A>(A);

macro_rules! tiles {
    ($($tile:ident)*) => {$(
        impl<T: Copy, const N: usize, const TILES: usize> SharedArray<$tile<[T; N]>, TILES> {
            /// Returns one of the tiles, as an array.
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

/// `TILES` tiles of `N` elements in the launch's dynamic shared memory. Each begins at a multiple
/// of 1024 bytes, so it is suitable for any box.
#[derive(Clone, Copy, Debug)]
pub struct DynamicTiles<T, const N: usize, const TILES: usize>(*mut T);

impl<T: Copy, const N: usize, const TILES: usize> DynamicTiles<T, N, TILES> {
    /// The number of bytes of dynamic shared memory that a launch needs for the tiles, for any
    /// start of the region.
    pub const BYTES: u32 = dynamic_tile_bytes::<[T; N]>(TILES);

    /// Returns the tiles, which start at the region's first multiple of 1024. Returns `None` if the
    /// launch has fewer than [`BYTES`](Self::BYTES) bytes. Two calls return the same memory.
    #[inline]
    #[must_use]
    pub fn get() -> Option<Self> {
        let region = DynamicSharedArray::<u8>::get();
        let start = state_space::shared(region.as_ptr()) as usize;
        let first = start.next_multiple_of(TILE_ALIGN) - start;
        let enough = first + TILES * Self::EACH <= region.len();
        enough.then(|| DynamicTiles(region.as_ptr().wrapping_add(first).cast()))
    }

    /// The stride between tiles, in bytes.
    const EACH: usize = size_of::<[T; N]>().next_multiple_of(TILE_ALIGN);

    /// Returns the tile with this number, from 0.
    ///
    /// # Panics
    /// If there is no such tile.
    #[inline]
    #[must_use]
    pub fn tile(&self, index: usize) -> SharedArray<T, N> {
        assert!(index < TILES, "a tile past the last");
        // SAFETY: the tile is in bounds of the region, as `get` has checked, and aligned.
        unsafe { SharedArray::from_raw(self.0.byte_add(index * Self::EACH)) }
    }
}

/// Returns the number of bytes of dynamic shared memory for this many tiles `A`, for any start
/// of the region.
const fn dynamic_tile_bytes<A>(tiles: usize) -> u32 {
    let each = size_of::<A>().next_multiple_of(TILE_ALIGN);
    (tiles * each + TILE_ALIGN) as u32
}

/// The alignment of swizzled tiles, in bytes.
const TILE_ALIGN: usize = align_of::<SwizzledTile<u8>>();

macro_rules! maps {
    ($($(#[$doc:meta])* $name:ident<$borrow:ty>;)*) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name<'a, T, const RANK: usize, Size = AnyBox> {
            encoded: *const EncodedMap,
            policy: Option<CachePolicy>,
            memory: PhantomData<($borrow, Size)>,
        }

        // SAFETY: the parameter is the map, and the value its address among the parameters.
        unsafe impl<T: 'static, const RANK: usize, Size: BoxSize> crate::kernel::Passed
            for for<'a> fn($name<'a, T, RANK, Size>)
        {
            type For<'a> = $name<'a, T, RANK, Size>;
            type First = *const EncodedMap;
            type Second = ();
            // A map has one layout, whatever its elements are, and contains its own description.
            type Element = u8;
            const LOWERING: crate::kernel::Lowering = crate::kernel::Lowering::TensorMap;

            #[inline(always)]
            unsafe fn take<'a>(first: *const EncodedMap, (): ()) -> Self::For<'a> {
                // SAFETY: the caller promises that it is the address of such a map.
                unsafe { $name::from_raw(first) }
            }

            #[inline(always)]
            fn give(_: Self::For<'_>) -> (*const EncodedMap, ()) {
                const { assert!(RANK == 0, "a kernel cannot pass a tensor map on to another kernel") };
                (core::ptr::null(), ())
            }
        }

        impl<T, const RANK: usize, Size> $name<'_, T, RANK, Size> {
            /// Makes the map from the address of a parameter, in code that `#[kernel]` generates.
            ///
            /// # Safety
            /// A map of this type, rank and size, which the host has encoded, is at the address.
            #[doc(hidden)]
            #[inline(always)]
            #[must_use]
            pub unsafe fn from_raw(encoded: *const EncodedMap) -> Self {
                $name { encoded, policy: None, memory: PhantomData }
            }

            /// Returns the same map with this policy, which its copies apply to
            /// the second-level cache.
            #[doc(alias = "L2::cache_hint")]
            #[inline]
            #[must_use]
            pub fn with_policy(&self, policy: CachePolicy) -> $name<'_, T, RANK, Size> {
                $name { encoded: self.encoded, policy: Some(policy), memory: PhantomData }
            }

            /// Prefetches the map itself, so that the first copy does not wait for it.
            #[doc(alias = "prefetch.tensormap")]
            #[inline]
            pub fn prefetch_map(&self) {
                // SAFETY: there is a map at the address, and a prefetch changes no memory.
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
    ///
    /// ```
    /// use lanewise_macros::{kernel, shared};
    /// use lanewise_std::fence::fence_proxy_async_shared;
    /// use lanewise_std::thread::{block_idx_x, thread_idx_x};
    /// use lanewise_std::tma::{BoxOf, TensorMapMut, Tile};
    /// use lanewise_std::{bulk, cache::CachePolicy};
    ///
    /// /// Joins each box with ones by every operation of the unit.
    /// #[kernel(min_arch = "sm_90")]
    /// #[launch_contract(dims = 1, block = 32)]
    /// pub fn join(output: TensorMapMut<u32, 1, BoxOf<32>>) {
    ///     shared! { static ONES: [Tile<[u32; 32]>; 1]; }
    ///     let ones = ONES.tile(0);
    ///     // SAFETY: each thread has a cell, and they are of one warp. The first thread's stores
    ///     // read them after the fence and the barrier.
    ///     unsafe { ones.set(thread_idx_x() as usize, 1) };
    ///     fence_proxy_async_shared();
    ///     lanewise_std::warp::sync_warp(u32::MAX);
    ///     if thread_idx_x() == 0 {
    ///         let (at, ones) = ([32 * block_idx_x() as i32], ones.as_ptr());
    ///         let once = output.with_policy(CachePolicy::evict_first());
    ///         // SAFETY: the tile has a box, and stays until the group is done. Blocks have
    ///         // different boxes.
    ///         unsafe {
    ///             once.store(at, ones);
    ///             output.store_add(at, ones);
    ///             output.store_min(at, ones);
    ///             output.store_max(at, ones);
    ///             output.store_and(at, ones);
    ///             output.store_or(at, ones);
    ///             output.store_xor(at, ones);
    ///             output.store_inc(at, ones);
    ///             output.store_dec(at, ones);
    ///         }
    ///         bulk::commit_group();
    ///         bulk::wait_group::<0>();
    ///     }
    /// }
    /// ```
    TensorMapMut<&'a mut [T]>;
    /// Images that the kernel reads, in columns of pixels in the order of a convolution.
    ///
    /// ```
    /// use lanewise_macros::{kernel, shared};
    /// use lanewise_std::barrier::{Barrier, Parity};
    /// use lanewise_std::cluster::{block_rank, sync_cluster};
    /// use lanewise_std::scope::Cluster;
    /// use lanewise_std::thread::{block_idx_x, thread_idx_x};
    /// use lanewise_std::tma::{BoxOf, Im2colMap, Im2colMapMut, Tile};
    /// use lanewise_std::bulk;
    ///
    /// /// Copies a column of 64 pixels of 8 channels to each block of the cluster, and from there to
    /// /// one image for each block.
    /// #[kernel(min_arch = "sm_90")]
    /// #[cluster_launch(2)]
    /// #[launch_contract(dims = 1, block = 32)]
    /// pub fn copy_pixels(
    ///     input: Im2colMap<f32, 3, BoxOf<8, 64>>,
    ///     output: Im2colMapMut<f32, 3, BoxOf<8, 64>>,
    /// ) {
    ///     shared! {
    ///         static PIXELS: [Tile<[f32; 8 * 64]>; 1];
    ///         static LOADED: Barrier<Cluster> = 1;
    ///     }
    ///     let pixels = PIXELS.tile(0);
    ///     if thread_idx_x() == 0 {
    ///         let _ = LOADED.arrive_expect_bytes(size_of::<[f32; 8 * 64]>() as u32);
    ///         if block_rank() == 0 {
    ///             // SAFETY: both blocks expect a tile, which nobody accesses before, and end after
    ///             // the cluster's barrier.
    ///             unsafe { input.load_multicast(pixels.as_ptr(), [0, 0, 0], [0], &LOADED, 0b11) };
    ///         }
    ///         LOADED.wait_parity(Parity::Even);
    ///         // SAFETY: the tile stays until the group is done, and each block has its image.
    ///         unsafe { output.store([0, 0, block_idx_x() as i32], pixels.as_ptr()) };
    ///         bulk::commit_group();
    ///         bulk::wait_group::<0>();
    ///     }
    ///     sync_cluster();
    /// }
    /// ```
    Im2colMap<&'a [T]>;
    /// Images that the kernel writes, in columns of pixels.
    Im2colMapMut<&'a mut [T]>;
}
