//! What goes by keys or by places: runs, sorts, gather and scatter, top-k.

use std::cmp::Reverse;
use std::ops::Range;

use anyhow::{Result, ensure};
use lanewise::DeviceBuffer;
use lanewise_algorithms::{
    ByKey, Order, SegmentedSort, Sort, SortPairs, gather, scatter, top_of_rows,
};
use lanewise_records::Unit;
use lanewise_std::collective::Sum;

use super::{Measured, Runner};

/// Keys in runs of two on average, values, and where the runs are.
struct Runs {
    keys: Vec<u32>,
    values: Vec<u32>,
    of: Vec<Range<usize>>,
}

impl Runs {
    fn new(run: &Runner) -> Self {
        let values = run.words();
        let keys: Vec<u32> = values.iter().map(|word| word >> 31).collect();
        let mut start = 0;
        let of = keys
            .chunk_by(u32::eq)
            .map(|run| {
                start += run.len();
                start - run.len()..start
            })
            .collect();
        Self { keys, values, of }
    }
}

pub(super) fn scan_by_key(run: &Runner) -> Result<Measured> {
    let runs = Runs::new(run);
    let (keys, values) = (run.upload(&runs.keys)?, run.upload(&runs.values)?);
    let mut output = DeviceBuffer::<u32>::uninit(&run.device, run.len)?;
    let mut by_key = ByKey::new(&run.device, run.len)?;
    let times =
        run.time(|| Ok(by_key.inclusive(&run.stream, Sum, &keys, &values, &mut output)?))?;
    let found = output.to_vec()?;
    for run in runs.of {
        let mut sum = 0u32;
        for i in run {
            sum = sum.wrapping_add(runs.values[i]);
            ensure!(found[i] == sum, "element {i}: {}, not {sum}", found[i]);
        }
    }
    Measured::of(times, run.len * 12, Unit::Bytes)
}

/// A reduction by key, or the lengths of the runs.
pub(super) fn reduce_by_key(run: &Runner, are_lengths: bool) -> Result<Measured> {
    let runs = Runs::new(run);
    let (keys, values) = (run.upload(&runs.keys)?, run.upload(&runs.values)?);
    let mut found = DeviceBuffer::<u32>::uninit(&run.device, run.len)?;
    let mut output = DeviceBuffer::<u32>::uninit(&run.device, run.len)?;
    let mut count = run.upload(&[0u64])?;
    let mut by_key = ByKey::new(&run.device, run.len)?;
    let times = run.time(|| {
        let (output, count) = ((&mut found, &mut output), &mut count);
        if are_lengths {
            by_key.run_lengths(&run.stream, &keys, output, count)?;
        } else {
            by_key.reduce(&run.stream, Sum, &keys, &values, output, count)?;
        }
        Ok(())
    })?;
    ensure!(count.to_vec()? == [runs.of.len() as u64], "count");
    let found = found.slice(..runs.of.len()).to_vec()?;
    let output = output.slice(..runs.of.len()).to_vec()?;
    for (i, run) in runs.of.iter().enumerate() {
        ensure!(found[i] == runs.keys[run.start], "key of run {i}");
        let values = runs.values[run.clone()].iter();
        let sum = values.fold(0, |sum: u32, value| sum.wrapping_add(*value));
        let expected = if are_lengths { run.len() as u32 } else { sum };
        ensure!(
            output[i] == expected,
            "run {i}: {}, not {expected}",
            output[i]
        );
    }
    let read = if are_lengths { 4 } else { 8 };
    Measured::of(times, run.len * read + runs.of.len() * 8, Unit::Bytes)
}

/// Sorts of keys: a quarter of the other jobs' length, 2^26.
macro_rules! sorts {
    ($($name:ident: $key:ty, $keys:expr, $compare:expr, $bits:expr;)*) => {$(
        pub(super) fn $name(run: &Runner) -> Result<Measured> {
            let mut host: Vec<$key> = $keys(run);
            let input = run.upload(&host)?;
            let mut output = DeviceBuffer::<$key>::uninit(&run.device, host.len())?;
            let mut sort = Sort::new(&run.device, host.len())?;
            let times =
                run.time(|| Ok(sort.sort(&run.stream, Order::Ascending, &input, &mut output)?))?;
            host.sort_unstable_by($compare);
            ensure!(output.to_vec()?.into_iter().map($bits).eq(host.into_iter().map($bits)));
            Ok(Measured::of(times, run.len / 4, Unit::Keys)?.at(run.len / 4))
        }
    )*};
}
sorts! {
    sort_u32: u32, quarter, u32::cmp, u32::to_le_bytes;
    sort_u64: u64, pairs_of_words, u64::cmp, u64::to_le_bytes;
    sort_f32: f32, |run| quarter(run).into_iter().map(f32::from_bits).collect(), f32::total_cmp, f32::to_bits;
}

/// Sorts as many keys in segments of this length; the last one is shorter.
pub(super) fn sort_segments(run: &Runner, length: usize) -> Result<Measured> {
    let mut host = quarter(run);
    let starts: Vec<u32> = (0..host.len() as u32).step_by(length).collect();
    let (segments, starts) = (starts.len(), [starts, vec![host.len() as u32]].concat());
    let (input, starts) = (run.upload(&host)?, run.upload(&starts)?);
    let mut output = DeviceBuffer::<u32>::uninit(&run.device, host.len())?;
    let mut sort = SegmentedSort::new(&run.device, host.len(), segments)?;
    let times =
        run.time(|| Ok(sort.sort(&run.stream, Order::Ascending, &input, &starts, &mut output)?))?;
    host.chunks_mut(length).for_each(<[u32]>::sort_unstable);
    ensure!(output.to_vec()? == host);
    Ok(Measured::of(times, run.len / 4, Unit::Keys)?.at(run.len / 4))
}

/// Sorts of as many keys with values of 32 bits.
macro_rules! sorts_of_pairs {
    ($($name:ident: $key:ty = $of_word:expr;)*) => {$(
        pub(super) fn $name(run: &Runner) -> Result<Measured> {
            let host: Vec<$key> = quarter(run).into_iter().map($of_word).collect();
            let indices: Vec<u32> = (0..host.len() as u32).collect();
            let input = (run.upload(&host)?, run.upload(&indices)?);
            let mut keys = DeviceBuffer::<$key>::uninit(&run.device, host.len())?;
            let mut values = DeviceBuffer::<u32>::uninit(&run.device, host.len())?;
            let mut sort = SortPairs::new(&run.device, host.len())?;
            let times = run.time(|| {
                let (from, to) = ((&input.0, &input.1), (&mut keys, &mut values));
                Ok(sort.sort(&run.stream, Order::Ascending, from, to)?)
            })?;
            let mut pairs: Vec<($key, u32)> = host.into_iter().zip(indices).collect();
            pairs.sort_unstable();
            ensure!(keys.to_vec()?.into_iter().zip(values.to_vec()?).eq(pairs));
            Ok(Measured::of(times, run.len / 4, Unit::Keys)?.at(run.len / 4))
        }
    )*};
}
sorts_of_pairs! {
    sort_pairs_u32: u32 = |word| word;
    sort_pairs_u64: u64 = |word| u64::from(word) << 13;
}

/// A quarter of the other jobs' words.
fn quarter(run: &Runner) -> Vec<u32> {
    let mut words = run.words();
    words.truncate(run.len / 4);
    words
}

/// As many keys of 64 bits.
fn pairs_of_words(run: &Runner) -> Vec<u64> {
    let words = run.words();
    let (pairs, _) = words.as_chunks::<2>();
    let key = |[high, low]: &[u32; 2]| u64::from(*high) << 32 | u64::from(*low);
    pairs[..run.len / 4].iter().map(key).collect()
}

/// Gathers from all places in an order without a pattern, or scatters to them.
pub(super) fn move_by_places(run: &Runner, is_scatter: bool) -> Result<Measured> {
    // Odd factors and a power of two: each place is there once.
    let most = run.len as u32 - 1;
    let place = |i: u32| {
        let place = i.wrapping_mul(2_654_435_761) & most;
        (place ^ place >> 15).wrapping_mul(0x85eb_ca6b) & most
    };
    let places: Vec<u32> = (0..=most).map(place).collect();
    let host = run.words();
    let (input, indices) = (run.upload(&host)?, run.upload(&places)?);
    let mut output = DeviceBuffer::<u32>::zeroed(&run.device, run.len)?;
    let times = run.time(|| {
        if is_scatter {
            scatter(&run.stream, &input, &indices, &mut output)?;
        } else {
            gather(&run.stream, &input, &indices, &mut output)?;
        }
        Ok(())
    })?;
    let found = output.to_vec()?;
    for (i, place) in places.iter().enumerate() {
        let (from, to) = if is_scatter {
            (i, *place as usize)
        } else {
            (*place as usize, i)
        };
        ensure!(found[to] == host[from], "element {to}");
    }
    Measured::of(times, run.len * 12, Unit::Bytes)
}

/// The first elements of rows of 50,257, the words of a language model.
pub(super) fn top(run: &Runner, wanted: usize) -> Result<Measured> {
    const COLUMNS: usize = 50_257;
    let rows = (run.len / COLUMNS).max(2);
    // Each row of its own: a multiple of its first place, without a pattern.
    let word = |i: usize| {
        let word = (i as u32).wrapping_mul(2_654_435_761);
        (word ^ word >> 16).wrapping_mul(0x85eb_ca6b)
    };
    let host: Vec<f32> = (0..rows * COLUMNS)
        .map(|i| (word(i) >> 8) as f32 - 8e6)
        .collect();
    let input = run.upload(&host)?;
    let mut found = DeviceBuffer::<f32>::uninit(&run.device, rows * wanted)?;
    let mut places = DeviceBuffer::<u32>::uninit(&run.device, rows * wanted)?;
    let times = run.time(|| {
        let output = (&mut found, &mut places);
        Ok(top_of_rows(
            &run.stream,
            Order::Descending,
            wanted,
            &input,
            COLUMNS as u32,
            output,
        )?)
    })?;
    let (found, places) = (found.to_vec()?, places.to_vec()?);
    for row in [0, rows / 2, rows - 1] {
        let of = &host[row * COLUMNS..][..COLUMNS];
        let mut expected: Vec<u32> = (0..COLUMNS as u32).collect();
        expected.sort_by_key(|place| Reverse(of[*place as usize] as i32));
        for (i, place) in expected[..wanted].iter().enumerate() {
            let at = row * wanted + i;
            ensure!(
                places[at] == *place && found[at] == of[*place as usize],
                "row {row}, {i}"
            );
        }
    }
    let bytes = rows * COLUMNS * 4 + rows * wanted * 8;
    Ok(Measured::of(times, bytes, Unit::Bytes)?.at(rows * COLUMNS))
}
