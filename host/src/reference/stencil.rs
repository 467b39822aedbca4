//! The first derivative by central differences.

/// `sum c[j] (input[i + j] - input[i - j])` for j from 1 on, with zero past both ends. Each product is added with one rounding, as
/// contraction has it on the device.
pub fn derivative(input: &[f32], coefficients: &[f32]) -> Vec<f32> {
    let sample = |i: Option<usize>| i.and_then(|i| input.get(i)).copied().unwrap_or(0.0);
    let at = |i: usize| {
        let terms = coefficients.iter().zip(1..).map(|(c, j)| {
            let difference = sample(i.checked_add(j)) - sample(i.checked_sub(j));
            (c, difference)
        });
        terms.fold(0.0, |slope, (c, difference)| c.mul_add(difference, slope))
    };
    (0..input.len()).map(at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_one_slope_away_from_its_ends() {
        let line: Vec<f32> = (0..20).map(|i| 3.0 * i as f32).collect();
        let slopes = derivative(&line, &[4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0]);
        assert!(slopes[4..16].iter().all(|slope| (slope - 3.0).abs() < 1e-5));
        assert!((slopes[19] - 3.0).abs() > 1.0);
    }
}
