//! The sum of two vectors, read from an offset on.

/// `c[i] = a[i + offset] + b[i + offset]`; elements of `c` that have no such sum stay as they are.
pub fn read_offset(a: &[f32], b: &[f32], c: &mut [f32], offset: usize) {
    let sums = a.iter().zip(b).skip(offset).map(|(a, b)| a + b);
    for (c, sum) in c.iter_mut().zip(sums) {
        *c = sum;
    }
}
