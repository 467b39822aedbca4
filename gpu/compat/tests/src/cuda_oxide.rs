//! Written for cuda-oxide: a proof of the index is passed by value, shared arrays are mutable
//! statics, and names are CUDA's.
#![allow(
    clippy::undocumented_unsafe_blocks,
    clippy::too_many_arguments,
    clippy::collapsible_if,
    reason = "as they are written there"
)]

use lanewise_compat::cuda_device::cuda_module;

/// The kernels, in the form that cuda-oxide uses.
#[cuda_module]
pub mod kernels {
    use lanewise_compat::cuda_device::atomic::{AtomicOrdering, DeviceAtomicU32};
    use lanewise_compat::cuda_device::barrier::{
        Barrier, GeneralBarrier, ManagedBarrier, Uninit, mbarrier_arrive, mbarrier_init,
        mbarrier_wait,
    };
    use lanewise_compat::cuda_device::{
        ConstantMemory, DisjointSlice, SharedArray, constant, device, kernel, launch_bounds,
        thread, warp,
    };
    use lanewise_compat::cuda_intrinsics::sreg::thread_idx_x;

    /// Constant memory that the host fills.
    #[constant]
    pub static WEIGHTS: ConstantMemory<[f32; 4]> = ConstantMemory::UNINIT;

    /// Constant memory that the host fills.
    #[constant]
    pub static STEPS: ConstantMemory<[u32; 4]> = ConstantMemory::UNINIT;

    #[device]
    fn square(x: f32) -> f32 {
        x * x
    }

    // ANCHOR: add_squares
    /// The squares of `a` and `b`, added.
    #[kernel]
    pub fn add_squares(a: &[f32], b: &[f32], mut c: DisjointSlice<f32>) {
        let idx = thread::index_1d();
        let i = idx.get();
        if let Some(c_elem) = c.get_mut(idx) {
            *c_elem = square(a[i]) + square(b[i]);
        }
    }
    // ANCHOR_END: add_squares

    /// Doubles each element, with the index from the slice.
    #[kernel]
    pub fn double(input: &[u32], mut output: DisjointSlice<u32>) {
        if let Some((element, idx)) = output.get_mut_indexed() {
            *element = 2 * input[idx.get()];
        }
    }

    #[device]
    fn length(x: f32, y: f32) -> f32 {
        (x * x + y * y).sqrt()
    }

    /// Methods of floats without an import, constant memory, and an element without a check.
    #[kernel]
    pub fn lengths(a: &[f32], b: &[f32], mut out: DisjointSlice<f32>) {
        let i = thread::index_1d().get();
        if i < a.len() {
            let value = length(a[i], b[i]).floor() * WEIGHTS.at(i % 4) + a[i].abs().exp2();
            unsafe {
                *out.get_unchecked_mut(i) = value;
            }
        }
    }

    /// The running sum of each block of 64, by Hillis and Steele.
    #[kernel]
    #[launch_bounds(64)]
    pub fn block_scan(input: &[u32], mut output: DisjointSlice<u32>) {
        static mut TILE: SharedArray<u32, 64> = SharedArray::UNINIT;

        let idx = thread::index_1d();
        let tid = thread::threadIdx_x() as usize;
        unsafe {
            TILE[tid] = input[idx.get()];
        }
        thread::sync_threads();
        let mut step = 1;
        while step < 64 {
            let below = if tid >= step {
                unsafe { TILE[tid - step] }
            } else {
                0
            };
            thread::sync_threads();
            unsafe {
                TILE[tid] += below;
            }
            thread::sync_threads();
            step *= 2;
        }
        if let Some(element) = output.get_mut(idx) {
            *element = unsafe { TILE[tid] };
        }
    }

    /// Reverses each block of 64 through the array's address, which a macro takes.
    #[kernel]
    #[launch_bounds(64)]
    pub fn reverse(input: &[u32], mut output: DisjointSlice<u32>) {
        static mut TILE: SharedArray<u32, 64> = SharedArray::UNINIT;

        let idx = thread::index_1d();
        let i = idx.get();
        let tid = thread::threadIdx_x() as usize;
        let tile = core::ptr::addr_of_mut!(TILE) as *mut u32;
        unsafe {
            *tile.add(tid) = input[i];
        }
        thread::sync_threads();
        if let Some(element) = output.get_mut(idx) {
            assert!(unsafe { TILE[tid] } == input[i]);
            *element = unsafe { *tile.add(63 - tid) };
        }
    }

    /// Counts the even elements: each warp votes, and one lane counts.
    #[kernel]
    pub unsafe fn count_even(input: &[u32], total: *mut u32) {
        let i = (thread::blockIdx_x() * thread::blockDim_x() + thread::threadIdx_x()) as usize;
        let is_even = i < input.len() && input[i].is_multiple_of(2);
        let votes = warp::ballot(is_even);
        if warp::lane_id() == 0 {
            let total = unsafe { DeviceAtomicU32::from_ptr(total) };
            total.fetch_add(votes.count_ones(), AtomicOrdering::Relaxed);
        }
    }

    /// Transposes a matrix with rows of 64 through a tile that begins at a multiple of 128 bytes.
    #[kernel]
    pub fn transpose(input: &[f32], mut output: DisjointSlice<f32, thread::Index2D<64>>) {
        static mut TILE: SharedArray<f32, 272, 128> = SharedArray::UNINIT;
        const ALIGN: usize = SharedArray::<f32, 272, 128>::alignment();

        let (tx, ty) = (
            thread::threadIdx_x() as usize,
            thread::threadIdx_y() as usize,
        );
        let row = (thread::blockIdx_x() * 16) as usize + ty;
        let col = (thread::blockIdx_y() * 16) as usize + tx;
        unsafe {
            TILE[17 * ty + tx] = input[64 * row + col];
        }
        thread::sync_threads();
        if let Some(idx) = thread::index_2d::<64>() {
            let aligned = unsafe { SharedArray::as_raw_mut_ptr(&raw mut TILE) } as usize % ALIGN;
            if let Some(element) = output.get_mut(idx) {
                *element = unsafe { TILE[17 * tx + ty] } + aligned as f32;
            }
        }
    }

    /// `alpha * a * b + beta * c`, of matrices whose row length the host passes.
    #[kernel]
    pub fn sgemm_naive(
        m: u32,
        n: u32,
        k: u32,
        alpha: f32,
        a: &[f32],
        b: &[f32],
        beta: f32,
        mut c: DisjointSlice<f32, thread::Runtime2DIndex>,
    ) {
        let row = thread::index_2d_row();
        let col = thread::index_2d_col();
        if let Some(c_idx) = thread::index_2d_runtime(&c) {
            if row < m as usize {
                let (n, k) = (n as usize, k as usize);
                let mut sum = 0.0f32;
                let mut i = 0usize;
                while i < k {
                    sum += a[row * k + i] * b[i * n + col];
                    i += 1;
                }
                if let Some(c_elem) = c.get_mut(c_idx) {
                    *c_elem = alpha * sum + beta * (*c_elem);
                }
            }
        }
    }

    /// The left neighbour in the block, after a wait at a barrier of two kinds.
    #[kernel]
    pub fn neighbours(input: &[u32], mut output: DisjointSlice<u32>) {
        static mut VALUES: SharedArray<u32, 64> = SharedArray::UNINIT;
        static mut BAR: Barrier = Barrier::UNINIT;
        static mut DONE: Barrier = Barrier::UNINIT;

        let tid = thread_idx_x() as usize;
        let idx = thread::index_1d();
        if tid == 0 {
            unsafe {
                mbarrier_init(&raw mut BAR, 64);
            }
        }
        let done = ManagedBarrier::<Uninit, GeneralBarrier>::from_static(&raw mut DONE);
        let done = unsafe { done.init(64) };
        unsafe {
            VALUES[tid] = input[idx.get()];
            let token = mbarrier_arrive(&BAR);
            mbarrier_wait(&BAR, token);
        }
        let left = unsafe { VALUES[(tid + 63) % 64] };
        let token = done.arrive();
        done.wait(token);
        if let Some((element, _)) = output.get_mut_indexed() {
            *element = left + STEPS.get_ref()[tid % 4];
        }
    }
}
