//! Points in memory: an array of structures, or a structure of arrays.
//!
//! Launch: 1-D grid of 1-D blocks of any size; at least one thread for each point. Each kernel adds
//! [`SHIFT`] to the coordinates and reads each of them once. Points past the end of the shortest
//! slice are left alone.
//! Shows: in an array of structures the same field of neighbouring points is 8 bytes apart, so a
//! load of it alone transfers twice the bytes: 50 % against 100 %. If the other field is used too,
//! one instruction loads both, because the host aligns elements of 8 bytes to 8. In CUDA C++ that
//! takes a structure with `align(8)`, and two loads without it.
//! Source: CUDA C++ Best Practices Guide, "Memory Optimizations".

use lanewise_macros::{Value, kernel};
use lanewise_std::DisjointSlice;
use lanewise_std::thread;

/// The values that are added to x and y.
pub const SHIFT: Point = Point { x: 10.0, y: 20.0 };

/// A point with the alignment of a float. Elements of a slice are aligned to their size all the
/// same.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Value)]
pub struct Point {
    /// The first coordinate.
    pub x: f32,
    /// The second coordinate.
    pub y: f32,
}

/// A point that is loaded and stored by one instruction wherever it is.
#[repr(C, align(8))]
#[derive(Clone, Copy, Debug, PartialEq, Value)]
pub struct AlignedPoint {
    /// The first coordinate.
    pub x: f32,
    /// The second coordinate.
    pub y: f32,
}

/// Changes both coordinates of an array of structures.
#[kernel]
#[launch_contract(dims = 1)]
pub fn aos_update(points: &[Point], mut moved: DisjointSlice<Point>) {
    let index = thread::index_1d();
    if let (Some(point), Some(moved)) = (points.get(index.get()), moved.get_mut(&index)) {
        moved.x = point.x + SHIFT.x;
        moved.y = point.y + SHIFT.y;
    }
}

/// Changes the first coordinate of an array of structures; the second is loaded and not used.
#[kernel]
#[launch_contract(dims = 1)]
pub fn aos_read_x(points: &[Point], mut xs: DisjointSlice<f32>) {
    let index = thread::index_1d();
    if let (Some(point), Some(x)) = (points.get(index.get()), xs.get_mut(&index)) {
        *x = point.x + SHIFT.x;
    }
}

/// Changes both coordinates of a structure of arrays.
#[kernel]
#[launch_contract(dims = 1)]
pub fn soa_update(
    xs: &[f32],
    ys: &[f32],
    mut moved_xs: DisjointSlice<f32>,
    mut moved_ys: DisjointSlice<f32>,
) {
    let index = thread::index_1d();
    let i = index.get();
    if let (Some(x), Some(y)) = (xs.get(i), ys.get(i))
        && let (Some(moved_x), Some(moved_y)) = (moved_xs.get_mut(&index), moved_ys.get_mut(&index))
    {
        *moved_x = x + SHIFT.x;
        *moved_y = y + SHIFT.y;
    }
}

/// Changes both coordinates of structures aligned to their size: one load and one store each.
#[kernel]
#[launch_contract(dims = 1)]
pub fn aligned_struct(points: &[AlignedPoint], mut moved: DisjointSlice<AlignedPoint>) {
    let index = thread::index_1d();
    if let (Some(point), Some(moved)) = (points.get(index.get()), moved.get_mut(&index)) {
        let AlignedPoint { x, y } = *point;
        *moved = AlignedPoint {
            x: x + SHIFT.x,
            y: y + SHIFT.y,
        };
    }
}
