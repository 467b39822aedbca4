//! The tensor memory accelerator, from `sm_90`: boxes of tensors on their way between global and shared memory.
//!
//! A *tensor map* says where a tensor of 1 to 5 dimensions lies, how large it is, and how large a box of it is that one instruction
//! moves. The host encodes it (`lanewise::tensor_map`), the launch passes it, and a thread names a box by the coordinates of its first element. What
//! of a box lies outside of the tensor is zeros when it comes and left out when it goes, so there are no bounds to check.
//!
//! | the kernel takes | the host passes | and it can |
//! | --- | --- | --- |
//! | `TensorMap<T, RANK>` | `&tensor_map::TensorMap` over a `&` buffer | load |
//! | `TensorMapMut<T, RANK>` | `&mut tensor_map::TensorMapMut` over a `&mut` buffer | load, store, add |
//! | `Im2colMap<T, RANK>` | `&tensor_map::Im2colMap` over a `&` buffer | load pixels of images |
//! | `Im2colMapMut<T, RANK>` | `&mut tensor_map::Im2colMapMut` over a `&mut` buffer | load, store and add pixels |
//!
//! Coordinates begin with the dimension that is contiguous in memory: of a matrix, `[column, row]`. The first of them is at a multiple of 16 bytes
//! (of 4 elements of `f32`), before and behind the tensor too, and of a store none is negative: a GPU ends a kernel that says otherwise with an
//! illegal instruction (seen on an H200, driver 580.159, 2026-11-22; the ISA does not say it), and the simulator says which. Loads tell a barrier of their bytes,
//! stores belong to groups, and both see shared memory as [`crate::bulk`] says. A box in shared memory begins at a multiple of 128 bytes:
//! `shared! { static BOX: [Tile<[f32; 512]>; 2]; }`, or [`SwizzledTile`] for a swizzle of 128 bytes.
//! PTX ISA, "Tensors", "cp.async.bulk.tensor", "cp.reduce.async.bulk.tensor", "cp.async.bulk.prefetch.tensor"; CUDA C++ Programming Guide,
//! "Tensor Memory Accelerator".

#![cfg_attr(
    not(target_arch = "nvptx64"),
    allow(unused_variables, unreachable_code, dead_code)
)]

use core::marker::PhantomData;

use crate::barrier::{Barrier, Scope};
use crate::state_space::{self, ptx};
use crate::{DynamicSharedArray, SharedArray};

mod swizzle;

pub use crate::bulk::{ReduceAdd, ReduceBitwise, ReduceIncDec, ReduceMinMax};
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

/// Shared memory for a box that is swizzled, or that `wgmma` reads: at a multiple of 1024 bytes, where the pattern begins.
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

/// Tiles of `N` elements in the launch's dynamic shared memory, each at a multiple of 1024 bytes, for any box: `TILES` of them.
#[derive(Clone, Copy, Debug)]
pub struct DynamicTiles<T, const N: usize, const TILES: usize>(*mut T);

impl<T: Copy, const N: usize, const TILES: usize> DynamicTiles<T, N, TILES> {
    /// Bytes of dynamic shared memory that the launch gives for them, wherever the region begins.
    pub const BYTES: u32 = dynamic_tile_bytes::<[T; N]>(TILES);

    /// The tiles, from the region's first multiple of 1024 on; nothing if the launch gave less than [`BYTES`](Self::BYTES). Two calls give the same memory.
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

    /// One of them.
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

/// Bytes of dynamic shared memory for so many tiles `A`, wherever the region begins.
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
                $name { encoded, memory: PhantomData }
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

/// An instruction for each rank: its words before the rank, its words up to the coordinates, what comes behind them, its operands.
macro_rules! by_rank {
    ($name:literal, $rank:expr, $at:expr, $before:expr, $between:expr, $after:expr, $($operands:tt)*) => {{
        let at: [i32; 5] = core::array::from_fn(|i| $at.get(i).copied().unwrap_or(0));
        let [c0, c1, c2, c3, c4] = at;
        match $rank {
            1 => by_rank!(@ $name, "1d", "{{{c0}}}", $before, $between, $after, [c0 = in(reg32) c0,], $($operands)*),
            2 => by_rank!(@ $name, "2d", "{{{c0}, {c1}}}", $before, $between, $after, [c0 = in(reg32) c0, c1 = in(reg32) c1,], $($operands)*),
            3 => by_rank!(@ $name, "3d", "{{{c0}, {c1}, {c2}}}", $before, $between, $after,
                [c0 = in(reg32) c0, c1 = in(reg32) c1, c2 = in(reg32) c2,], $($operands)*),
            4 => by_rank!(@ $name, "4d", "{{{c0}, {c1}, {c2}, {c3}}}", $before, $between, $after,
                [c0 = in(reg32) c0, c1 = in(reg32) c1, c2 = in(reg32) c2, c3 = in(reg32) c3,], $($operands)*),
            _ => by_rank!(@ $name, "5d", "{{{c0}, {c1}, {c2}, {c3}, {c4}}}", $before, $between, $after,
                [c0 = in(reg32) c0, c1 = in(reg32) c1, c2 = in(reg32) c2, c3 = in(reg32) c3, c4 = in(reg32) c4,], $($operands)*),
        }
    }};
    (@ $name:literal, $dimensions:literal, $coordinates:literal, $before:expr, $between:expr, $after:expr, [$($at:tt)*], $($operands:tt)*) => {
        ptx!($name:
            concat!($before, $dimensions, $between, $coordinates, $after),
            $($at)*
            $($operands)*
            options(nostack, preserves_flags),
        )
    };
}

macro_rules! loads {
    ($($map:ident)*) => {$(
        impl<T: Copy, const RANK: usize> $map<'_, T, RANK> {
            /// Starts a load of the box that begins at these coordinates, which may lie outside of the tensor, before it too. It tells
            /// `barrier` of all bytes of the box, zeros included.
            ///
            /// # Safety
            /// `to` is in this block's shared memory, at a multiple of 128 bytes, with room for a box. Until the phase of the barrier that
            /// expects the bytes has ended, no thread touches it, and none writes that part of the tensor.
            #[doc(alias = "cp.async.bulk.tensor")]
            #[inline]
            pub unsafe fn load<S: Scope>(&self, to: *mut T, at: [i32; RANK], barrier: &Barrier<S>) {
                const { assert!(RANK >= 1 && RANK <= 5, "a tensor has 1 to 5 dimensions") };
                let (to, barrier) = (state_space::shared(to), barrier.address());
                // SAFETY: the caller's promise; the map is of this rank.
                unsafe {
                    by_rank!("cp.async.bulk.tensor", RANK, at,
                        "cp.async.bulk.tensor.",
                        ".shared::cluster.global.tile.mbarrier::complete_tx::bytes [{to}], [{map}, ",
                        "], [{barrier}];",
                        to = in(reg32) to,
                        map = in(reg64) self.encoded,
                        barrier = in(reg32) barrier,
                    );
                }
            }

            /// Starts a load of one box into several blocks of the cluster: bit `r` of `blocks` is block `r`. The box comes to the same place in
            /// each, and tells each block's barrier at the place of this one.
            ///
            /// # Safety
            /// As for [`load`](Self::load), in each of the blocks; the cluster has them all, and none has ended.
            #[doc(alias = "cp.async.bulk.tensor.multicast::cluster")]
            #[inline]
            pub unsafe fn load_multicast<S: Scope>(&self, to: *mut T, at: [i32; RANK], barrier: &Barrier<S>, blocks: u16) {
                const { assert!(RANK >= 1 && RANK <= 5, "a tensor has 1 to 5 dimensions") };
                let (to, barrier) = (state_space::shared(to), barrier.address());
                // SAFETY: the caller's promise; the map is of this rank.
                unsafe {
                    by_rank!("cp.async.bulk.tensor", RANK, at,
                        "cp.async.bulk.tensor.",
                        ".shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [{to}], [{map}, ",
                        "], [{barrier}], {blocks};",
                        to = in(reg32) to,
                        map = in(reg64) self.encoded,
                        barrier = in(reg32) barrier,
                        blocks = in(reg16) blocks,
                    );
                }
            }

            /// Has the box brought to the second-level cache, for a load that comes later.
            #[doc(alias = "cp.async.bulk.prefetch.tensor")]
            #[inline]
            pub fn prefetch(&self, at: [i32; RANK]) {
                const { assert!(RANK >= 1 && RANK <= 5, "a tensor has 1 to 5 dimensions") };
                // SAFETY: the map is of this rank; nothing is changed.
                unsafe {
                    by_rank!("cp.async.bulk.prefetch.tensor", RANK, at,
                        "cp.async.bulk.prefetch.tensor.",
                        ".L2.global.tile [{map}, ",
                        "];",
                        map = in(reg64) self.encoded,
                    );
                }
            }
        }
    )*};
}
loads! { TensorMap TensorMapMut }

macro_rules! stores {
    ($($(#[$doc:meta])* $name:ident: $($bound:path)? = $before:literal, $between:literal;)*) => {
        impl<T: Copy, const RANK: usize> TensorMapMut<'_, T, RANK> {$(
            $(#[$doc])*
            ///
            /// The box may reach over the tensor's end, or begin behind it, but not before it: no coordinate is negative.
            ///
            /// # Safety
            /// `from` is in this block's shared memory, at a multiple of 128 bytes, and holds a box. No thread writes it before
            /// [`bulk::wait_group_read`](crate::bulk::wait_group_read), and [`bulk::fence_proxy_async`](crate::bulk::fence_proxy_async) stands between the
            /// writes of it and this. Nobody but such instructions touches that part of the tensor before
            /// [`bulk::wait_group`](crate::bulk::wait_group).
            #[inline]
            pub unsafe fn $name(&self, at: [i32; RANK], from: *const T)
            where
                T: Copy $(+ $bound)?,
            {
                const { assert!(RANK >= 1 && RANK <= 5, "a tensor has 1 to 5 dimensions") };
                let from = state_space::shared(from);
                // SAFETY: the caller's promise; the map is of this rank.
                unsafe {
                    by_rank!("cp.async.bulk.tensor", RANK, at,
                        $before,
                        concat!(".global.shared::cta", $between, ".tile.bulk_group [{map}, "),
                        "], [{from}];",
                        map = in(reg64) self.encoded,
                        from = in(reg32) from,
                    );
                }
            }
        )*}
    };
}
stores! {
    /// Starts a store of a box to where these coordinates begin, in this thread's open group. What would lie outside of the tensor is left out.
    #[doc(alias = "cp.async.bulk.tensor.global.shared::cta")]
    store: = "cp.async.bulk.tensor.", "";
    /// [`store`](Self::store), but each element is added to the one that is there.
    #[doc(alias = "cp.reduce.async.bulk.tensor.add")]
    store_add: ReduceAdd = "cp.reduce.async.bulk.tensor.", ".add";
    /// [`store`](Self::store), but the lesser of each element and the one that is there stays.
    #[doc(alias = "cp.reduce.async.bulk.tensor.min")]
    store_min: ReduceMinMax = "cp.reduce.async.bulk.tensor.", ".min";
    /// [`store`](Self::store), but the greater of each element and the one that is there stays.
    #[doc(alias = "cp.reduce.async.bulk.tensor.max")]
    store_max: ReduceMinMax = "cp.reduce.async.bulk.tensor.", ".max";
    /// [`store`](Self::store), but the element that is there counts up, and from the one that comes on begins at 0 again.
    #[doc(alias = "cp.reduce.async.bulk.tensor.inc")]
    store_inc: ReduceIncDec = "cp.reduce.async.bulk.tensor.", ".inc";
    /// [`store`](Self::store), but the element that is there counts down, and from 0, or from above the one that comes, goes to that one.
    #[doc(alias = "cp.reduce.async.bulk.tensor.dec")]
    store_dec: ReduceIncDec = "cp.reduce.async.bulk.tensor.", ".dec";
    /// [`store`](Self::store), but the bits that both elements have stay.
    #[doc(alias = "cp.reduce.async.bulk.tensor.and")]
    store_and: ReduceBitwise = "cp.reduce.async.bulk.tensor.", ".and";
    /// [`store`](Self::store), but the bits that either element has are set.
    #[doc(alias = "cp.reduce.async.bulk.tensor.or")]
    store_or: ReduceBitwise = "cp.reduce.async.bulk.tensor.", ".or";
    /// [`store`](Self::store), but the bits that one of the two elements has are set.
    #[doc(alias = "cp.reduce.async.bulk.tensor.xor")]
    store_xor: ReduceBitwise = "cp.reduce.async.bulk.tensor.", ".xor";
}

macro_rules! images {
    ($($rank:literal, $dimensions:literal, $spatial:literal, [$($c:ident)*], $coordinates:literal, [$($o:ident)*], $offsets:literal;)*) => {$(
        images! { @load Im2colMap Im2colMapMut; $rank, $dimensions, $spatial, [$($c)*], $coordinates, [$($o)*], $offsets }

        impl<T: Copy> Im2colMapMut<'_, T, $rank> {
            images! { @store
                /// Starts a store of a column of pixels, from the pixel at these coordinates on, in this thread's open group. Pixels of images
                /// behind the last are left out. The first pixel is in the map's box, which is inside of the image, and no coordinate is negative.
                store: = "cp.async.bulk.tensor.", ""; $rank, $dimensions, [$($c)*], $coordinates
            }
            images! { @store
                /// [`store`](Self::store), but each element is added to the one that is there.
                store_add: ReduceAdd = "cp.reduce.async.bulk.tensor.", ".add"; $rank, $dimensions, [$($c)*], $coordinates
            }
        }
    )*};
    (@load $($map:ident)*; $rank:literal, $dimensions:literal, $spatial:literal, $c:tt, $coordinates:literal, $o:tt, $offsets:literal) => {$(
        images! { @one_load $map; $rank, $dimensions, $spatial, $c, $coordinates, $o, $offsets }
    )*};
    (@one_load $map:ident; $rank:literal, $dimensions:literal, $spatial:literal, [$($c:ident)*], $coordinates:literal, [$($o:ident)*], $offsets:literal) => {
        impl<T: Copy> $map<'_, T, $rank> {
            /// Starts a load of a column of pixels: from the pixel at these coordinates (channel, then width first, then the image), moved by
            /// `offsets` in each spatial dimension, on to as many as the map says. It tells `barrier` of all bytes, zeros included.
            ///
            /// # Safety
            /// As for [`TensorMap::load`].
            #[doc(alias = "cp.async.bulk.tensor.im2col")]
            #[inline]
            pub unsafe fn load<S: Scope>(&self, to: *mut T, at: [i32; $rank], offsets: [u16; $spatial], barrier: &Barrier<S>) {
                let (to, barrier) = (state_space::shared(to), barrier.address());
                let [$($c),*] = at;
                let [$($o),*] = offsets;
                // SAFETY: the caller's promise; the map is of this rank.
                unsafe {
                    ptx!("cp.async.bulk.tensor":
                        concat!(
                            "cp.async.bulk.tensor.", $dimensions, ".shared::cluster.global.im2col.mbarrier::complete_tx::bytes [{to}], [{map}, ",
                            $coordinates, "], [{barrier}], ", $offsets, ";",
                        ),
                        to = in(reg32) to,
                        map = in(reg64) self.encoded,
                        barrier = in(reg32) barrier,
                        $($c = in(reg32) $c,)*
                        $($o = in(reg16) $o,)*
                        options(nostack, preserves_flags),
                    );
                }
            }
        }
    };
    (@store $(#[$doc:meta])* $name:ident: $($bound:path)? = $before:literal, $between:literal; $rank:literal, $dimensions:literal, [$($c:ident)*], $coordinates:literal) => {
        $(#[$doc])*
        ///
        /// # Safety
        /// As for [`TensorMapMut::store`].
        #[doc(alias = "cp.async.bulk.tensor.im2col_no_offs")]
        #[inline]
        pub unsafe fn $name(&self, at: [i32; $rank], from: *const T)
        where
            T: Copy $(+ $bound)?,
        {
            let from = state_space::shared(from);
            let [$($c),*] = at;
            // SAFETY: the caller's promise; the map is of this rank.
            unsafe {
                ptx!("cp.async.bulk.tensor":
                    concat!(
                        $before, $dimensions, ".global.shared::cta", $between, ".im2col_no_offs.bulk_group [{map}, ", $coordinates, "], [{from}];",
                    ),
                    map = in(reg64) self.encoded,
                    from = in(reg32) from,
                    $($c = in(reg32) $c,)*
                    options(nostack, preserves_flags),
                );
            }
        }
    };
}
images! {
    3, "3d", 1, [c0 c1 c2], "{{{c0}, {c1}, {c2}}}", [o0], "{{{o0}}}";
    4, "4d", 2, [c0 c1 c2 c3], "{{{c0}, {c1}, {c2}, {c3}}}", [o0 o1], "{{{o0}, {o1}}}";
    5, "5d", 3, [c0 c1 c2 c3 c4], "{{{c0}, {c1}, {c2}, {c3}, {c4}}}", [o0 o1 o2], "{{{o0}, {o1}, {o2}}}";
}
