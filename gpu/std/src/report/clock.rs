//! Clocks, and where on the device a thread happens to run.
//!
//! These values are for measuring and for looking at; a kernel's result must not depend on them. A
//! block's multiprocessor and a warp's slot may change from one read to the next. PTX ISA, "Special
//! Registers"; CUDA C++ Programming Guide, "Time Function".

use crate::intrinsics;

macro_rules! registers {
    ($($(#[$attribute:meta])* $name:ident: $ty:ty = $register:ident;)*) => {
        $(
            $(#[$attribute])*
            #[inline]
            #[must_use]
            pub fn $name() -> $ty {
                // SAFETY: every thread may read its special registers at any time.
                unsafe { intrinsics::$register() }
            }
        )*
    };
}

registers! {
    /// Cycles of this multiprocessor, modulo 2^32. The difference of two readings is the time
    /// between them as this warp saw it. On the simulator a cycle is one instruction of the warp.
    #[doc(alias = "clock")] #[doc(alias = "%clock")]
    cycles_32: u32 = clock;
    /// Cycles of this multiprocessor.
    #[doc(alias = "clock64")] #[doc(alias = "%clock64")]
    cycles: u64 = clock64;
    /// Nanoseconds of a clock that all multiprocessors share. Its resolution depends on the device
    /// and can be as coarse as a microsecond.
    #[doc(alias = "%globaltimer")]
    nanoseconds: u64 = globaltimer;
    /// The multiprocessor that this thread runs on.
    #[doc(alias = "%smid")]
    multiprocessor: u32 = smid;
    /// One more than the highest number of a multiprocessor; there may be gaps.
    #[doc(alias = "%nsmid")]
    multiprocessors: u32 = nsmid;
    /// The slot that this thread's warp has on its multiprocessor. It is not
    /// [`warp::warp_id`](crate::warp::warp_id), the number in the block.
    #[doc(alias = "%warpid")]
    warp_slot: u32 = warpid;
    /// Slots for warps of a multiprocessor.
    #[doc(alias = "%nwarpid")]
    warp_slots: u32 = nwarpid;
    /// The number of this launch in its context.
    #[doc(alias = "%gridid")]
    launch: u32 = gridid;
}
