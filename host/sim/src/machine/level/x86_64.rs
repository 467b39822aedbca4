//! Operations built for AVX2, and the choice of a level.

use super::Level;
use crate::counters::even::Neighbours;
use crate::machine::checks::race::AccessKind;
use crate::machine::core::Core;
use crate::machine::lane::LANES;
use crate::machine::memory::access::LaneBytes;
use crate::machine::memory::flag;
use crate::machine::memory::state_space::StateSpace;
use crate::machine::op::Op;

/// The levels that operations are built for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HostLevel {
    /// The features of the crate's own target.
    Portable,
    /// x86-64 with AVX2, FMA, BMI and POPCNT.
    Avx2,
}

/// Returns the best level that this processor supports.
pub(crate) fn host_level() -> HostLevel {
    static LEVEL: std::sync::OnceLock<HostLevel> = std::sync::OnceLock::new();
    *LEVEL.get_or_init(|| {
        if is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("fma")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt")
        {
            return HostLevel::Avx2;
        }
        HostLevel::Portable
    })
}

/// The level of functions that [`levels!`] builds for AVX2. No other code may name it.
#[derive(Clone, Copy)]
pub(crate) struct Avx2;

impl Level for Avx2 {
    const VECTOR: bool = true;

    #[inline(always)]
    fn top_bits(lanes: [u32; 8]) -> u32 {
        use std::arch::x86_64::{__m256, _mm256_movemask_ps};
        // SAFETY: only functions that `levels!` compiles for AVX2 name `Avx2`, and they are
        // chosen only if `host_level` found AVX2. The arrays have the same size, and any bits are
        // a valid value.
        unsafe { _mm256_movemask_ps(std::mem::transmute::<[u32; 8], __m256>(lanes)) as u32 }
    }

    /// Processes four lanes at a time, and loads each only once. A load from the middle of a row
    /// that has just been stored would wait until the store is in the cache.
    #[inline(always)]
    unsafe fn neighbours(core: &Core<'_>, op: *const Op, mask: u32, size: u64) -> Neighbours {
        use std::arch::x86_64::{
            __m256i, _mm_load_si128, _mm256_blend_epi32, _mm256_castsi256_pd, _mm256_cmpeq_epi64,
            _mm256_cvtepu32_epi64, _mm256_load_si256, _mm256_movemask_pd, _mm256_permute4x64_epi64,
            _mm256_set1_epi64x, _mm256_setzero_si256, _mm256_sub_epi64,
        };
        // SAFETY: the processor has AVX2, as above. Row `a` holds the lanes' addresses without the
        // offset, which is the same for all, as `u64` or as `u32`; rows are aligned to 64 bytes.
        unsafe {
            let row = core.frame.add((*op).a as usize).cast_const();
            let wide = (*op).aux & flag::NARROW == 0;
            let four = |lane: usize| match wide {
                true => _mm256_load_si256(row.add(lane * 8).cast()),
                false => _mm256_cvtepu32_epi64(_mm_load_si128(row.add(lane * 4).cast())),
            };
            let bits = |is: __m256i| _mm256_movemask_pd(_mm256_castsi256_pd(is)) as u32;
            let (zero, further) = (_mm256_setzero_si256(), _mm256_set1_epi64x(size as i64));
            let (mut same, mut next) = (0, 0);
            let mut these = four(0);
            for lane in (0..LANES).step_by(4) {
                // The lane after the last is the first, whose result is not used.
                let those = four((lane + 4) % LANES);
                let behind = _mm256_blend_epi32::<0b11>(these, those);
                let step =
                    _mm256_sub_epi64(_mm256_permute4x64_epi64::<0b00_11_10_01>(behind), these);
                same |= bits(_mm256_cmpeq_epi64(step, zero)) << lane;
                next |= bits(_mm256_cmpeq_epi64(step, further)) << lane;
                these = those;
            }
            Neighbours::found(mask, size, (same, next))
        }
    }

    #[inline(always)]
    unsafe fn locate<S: StateSpace>(
        core: &mut Core<'_>,
        op: *const Op,
        act: AccessKind,
        mask: u32,
        log: u32,
    ) -> LaneBytes {
        #[inline(never)]
        #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
        unsafe fn there<S: StateSpace>(
            core: &mut Core<'_>,
            op: *const Op,
            act: AccessKind,
            mask: u32,
            log: u32,
        ) -> LaneBytes {
            // SAFETY: passed on.
            unsafe { core.locate_here::<S>(op, act, mask, log) }
        }
        // SAFETY: passed on; the host has AVX2, as above.
        unsafe { there::<S>(core, op, act, mask, log) }
    }
}

/// `levels!(fn name = body<A, B, F> where ..)`: makes `name::<A, B, F>()`, which returns the
/// [`Handler`](super::op::Handler) of `body::<Level, A, B, F>` for this processor's level.
macro_rules! levels {
    ($(#[$doc:meta])* $vis:vis fn $name:ident = $body:ident $(<$($g:ident),*>)? $(where $($bound:tt)*)?) => {
        $(#[$doc])*
        $vis fn $name $(<$($g),*>)? () -> $crate::machine::op::Handler $(where $($bound)*)? {
            use $crate::machine::{core::Core, op::{Handler, Op}};
            #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
            unsafe fn avx2 $(<$($g),*>)? (core: &mut Core<'_>, op: *const Op) -> *const Op $(where $($bound)*)? {
                // SAFETY: passed on to the caller, who runs decoded operations only.
                unsafe { $body::<$crate::machine::level::Avx2 $($(,$g)*)?>(core, op) }
            }
            unsafe fn portable $(<$($g),*>)? (core: &mut Core<'_>, op: *const Op) -> *const Op $(where $($bound)*)? {
                // SAFETY: passed on to the caller, who runs decoded operations only.
                unsafe { $body::<$crate::machine::level::Portable $($(,$g)*)?>(core, op) }
            }
            if $crate::machine::level::host_level() == $crate::machine::level::HostLevel::Avx2 {
                return avx2 $(::<$($g),*>)? as Handler;
            }
            portable $(::<$($g),*>)? as Handler
        }
    };
}
pub(crate) use levels;
