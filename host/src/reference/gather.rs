//! Reads from places that a function of the index names.

/// `input[from(i)]` for each `i` below the input's length, 0 where `from(i)` lies past its end.
pub fn gather(input: &[f32], from: impl Fn(usize) -> usize) -> Vec<f32> {
    (0..input.len())
        .map(|i| input.get(from(i)).copied().unwrap_or(0.0))
        .collect()
}
