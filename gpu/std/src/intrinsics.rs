//! The table of intrinsics: LLVM's names for PTX instructions that Rust does not have.
//!
//! LLVM, "User Guide for NVPTX Back-end"; `IntrinsicsNVVM.td` has the signatures. The rest of the
//! crate gives each a Rust name and type. On the host each is a function that panics.

use crate::dim3::Dim3;

macro_rules! device_functions {
    ($($(#[$attribute:meta])* fn $name:ident($($argument:ident: $ty:ty),*) $(-> $result:ty)?;)*) => {
        #[cfg(target_arch = "nvptx64")]
        #[allow(improper_ctypes)]
        unsafe extern "C" {
            $($(#[$attribute])* pub(crate) fn $name($($argument: $ty),*) $(-> $result)?;)*
        }

        $(
            #[cfg(not(target_arch = "nvptx64"))]
            pub(crate) unsafe fn $name($(_: $ty),*) $(-> $result)? {
                crate::device_only(stringify!($name))
            }
        )*
    };
}

// Special registers. PTX ISA, "Special Registers".
device_functions! {
    #[link_name = "llvm.nvvm.read.ptx.sreg.tid.x"] fn tid_x() -> u32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.tid.y"] fn tid_y() -> u32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.tid.z"] fn tid_z() -> u32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.ntid.x"] fn ntid_x() -> u32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.ntid.y"] fn ntid_y() -> u32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.ntid.z"] fn ntid_z() -> u32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.ctaid.x"] fn ctaid_x() -> u32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.ctaid.y"] fn ctaid_y() -> u32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.ctaid.z"] fn ctaid_z() -> u32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.nctaid.x"] fn nctaid_x() -> u32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.nctaid.y"] fn nctaid_y() -> u32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.nctaid.z"] fn nctaid_z() -> u32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.laneid"] fn laneid() -> u32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.lanemask.eq"] fn lanemask_eq() -> u32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.lanemask.le"] fn lanemask_le() -> u32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.lanemask.lt"] fn lanemask_lt() -> u32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.lanemask.ge"] fn lanemask_ge() -> u32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.lanemask.gt"] fn lanemask_gt() -> u32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.dynamic_smem_size"] fn dynamic_smem_size() -> u32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.envreg1"] fn envreg1() -> u32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.envreg2"] fn envreg2() -> u32;
}

// PTX ISA, "Data Movement and Conversion: isspacep".
device_functions! {
    #[link_name = "llvm.nvvm.isspacep.global"] fn isspacep_global(pointer: *const u8) -> bool;
}

// Barriers of the block. PTX ISA, "Parallel Synchronization and
// Communication Instructions: barrier".
device_functions! {
    #[link_name = "llvm.nvvm.barrier.cta.sync.aligned.all"] fn barrier_sync(id: u32);
    #[link_name = "llvm.nvvm.barrier.cta.red.popc.aligned.all"] fn barrier_red_popc(id: u32, predicate: bool) -> u32;
    #[link_name = "llvm.nvvm.barrier.cta.red.and.aligned.all"] fn barrier_red_and(id: u32, predicate: bool) -> bool;
    #[link_name = "llvm.nvvm.barrier.cta.red.or.aligned.all"] fn barrier_red_or(id: u32, predicate: bool) -> bool;
}

// Clusters of blocks. PTX ISA, "Special Registers", "barrier.cluster",
// "mapa", "getctarank"; `crate::cluster`.
device_functions! {
    #[link_name = "llvm.nvvm.read.ptx.sreg.cluster.ctaid.x"] fn cluster_ctaid_x() -> u32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.cluster.ctaid.y"] fn cluster_ctaid_y() -> u32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.cluster.ctaid.z"] fn cluster_ctaid_z() -> u32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.cluster.nctaid.x"] fn cluster_nctaid_x() -> u32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.cluster.nctaid.y"] fn cluster_nctaid_y() -> u32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.cluster.nctaid.z"] fn cluster_nctaid_z() -> u32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.clusterid.x"] fn clusterid_x() -> u32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.clusterid.y"] fn clusterid_y() -> u32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.clusterid.z"] fn clusterid_z() -> u32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.nclusterid.x"] fn nclusterid_x() -> u32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.nclusterid.y"] fn nclusterid_y() -> u32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.nclusterid.z"] fn nclusterid_z() -> u32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.cluster.ctarank"] fn cluster_ctarank() -> u32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.cluster.nctarank"] fn cluster_nctarank() -> u32;
    #[link_name = "llvm.nvvm.is_explicit_cluster"] fn is_explicit_cluster() -> bool;
    #[link_name = "llvm.nvvm.barrier.cluster.arrive"] fn barrier_cluster_arrive();
    #[link_name = "llvm.nvvm.barrier.cluster.arrive.relaxed"] fn barrier_cluster_arrive_relaxed();
    #[link_name = "llvm.nvvm.barrier.cluster.wait"] fn barrier_cluster_wait();
    #[link_name = "llvm.nvvm.mapa"] fn mapa(address: *mut u8, rank: u32) -> *mut u8;
    #[link_name = "llvm.nvvm.getctarank"] fn getctarank(address: *mut u8) -> u32;
}

// The warp. PTX ISA, "shfl.sync", "vote.sync", "match.sync", "redux.sync",
// "activemask", "bar.warp.sync", "elect.sync".
device_functions! {
    #[link_name = "llvm.nvvm.bar.warp.sync"] fn bar_warp_sync(mask: u32);
    #[link_name = "llvm.nvvm.shfl.sync.idx.i32"] fn shfl_idx(mask: u32, value: u32, lane: u32, clamp: u32) -> u32;
    #[link_name = "llvm.nvvm.shfl.sync.up.i32"] fn shfl_up(mask: u32, value: u32, delta: u32, clamp: u32) -> u32;
    #[link_name = "llvm.nvvm.shfl.sync.down.i32"] fn shfl_down(mask: u32, value: u32, delta: u32, clamp: u32) -> u32;
    #[link_name = "llvm.nvvm.shfl.sync.bfly.i32"] fn shfl_bfly(mask: u32, value: u32, lanes: u32, clamp: u32) -> u32;
    #[link_name = "llvm.nvvm.vote.all.sync"] fn vote_all(mask: u32, predicate: bool) -> bool;
    #[link_name = "llvm.nvvm.vote.any.sync"] fn vote_any(mask: u32, predicate: bool) -> bool;
    #[link_name = "llvm.nvvm.vote.uni.sync"] fn vote_uni(mask: u32, predicate: bool) -> bool;
    #[link_name = "llvm.nvvm.vote.ballot.sync"] fn vote_ballot(mask: u32, predicate: bool) -> u32;
    #[link_name = "llvm.nvvm.match.any.sync.i32"] fn match_any_b32(mask: u32, value: u32) -> u32;
    #[link_name = "llvm.nvvm.match.any.sync.i64"] fn match_any_b64(mask: u32, value: u64) -> u32;
    #[link_name = "llvm.nvvm.redux.sync.add"] fn redux_add(value: u32, mask: u32) -> u32;
    #[link_name = "llvm.nvvm.redux.sync.min"] fn redux_min_s32(value: i32, mask: u32) -> i32;
    #[link_name = "llvm.nvvm.redux.sync.max"] fn redux_max_s32(value: i32, mask: u32) -> i32;
    #[link_name = "llvm.nvvm.redux.sync.umin"] fn redux_min_u32(value: u32, mask: u32) -> u32;
    #[link_name = "llvm.nvvm.redux.sync.umax"] fn redux_max_u32(value: u32, mask: u32) -> u32;
    #[link_name = "llvm.nvvm.redux.sync.and"] fn redux_and(value: u32, mask: u32) -> u32;
    #[link_name = "llvm.nvvm.redux.sync.or"] fn redux_or(value: u32, mask: u32) -> u32;
    #[link_name = "llvm.nvvm.redux.sync.xor"] fn redux_xor(value: u32, mask: u32) -> u32;
    #[link_name = "llvm.nvvm.activemask"] fn activemask() -> u32;
}

// Barriers 1 to 14 of the block, for some of its warps (`crate::thread::NamedBarrier`), and number
// 15, for all of them (`crate::phased`). These are
// not the aligned forms, which have stricter requirements for the surrounding code.
device_functions! {
    #[link_name = "llvm.nvvm.barrier.cta.sync.all"] fn barrier_cta_sync(id: u32);
    #[link_name = "llvm.nvvm.barrier.cta.sync.count"] fn barrier_sync_count(id: u32, threads: u32);
    #[link_name = "llvm.nvvm.barrier.cta.arrive.count"] fn barrier_arrive_count(id: u32, threads: u32);
    #[link_name = "llvm.nvvm.barrier.cta.red.popc.count"] fn barrier_red_popc_count(id: u32, threads: u32, predicate: bool) -> u32;
    #[link_name = "llvm.nvvm.barrier.cta.red.and.count"] fn barrier_red_and_count(id: u32, threads: u32, predicate: bool) -> bool;
    #[link_name = "llvm.nvvm.barrier.cta.red.or.count"] fn barrier_red_or_count(id: u32, threads: u32, predicate: bool) -> bool;
}

// Integers. PTX ISA, "dp4a", "dp2a", "prmt", "shf"; `crate::bits`.
device_functions! {
    #[link_name = "llvm.nvvm.idp4a.s.s"] fn dp4a_ss(a: u32, b: u32, sum: u32) -> u32;
    #[link_name = "llvm.nvvm.idp4a.s.u"] fn dp4a_su(a: u32, b: u32, sum: u32) -> u32;
    #[link_name = "llvm.nvvm.idp4a.u.s"] fn dp4a_us(a: u32, b: u32, sum: u32) -> u32;
    #[link_name = "llvm.nvvm.idp4a.u.u"] fn dp4a_uu(a: u32, b: u32, sum: u32) -> u32;
    #[link_name = "llvm.nvvm.idp2a.s.s"] fn dp2a_ss(a: u32, b: u32, high: bool, sum: u32) -> u32;
    #[link_name = "llvm.nvvm.idp2a.s.u"] fn dp2a_su(a: u32, b: u32, high: bool, sum: u32) -> u32;
    #[link_name = "llvm.nvvm.idp2a.u.s"] fn dp2a_us(a: u32, b: u32, high: bool, sum: u32) -> u32;
    #[link_name = "llvm.nvvm.idp2a.u.u"] fn dp2a_uu(a: u32, b: u32, high: bool, sum: u32) -> u32;
    #[link_name = "llvm.nvvm.prmt"] fn prmt(low: u32, high: u32, selector: u32) -> u32;
    #[link_name = "llvm.fshl.i32"] fn fshl(high: u32, low: u32, shift: u32) -> u32;
    #[link_name = "llvm.fshr.i32"] fn fshr(high: u32, low: u32, shift: u32) -> u32;
    #[link_name = "llvm.nvvm.fshl.clamp.i32"] fn fshl_clamp(high: u32, low: u32, shift: u32) -> u32;
    #[link_name = "llvm.nvvm.fshr.clamp.i32"] fn fshr_clamp(high: u32, low: u32, shift: u32) -> u32;
}

// Clocks and places. PTX ISA, "Special Registers", "nanosleep"; `crate::clock`.
device_functions! {
    #[link_name = "llvm.nvvm.read.ptx.sreg.clock"] fn clock() -> u32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.clock64"] fn clock64() -> u64;
    #[link_name = "llvm.nvvm.read.ptx.sreg.globaltimer"] fn globaltimer() -> u64;
    #[link_name = "llvm.nvvm.read.ptx.sreg.smid"] fn smid() -> u32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.nsmid"] fn nsmid() -> u32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.warpid"] fn warpid() -> u32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.nwarpid"] fn nwarpid() -> u32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.gridid"] fn gridid() -> u32;
    #[link_name = "llvm.nvvm.nanosleep"] fn nanosleep(nanoseconds: u32);
}

// The target of the code, a constant that LLVM inserts when it generates the code; `crate::target`.
device_functions! {
    fn __nvvm_reflect(question: *const u8) -> i32;
}

// Fences. PTX ISA, "membar / fence".
device_functions! {
    #[link_name = "llvm.nvvm.membar.cta"] fn membar_cta();
    #[link_name = "llvm.nvvm.membar.gl"] fn membar_gl();
    #[link_name = "llvm.nvvm.membar.sys"] fn membar_sys();
}

// Atomic additions of floats, which Rust's intrinsics lack. LLVM reads these old names as
// its `atomicrmw fadd`.
device_functions! {
    #[link_name = "llvm.nvvm.atomic.load.add.f32.p0"] fn atomic_add_f32(address: *mut f32, value: f32) -> f32;
    #[link_name = "llvm.nvvm.atomic.load.add.f64.p0"] fn atomic_add_f64(address: *mut f64, value: f64) -> f64;
}

// Arithmetic with a rounding mode (`rp` is up, `rm` down). PTX ISA,
// "Floating-Point Instructions"; `crate::math`.
device_functions! {
    #[link_name = "llvm.nvvm.add.rn.f"] fn add_rn_f(a: f32, b: f32) -> f32;
    #[link_name = "llvm.nvvm.add.rn.d"] fn add_rn_d(a: f64, b: f64) -> f64;
    #[link_name = "llvm.nvvm.add.rz.f"] fn add_rz_f(a: f32, b: f32) -> f32;
    #[link_name = "llvm.nvvm.add.rz.d"] fn add_rz_d(a: f64, b: f64) -> f64;
    #[link_name = "llvm.nvvm.add.rp.f"] fn add_rp_f(a: f32, b: f32) -> f32;
    #[link_name = "llvm.nvvm.add.rp.d"] fn add_rp_d(a: f64, b: f64) -> f64;
    #[link_name = "llvm.nvvm.add.rm.f"] fn add_rm_f(a: f32, b: f32) -> f32;
    #[link_name = "llvm.nvvm.add.rm.d"] fn add_rm_d(a: f64, b: f64) -> f64;
    #[link_name = "llvm.nvvm.mul.rn.f"] fn mul_rn_f(a: f32, b: f32) -> f32;
    #[link_name = "llvm.nvvm.mul.rn.d"] fn mul_rn_d(a: f64, b: f64) -> f64;
    #[link_name = "llvm.nvvm.mul.rz.f"] fn mul_rz_f(a: f32, b: f32) -> f32;
    #[link_name = "llvm.nvvm.mul.rz.d"] fn mul_rz_d(a: f64, b: f64) -> f64;
    #[link_name = "llvm.nvvm.mul.rp.f"] fn mul_rp_f(a: f32, b: f32) -> f32;
    #[link_name = "llvm.nvvm.mul.rp.d"] fn mul_rp_d(a: f64, b: f64) -> f64;
    #[link_name = "llvm.nvvm.mul.rm.f"] fn mul_rm_f(a: f32, b: f32) -> f32;
    #[link_name = "llvm.nvvm.mul.rm.d"] fn mul_rm_d(a: f64, b: f64) -> f64;
    #[link_name = "llvm.nvvm.fma.rn.f"] fn fma_rn_f(a: f32, b: f32, c: f32) -> f32;
    #[link_name = "llvm.nvvm.fma.rn.sat.f"] fn fma_rn_sat_f(a: f32, b: f32, c: f32) -> f32;
    #[link_name = "llvm.nvvm.fma.rn.d"] fn fma_rn_d(a: f64, b: f64, c: f64) -> f64;
    #[link_name = "llvm.nvvm.fma.rz.f"] fn fma_rz_f(a: f32, b: f32, c: f32) -> f32;
    #[link_name = "llvm.nvvm.fma.rz.d"] fn fma_rz_d(a: f64, b: f64, c: f64) -> f64;
    #[link_name = "llvm.nvvm.fma.rp.f"] fn fma_rp_f(a: f32, b: f32, c: f32) -> f32;
    #[link_name = "llvm.nvvm.fma.rp.d"] fn fma_rp_d(a: f64, b: f64, c: f64) -> f64;
    #[link_name = "llvm.nvvm.fma.rm.f"] fn fma_rm_f(a: f32, b: f32, c: f32) -> f32;
    #[link_name = "llvm.nvvm.fma.rm.d"] fn fma_rm_d(a: f64, b: f64, c: f64) -> f64;
    #[link_name = "llvm.nvvm.div.rn.f"] fn div_rn_f(a: f32, b: f32) -> f32;
    #[link_name = "llvm.nvvm.div.rn.d"] fn div_rn_d(a: f64, b: f64) -> f64;
    #[link_name = "llvm.nvvm.div.rz.f"] fn div_rz_f(a: f32, b: f32) -> f32;
    #[link_name = "llvm.nvvm.div.rz.d"] fn div_rz_d(a: f64, b: f64) -> f64;
    #[link_name = "llvm.nvvm.div.rp.f"] fn div_rp_f(a: f32, b: f32) -> f32;
    #[link_name = "llvm.nvvm.div.rp.d"] fn div_rp_d(a: f64, b: f64) -> f64;
    #[link_name = "llvm.nvvm.div.rm.f"] fn div_rm_f(a: f32, b: f32) -> f32;
    #[link_name = "llvm.nvvm.div.rm.d"] fn div_rm_d(a: f64, b: f64) -> f64;
    #[link_name = "llvm.nvvm.sqrt.rn.f"] fn sqrt_rn_f(a: f32) -> f32;
    #[link_name = "llvm.nvvm.sqrt.rn.d"] fn sqrt_rn_d(a: f64) -> f64;
    #[link_name = "llvm.nvvm.sqrt.rz.f"] fn sqrt_rz_f(a: f32) -> f32;
    #[link_name = "llvm.nvvm.sqrt.rz.d"] fn sqrt_rz_d(a: f64) -> f64;
    #[link_name = "llvm.nvvm.sqrt.rp.f"] fn sqrt_rp_f(a: f32) -> f32;
    #[link_name = "llvm.nvvm.sqrt.rp.d"] fn sqrt_rp_d(a: f64) -> f64;
    #[link_name = "llvm.nvvm.sqrt.rm.f"] fn sqrt_rm_f(a: f32) -> f32;
    #[link_name = "llvm.nvvm.sqrt.rm.d"] fn sqrt_rm_d(a: f64) -> f64;
    #[link_name = "llvm.nvvm.rcp.rn.f"] fn rcp_rn_f(a: f32) -> f32;
    #[link_name = "llvm.nvvm.rcp.rn.d"] fn rcp_rn_d(a: f64) -> f64;
    #[link_name = "llvm.nvvm.rcp.rz.f"] fn rcp_rz_f(a: f32) -> f32;
    #[link_name = "llvm.nvvm.rcp.rz.d"] fn rcp_rz_d(a: f64) -> f64;
    #[link_name = "llvm.nvvm.rcp.rp.f"] fn rcp_rp_f(a: f32) -> f32;
    #[link_name = "llvm.nvvm.rcp.rp.d"] fn rcp_rp_d(a: f64) -> f64;
    #[link_name = "llvm.nvvm.rcp.rm.f"] fn rcp_rm_f(a: f32) -> f32;
    #[link_name = "llvm.nvvm.rcp.rm.d"] fn rcp_rm_d(a: f64) -> f64;
    #[link_name = "llvm.trunc.f32"] fn trunc_f(a: f32) -> f32;
    #[link_name = "llvm.trunc.f64"] fn trunc_d(a: f64) -> f64;
    #[link_name = "llvm.rint.f32"] fn rint_f(a: f32) -> f32;
    #[link_name = "llvm.rint.f64"] fn rint_d(a: f64) -> f64;
}

// Approximations. PTX ISA, "sin", "cos", "ex2", "lg2", "rcp", "rsqrt", "sqrt",
// "div", "tanh"; `crate::fast`.
device_functions! {
    #[link_name = "llvm.nvvm.sin.approx.f"] fn sin_approx(x: f32) -> f32;
    #[link_name = "llvm.nvvm.cos.approx.f"] fn cos_approx(x: f32) -> f32;
    #[link_name = "llvm.nvvm.ex2.approx.f32"] fn ex2_approx(x: f32) -> f32;
    #[link_name = "llvm.nvvm.lg2.approx.f"] fn lg2_approx(x: f32) -> f32;
    #[link_name = "llvm.nvvm.ex2.approx.ftz.f32"] fn ex2_approx_ftz(x: f32) -> f32;
    #[link_name = "llvm.nvvm.lg2.approx.ftz.f"] fn lg2_approx_ftz(x: f32) -> f32;
    #[link_name = "llvm.nvvm.rcp.approx.ftz.f"] fn rcp_approx_ftz(x: f32) -> f32;
    #[link_name = "llvm.nvvm.sqrt.approx.ftz.f"] fn sqrt_approx_ftz(x: f32) -> f32;
    #[link_name = "llvm.nvvm.rsqrt.approx.f"] fn rsqrt_approx(x: f32) -> f32;
    #[link_name = "llvm.nvvm.rcp.approx.ftz.d"] fn rcp_approx_ftz_d(x: f64) -> f64;
    #[link_name = "llvm.nvvm.rsqrt.approx.ftz.d"] fn rsqrt_approx_ftz_d(x: f64) -> f64;
    #[link_name = "llvm.nvvm.rsqrt.approx.d"] fn rsqrt_approx_d(x: f64) -> f64;
    #[link_name = "llvm.nvvm.sqrt.approx.f"] fn sqrt_approx(x: f32) -> f32;
    #[link_name = "llvm.nvvm.div.approx.f"] fn div_approx(a: f32, b: f32) -> f32;
}

// Functions of the driver: CUDA C++ Programming Guide, "Formatted Output", "Assertion",
// "Conditional Graph Nodes".
device_functions! {
    #[link_name = "cudaGraphSetConditional"] fn graph_set_conditional(handle: u64, value: u32);
    fn vprintf(format: *const u8, arguments: *const u8) -> i32;
    fn __assertfail(message: *const u8, file: *const u8, line: u32, function: *const u8, char_size: usize) -> !;
}

// Functions of the device runtime (`cudadevrt`, linked by the driver): CUDA programming guide,
// "CUDA Dynamic Parallelism", "Device-side Launch from PTX". The names are those that nvcc 13 calls
// for `<<<>>>` in a kernel; `crate::dynamic`.
device_functions! {
    #[link_name = "__cudaCDP2GetParameterBufferV2"]
    fn get_parameter_buffer(kernel: *const (), grid: Dim3, block: Dim3, dynamic_shared: u32) -> *mut u8;
    #[link_name = "__cudaCDP2LaunchDeviceV2"] fn launch_device(buffer: *mut u8, stream: usize) -> u32;
    #[link_name = "__cudaCDP2GetLastError"] fn get_last_error() -> u32;
}

// Functions that the builder replaces: the address of a variable in shared
// memory (`crate::shared`), the barrier before writes to it (`crate::phased`), and the scope of the
// atomics in the function that calls this (`crate::atomic`).
device_functions! {
    fn __lanewise_atomic_scope(scope: u32);
    fn __lanewise_shared_static(size: usize, align: usize) -> *mut u8;
    fn __lanewise_shared_dynamic() -> *mut u8;
    fn __lanewise_phase_begin(id: u32);
}
