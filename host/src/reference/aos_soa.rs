//! Points that are moved, however they lie in memory.

/// Each point moved by `shift`.
pub fn shift(points: &[(f32, f32)], shift: (f32, f32)) -> Vec<(f32, f32)> {
    points
        .iter()
        .map(|(x, y)| (x + shift.0, y + shift.1))
        .collect()
}
