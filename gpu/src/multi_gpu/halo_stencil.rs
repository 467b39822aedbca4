//! A step of a 2-D stencil on one device's rows. The inner rows need no other device, but the first
//! and the last row do.
//!
//! Each element becomes the mean of its four neighbours. Outside the field there is zero. `field`
//! has the device's rows of `nx` columns in row-major order. `above` and `below` are the rows next
//! to them, which are on other devices: the halo. Launch: `stencil_interior`, a 2-D grid of at
//! least `nx` threads along x and the rows of `inner` along y; `stencil_halo`, a 1-D grid of at
//! least `nx` threads; blocks of any size.
//! Shows: all rows except two can be computed while the halo is still being copied.
//! Source: Professional CUDA C Programming, chapter 9 (there with an 8th-order stencil in time).

use lanewise_macros::kernel;
use lanewise_std::thread;
use lanewise_std::{DisjointMatrix, DisjointSlice};

/// Computes all rows except the first and the last: `inner` begins with the second.
#[kernel]
#[launch_contract(dims = 2)]
pub fn stencil_interior(field: &[f32], mut inner: DisjointMatrix<f32>) {
    let nx = inner.columns();
    inner.fill(|row, x| {
        let i = row * nx + x;
        let (up, down) = (element(field, i), element(field, i + 2 * nx));
        mean(up, down, field, i + nx, (x, nx))
    });
}

/// Computes the first row and the last one, which is empty if the first is the last.
#[kernel]
#[launch_contract(dims = 1)]
pub fn stencil_halo(
    field: &[f32],
    above: &[f32],
    below: &[f32],
    mut first: DisjointSlice<f32>,
    mut last: DisjointSlice<f32>,
    nx: u32,
) {
    let index = thread::index_1d();
    let (x, nx) = (index.get(), nx as usize);
    if x >= nx {
        return;
    }
    let end = field.len();
    if let Some(first) = first.get_mut(&index) {
        let down = if end > nx {
            element(field, x + nx)
        } else {
            element(below, x)
        };
        *first = mean(element(above, x), down, field, x, (x, nx));
    }
    if end >= 2 * nx
        && let Some(last) = last.get_mut(&index)
    {
        let at = end - nx + x;
        *last = mean(
            element(field, at - nx),
            element(below, x),
            field,
            at,
            (x, nx),
        );
    }
}

/// Returns the element, or zero outside.
#[inline(always)]
fn element(values: &[f32], at: usize) -> f32 {
    values.get(at).copied().unwrap_or(0.0)
}

/// Returns the mean of the four neighbours of element `at`, which is in column `x` of `nx`.
#[inline(always)]
fn mean(up: f32, down: f32, field: &[f32], at: usize, (x, nx): (usize, usize)) -> f32 {
    let left = if x > 0 { element(field, at - 1) } else { 0.0 };
    let right = if x + 1 < nx {
        element(field, at + 1)
    } else {
        0.0
    };
    ((up + down) + (left + right)) * 0.25
}
