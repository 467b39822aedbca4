//! The parameters of a launch: one kernel for each kind, which returns what it received.

use core::num::NonZero;

use lanewise_macros::{Value, kernel};
use lanewise_std::atomic::{
    AtomicOrdering, DeviceAtomicF32, DeviceAtomicF64, DeviceAtomicI32, DeviceAtomicU32,
    DeviceAtomicU64, SystemAtomicI64,
};
use lanewise_std::half::{Bf16, Bf16x2, F16, F16x2};
use lanewise_std::{DisjointSlice, thread};

use crate::types::{Mixed, Shape};

/// Values of many kinds, each copied to its place.
#[kernel]
#[expect(clippy::too_many_arguments, reason = "that many kinds there are")]
pub fn arrive(
    wide: i128,
    maybe: Option<NonZero<i64>>,
    never_zero: NonZero<u8>,
    shape: Shape,
    mixed: Mixed,
    rows: [[i16; 3]; 2],
    mut numbers: DisjointSlice<[i128; 3]>,
    mut shapes: DisjointSlice<Shape>,
    mut structures: DisjointSlice<Mixed>,
    mut arrays: DisjointSlice<[[i16; 3]; 2]>,
) {
    let index = thread::index_1d();
    if let Some(numbers) = numbers.get_mut(&index) {
        *numbers = [
            wide,
            maybe.map_or(0, |it| it.get().into()),
            never_zero.get().into(),
        ];
    }
    if let (Some(shapes), Some(structures), Some(arrays)) = (
        shapes.get_mut(&index),
        structures.get_mut(&index),
        arrays.get_mut(&index),
    ) {
        (*shapes, *structures, *arrays) = (shape, mixed, rows);
    }
}

/// 16-bit floats as their bits. The last one is the sum of one of them and 1.
#[kernel]
pub fn halves_arrive(
    halves: [F16; 3],
    pair: F16x2,
    brain: Bf16,
    brains: Bf16x2,
    mut small: DisjointSlice<[u32; 7]>,
) {
    if let Some(small) = small.get_mut(thread::index_1d()) {
        let [a, b, c] = halves.map(|half| u32::from(half.to_bits()));
        let sum = (brain + Bf16::from_f32(1.0)).to_bits();
        *small = [
            a,
            b,
            c,
            pair.to_bits(),
            brain.to_bits().into(),
            brains.to_bits(),
            sum.into(),
        ];
    }
}

/// A marker without data.
#[derive(Clone, Copy, Debug, PartialEq, Value)]
#[repr(C)]
pub struct Mark;

/// Parameters and elements without bytes are between others, which must still arrive: the two
/// numbers, and how many marks there are. One parameter has the kernel's name.
#[kernel]
pub fn marks(
    _first: Mark,
    small: u8,
    _none: [u8; 0],
    large: u64,
    marks: &[Mark],
    _last: Mark,
    mut out: DisjointSlice<[u64; 3]>,
) {
    if let Some(out) = out.get_mut(thread::index_1d()) {
        *out = [small.into(), large, marks.len() as u64];
    }
}

/// A range of numbers somewhere on the device.
#[derive(Clone, Copy, Debug, Value)]
#[repr(C)]
pub struct Run {
    /// The address of the first number.
    pub start: *const u32,
    /// How many numbers there are.
    pub length: u64,
}

/// The sum of each run, and each run's first number to where an address says.
///
/// # Safety
/// This many numbers are at each run's address, which no thread writes; `firsts` has a place for
/// each run, which nobody else touches.
#[kernel]
pub unsafe fn follow(runs: &[Run], firsts: *mut u32, mut sums: DisjointSlice<u64>) {
    let index = thread::index_1d();
    let i = index.get();
    if let (Some(run), Some(sum)) = (runs.get(i), sums.get_mut(&index)) {
        for at in 0..run.length as usize {
            // SAFETY: the caller says that they are there.
            *sum += u64::from(unsafe { run.start.add(at).read() });
        }
        if run.length > 0 {
            // SAFETY: the caller says so; the place is this thread's.
            unsafe { firsts.add(i).write(run.start.read()) };
        }
    }
}

/// Every kind of atomic that a buffer can provide.
#[kernel]
#[expect(clippy::too_many_arguments, reason = "that many kinds there are")]
pub fn count(
    values: &[u32],
    bins: &[DeviceAtomicU32],
    least: &[DeviceAtomicI32],
    bits: &[DeviceAtomicU64],
    total: &[SystemAtomicI64],
    halves: &[DeviceAtomicF32],
    quarters: &[DeviceAtomicF64],
    rows: &[[core::sync::atomic::AtomicU32; 2]],
) {
    const ORDER: AtomicOrdering = AtomicOrdering::Relaxed;
    let Some(&value) = values.get(thread::index_1d().get()) else {
        return;
    };
    let at = |length: usize| value as usize % length;
    if bins.is_empty() || rows.is_empty() {
        return;
    }
    bins[at(bins.len())].fetch_add(1, ORDER);
    least[0].fetch_min(value as i32, ORDER);
    bits[0].fetch_or(1 << (value % 64), ORDER);
    total[0].fetch_sub(i64::from(value), ORDER);
    halves[0].fetch_add(0.5 * (value % 8) as f32, ORDER);
    quarters[0].fetch_add(0.25 * f64::from(value % 8), ORDER);
    rows[at(rows.len())][(value >> 31) as usize].fetch_max(value, ORDER);
}

/// Three parts of one buffer, each written at its own places: `a` and `b` swap their values, and
/// `c` counts up.
#[kernel]
pub fn exchange(mut a: DisjointSlice<u32>, mut b: DisjointSlice<u32>, mut c: DisjointSlice<u32>) {
    let index = thread::index_1d();
    if let (Some(a), Some(b)) = (a.get_mut(&index), b.get_mut(&index)) {
        core::mem::swap(a, b);
    }
    if let Some(c) = c.get_mut(&index) {
        *c = c.wrapping_add(index.get() as u32);
    }
}

/// As many parameters as a kernel takes; element `i` is the value of number `i`.
#[kernel]
#[expect(clippy::too_many_arguments, reason = "that many there can be")]
pub fn collect(
    mut output: DisjointSlice<u32>,
    p1: u32,
    p2: u32,
    p3: u32,
    p4: u32,
    p5: u32,
    p6: u32,
    p7: u32,
    p8: u32,
    p9: u32,
    p10: u32,
    p11: u32,
    p12: u32,
    p13: u32,
    p14: u32,
    p15: u32,
    p16: u32,
    p17: u32,
    p18: u32,
    p19: u32,
    p20: u32,
    p21: u32,
    p22: u32,
    p23: u32,
) {
    let values = [
        p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18, p19, p20,
        p21, p22, p23,
    ];
    let index = thread::index_1d();
    if let (Some(value), Some(output)) = (values.get(index.get()), output.get_mut(&index)) {
        *output = *value;
    }
}
