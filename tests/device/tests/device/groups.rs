//! The operations of groups, against a model: a list of lanes with their numbers.

use device::{TARGETS, numbers, run};
use device_kernels::groups::{
    Row, by_bit, by_label, in_a_branch, line, smaller_tiles, then, tiles,
};
use lanewise::LaunchConfig;
use tests::isolate::isolated;

const EMPTY: Row = [u32::MAX; 36];

/// Returns what the thread of this rank must write, in a group of these lanes and numbers.
fn expected(members: &[(u32, u32)], rank: usize) -> Row {
    let size = members.len();
    let x: Vec<u32> = members.iter().map(|(_, x)| *x).collect();
    let bits = |predicate: &dyn Fn(u32) -> bool| {
        let ranks = x.iter().enumerate().filter(|(_, x)| predicate(**x));
        ranks.fold(0, |bits, (rank, _)| bits | 1u32 << rank)
    };
    let combined =
        |ranks: std::ops::Range<usize>, start| x[ranks].iter().map(|x| line(*x)).fold(start, then);
    let sum = |ranks: std::ops::Range<usize>| x[ranks].iter().fold(0u32, |a, x| a.wrapping_add(*x));
    let wide = x.iter().fold(0u64, |a, x| a + (u64::from(*x) << 7));
    let wide_bits = x.iter().fold(0u64, |a, x| a ^ (u64::from(*x) << 20));
    let identity = (1, 0);
    let (lines, lines_before, lines_through) = (
        combined(0..size, identity),
        combined(0..rank, (1, 7)),
        combined(0..rank + 1, identity),
    );
    let floats: f32 = x.iter().map(|x| (*x % 1000) as f32).sum();
    let mine = x[rank];
    let all = || x.iter().copied();
    [
        rank as u32,
        size as u32,
        members.iter().fold(0, |mask, (lane, _)| mask | 1 << lane),
        members[rank].0,
        u32::from(rank == 0),
        x[(rank + 1) % size],
        x[0],
        x[rank.checked_sub(1).unwrap_or(rank)],
        x[rank.checked_sub(3).unwrap_or(rank)],
        x[if rank + 1 < size { rank + 1 } else { rank }],
        x[if rank + 5 < size { rank + 5 } else { rank }],
        u32::from(all().any(|x| x.is_multiple_of(5))),
        u32::from(all().all(|x| !x.is_multiple_of(7))),
        bits(&|x| x & 1 == 1),
        bits(&|x| x % 3 == mine % 3),
        u32::from(all().all(|x| x % 2 == mine % 2)),
        sum(0..size),
        all().min().unwrap_or_default(),
        all().map(|x| x as i32).max().unwrap_or_default() as u32,
        all().fold(1, u32::wrapping_mul),
        all().fold(0u8, |a, x| a.wrapping_add(x as u8)).into(),
        all().map(|x| x as i8).min().unwrap_or_default() as u32,
        floats.to_bits(),
        wide as u32,
        (wide >> 32) as u32,
        wide_bits as u32,
        (wide_bits >> 32) as u32,
        lines.0,
        lines.1,
        lines_before.0,
        lines_before.1,
        lines_through.0,
        lines_through.1,
        sum(0..rank + 1),
        x[..rank].iter().copied().fold(100, u32::max),
        x[size - 1].wrapping_add(1),
    ]
}

/// Numbers for threads. Some have few bits, so that lanes often agree.
fn inputs(threads: usize) -> Vec<u32> {
    let scattered = numbers(threads as u64).take(threads);
    scattered
        .enumerate()
        .map(|(thread, x)| match thread / 64 % 3 {
            0 => x as u32,
            1 => x as u32 % 8,
            _ => 6,
        })
        .collect()
}

/// Compares the rows of a launch with the model. `group_of` returns which lanes of a thread's warp
/// are its group.
fn agrees(what: &str, input: &[u32], rows: &[Row], group_of: impl Fn(usize, &[u32]) -> Vec<usize>) {
    for (thread, row) in rows.iter().enumerate() {
        let lanes = &input[thread / 32 * 32..input.len().min(thread / 32 * 32 + 32)];
        let group = group_of(thread % 32, lanes);
        let members: Vec<_> = group
            .iter()
            .map(|lane| (*lane as u32, lanes[*lane]))
            .collect();
        let rank = group.iter().position(|lane| *lane == thread % 32);
        let rank = rank.expect("a thread is in its group");
        assert_eq!(
            row,
            &expected(&members, rank),
            "{what}, thread {thread}, {members:?}"
        );
    }
}

macro_rules! of_sizes {
    ($target:expr, $compiled:expr, $($size:literal)*) => {
        $(
            // A whole number of tiles, and a last warp that is not full.
            for threads in [$size, 32, 192, 64 + $size] {
                let input = inputs(threads);
                let config = LaunchConfig::new(1, threads as u32);
                let rows = run($compiled, tiles::<$size>, config, &input, EMPTY);
                agrees(&format!("tile of {} of {threads} threads, {}", $size, $target), &input, &rows, |lane, _| {
                    let first = lane / $size * $size;
                    (first..first + $size).collect()
                });
            }
        )*
    };
}

#[test]
fn tiles_of_all_sizes_agree_with_the_model() {
    for (target, compiled) in TARGETS {
        of_sizes!(target, compiled, 1 2 4 8 16 32);
    }
}

#[test]
fn tiles_of_tiles_and_the_block_know_their_place() {
    let input = inputs(256);
    for (target, compiled) in TARGETS {
        // Threads are numbered by rank, whatever the shape of the block.
        let config = LaunchConfig::new(1, (16, 4, 4));
        let rows = run(compiled, smaller_tiles, config, &input, [0; 5]);
        for (thread, row) in rows.iter().enumerate() {
            let (rank, other) = (thread as u32, thread / 8 * 8 + ((thread % 8) ^ 5));
            assert_eq!(
                *row,
                [rank / 8, 32, input[other], rank, 256],
                "{target}, thread {thread}"
            );
        }
    }
}

#[test]
fn partitions_agree_with_the_model() {
    let input = inputs(192);
    let config = LaunchConfig::new(1, 192);
    for (target, compiled) in TARGETS {
        let rows = run(compiled, by_label, config, &input, EMPTY);
        agrees(&format!("labeled, {target}"), &input, &rows, |lane, x| {
            (0..32)
                .filter(|other| x[*other] % 5 == x[lane] % 5)
                .collect()
        });
        let rows = run(compiled, by_bit, config, &input, EMPTY);
        agrees(&format!("binary, {target}"), &input, &rows, |lane, x| {
            let tile = lane / 16 * 16;
            (tile..tile + 16)
                .filter(|other| x[*other] & 1 == x[lane] & 1)
                .collect()
        });
    }
}

/// The hardware decides which lanes are together. The model accepts the mask that a thread writes,
/// if such a mask is possible.
#[test]
fn those_who_meet_in_a_branch_are_a_group() {
    let input = inputs(100);
    for (target, compiled) in TARGETS {
        let rows = run(
            compiled,
            in_a_branch,
            LaunchConfig::new(1, 100),
            &input,
            EMPTY,
        );
        let came = |x: u32| !x.is_multiple_of(3);
        for (thread, row) in rows.iter().enumerate() {
            if !came(input[thread]) {
                assert_eq!(*row, EMPTY, "{target}, thread {thread}");
                continue;
            }
            let first = thread / 32 * 32;
            let members: Vec<_> = (0..32)
                .filter(|lane| row[2] >> lane & 1 == 1)
                .map(|lane| (lane, input[first + lane as usize]))
                .collect();
            assert!(
                members.iter().all(|(_, x)| came(*x)),
                "{target}, thread {thread}"
            );
            let rank = members
                .iter()
                .position(|(lane, _)| *lane as usize == thread % 32);
            let rank = rank.expect("a thread is in its group");
            assert_eq!(row, &expected(&members, rank), "{target}, thread {thread}");
        }
    }
}

#[test]
fn a_block_that_is_no_whole_number_of_tiles_is_refused() {
    let test = "groups::a_block_that_is_no_whole_number_of_tiles_is_refused";
    let answer = isolated(test, || {
        let (_, compiled) = TARGETS[0];
        let input = inputs(40);
        let config = LaunchConfig::new(1, 40);
        let run = || run(compiled, tiles::<16>, config, &input, EMPTY);
        let launched = std::panic::catch_unwind(run);
        format!("{}", launched.is_err())
    });
    assert_eq!(answer.text, "true");
    let says = "the block is not a whole number of tiles";
    assert!(answer.printed.contains(says), "{}", answer.printed);
}
