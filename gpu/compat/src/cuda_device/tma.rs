//! The tensor memory accelerator (`sm_90`), as functions with the number of dimensions
//! in their names.
//!
//! A kernel takes `*const TmaDescriptor`, the address of a tensor map in memory; the host passes a
//! buffer with one map, from `lanewise::tensor_map::TensorMap::storage`.

#![cfg_attr(
    not(target_arch = "nvptx64"),
    allow(unused_variables, unreachable_code)
)]

use super::barrier::{Barrier, ours};
use lanewise_std::bulk;
use lanewise_std::inside::ptx;
use lanewise_std::tma::{self, EncodedMap, TensorMapMut};

pub use lanewise_std::bulk::commit_group as cp_async_bulk_commit_group;
pub use lanewise_std::tma::MapStorage as TmaDescriptor;

/// Returns the map of a descriptor. Its element type may be any, because no
/// instruction contains it.
///
/// # Safety
/// There is a descriptor of this many dimensions at the address.
#[inline(always)]
unsafe fn map<'a, T, const RANK: usize>(
    descriptor: *const TmaDescriptor,
) -> TensorMapMut<'a, T, RANK> {
    // SAFETY: the caller keeps the contract of this function.
    unsafe { TensorMapMut::from_raw(descriptor.cast::<EncodedMap>()) }
}

macro_rules! boxes {
    ($($rank:literal: $load:ident $store:ident $prefetch:ident, [$($c:ident)*];)*) => {$(
        #[doc = concat!("Starts a load of a box of ", $rank, " dimensions, which tells `barrier`.")]
        ///
        /// # Safety
        /// As for [`TensorMap::load`](lanewise_std::tma::TensorMap::load); a map of this many
        /// dimensions is there.
        #[allow(clippy::too_many_arguments, reason = "the function is cuda-oxide's")]
        #[inline]
        pub unsafe fn $load(dst: *mut u8, tensor_map: *const TmaDescriptor, $($c: i32,)* barrier: *mut Barrier) {
            // SAFETY: the caller keeps the contract of this function.
            unsafe { map::<u8, $rank>(tensor_map).load(dst, [$($c),*], &ours(barrier)) }
        }

        #[doc = concat!("Starts a store of a box of ", $rank, " dimensions, in this thread's open group.")]
        ///
        /// # Safety
        /// As for [`TensorMapMut::store`]; a map of this many dimensions is there.
        #[inline]
        pub unsafe fn $store(src: *const u8, tensor_map: *const TmaDescriptor, $($c: i32),*) {
            // SAFETY: the caller keeps the contract of this function.
            unsafe { map::<u8, $rank>(tensor_map).store([$($c),*], src) }
        }

        #[doc = concat!("Has a box of ", $rank, " dimensions brought to the second-level cache.")]
        ///
        /// # Safety
        /// A map of this many dimensions is there.
        #[inline]
        pub unsafe fn $prefetch(tensor_map: *const TmaDescriptor, $($c: i32),*) {
            // SAFETY: the caller keeps the contract of this function.
            unsafe { map::<u8, $rank>(tensor_map).prefetch([$($c),*]) }
        }
    )*};
}
boxes! {
    1: cp_async_bulk_tensor_1d_g2s cp_async_bulk_tensor_1d_s2g cp_async_bulk_prefetch_tensor_1d_l2, [coord0];
    2: cp_async_bulk_tensor_2d_g2s cp_async_bulk_tensor_2d_s2g cp_async_bulk_prefetch_tensor_2d_l2, [coord0 coord1];
    3: cp_async_bulk_tensor_3d_g2s cp_async_bulk_tensor_3d_s2g cp_async_bulk_prefetch_tensor_3d_l2, [coord0 coord1 coord2];
    4: cp_async_bulk_tensor_4d_g2s cp_async_bulk_tensor_4d_s2g cp_async_bulk_prefetch_tensor_4d_l2, [coord0 coord1 coord2 coord3];
    5: cp_async_bulk_tensor_5d_g2s cp_async_bulk_tensor_5d_s2g cp_async_bulk_prefetch_tensor_5d_l2, [coord0 coord1 coord2 coord3 coord4];
}

/// Starts a load of a box into several blocks of the cluster: bit `r` of `cta_mask` is block `r`.
///
/// # Safety
/// As for [`TensorMap::load_multicast`](lanewise_std::tma::TensorMap::load_multicast); a map of two
/// dimensions is there.
#[inline]
pub unsafe fn cp_async_bulk_tensor_2d_g2s_multicast(
    dst: *mut u8,
    tensor_map: *const TmaDescriptor,
    coord0: i32,
    coord1: i32,
    barrier: *mut Barrier,
    cta_mask: u16,
) {
    // SAFETY: the caller keeps the contract of this function.
    unsafe {
        map::<u8, 2>(tensor_map).load_multicast(dst, [coord0, coord1], &ours(barrier), cta_mask);
    }
}

macro_rules! reductions {
    ($($operation:ident of $element:ty: [$($rank:literal $name:ident [$($c:ident)*]),*];)*) => {$($(
        /// Starts a store of a box that combines its elements with the stored elements, as part of
        /// this thread's open group.
        ///
        /// # Safety
        /// As for [`TensorMapMut::store`]; a map of this many dimensions is there, of elements that
        /// the hardware joins so.
        #[inline]
        pub unsafe fn $name(src: *const u8, tensor_map: *const TmaDescriptor, $($c: i32),*) {
            // The map contains the element type, and the instruction does not.
            // SAFETY: the caller keeps the contract of this function.
            unsafe { map::<$element, $rank>(tensor_map).$operation([$($c),*], src.cast()) }
        }
    )*)*};
}
reductions! {
    store_add of u32: [1 cp_async_bulk_tensor_reduce_add_tile_1d [coord0], 2 cp_async_bulk_tensor_reduce_add_tile_2d [coord0 coord1],
        3 cp_async_bulk_tensor_reduce_add_tile_3d [coord0 coord1 coord2]];
    store_min of u32: [1 cp_async_bulk_tensor_reduce_min_tile_1d [coord0], 2 cp_async_bulk_tensor_reduce_min_tile_2d [coord0 coord1]];
    store_max of u32: [1 cp_async_bulk_tensor_reduce_max_tile_1d [coord0], 2 cp_async_bulk_tensor_reduce_max_tile_2d [coord0 coord1]];
}

macro_rules! waits {
    ($($(#[$doc:meta])* $name:ident = $ours:ident;)*) => {$(
        $(#[$doc])*
        ///
        /// The number is one of 0 to 7, as a constant; for any other it waits for all.
        #[inline]
        pub fn $name(n: u32) {
            match n {
                1 => bulk::$ours::<1>(),
                2 => bulk::$ours::<2>(),
                3 => bulk::$ours::<3>(),
                4 => bulk::$ours::<4>(),
                5 => bulk::$ours::<5>(),
                6 => bulk::$ours::<6>(),
                7 => bulk::$ours::<7>(),
                _ => bulk::$ours::<0>(),
            }
        }
    )*};
}
waits! {
    /// Waits until all of this thread's groups except the latest `n` have
    /// written their destinations.
    cp_async_bulk_wait_group = wait_group;
    /// Waits until all of this thread's groups except the latest `n` have read their sources.
    cp_async_bulk_wait_group_read = wait_group_read;
}

/// Prefetches the descriptor itself.
///
/// # Safety
/// There is a descriptor at the address.
#[inline]
pub unsafe fn prefetch_tma_descriptor(tensor_map: *const TmaDescriptor) {
    // SAFETY: the caller keeps the contract of this function.
    unsafe { map::<u8, 1>(tensor_map).prefetch_map() }
}

/// Publishes this thread's changes to descriptors to the accelerator.
#[inline]
pub fn fence_proxy_tensormap_generic_release_gpu() {
    // SAFETY: a fence only orders.
    unsafe {
        ptx!("fence.proxy.tensormap": "fence.proxy.tensormap::generic.release.gpu;", options(nostack, preserves_flags));
    }
}

/// Makes a published descriptor readable for the accelerator.
///
/// # Safety
/// There is a descriptor at the address, in global memory.
#[inline]
pub unsafe fn fence_proxy_tensormap_generic_acquire_gpu(tensor_map: *const TmaDescriptor) {
    // SAFETY: the caller keeps the contract of this function.
    unsafe { tma::acquire(tensor_map) }
}

/// Replaces the address of the tensor in a descriptor in global memory (`sm_90a`).
///
/// # Safety
/// There is a descriptor at the address, and nothing else uses it at the same time.
#[inline]
pub unsafe fn tensormap_replace_global_address(
    tensor_map: *mut TmaDescriptor,
    new_address: *const u8,
) {
    // SAFETY: the caller keeps the contract of this function.
    unsafe {
        ptx!("tensormap.replace":
            "tensormap.replace.tile.global_address.global.b1024.b64 [{map}], {value};",
            map = in(reg64) tensor_map,
            value = in(reg64) new_address,
            options(nostack, preserves_flags),
        );
    }
}

/// Replaces the address of the tensor in a descriptor in global memory, and publishes it.
///
/// # Safety
/// As for [`tensormap_replace_global_address`].
#[inline]
pub unsafe fn replace_tma_global_address(tensor_map: *mut TmaDescriptor, new_address: *const u8) {
    // SAFETY: the caller keeps the contract of this function.
    unsafe {
        tensormap_replace_global_address(tensor_map, new_address);
        fence_proxy_tensormap_generic_release_gpu();
        fence_proxy_tensormap_generic_acquire_gpu(tensor_map);
    }
}
