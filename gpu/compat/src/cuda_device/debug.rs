//! Clocks, and events for debuggers and profilers.

use lanewise_std::inside::ptx;

pub use lanewise_std::clock::{cycles as clock64, cycles_32 as clock, nanoseconds as globaltimer};
pub use lanewise_std::debug::{breakpoint, trap};

/// Counts an event `N`, 0 to 15, for a profiler: CUDA's `__prof_trigger(N)`.
#[inline]
pub fn prof_trigger<const N: u32>() {
    const { assert!(N < 16, "a profiler has the events 0 to 15") };
    // SAFETY: the instruction counts an event, and accesses no memory of the program.
    unsafe {
        ptx!("pmevent": "pmevent {event};", event = const N, options(nostack, preserves_flags));
    }
}
