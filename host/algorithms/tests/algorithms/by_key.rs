//! Scans, reductions and lengths of runs against the CPU, at sizes that do not fit tiles, at
//! addresses that are not aligned to sixteen bytes, and under schedules of the blocks that wait for
//! each other.

use std::ops::Range;

use lanewise::checks::{self, Checking};
use lanewise::{Device, DeviceBuffer, DeviceCopy, MemoryError, Zeroable};
use lanewise_algorithms::{ByKey, Error};
use lanewise_std::collective::{Max, Min, Sum};

use crate::common::{device, words};

/// Numbers of keys around those of vectors, warps and tiles.
const SIZES: [usize; 11] = [0, 1, 3, 129, 641, 3072, 5119, 5120, 5121, 7169, 20_003];
/// More tiles than a warp looks back at together.
const MANY: usize = 33 * 5120 + 7;

fn uploaded<T: DeviceCopy>(device: &Device, values: &[T]) -> DeviceBuffer<T> {
    DeviceBuffer::from_slice(device, values).expect("a buffer")
}

fn zeros<T: DeviceCopy + Zeroable>(device: &Device, len: usize) -> DeviceBuffer<T> {
    DeviceBuffer::zeroed(device, len).expect("a buffer")
}

/// Keys in runs of about this length. Some neighbouring runs happen to have the same key.
fn in_runs(len: usize, length: u32) -> Vec<u32> {
    let mut key = 0;
    let word = |word: u32| {
        if (word >> 8).is_multiple_of(length) {
            key = word >> 29;
        }
        key
    };
    words(len).into_iter().map(word).collect()
}

/// Returns where the runs of equal keys are.
fn runs<K: PartialEq>(keys: &[K]) -> Vec<Range<usize>> {
    let mut start = 0;
    let run = |keys: &[K]| {
        start += keys.len();
        start - keys.len()..start
    };
    keys.chunk_by(K::eq).map(run).collect()
}

/// A test of all three with keys of one type. It skips elements before the keys, so that some are
/// not aligned.
macro_rules! by_keys {
    ($test:ident: $key:ident, $of_word:expr) => {
        #[test]
        fn $test() {
            let (device, stream) = device();
            let mut by_key = ByKey::new(&device, 20_003).expect("a workspace");
            let mut count = zeros::<u64>(&device, 1);
            for len in SIZES {
                for (length, skip) in [(1, 0), (3, 1), (300, 0), (1 << 23, 0)] {
                    let keys: Vec<$key> = in_runs(len, length).into_iter().map($of_word).collect();
                    let shifted = [
                        vec![keys.first().copied().unwrap_or_default(); skip],
                        keys.clone(),
                    ];
                    let all = uploaded(&device, &shifted.concat());
                    let input = all.slice(skip..);
                    let values: Vec<i32> = words(len).iter().map(|word| *word as i32).collect();
                    let weights = uploaded(&device, &values);
                    let runs = runs(&keys);
                    let at = format!("{len} {length}");

                    let mut results = zeros::<i32>(&device, len);
                    by_key
                        .inclusive(&stream, Sum, &input, &weights, &mut results)
                        .expect("a scan");
                    let scan = |combine: fn(i32, i32) -> i32, neutral: i32, is_exclusive: bool| {
                        let mut all = Vec::new();
                        for run in &runs {
                            let mut through = neutral;
                            for value in &values[run.clone()] {
                                let before = through;
                                through = combine(before, *value);
                                all.push(if is_exclusive { before } else { through });
                            }
                        }
                        all
                    };
                    let expected = scan(i32::wrapping_add, 0, false);
                    assert!(results.to_vec().unwrap() == expected, "inclusive {at}");
                    by_key
                        .exclusive(&stream, Max, &input, &weights, &mut results)
                        .expect("a scan");
                    let expected = scan(i32::max, i32::MIN, true);
                    assert!(results.to_vec().unwrap() == expected, "exclusive {at}");

                    let found_keys: Vec<$key> = runs.iter().map(|run| keys[run.start]).collect();
                    let mut found = zeros::<$key>(&device, len);
                    let output = (&mut found, &mut results);
                    by_key
                        .reduce(&stream, Min, &input, &weights, output, &mut count)
                        .expect("a reduction");
                    assert_eq!(count.to_vec().unwrap(), [runs.len() as u64], "{at}");
                    assert!(found.to_vec().unwrap()[..runs.len()] == found_keys, "{at}");
                    let least = runs.iter().map(|run| values[run.clone()].iter().min());
                    let least: Vec<i32> = least.flatten().copied().collect();
                    assert!(
                        results.to_vec().unwrap()[..runs.len()] == least,
                        "reduce {at}"
                    );

                    let mut found = zeros::<$key>(&device, len);
                    let mut lengths = zeros::<u32>(&device, len);
                    let output = (&mut found, &mut lengths);
                    by_key
                        .run_lengths(&stream, &input, output, &mut count)
                        .expect("lengths");
                    assert_eq!(count.to_vec().unwrap(), [runs.len() as u64], "{at}");
                    assert!(found.to_vec().unwrap()[..runs.len()] == found_keys, "{at}");
                    let expected: Vec<u32> = runs.iter().map(|run| run.len() as u32).collect();
                    assert!(
                        lengths.to_vec().unwrap()[..runs.len()] == expected,
                        "lengths {at}"
                    );
                }
            }
        }
    };
}

by_keys!(keys_of_u32_are_combined: u32, |word| word);
by_keys!(keys_of_i64_are_combined: i64, |word| -(i64::from(word) << 32));

#[test]
fn a_warp_looks_back_at_many_tiles() {
    let (device, stream) = device();
    let words = words(MANY);
    let keys: Vec<u32> = words.iter().map(|word| word >> 31).collect();
    let (input, values) = (uploaded(&device, &keys), uploaded(&device, &words));
    let mut sums = zeros::<u32>(&device, MANY);
    let mut by_key = ByKey::new(&device, MANY).expect("a workspace");
    let schedule = "pct,weak".parse().expect("a schedule");
    let _checking = Checking::all().schedule(schedule).start();
    by_key
        .inclusive(&stream, Sum, &input, &values, &mut sums)
        .expect("a scan");
    let found = sums.to_vec().unwrap();
    for run in runs(&keys) {
        let mut sum = 0u32;
        for i in run {
            sum = sum.wrapping_add(words[i]);
            assert_eq!(found[i], sum, "element {i}");
        }
    }
    let (mut found, mut count) = (zeros(&device, MANY), zeros(&device, 1));
    by_key
        .reduce(
            &stream,
            Sum,
            &input,
            &values,
            (&mut found, &mut sums),
            &mut count,
        )
        .expect("a reduction");
    let runs = runs(&keys);
    assert_eq!(count.to_vec().unwrap(), [runs.len() as u64]);
    let sums = sums.to_vec().unwrap();
    for (i, run) in runs.into_iter().enumerate() {
        let sum = words[run]
            .iter()
            .fold(0, |sum: u32, word| sum.wrapping_add(*word));
        assert_eq!(sums[i], sum, "run {i}");
    }
}

#[test]
fn keys_that_are_floats_are_equal_by_their_bits() {
    let (device, stream) = device();
    let keys = [0.0f32, -0.0, f32::NAN, f32::NAN];
    let (mut found, mut lengths) = (zeros(&device, 4), zeros(&device, 4));
    let mut count = zeros(&device, 1);
    ByKey::new(&device, 4)
        .expect("a workspace")
        .run_lengths(
            &stream,
            &uploaded(&device, &keys),
            (&mut found, &mut lengths),
            &mut count,
        )
        .expect("lengths");
    assert_eq!(
        (count.to_vec().unwrap()[0], &lengths.to_vec().unwrap()[..3]),
        (3, &[1, 1, 2][..])
    );
}

#[test]
fn what_is_too_short_is_refused() {
    let (device, stream) = device();
    let keys = uploaded(&device, &[1u32; 9]);
    let values = uploaded(&device, &[1.0f32; 9]);
    let mut count = zeros::<u64>(&device, 1);
    let text = |result: Result<(), Error>| result.expect_err("an error").to_string();
    let mut by_key = ByKey::new(&device, 9).expect("a workspace");
    let (mut nine, mut eight) = (zeros::<f32>(&device, 9), zeros::<f32>(&device, 8));
    assert_eq!(
        text(by_key.inclusive(&stream, Sum, &keys, &eight, &mut nine)),
        "expected values of at least 9 elements, found 8"
    );
    assert_eq!(
        text(by_key.exclusive(&stream, Sum, &keys, &values, &mut eight)),
        "expected an output of at least 9 elements, found 8"
    );
    let mut found = zeros::<u32>(&device, 9);
    let output = (&mut found, &mut eight);
    assert_eq!(
        text(by_key.reduce(&stream, Sum, &keys, &values, output, &mut count)),
        "expected an output of values of at least 9 elements, found 8"
    );
    let mut lengths = zeros::<u32>(&device, 9);
    let output = (&mut found, &mut lengths);
    assert_eq!(
        text(by_key.run_lengths(&stream, &keys, output, &mut zeros(&device, 0))),
        "expected a count of at least 1 elements, found 0"
    );
    let many = zeros::<u32>(&device, 5121);
    let mut sums = zeros::<f32>(&device, 5121);
    let values = zeros::<f32>(&device, 5121);
    assert_eq!(
        text(by_key.inclusive(&stream, Sum, &many, &values, &mut sums)),
        "expected a workspace of at least 3 elements, found 2"
    );
}

#[test]
fn blocks_that_wait_for_each_other_are_right_in_any_order() {
    let (device, stream) = device();
    // A run over more than one tile, and short ones.
    let mut keys = in_runs(3 * 5120 + 5, 4);
    keys[1000..9000].fill(77);
    let runs = runs(&keys);
    let values = vec![1u32; keys.len()];
    let (input, values) = (uploaded(&device, &keys), uploaded(&device, &values));
    let expected: (Vec<u32>, Vec<u32>, u32) = (
        runs.iter().map(|run| keys[run.start]).collect(),
        runs.iter().map(|run| run.len() as u32).collect(),
        runs.last().expect("a run").len() as u32,
    );
    for (schedule, seed) in [("pct,weak", 1), ("pct,weak", 2), ("random,weak", 3)] {
        let schedule = schedule.parse().expect("a schedule");
        let checking = Checking::all().schedule(schedule).seed(seed);
        let (found, findings) = checks::of(&device, checking, || {
            let mut by_key = ByKey::new(&device, keys.len()).expect("a workspace");
            let (mut found, mut lengths) = (zeros(&device, keys.len()), zeros(&device, keys.len()));
            let (mut sums, mut count) = (zeros(&device, keys.len()), zeros(&device, 1));
            let output = (&mut found, &mut lengths);
            by_key
                .run_lengths(&stream, &input, output, &mut count)
                .expect("lengths");
            by_key
                .inclusive(&stream, Sum, &input, &values, &mut sums)
                .expect("a scan");
            let (mut again, mut ones) = (zeros(&device, keys.len()), zeros(&device, keys.len()));
            let output = (&mut again, &mut ones);
            by_key
                .reduce(&stream, Sum, &input, &values, output, &mut count)
                .expect("a reduction");
            let runs = count.to_vec()?[0] as usize;
            let (found, lengths) = (
                found.slice(..runs).to_vec()?,
                lengths.slice(..runs).to_vec()?,
            );
            assert!(
                again.slice(..runs).to_vec()? == found && ones.slice(..runs).to_vec()? == lengths
            );
            Ok::<_, MemoryError>((found, lengths, sums.to_vec()?[keys.len() - 1]))
        })
        .expect("a run");
        assert!(found == expected, "seed {seed}");
        let findings = findings.unwrap_or_default();
        assert!(findings.is_empty(), "seed {seed}: {findings:#?}");
    }
}
