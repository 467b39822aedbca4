//! Copies of some elements of a vector.

/// Copies every `stride`-th element of `input` from `offset` on, `n` of them, to the same places in a vector of zeroes. A
/// stride of 0 copies nothing.
pub fn strided_copy(input: &[f32], n: usize, offset: usize, stride: usize) -> Vec<f32> {
    let mut output = vec![0.0; input.len()];
    if stride > 0 {
        for at in (offset..input.len()).step_by(stride).take(n) {
            output[at] = input[at];
        }
    }
    output
}
