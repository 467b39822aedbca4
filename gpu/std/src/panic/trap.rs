//! Panics that only trap: the functions that the builder puts in the place of those that record.

use core::panic::Location;

/// Takes the place of [`super::record::__lanewise_panic_record`].
#[unsafe(no_mangle)]
#[cold]
#[expect(
    clippy::too_many_arguments,
    reason = "each is a register of its own at the places that panic"
)]
fn __lanewise_panic_record_trap(
    _place: &Location<'_>,
    _text: *const u8,
    _length: usize,
    _count: u32,
    _first: u64,
    _second: u64,
    _third: u64,
    _fourth: u64,
) -> ! {
    core::intrinsics::abort()
}

/// Takes the place of a panic that formats.
#[unsafe(no_mangle)]
#[cold]
fn __lanewise_panic_formatted_trap(
    _template: *const u8,
    _arguments: *const u8,
    _place: &Location<'_>,
) -> ! {
    core::intrinsics::abort()
}
