//! The sum of two vectors.

/// `a[i] + b[i]` for each `i`. Both are as long as the shorter.
pub fn vector_add(a: &[f32], b: &[f32]) -> Vec<f32> {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}
