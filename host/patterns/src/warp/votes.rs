//! Votes and matches: comparisons between the lanes of a warp.

use anyhow::Result;
use gpu::warp::votes::{Vote, match_any, vote_any_all_ballot};
use lanewise::{Device, DeviceBuffer, LaunchConfig};

use crate::case::Filling;
use crate::{Case, Pattern, Setup, Size, Variant, Work, input};

/// The pattern as `cargo xtask list` shows it and `cargo xtask run` runs it.
pub static PATTERN: Pattern = Pattern {
    name: "votes",
    chapter: "warp",
    summary: "32 answers in one register: any, all, ballot, and the lanes with the same value",
    source: "Professional CUDA C Programming, chapter 5",
    size: Size {
        of: "elements",
        is_square: false,
        default: 1 << 20,
        bench: Some(1 << 26),
    },
    variants: &[
        Variant::new("vote_any_all_ballot", vote),
        Variant::new("match_any", matches),
    ],
};

/// Returns values of three bits, taken from the input. They are so few that the lanes of a warp
/// have some in common.
fn values(setup: Setup) -> Result<Vec<i32>> {
    let mut values = input::integers(setup.elements()?, setup.seed);
    values.iter_mut().for_each(|value| *value &= 7);
    // Every third warp has one value in all lanes, so that its vote is unanimous.
    for (number, warp) in values.chunks_mut(32).enumerate() {
        if number % 3 == 2 {
            warp.fill(number as i32 % 8);
        }
    }
    Ok(values)
}

/// Returns a launch of whole warps that cover `n` elements.
fn config(n: usize, setup: Setup) -> LaunchConfig {
    LaunchConfig::cover_1d(n, setup.block.unwrap_or(LaunchConfig::DEFAULT_BLOCK))
}

fn vote(device: &Device, setup: Setup) -> Result<Box<dyn Case>> {
    const LIMIT: i32 = 3;
    let values = values(setup)?;
    let n = values.len();
    let from_ballot = |ballot| Vote {
        any: u32::from(ballot != 0),
        all: u32::from(ballot == u32::MAX),
        ballot,
    };
    let expected = above(&values, LIMIT).into_iter().map(from_ballot).collect();

    let input = DeviceBuffer::from_slice(device, &values)?;
    let output = DeviceBuffer::from_slice(device, &vec![from_ballot(0); n])?;
    let config = config(n, setup);
    Ok(Filling::boxed(
        [output],
        [expected],
        Work::Bytes(n as u64 * (4 + size_of::<Vote>() as u64)),
        move |stream, [output]| {
            let arguments = (&input, output, LIMIT);
            Ok(stream.launch(vote_any_all_ballot, config, arguments)?)
        },
    ))
}

fn matches(device: &Device, setup: Setup) -> Result<Box<dyn Case>> {
    let values = values(setup)?;
    let expected = same(&values);

    let n = values.len();
    let input = DeviceBuffer::from_slice(device, &values)?;
    let output = DeviceBuffer::zeroed(device, n)?;
    let config = config(n, setup);
    Ok(Filling::boxed(
        [output],
        [expected],
        Work::Bytes(2 * 4 * n as u64),
        move |stream, [output]| Ok(stream.launch(match_any, config, (&input, output))?),
    ))
}

// On the CPU: the votes of a warp, one lane at a time. Lanes past the end of the input hold zero.

/// Returns the 32 values of each element's warp.
fn warps(input: &[i32]) -> impl Iterator<Item = [i32; 32]> {
    input.chunks(32).map(|values| {
        let mut lanes = [0; 32];
        lanes[..values.len()].copy_from_slice(values);
        lanes
    })
}

/// Returns the lanes whose value satisfies `is`, as a bit mask.
fn lanes(warp: &[i32; 32], is: impl Fn(i32) -> bool) -> u32 {
    (0..32).fold(0, |bits, lane| bits | u32::from(is(warp[lane])) << lane)
}

/// Returns, for each element, the lanes of its warp that are above `limit`.
pub fn above(input: &[i32], limit: i32) -> Vec<u32> {
    let ballots = warps(input).flat_map(|warp| [lanes(&warp, |value| value > limit); 32]);
    ballots.take(input.len()).collect()
}

/// Returns, for each element, the lanes of its warp that have the same value.
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
