//! Written for cuda-oxide: boxes of tensors by descriptors, products by a warpgroup, pairs of
//! floats, and several numbers in registers.
#![allow(
    clippy::undocumented_unsafe_blocks,
    clippy::missing_safety_doc,
    clippy::borrow_as_ptr,
    clippy::ptr_as_ptr,
    reason = "as they are written there"
)]

use lanewise_compat::cuda_device::barrier::{
    Barrier, fence_proxy_async_shared_cta, mbarrier_arrive, mbarrier_arrive_expect_tx,
    mbarrier_init, mbarrier_try_wait,
};
use lanewise_compat::cuda_device::bf16x2::{add_bf16x2, fma_bf16x2, max_bf16x2};
use lanewise_compat::cuda_device::cusimd::CuSimd;
use lanewise_compat::cuda_device::f16x2::{
    abs_f16x2, add_f16x2, fma_f16x2, fma_relu_f16x2, max_f16x2, min_f16x2, mul_f16x2, neg_f16x2,
    sub_f16x2,
};
use lanewise_compat::cuda_device::tma::{
    TmaDescriptor, cp_async_bulk_commit_group, cp_async_bulk_tensor_2d_g2s,
    cp_async_bulk_tensor_2d_s2g, cp_async_bulk_wait_group, prefetch_tma_descriptor,
    replace_tma_global_address,
};
use lanewise_compat::cuda_device::wgmma::{
    make_smem_desc, wgmma_commit_group, wgmma_fence, wgmma_mma_m64n64k16_f32_bf16,
    wgmma_wait_group, zero_accumulator,
};
use lanewise_compat::cuda_device::{DisjointSlice, SharedArray, kernel, launch_bounds, thread};

/// Columns of a box.
pub const WIDTH: usize = 16;
/// Rows of a box.
pub const HEIGHT: usize = 8;

/// Copies a box of one matrix, each element plus one, to the same place of another.
#[kernel]
pub unsafe fn tma_copy(from: *const TmaDescriptor, to: *const TmaDescriptor, x: i32, y: i32) {
    static mut TILE: SharedArray<f32, 128, 128> = SharedArray::UNINIT;
    static mut BAR: Barrier = Barrier::UNINIT;

    let tid = thread::threadIdx_x();
    if tid == 0 {
        unsafe {
            prefetch_tma_descriptor(from);
            mbarrier_init(&raw mut BAR, thread::blockDim_x());
            fence_proxy_async_shared_cta();
        }
    }
    thread::sync_threads();
    let token = if tid == 0 {
        unsafe {
            cp_async_bulk_tensor_2d_g2s(&raw mut TILE as *mut u8, from, x, y, &raw mut BAR);
            mbarrier_arrive_expect_tx(&raw const BAR, 1, (4 * WIDTH * HEIGHT) as u32)
        }
    } else {
        unsafe { mbarrier_arrive(&raw const BAR) }
    };
    while unsafe { !mbarrier_try_wait(&raw const BAR, token) } {}
    unsafe {
        TILE[tid as usize] += 1.0;
        fence_proxy_async_shared_cta();
    }
    thread::sync_threads();
    if tid == 0 {
        unsafe {
            cp_async_bulk_tensor_2d_s2g((&raw const TILE).cast::<u8>(), to, x, y);
        }
        cp_async_bulk_commit_group();
        cp_async_bulk_wait_group(0);
    }
}

/// Changes a descriptor to that of another matrix.
#[kernel]
pub unsafe fn redirect(descriptor: *mut TmaDescriptor, other: *const f32) {
    if thread::threadIdx_x() == 0 {
        unsafe { replace_tma_global_address(descriptor, other as *const u8) };
    }
}

/// `a * b` of 64 x 16 and 16 x 64 elements of bf16, stored in pieces of 8 x 8, twice.
#[kernel]
#[launch_bounds(128)]
pub fn wgmma_product(
    a: &[u16],
    b: &[u16],
    mut out: DisjointSlice<[[f32; 8]; 4]>,
    mut desc: DisjointSlice<u64>,
) {
    static mut A: SharedArray<u16, 1024, 128> = SharedArray::UNINIT;
    static mut B: SharedArray<u16, 1024, 128> = SharedArray::UNINIT;

    let idx = thread::index_1d();
    let tid = idx.get();
    let mut i = tid;
    while i < 1024 {
        unsafe {
            A[i] = a[i];
            B[i] = b[i];
        }
        i += 128;
    }
    fence_proxy_async_shared_cta();
    thread::sync_threads();
    let (first, second) = unsafe {
        (
            make_smem_desc(&raw const A as *const u8),
            make_smem_desc((&raw const B).cast::<u8>()),
        )
    };
    // Without a swizzle: 128 bytes from piece to piece along the rows, 256 to the next eight rows.
    let pieces = 8 << 16 | 16 << 32;
    let (desc_a, desc_b) = (first & 0x3fff | pieces, second & 0x3fff | pieces);
    let mut acc = zero_accumulator();
    wgmma_fence();
    unsafe {
        wgmma_mma_m64n64k16_f32_bf16(&mut acc, desc_a, desc_b);
        wgmma_mma_m64n64k16_f32_bf16(&mut acc, desc_a, desc_b);
    }
    wgmma_commit_group();
    wgmma_wait_group::<0>();
    unsafe {
        *out.get_unchecked_mut(tid) = acc;
    }
    if let Some(desc) = desc.get_mut(idx) {
        *desc = first & !0x3fff;
    }
}

/// Functions on pairs of floats: 12 results per thread.
#[kernel]
pub fn pairs(a: &[u32], b: &[u32], c: &[u32], mut out: DisjointSlice<[u32; 12]>) {
    let idx = thread::index_1d();
    let i = idx.get();
    if let Some(out) = out.get_mut(idx) {
        let (a, b, c) = (a[i], b[i], c[i]);
        *out = [
            add_f16x2(a, b),
            sub_f16x2(a, b),
            mul_f16x2(a, b),
            fma_f16x2(a, b, c),
            fma_relu_f16x2(a, b, c),
            neg_f16x2(a),
            abs_f16x2(a),
            min_f16x2(a, b),
            max_f16x2(a, b),
            add_bf16x2(a, b),
            fma_bf16x2(a, b, c),
            max_bf16x2(a, b),
        ];
    }
}

/// Numbers in registers, by index and by name.
#[kernel]
pub fn simd(mut out: DisjointSlice<f32>) {
    let idx = thread::index_1d();
    let tid = idx.get();
    let four = CuSimd::<f32, 4>::new([1.0, 2.0, 3.0, 4.0]);
    let (low, high) = (four.lo(), four.hi());
    let value = match tid % 6 {
        0 => four[tid % 4],
        1 => four.x() + four.w(),
        2 => four.get::<2>(),
        3 => four.at(tid % 4),
        4 => low.y() * high.x(),
        _ => four.to_array().iter().sum::<f32>() + four.len() as f32,
    };
    if let Some(out) = out.get_mut(idx) {
        *out = value;
    }
}
