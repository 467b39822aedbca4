//! What the lanes of a warp say, one at a time. Lanes past the end of the input hold zero.

/// The 32 values of each element's warp.
fn warps(input: &[i32]) -> impl Iterator<Item = [i32; 32]> {
    input.chunks(32).map(|values| {
        let mut lanes = [0; 32];
        lanes[..values.len()].copy_from_slice(values);
        lanes
    })
}

/// The lanes of which something is true, as bits.
fn lanes(warp: &[i32; 32], is: impl Fn(i32) -> bool) -> u32 {
    (0..32).fold(0, |bits, lane| bits | u32::from(is(warp[lane])) << lane)
}

/// For each element, the lanes of its warp that are above `limit`.
pub fn above(input: &[i32], limit: i32) -> Vec<u32> {
    let ballots = warps(input).flat_map(|warp| [lanes(&warp, |value| value > limit); 32]);
    ballots.take(input.len()).collect()
}

/// For each element, the lanes of its warp that have the same value.
pub fn same(input: &[i32]) -> Vec<u32> {
    let masks = warps(input).flat_map(|warp| warp.map(|own| lanes(&warp, |value| value == own)));
    masks.take(input.len()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_lanes() {
        assert_eq!(above(&[5, 1, 7], 4), [0b101; 3]);
        assert_eq!(same(&[8, 9, 8]), [0b101, 0b010, 0b101]);
        // The 30 lanes past the end hold zero.
        assert_eq!(same(&[0, 1]), [!0b10, 0b10]);
    }
}
