//! Copies the first element of each run of equal ones: a selection whose rule looks at the element
//! before, too.

use lanewise_algorithms_generic::select::{ROUNDS, Rule, of_tile};
use lanewise_macros::{Value, kernel};
use lanewise_std::DisjointSlice;
use lanewise_std::atomic::DeviceAtomicU64;

use super::ranks::Flags;
use super::sixteen::{Number, Places};

/// The first element of each run of equal ones.
#[derive(Clone, Copy, Value)]
#[repr(C)]
pub struct First;

impl<T: Number> Rule<T> for First {
    #[inline(always)]
    unsafe fn flags<const WHOLE: bool>(
        self,
        values: &[T::Neighbours; ROUNDS],
        places: Places,
        input: &[T],
    ) -> Flags {
        // SAFETY: the caller promises the same.
        unsafe { Flags::of_first::<WHOLE, T, _>(values, places, input) }
    }
}

/// Writes the first element of each run of equal elements to `output`, and how many they are to the
/// first of `count`.
///
/// # Safety
/// As for `of_tile`.
#[kernel(instances(i32, u32, f32, i64, u64, f64))]
#[launch_bounds(256, 4)]
#[launch_contract(dims = 1, block = 256)]
pub unsafe fn unique<T: Number>(
    input: &[T],
    output: DisjointSlice<T>,
    count: &[DeviceAtomicU64],
    tiles: &[DeviceAtomicU64],
    rule: First,
) {
    // SAFETY: the caller promises the same.
    unsafe { of_tile::<false, T, _>(rule, input, output, count, tiles) };
}
