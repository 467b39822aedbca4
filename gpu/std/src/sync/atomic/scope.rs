//! The scope of an atomic operation: the threads for which it is atomic. PTX ISA, "Memory
//! Consistency Model: Scope".

/// A scope, and the number that the builder uses for it.
pub trait Scope {
    /// The argument of `__lanewise_atomic_scope`.
    const NUMBER: u32;
}

/// The threads of the device: `.gpu`.
#[derive(Debug)]
pub enum Device {}

/// The threads of the block: `.cta`.
#[derive(Debug)]
pub enum Block {}

/// All threads of all devices, and the host: `.sys`.
#[derive(Debug)]
pub enum System {}

impl Scope for System {
    const NUMBER: u32 = 0;
}

impl Scope for Device {
    const NUMBER: u32 = 1;
}

impl Scope for Block {
    const NUMBER: u32 = 2;
}
