//! Products by a warpgroup (`sm_90a`), with descriptors as numbers and the sum as an array.
//!
//! In cuda-oxide, the compiler knows when the hardware owns an array. Here the thread owns it
//! between any two calls: each product waits for its own end, independent of the kernel's groups.
//! For speed use [`matrix::warpgroup`](lanewise_std::matrix::warpgroup), whose types show when a
//! sum has products in progress.

#![cfg_attr(
    not(target_arch = "nvptx64"),
    allow(unused_variables, unreachable_code)
)]

use lanewise_std::inside::{self, ptx};

/// A sum of 64 rows and 64 columns: 32 numbers of each thread.
pub type Acc64x64 = [[f32; 8]; 4];

/// A sum of zeros.
#[inline(always)]
#[must_use]
pub const fn zero_accumulator() -> Acc64x64 {
    [[0.0; 8]; 4]
}

macro_rules! groups {
    ($($(#[$doc:meta])* $name:ident = $instruction:literal;)*) => {$(
        $(#[$doc])*
        #[inline(always)]
        pub fn $name() {
            // SAFETY: it orders, and names no memory.
            unsafe {
                ptx!($instruction: concat!($instruction, ";"), options(nostack, preserves_flags));
            }
        }
    )*};
}
groups! {
    /// Orders what was done to a sum's registers before the products that come.
    wgmma_fence = "wgmma.fence.sync.aligned";
    /// Ends a group of products.
    wgmma_commit_group = "wgmma.commit_group.sync.aligned";
}

/// Waits for the groups of products, but for the latest `N`.
#[inline(always)]
pub fn wgmma_wait_group<const N: u32>() {
    // SAFETY: it waits.
    unsafe {
        ptx!("wgmma.wait_group": "wgmma.wait_group.sync.aligned {left};", left = const N, options(nostack, preserves_flags));
    }
}

/// The descriptor of an operand that begins here, with that project's constants for how it lies: a
/// swizzle of 32 bytes, and 128 bytes from rows to rows.
///
/// # Safety
/// `ptr` is in this block's shared memory, at a multiple of 16 bytes.
#[inline]
#[must_use]
pub unsafe fn make_smem_desc(ptr: *const u8) -> u64 {
    u64::from(inside::shared(ptr) >> 4) & 0x3fff | 0xC000_0008_0008_0000
}

macro_rules! products {
    ($($(#[$doc:meta])* $name:ident = $types:literal;)*) => {$(
        $(#[$doc])*
        ///
        /// # Safety
        /// All four warps of the warpgroup call it, with descriptors of operands that are complete
        /// and visible to the matrix unit.
        #[doc(alias = "wgmma.mma_async")]
        #[inline(always)]
        pub unsafe fn $name(acc: &mut Acc64x64, desc_a: u64, desc_b: u64) {
            // SAFETY: the caller keeps the contract of this function. The registers are operands of
            // the whole text, which also waits for the product.
            unsafe {
                products!(@ $types, acc, desc_a, desc_b, [
                    [0 0] [0 1] [0 2] [0 3] [0 4] [0 5] [0 6] [0 7]
                    [1 0] [1 1] [1 2] [1 3] [1 4] [1 5] [1 6] [1 7]
                    [2 0] [2 1] [2 2] [2 3] [2 4] [2 5] [2 6] [2 7]
                    [3 0] [3 1] [3 2] [3 3] [3 4] [3 5] [3 6] [3 7]
                ]);
            }
        }
    )*};
    (@ $types:literal, $acc:ident, $a:ident, $b:ident, [$([$i:literal $j:literal])*]) => {
        ptx!("wgmma.mma_async":
            "{{ .reg .pred one; .reg .b32 number; mov.b32 number, 1; setp.ne.b32 one, number, 0; wgmma.fence.sync.aligned;",
            concat!(
                "wgmma.mma_async.sync.aligned.m64n64k16.f32.", $types, " {{ {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, ",
                "{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {} }}, {a}, {b}, one, 1, 1, 0, 0;"
            ),
            "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0; }}",
            $(inout(reg32) $acc[$i][$j],)*
            a = in(reg64) $a,
            b = in(reg64) $b,
            options(nostack, preserves_flags),
        )
    };
}
products! {
    /// Adds the product of 64 x 16 and 16 x 64 elements of `bf16` to the sum.
    wgmma_mma_m64n64k16_f32_bf16 = "bf16.bf16";
    /// Adds the product of 64 x 16 and 16 x 64 elements of `f16` to the sum.
    wgmma_mma_m64n64k16_f32_f16 = "f16.f16";
}
