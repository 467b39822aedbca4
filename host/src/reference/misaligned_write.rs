//! The sum of two vectors, written from an offset on.

/// `c[i + offset] = a[i] + b[i]`; elements of `c` that have no such sum stay as they are.
pub fn write_offset(a: &[f32], b: &[f32], c: &mut [f32], offset: usize) {
    let sums = a.iter().zip(b).map(|(a, b)| a + b);
    for (c, sum) in c.iter_mut().skip(offset).zip(sums) {
        *c = sum;
    }
}
