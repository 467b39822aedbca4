//! The library of algorithms in a user's program: queued on a stream, and recorded in a graph.
#![forbid(unsafe_code)]

use std::error::Error;

use lanewise::{Device, DeviceBuffer};
use lanewise_algorithms::{
    ArgMax, ByKey, Fft, Fold, MeanVariance, Moments, Monoid, NotZero, Order, Place, Reduction, Scan,
    SegmentedSort, Select, Sort, SortPairs, gather, histogram_even, scatter, top_of_rows,
};
use lanewise_std::collective::{Max, Operator, Sum};
use lanewise_std::vector::Float2;
use own_kernels::operators::{Above, Compose, FindNearest, Nearest, Plus};
use proptest::prelude::*;

/// The number of bins.
const BINS: usize = 300;

/// What the library makes of one row of numbers.
struct Computed {
    most: u32,
    /// The first place of the greatest number.
    place: Place,
    moments: Moments,
    /// The running sums, of the stream and of the graph.
    sums: [Vec<u32>; 2],
    /// The numbers that are not zero.
    kept: Vec<u32>,
    /// The numbers that are not zero, and after them the zeros.
    parted: Vec<u32>,
    /// The first number of each run of equal ones.
    firsts: Vec<u32>,
    /// The length of each run, its sum, and the running sums within runs.
    of_runs: [Vec<u32>; 3],
    /// The places of the first five numbers in descending order, or of as many as there are.
    top: Vec<u32>,
    /// The numbers in ascending order.
    sorted: Vec<u32>,
    /// Each half of the numbers in ascending order.
    halves: Vec<u32>,
    /// The places of the numbers in descending order; equal ones as they were.
    places: Vec<u32>,
    /// The numbers in the order of the places.
    gathered: Vec<u32>,
    /// The numbers as they were.
    scattered: Vec<u32>,
    /// How often each number occurs, in more bins than a warp has counters for.
    counts: Vec<u32>,
}

fn compute(numbers: &[u32]) -> Result<Computed, Box<dyn Error>> {
    let device = Device::open()?;
    let stream = device.stream()?;
    let input = DeviceBuffer::from_slice(&device, numbers)?;
    let mut results = DeviceBuffer::zeroed(&device, numbers.len())?;

    let mut most = DeviceBuffer::zeroed(&device, 1)?;
    Reduction::new(&device)?.reduce(&stream, Max, &input, &mut most)?;

    let mut place = DeviceBuffer::<Place>::zeroed(&device, 1)?;
    Fold::new(&device)?.fold(&stream, ArgMax, &input, &mut place)?;
    let signed: Vec<i32> = numbers.iter().map(|number| *number as i32).collect();
    let signed = DeviceBuffer::from_slice(&device, &signed)?;
    let mut moments = DeviceBuffer::<Moments>::zeroed(&device, 1)?;
    Fold::new(&device)?.fold(&stream, MeanVariance, &signed, &mut moments)?;

    let mut scan = Scan::new(&device, numbers.len())?;
    scan.inclusive(&stream, Sum, &input, &mut results)?;
    let queued = results.to_vec()?;
    results.fill_zero()?;
    let graph = device.record(|record| Ok(scan.inclusive(record, Sum, &input, &mut results)?))?;
    graph.launch(&stream)?;
    let recorded = results.to_vec()?;

    let mut count = DeviceBuffer::zeroed(&device, 1)?;
    let mut select = Select::new(&device, numbers.len())?;
    select.select(&stream, NotZero, &input, &mut results, &mut count)?;
    let kept = results.slice(..count.to_vec()?[0] as usize).to_vec()?;
    select.partition(&stream, NotZero, &input, &mut results, &mut count)?;
    let parted = results.to_vec()?;
    select.unique(&stream, &input, &mut results, &mut count)?;
    let firsts = results.slice(..count.to_vec()?[0] as usize).to_vec()?;
    let mut by_key = ByKey::new(&device, numbers.len())?;
    let mut of_runs = DeviceBuffer::zeroed(&device, numbers.len())?;
    by_key.inclusive(&stream, Sum, &input, &input, &mut of_runs)?;
    let in_runs = of_runs.to_vec()?;
    by_key.run_lengths(&stream, &input, (&mut results, &mut of_runs), &mut count)?;
    let lengths = of_runs.slice(..count.to_vec()?[0] as usize).to_vec()?;
    let output = (&mut results, &mut of_runs);
    by_key.reduce(&stream, Sum, &input, &input, output, &mut count)?;
    let of_runs = [
        lengths,
        of_runs.slice(..count.to_vec()?[0] as usize).to_vec()?,
        in_runs,
    ];
    let (wanted, columns) = (numbers.len().min(5), numbers.len() as u32);
    let mut top = DeviceBuffer::zeroed(&device, wanted)?;
    let output = (&mut results, &mut top);
    top_of_rows(&stream, Order::Descending, wanted, &input, columns, output)?;
    Sort::new(&device, numbers.len())?.sort(&stream, Order::Ascending, &input, &mut results)?;
    let sorted = results.to_vec()?;
    let len = numbers.len() as u32;
    let starts = DeviceBuffer::from_slice(&device, &[0, len / 2, len])?;
    SegmentedSort::new(&device, numbers.len(), 2)?.sort(
        &stream,
        Order::Ascending,
        &input,
        &starts,
        &mut results,
    )?;
    let halves = results.to_vec()?;
    let indices: Vec<u32> = (0..numbers.len() as u32).collect();
    let indices = DeviceBuffer::from_slice(&device, &indices)?;
    let mut places = DeviceBuffer::zeroed(&device, numbers.len())?;
    let (from, to) = ((&input, &indices), (&mut results, &mut places));
    SortPairs::new(&device, numbers.len())?.sort(&stream, Order::Descending, from, to)?;
    // What is gathered by the places is in their order, and is scattered back by them.
    gather(&stream, &input, &places, &mut results)?;
    let mut scattered = DeviceBuffer::zeroed(&device, numbers.len())?;
    scatter(&stream, &results, &places, &mut scattered)?;
    let mut counts = DeviceBuffer::zeroed(&device, BINS)?;
    histogram_even(&stream, &signed, 0, 0, &mut counts)?;
    Ok(Computed {
        most: most.to_vec()?[0],
        place: place.to_vec()?[0],
        moments: moments.to_vec()?[0],
        sums: [queued, recorded],
        kept,
        parted,
        firsts,
        of_runs,
        top: top.to_vec()?,
        sorted,
        halves,
        places: places.to_vec()?,
        gathered: results.to_vec()?,
        scattered: scattered.to_vec()?,
        counts: counts.to_vec()?,
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_users_program_gets_what_the_cpu_computes(numbers in prop::collection::vec(0u32..5, 0..20_000)) {
        let Computed { most, place, moments, sums, kept, parted, firsts, of_runs, top, sorted, halves, places, gathered, scattered, counts } = compute(&numbers).unwrap();
        let mut sum = 0;
        let expected: Vec<_> = numbers.iter().map(|number| { sum += number; sum }).collect();
        prop_assert_eq!(most, numbers.iter().copied().max().unwrap_or(0));
        let first = numbers.iter().position(|number| *number == most);
        prop_assert_eq!(place.index, first.map_or(Place::NOWHERE, |first| first as u64));
        prop_assert_eq!(moments.count, numbers.len() as u64);
        let mean = f64::from(sum) / (numbers.len() as f64).max(1.0);
        let squares: f64 = numbers.iter().map(|number| (f64::from(*number) - mean).powi(2)).sum();
        prop_assert!((moments.mean - mean).abs() < 1e-12 && (moments.squares - squares).abs() < 1e-6);
        prop_assert_eq!(&sums[0], &expected);
        prop_assert_eq!(&sums[1], &expected);
        let expected: Vec<_> = numbers.iter().copied().filter(|number| *number > 0).collect();
        prop_assert_eq!(&kept, &expected);
        let mut expected = kept;
        expected.resize(numbers.len(), 0);
        prop_assert_eq!(parted, expected);
        let mut expected = numbers.clone();
        expected.dedup();
        prop_assert_eq!(firsts, expected);
        let runs: Vec<&[u32]> = numbers.chunk_by(u32::eq).collect();
        let lengths: Vec<_> = runs.iter().map(|run| run.len() as u32).collect();
        let totals: Vec<u32> = runs.iter().map(|run| run.iter().sum()).collect();
        let in_runs = runs.iter().flat_map(|run| (1..).zip(*run).map(|(i, number)| i * number));
        prop_assert_eq!(of_runs, [lengths, totals, in_runs.collect()]);
        prop_assert_eq!(&top[..], &places[..top.len()]);
        let mut expected = numbers.clone();
        expected.sort();
        prop_assert_eq!(sorted, expected);
        let mut expected = numbers.clone();
        let (first, second) = expected.split_at_mut(numbers.len() / 2);
        first.sort();
        second.sort();
        prop_assert_eq!(halves, expected);
        let mut expected: Vec<_> = (0..numbers.len() as u32).collect();
        expected.sort_by_key(|i| std::cmp::Reverse(numbers[*i as usize]));
        prop_assert_eq!(places, expected);
        prop_assert_eq!(scattered, numbers.clone());
        prop_assert!(gathered.is_sorted_by(|a, b| a >= b));
        let mut expected = vec![0; BINS];
        numbers.iter().for_each(|number| expected[*number as usize] += 1);
        prop_assert_eq!(counts, expected);
    }
}

/// A wave of one frequency has one number that is not zero, and is the same after both transforms.
#[test]
fn a_wave_is_one_frequency_and_the_wave_again() -> Result<(), Box<dyn Error>> {
    const LENGTH: usize = 64;
    const FREQUENCY: usize = 5;
    let device = Device::open()?;
    let stream = device.stream()?;
    let angle = |i: usize| std::f32::consts::TAU * (i * FREQUENCY % LENGTH) as f32 / LENGTH as f32;
    let wave: Vec<Float2> = (0..2 * LENGTH)
        .map(|i| Float2::new(angle(i).cos(), angle(i).sin()))
        .collect();
    let input = DeviceBuffer::from_slice(&device, &wave)?;
    let mut spectra = DeviceBuffer::zeroed(&device, wave.len())?;
    let mut back = DeviceBuffer::zeroed(&device, wave.len())?;
    let mut transform = Fft::new(&device, LENGTH, 2)?;
    transform.forward(&stream, &input, &mut spectra)?;
    transform.inverse(&stream, &spectra, &mut back)?;
    let far = |a: Float2, b: Float2| (a.x - b.x).abs().max((a.y - b.y).abs());
    for (i, &number) in spectra.to_vec()?.iter().enumerate() {
        let is_there = i % LENGTH == FREQUENCY;
        let expected = Float2::new(if is_there { LENGTH as f32 } else { 0.0 }, 0.0);
        assert!(far(number, expected) < 1e-4, "{i}: {number:?}");
    }
    for (&number, &expected) in back.to_vec()?.iter().zip(&wave) {
        assert!(far(number, expected) < 1e-5, "{number:?} for {expected:?}");
    }
    Ok(())
}

/// Numbers of elements around those of vectors, warps, blocks and tiles.
const SIZES: [usize; 5] = [0, 1, 127, 4097, 20_001];

/// Words without a pattern.
fn words(len: usize) -> Vec<u32> {
    (0..len as u32).map(|i| i.wrapping_mul(0x9E37_79B9).rotate_left(i % 31) ^ i).collect()
}

/// Runs `compare` for each size with words that begin at an aligned address, and at another one.
fn with_words(compare: impl Fn(&Device, &[u32], &DeviceBuffer<u32>) -> Result<(), Box<dyn Error>>) -> Result<(), Box<dyn Error>> {
    let device = Device::open()?;
    for len in SIZES {
        let words = words(len + 1);
        let all = DeviceBuffer::from_slice(&device, &words)?;
        compare(&device, &words, &all)?;
        compare(&device, &words[1..], &all.slice(1..))?;
    }
    Ok(())
}

#[test]
fn an_operator_of_the_users_own_that_does_not_commute_combines_in_order() -> Result<(), Box<dyn Error>> {
    with_words(|device, words, input| {
        let stream = device.stream()?;
        let mut through = Compose::NEUTRAL;
        let mut expected = vec![through];
        expected.extend(words.iter().map(|word| {
            through = Compose.combine(through, *word);
            through
        }));
        let mut all = DeviceBuffer::zeroed(device, 1)?;
        Reduction::new(device)?.reduce(&stream, Compose, input, &mut all)?;
        assert_eq!(all.to_vec()?, [through], "{}", words.len());
        // Many blocks, each with a part of the input.
        Reduction::with_blocks(device, 1)?.reduce(&stream, Compose, input, &mut all)?;
        assert_eq!(all.to_vec()?, [through], "{}", words.len());
        let mut scan = Scan::new(device, words.len())?;
        let mut output = DeviceBuffer::zeroed(device, words.len())?;
        scan.inclusive(&stream, Compose, input, &mut output)?;
        assert_eq!(output.to_vec()?, expected[1..], "{}", words.len());
        scan.exclusive(&stream, Compose, input, &mut output)?;
        assert_eq!(output.to_vec()?, expected[..words.len()], "{}", words.len());
        Ok(())
    })
}

#[test]
fn an_operator_of_the_users_own_combines_the_values_of_each_key_in_order() -> Result<(), Box<dyn Error>> {
    with_words(|device, words, input| {
        let stream = device.stream()?;
        // Runs of three on average, with keys of 64 bits.
        let mut key = 0;
        let keys: Vec<i64> = words.iter().map(|word| { key += i64::from(word % 3 == 0); key << 40 }).collect();
        let (mut sums, mut before) = (Vec::new(), Vec::new());
        let mut totals = Vec::new();
        let mut through = Compose::NEUTRAL;
        for (i, word) in words.iter().enumerate() {
            let begins = i == 0 || keys[i] != keys[i - 1];
            before.push(if begins { Compose::NEUTRAL } else { through });
            through = Compose.combine(before[i], *word);
            sums.push(through);
            if begins { totals.push(through) } else { *totals.last_mut().expect("a run") = through }
        }
        let keys = DeviceBuffer::from_slice(device, &keys)?;
        let mut by_key = ByKey::new(device, words.len())?;
        let mut output = DeviceBuffer::zeroed(device, words.len())?;
        by_key.inclusive(&stream, Compose, &keys, input, &mut output)?;
        assert_eq!(output.to_vec()?, sums);
        by_key.exclusive(&stream, Compose, &keys, input, &mut output)?;
        assert_eq!(output.to_vec()?, before);
        let (mut found, mut count) = (DeviceBuffer::zeroed(device, words.len())?, DeviceBuffer::zeroed(device, 1)?);
        by_key.reduce(&stream, Compose, &keys, input, (&mut found, &mut output), &mut count)?;
        assert_eq!(count.to_vec()?, [totals.len() as u64]);
        assert_eq!(output.slice(..totals.len()).to_vec()?, totals);
        Ok(())
    })
}

#[test]
fn an_operator_of_the_users_own_has_the_bits_of_the_librarys() -> Result<(), Box<dyn Error>> {
    with_words(|device, words, _| {
        let stream = device.stream()?;
        let floats: Vec<f32> = words.iter().map(|word| (word >> 8) as f32 * 0.1).collect();
        let input = DeviceBuffer::from_slice(device, &floats)?;
        let mut sums = [DeviceBuffer::zeroed(device, 1)?, DeviceBuffer::zeroed(device, 1)?];
        let mut reduction = Reduction::new(device)?;
        reduction.reduce(&stream, Sum, &input, &mut sums[0])?;
        let graph = device.record(|record| Ok(reduction.reduce(record, Plus, &input, &mut sums[1])?))?;
        graph.launch(&stream)?;
        assert_eq!(sums[0].to_vec()?, sums[1].to_vec()?, "{}", words.len());
        Ok(())
    })
}

#[test]
fn a_predicate_of_the_users_own_has_a_bound() -> Result<(), Box<dyn Error>> {
    with_words(|device, words, input| {
        let stream = device.stream()?;
        let mut select = Select::new(device, words.len())?;
        let mut output = DeviceBuffer::zeroed(device, words.len())?;
        let mut count = DeviceBuffer::zeroed(device, 1)?;
        for bound in [0, 1 << 31, u32::MAX] {
            let (mut expected, others): (Vec<u32>, Vec<u32>) = words.iter().partition(|word| **word > bound);
            select.select(&stream, Above(bound), input, &mut output, &mut count)?;
            assert_eq!(count.to_vec()?, [expected.len() as u64]);
            assert_eq!(output.to_vec()?[..expected.len()], expected);
            expected.extend(others.iter().rev());
            select.partition(&stream, Above(bound), input, &mut output, &mut count)?;
            assert_eq!(output.to_vec()?, expected);
        }
        Ok(())
    })
}

#[test]
fn a_folding_of_the_users_own_finds_the_nearest_element() -> Result<(), Box<dyn Error>> {
    with_words(|device, words, input| {
        let of = |(index, word): (u64, &u32)| (u64::from(word.abs_diff(Nearest::TARGET)), index);
        let least = (0..).zip(words).map(of).min().unwrap_or((u64::MAX, u64::MAX));
        let mut nearest = DeviceBuffer::<Nearest>::zeroed(device, 1)?;
        Fold::new(device)?.fold(&device.stream()?, FindNearest, input, &mut nearest)?;
        let (distance, index) = least;
        assert_eq!(nearest.to_vec()?, [Nearest { distance, index }]);
        Ok(())
    })
}
