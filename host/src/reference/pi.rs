//! Pi as the area under 4 / (1 + x^2) between 0 and 1, by the midpoint rule, in double precision.

/// The sum of `n` strips, each taken at its middle; no strips have no area.
pub fn pi(n: usize) -> f64 {
    let height = |i: usize| {
        let x = (i as f64 + 0.5) / n as f64;
        4.0 / (1.0 + x * x)
    };
    if n == 0 {
        0.0
    } else {
        (0..n).map(height).sum::<f64>() / n as f64
    }
}

#[cfg(test)]
mod tests {
    use super::pi;

    #[test]
    fn many_strips_come_near_pi() {
        assert!((pi(10_000) - std::f64::consts::PI).abs() < 1e-8);
        assert_eq!((pi(0), pi(1)), (0.0, 4.0 / 1.25));
    }
}
