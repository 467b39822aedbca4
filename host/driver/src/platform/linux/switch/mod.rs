//! Registers of the interrupted code, and a call on another stack, of each processor.

#[cfg_attr(target_arch = "x86_64", path = "x86_64.rs")]
#[cfg_attr(target_arch = "aarch64", path = "aarch64.rs")]
#[cfg_attr(
    not(any(target_arch = "x86_64", target_arch = "aarch64")),
    path = "other.rs"
)]
mod processor;

pub(super) use processor::{IS_KNOWN, call_on, is_write, stack_pointer};
