//! The scope of an atomic operation: the threads for which it is atomic. PTX ISA, "Memory
//! Consistency Model: Scope".

/// A scope, and the number that the builder uses for it.
pub(crate) trait Scope {
    /// The argument of `__lanewise_atomic_scope`.
    #[cfg_attr(
        not(target_arch = "nvptx64"),
        expect(dead_code, reason = "only the device has the marker")
    )]
    const NUMBER: u32;
}

/// The threads of the device: `.gpu`.
#[derive(Debug)]
pub(crate) enum Device {}

/// The threads of the block: `.cta`.
#[derive(Debug)]
pub(crate) enum Block {}

/// All threads of all devices, and the host: `.sys`.
#[derive(Debug)]
pub(crate) enum System {}

impl Scope for System {
    const NUMBER: u32 = 0;
}

impl Scope for Device {
    const NUMBER: u32 = 1;
}

impl Scope for Block {
    const NUMBER: u32 = 2;
}
