//! Two Rust modules that use the same names for a kernel and a static. Each handle refers to the
//! kernel or static of its own module.

/// A level that a kernel raises.
pub mod coarse {
    use lanewise_macros::{device, kernel};
    use lanewise_std::DeviceGlobal;

    /// The level, in steps of one.
    #[device]
    pub static LEVEL: DeviceGlobal<u32> = DeviceGlobal::new(10);

    /// Sets [`LEVEL`].
    ///
    /// # Safety
    /// Only one thread runs it.
    #[kernel]
    pub unsafe fn raise(by: u32) {
        // SAFETY: no other thread runs.
        unsafe { LEVEL.set(LEVEL.get() + by) }
    }
}

/// The same level in two parts.
pub mod fine {
    use lanewise_macros::{device, kernel};
    use lanewise_std::DeviceGlobal;

    /// The level, in whole steps and thousandths of a step.
    #[device]
    pub static LEVEL: DeviceGlobal<[u64; 2]> = DeviceGlobal::new([20, 500]);

    /// Sets [`LEVEL`].
    ///
    /// # Safety
    /// Only one thread runs it.
    #[kernel]
    pub unsafe fn raise(steps: u64, thousandths: u64) {
        // SAFETY: no other thread runs.
        unsafe {
            let [whole, parts] = LEVEL.get();
            LEVEL.set([whole + steps, parts + thousandths]);
        }
    }
}
