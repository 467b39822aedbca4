//! The paths of the device library on the book's page of names: this file imports every path.
//!
//! That this file compiles is half of the test `dictionary`. The other half is that every path of
//! the page is here.
#![expect(
    unused_imports,
    reason = "that a name can be imported is all that is asked"
)]

const _: () = {
    use lanewise_std::async_copy::{commit_group, copy_async};
};
const _: () = {
    use lanewise_std::atomic::DeviceAtomicU32;
};
const _: () = {
    use lanewise_std::barrier::Barrier;
};
const _: () = {
    use lanewise_std::bits::{byte_permute, dp2a_high, dp2a_low, dp4a, funnel_shift_left};
};
const _: () = {
    use lanewise_std::bulk::{
        add_to_block, copy_to_block, load, load_multicast, prefetch, store, store_add, with_policy,
    };
};
const _: () = {
    use lanewise_std::cache::{
        ldg, load_ca, load_cg, load_cs, prefetch_l1, prefetch_l2, store_cg, store_cs, store_wt,
    };
};
const _: () = {
    use lanewise_std::clock::{
        cycles, cycles_32, launch, multiprocessor, multiprocessors, nanoseconds, warp_slot,
        warp_slots,
    };
};
const _: () = {
    use lanewise_std::cluster::{
        arrive, arrive_relaxed, block_index, block_rank, cluster_index, dim_blocks, dim_clusters,
        is_explicit, map_shared_rank, num_blocks, query_shared_rank, sync_cluster, thread_rank,
    };
};
const _: () = {
    use lanewise_std::collective::warp_reduce;
};
const _: () = {
    use lanewise_std::debug::{breakpoint, trap};
};
const _: () = {
    use lanewise_std::dynamic::{Owned, launch};
};
const _: () = {
    use lanewise_std::fast::{div, exp, rsqrt, sin, sin_cos, tanh};
};
const _: () = {
    use lanewise_std::fence::{
        fence, fence_proxy_alias, fence_proxy_async, fence_proxy_async_global,
        fence_proxy_async_shared, threadfence, threadfence_block, threadfence_system,
    };
};
const _: () = {
    use lanewise_std::graph::Condition;
};
const _: () = {
    use lanewise_std::groups::{ClusterGroup, CoalescedGroup, Grid, ThreadBlock, WarpTile};
};
const _: () = {
    use lanewise_std::half::{Bf16, Bf16x2, F16, F16x2};
};
const _: () = {
    use lanewise_std::launch_control::WorkStealing;
};
const _: () = {
    use lanewise_std::math::{Float, add_rn, fma_rd, fma_rn, norm, rnorm};
};
const _: () = {
    use lanewise_std::matrix::{tcgen05, warp, warpgroup};
};
const _: () = {
    use lanewise_std::matrix::sparse::Metadata;
};
const _: () = {
    use lanewise_std::matrix::warpgroup::increase_registers;
};
const _: () = {
    use lanewise_std::multimem::Multicast;
};
const _: () = {
    use lanewise_std::phased::SharedStages;
};
const _: () = {
    use lanewise_std::pipeline::Pipeline;
};
const _: () = {
    use lanewise_std::programmatic::{launch_dependents, wait};
};
const _: () = {
    use lanewise_std::surface::{Surface1d, Surface2d, Surface3d};
};
const _: () = {
    use lanewise_std::texture::{Texture1d, Texture2d, Texture3d};
};
const _: () = {
    use lanewise_std::thread::{
        NamedBarrier, block_dim_x, block_idx_x, global_idx_x, grid_dim_x, index_1d, index_2d,
        nanosleep, sync_threads, sync_threads_and, sync_threads_count, sync_threads_or,
        thread_idx_x,
    };
};
const _: () = {
    use lanewise_std::unroll::unroll;
};
const _: () = {
    use lanewise_std::vector::{Float4, Int2, UChar4, vectors_of, vectors_of_mut};
};
const _: () = {
    use lanewise_std::warp::{
        WARP_SIZE, active_mask, all_sync, any_sync, ballot_sync, elect_sync, lane_id, lanemask_lt,
        match_all_sync, match_any_sync, redux_sync_add, shuffle_sync, shuffle_xor_sync, sync_warp,
        uni_sync,
    };
};
