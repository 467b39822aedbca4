//! The sum of two matrices, row by row.

/// `a + b` for row-major matrices of `ny` rows and `nx` columns.
pub fn matrix_add(a: &[f32], b: &[f32], nx: usize, ny: usize) -> Vec<f32> {
    let mut sum = vec![0.0; nx * ny];
    for iy in 0..ny {
        for ix in 0..nx {
            sum[iy * nx + ix] = a[iy * nx + ix] + b[iy * nx + ix];
        }
    }
    sum
}
