//! Who sees an atomic operation as one: PTX ISA, "Memory Consistency Model: Scope".

/// A scope, and the number by which the builder knows it.
pub(super) trait Scope {
    /// The argument of `__lanewise_atomic_scope`.
    const NUMBER: u32;
}

/// The threads of the device: `.gpu`.
#[derive(Debug)]
pub(super) enum Device {}

/// The threads of the block: `.cta`.
#[derive(Debug)]
pub(super) enum Block {}

/// All threads of all devices, and the host: `.sys`.
#[derive(Debug)]
pub(super) enum System {}

impl Scope for System {
    const NUMBER: u32 = 0;
}

impl Scope for Device {
    const NUMBER: u32 = 1;
}

impl Scope for Block {
    const NUMBER: u32 = 2;
}
