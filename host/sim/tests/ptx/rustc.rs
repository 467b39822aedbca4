//! Kernels that make rustc emit the forms that the first part of `forms.txt` lists. The text is
//! without the section `.debug_aranges`: rustc's LLVM writes `.b84,255` and a label outside
//! everything there, which neither ptxas nor this parser accepts.
#![no_std]
#![feature(abi_ptx, core_intrinsics, stdarch_nvptx, asm_experimental_arch, f16)]
#![allow(internal_features, clippy::missing_safety_doc)]
use core::arch::nvptx::*;
use core::sync::atomic::{AtomicU32, AtomicU64, AtomicI32, AtomicU8, Ordering::*};

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! { unsafe { trap() } }

static GREETING: &str = "hello";
static TABLE: [u32; 6] = [1, 1, 2, 3, 5, 8];
#[no_mangle] pub static mut COUNTER: u32 = 7;
trait Shape { fn area(&self, x: f32) -> f32; fn more(&self) -> u32 { 3 } }
struct A(f32); struct B(f32);
impl Shape for A { #[inline(never)] fn area(&self, x: f32) -> f32 { self.0 * x } }
impl Shape for B { #[inline(never)] fn area(&self, x: f32) -> f32 { self.0 + x } fn more(&self) -> u32 { 9 } }
static SHAPES: [&(dyn Shape + Sync); 2] = [&A(1.5), &B(2.5)];

unsafe fn i() -> usize { (_block_idx_x() * _block_dim_x() + _thread_idx_x()) as usize }

#[no_mangle] pub unsafe extern "ptx-kernel" fn vec_add(a: *const f32, b: *const f32, c: *mut f32, n: u32) {
    let i = i(); if i < n as usize { *c.add(i) = *a.add(i) + *b.add(i); }
}
#[no_mangle] pub unsafe extern "ptx-kernel" fn dynamic(out: *mut f32, which: *const u32) {
    let i = i(); let s = SHAPES[*which.add(i) as usize & 1]; *out.add(i) = s.area(i as f32) + s.more() as f32;
}
#[no_mangle] pub unsafe extern "ptx-kernel" fn atomics(a: *mut u32, b: *mut u64, s: *mut u8, t: *mut i32) {
    let x = AtomicU32::from_ptr(a); let y = AtomicU64::from_ptr(b); let z = AtomicU8::from_ptr(s); let t = AtomicI32::from_ptr(t);
    x.fetch_add(1, Relaxed); x.fetch_max(3, AcqRel); x.fetch_and(5, SeqCst); y.fetch_add(9, Relaxed); z.fetch_or(3, Relaxed);
    t.fetch_min(-3, Relaxed); let _ = x.compare_exchange(1, 2, SeqCst, Acquire); y.store(x.load(Acquire) as u64, Release); x.swap(4, AcqRel);
}
#[no_mangle] pub unsafe extern "ptx-kernel" fn switch(a: *mut u32, n: u32) {
    let i = i(); let v = *a.add(i);
    *a.add(i) = match v { 0 => i as u32, 1 => v * 3 / n, 2 => v.leading_zeros(), 3 => v.count_ones() ^ n, 4 => v.rotate_left(n), 5 => v.reverse_bits(), 6 => TABLE[(n % 6) as usize], 7 => 77, 8 => GREETING.len() as u32, _ => v.swap_bytes() };
}
#[no_mangle] pub unsafe extern "ptx-kernel" fn bounds(a: *mut u64, n: usize, k: i64) {
    let s = core::slice::from_raw_parts_mut(a, n); let i = i();
    s[i] = s[i + 1].wrapping_mul(k as u64) / s[i + 2] + ((s[i] as i64) % k) as u64 + (s[i] as u128 * s[i+1] as u128 >> 64) as u64;
}
#[no_mangle] pub unsafe extern "ptx-kernel" fn floats(a: *mut f32, d: *mut f64, h: *mut f16, k: *mut i32, l: *mut u64) {
    let i = i(); let x = *a.add(i); let y = *d.add(i);
    *a.add(i) = core::intrinsics::sqrtf32(x) + core::intrinsics::fmaf32(x, x, 1.0) + x.max(2.0) - x.min(-1.0) + (x % 3.0) + core::intrinsics::floorf32(x) + 1.0 / x + x.abs().copysign(-1.0);
    *d.add(i) = core::intrinsics::sqrtf64(y) * y / 3.0 + x as f64 + core::intrinsics::truncf64(y) - *k.add(i) as f64;
    *h.add(i) = (*h.add(i) + 1.5f16) * (x as f16); *k.add(i) = x as i32 + y as i32 + x as u8 as i32; *l.add(i) = y as u64 + (x.is_nan()) as u64;
}
#[no_mangle] pub unsafe extern "ptx-kernel" fn tile(a: *const f32, out: *mut f32) {
    let mut local = [0f32; 16]; let i = i();
    for j in 0..16 { local[(j * 7 + i) % 16] = *a.add(i * 16 + j); }
    _syncthreads();
    let mut s = 0.0; for j in 0..16 { s += local[(j * i) % 16]; } *out.add(i) = s;
    let r: u32; core::arch::asm!("{{", ".reg .pred p;", ".reg .b32 t;", "setp.ne.u32 p, {1}, 0;", "vote.sync.ballot.b32 t, p, 0xffffffff;", "shfl.sync.bfly.b32 {0}, t, 1, 31, -1;", "}}", out(reg32) r, in(reg32) i as u32);
    *out.add(i + 1) = r as f32; COUNTER += 1;
}
#[no_mangle] pub unsafe extern "ptx-kernel" fn print(x: u32) { let args = [x, 3]; vprintf(GREETING.as_ptr(), args.as_ptr().cast()); let p = malloc(16); free(p); }
