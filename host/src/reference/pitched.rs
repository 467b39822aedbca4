//! A matrix or volume that is scaled; padding is no part of it.

/// Each element times `factor`.
pub fn scale(data: &[f32], factor: f32) -> Vec<f32> {
    data.iter().map(|x| x * factor).collect()
}
