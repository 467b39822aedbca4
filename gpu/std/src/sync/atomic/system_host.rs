//! The operations of system scope on the host, which are never executed.

pub(super) use super::operations::{
    add, and, compare_exchange, load, max, min, or, store, sub, swap, umax, umin, xor,
};

pub(super) unsafe fn add_f32(_: *mut f32, _: f32) -> f32 {
    crate::device_only("atom.add.f32")
}

pub(super) unsafe fn add_f64(_: *mut f64, _: f64) -> f64 {
    crate::device_only("atom.add.f64")
}
