//! Clocks, and the multiprocessor and warp slot on which a thread runs.
//!
//! These values are for measurement and inspection. A kernel's result must not depend on them. A
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
    /// Returns the cycle counter of this multiprocessor, modulo 2^32. The difference of two
    /// readings is the time between them for this warp. On the simulator a cycle is one instruction
    /// of the warp.
    #[doc(alias = "clock")] #[doc(alias = "%clock")]
    cycles_32: u32 = clock;
    /// Returns the cycle counter of this multiprocessor, in 64 bits.
    #[doc(alias = "clock64")] #[doc(alias = "%clock64")]
    cycles: u64 = clock64;
    /// Returns the time in nanoseconds of a clock that all multiprocessors share. Its resolution
    /// depends on the device and can be as coarse as a microsecond.
    #[doc(alias = "%globaltimer")]
    nanoseconds: u64 = globaltimer;
    /// Returns the number of the multiprocessor on which this thread runs.
    #[doc(alias = "%smid")]
    multiprocessor: u32 = smid;
    /// Returns the highest multiprocessor number plus one. There may be gaps between the numbers.
    #[doc(alias = "%nsmid")]
    multiprocessors: u32 = nsmid;
    /// Returns the slot of this thread's warp on its multiprocessor. It is not
    /// [`warp::warp_id`](crate::warp::warp_id), the number in the block.
    #[doc(alias = "%warpid")]
    warp_slot: u32 = warpid;
    /// Returns the number of warp slots of a multiprocessor.
    #[doc(alias = "%nwarpid")]
    warp_slots: u32 = nwarpid;
    /// Returns the number of this launch in its context.
    #[doc(alias = "%gridid")]
    launch: u32 = gridid;
}
