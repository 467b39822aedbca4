//! The algorithms against the CPU, at sizes that do not fit tiles, at addresses that are not
//! aligned to sixteen bytes, on streams and in graphs, under all schedules of the blocks that
//! wait for each other.

use lanewise::checks::{self, Checking};
use lanewise::{Device, DeviceBuffer, DeviceCopy, MemoryError, Pod, Zeroable};
use lanewise_algorithms::{
    ArgMax, ArgMin, Error, Fold, MeanVariance, Moments, NotZero, Philox, Place, Reduction, Scan,
    Select, histogram_bytes, histogram_even, layer_norm, rms_norm, softmax, transpose,
};
use lanewise_std::collective::{Max, Min, Sum};

use crate::common::{device, words};

/// Numbers of elements around those of vectors, warps, blocks and tiles.
const SIZES: [usize; 12] = [0, 1, 3, 4, 31, 127, 1000, 4096, 8191, 8192, 8195, 70_001];

/// Calls `run` with the numbers in buffers that begin `skip` elements after an aligned address.
fn with_unaligned<T: DeviceCopy + Pod>(
    device: &Device,
    values: &[T],
    skip: usize,
    run: impl FnOnce(&DeviceBuffer<T>, &mut DeviceBuffer<T>),
) -> Vec<T> {
    let mut shifted = vec![T::zeroed(); skip];
    shifted.extend_from_slice(values);
    let input = DeviceBuffer::from_slice(device, &shifted).expect("an input");
    let mut output = DeviceBuffer::zeroed(device, shifted.len()).expect("an output");
    // A part gives no `&mut DeviceBuffer`: the output stays aligned, the input is a view.
    run(&input.slice(skip..), &mut output);
    output.to_vec().expect("results")[..values.len()].to_vec()
}

fn uploaded<T: DeviceCopy>(device: &Device, values: &[T]) -> DeviceBuffer<T> {
    DeviceBuffer::from_slice(device, values).expect("a buffer")
}

fn zeros<T: DeviceCopy + Zeroable>(device: &Device, len: usize) -> DeviceBuffer<T> {
    DeviceBuffer::zeroed(device, len).expect("a buffer")
}

#[test]
fn reductions_are_the_cpus() {
    let (device, stream) = device();
    let mut reduction = Reduction::new(&device).expect("a workspace");
    let mut found = zeros::<i32>(&device, 1);
    let mut reduction_f64 = Reduction::new(&device).expect("a workspace");
    let mut found_f64 = zeros::<f64>(&device, 1);
    for len in SIZES {
        let values: Vec<i32> = words(len).iter().map(|word| *word as i32).collect();
        for skip in [0, 1] {
            let mut shifted = vec![0; skip];
            shifted.extend_from_slice(&values);
            let all = uploaded(&device, &shifted);
            let input = all.slice(skip..);
            let sum = values
                .iter()
                .fold(0i32, |sum, value| sum.wrapping_add(*value));
            reduction
                .reduce(&stream, Sum, &input, &mut found)
                .expect("a sum");
            assert_eq!(found.to_vec().unwrap(), [sum], "{len} {skip}");
            let most = values.iter().copied().max().unwrap_or(i32::MIN);
            reduction
                .reduce(&stream, Max, &input, &mut found)
                .expect("a maximum");
            assert_eq!(found.to_vec().unwrap(), [most], "{len} {skip}");
        }
        let values: Vec<f64> = words(len).iter().map(|word| f64::from(*word)).collect();
        let input = uploaded(&device, &values);
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        reduction_f64
            .reduce(&stream, Min, &input, &mut found_f64)
            .expect("a minimum");
        assert_eq!(found_f64.to_vec().unwrap(), [least], "{len}");
    }
}

/// Returns the place of the first element that is better than all others, on the CPU.
fn first_of<T: Copy + PartialOrd>(values: &[T], is_better: fn(&T, &T) -> bool) -> u64 {
    let mut best: Option<usize> = None;
    for (i, value) in values.iter().enumerate() {
        // What is not a number is not equal to itself.
        let is_number = value.partial_cmp(value).is_some();
        if is_number && best.is_none_or(|best| is_better(value, &values[best])) {
            best = Some(i);
        }
    }
    best.map_or(Place::NOWHERE, |i| i as u64)
}

#[test]
fn places_of_extremes_are_the_cpus() {
    let (device, stream) = device();
    let mut fold = Fold::new(&device).expect("a workspace");
    let mut found = zeros::<Place>(&device, 1);
    for len in SIZES {
        // Few different values, so that most extremes are in several places.
        let values: Vec<i32> = words(len).iter().map(|word| (*word >> 25) as i32).collect();
        for skip in [0, 1] {
            let mut shifted = vec![-1; skip];
            shifted.extend_from_slice(&values);
            let all = uploaded(&device, &shifted);
            let input = all.slice(skip..);
            fold.fold(&stream, ArgMin, &input, &mut found)
                .expect("a place");
            let place = found.to_vec().unwrap()[0];
            assert_eq!(place.index, first_of(&values, i32::lt), "{len} {skip}");
            let least = values.iter().copied().min().unwrap_or(i32::MAX);
            assert_eq!(place.value::<i32>(), least, "{len} {skip}");
            fold.fold(&stream, ArgMax, &input, &mut found)
                .expect("a place");
            let place = found.to_vec().unwrap()[0];
            assert_eq!(place.index, first_of(&values, i32::gt), "{len} {skip}");
        }
        let mut values: Vec<f64> = words(len).iter().map(|word| f64::from(*word)).collect();
        values
            .iter_mut()
            .step_by(3)
            .for_each(|value| *value = f64::NAN);
        fold.fold(&stream, ArgMax, &uploaded(&device, &values), &mut found)
            .expect("a place");
        let place = found.to_vec().unwrap()[0];
        assert_eq!(place.index, first_of(&values, f64::gt), "{len}");
    }
    // Infinities are numbers, and the first of them counts.
    for (values, expected) in [
        (vec![f32::INFINITY; 5], 0),
        (vec![f32::NAN, f32::INFINITY, f32::INFINITY], 1),
        (vec![f32::NAN; 70], Place::NOWHERE),
    ] {
        fold.fold(&stream, ArgMin, &uploaded(&device, &values), &mut found)
            .expect("a place");
        assert_eq!(found.to_vec().unwrap()[0].index, expected, "{values:?}");
    }
}

#[test]
fn means_and_variances_are_the_cpus() {
    let (device, stream) = device();
    let mut fold = Fold::new(&device).expect("a workspace");
    let mut found = zeros::<Moments>(&device, 1);
    for len in SIZES {
        // Far from 0: a sum of squares would lose all digits of the variance.
        let values: Vec<f64> = words(len)
            .iter()
            .map(|word| 1e9 + f64::from(*word >> 8) / 16_777_216.0)
            .collect();
        fold.fold(
            &stream,
            MeanVariance,
            &uploaded(&device, &values),
            &mut found,
        )
        .expect("the moments");
        let moments = found.to_vec().unwrap()[0];
        assert_eq!(moments.count, len as u64);
        if len == 0 {
            assert_eq!((moments.mean, moments.squares), (0.0, 0.0));
            assert!(moments.variance().is_nan() && moments.sample_variance().is_nan());
            continue;
        }
        let mean = 1e9 + values.iter().map(|x| x - 1e9).sum::<f64>() / len as f64;
        let squares: f64 = values.iter().map(|x| (x - mean).powi(2)).sum();
        assert!(
            (moments.mean - mean).abs() < 1e-6,
            "{len}: {moments:?}, {mean}"
        );
        let off = (moments.squares - squares).abs();
        assert!(
            off <= 1e-6 * squares.max(1e-6),
            "{len}: {moments:?}, {squares}"
        );
        let values: Vec<i32> = (0..len as i32).collect();
        fold.fold(
            &stream,
            MeanVariance,
            &uploaded(&device, &values),
            &mut found,
        )
        .expect("the moments");
        let moments = found.to_vec().unwrap()[0];
        let n = len as f64;
        assert!(
            (moments.mean - (n - 1.0) / 2.0).abs() <= 1e-12 * n,
            "{moments:?}"
        );
        let off = (moments.variance() - (n * n - 1.0) / 12.0).abs();
        assert!(off <= 1e-12 * n * n, "{moments:?}");
    }
}

#[test]
fn scans_are_the_cpus() {
    let (device, stream) = device();
    let mut scan = Scan::new(&device, 80_000).expect("a workspace");
    for len in SIZES {
        let values: Vec<i32> = words(len).iter().map(|word| *word as i32).collect();
        let mut sum = 0i32;
        let exclusive: Vec<i32> = values
            .iter()
            .map(|value| {
                sum = sum.wrapping_add(*value);
                sum.wrapping_sub(*value)
            })
            .collect();
        let mut most = i32::MIN;
        let maxima: Vec<i32> = values
            .iter()
            .map(|value| {
                most = most.max(*value);
                most
            })
            .collect();
        for skip in [0, 1] {
            let found = with_unaligned(&device, &values, skip, |input, output| {
                scan.exclusive(&stream, Sum, input, output).expect("a scan");
            });
            assert_eq!(found, exclusive, "{len} {skip}");
            let found = with_unaligned(&device, &values, skip, |input, output| {
                scan.inclusive(&stream, Max, input, output).expect("a scan");
            });
            assert_eq!(found, maxima, "{len} {skip}");
        }
    }
}

/// A test of sums of one type of 64 bits. The numbers and their sums need more than 32 of them, and
/// floats are exact.
macro_rules! wide_scans {
    ($test:ident: $ty:ident) => {
        #[test]
        fn $test() {
            let (device, stream) = device();
            let mut scan = Scan::new(&device, 80_000).expect("a workspace");
            for len in SIZES {
                let words = words(len);
                let values: Vec<$ty> = words
                    .iter()
                    .map(|word| *word as $ty * (16 as $ty))
                    .collect();
                let mut sum = 0 as $ty;
                let mut sums = vec![sum];
                sums.extend(values.iter().map(|value| {
                    sum += *value;
                    sum
                }));
                for skip in [0, 1] {
                    let found = with_unaligned(&device, &values, skip, |input, output| {
                        scan.inclusive(&stream, Sum, input, output).expect("a scan");
                    });
                    assert_eq!(found, sums[1..], "{len} {skip}");
                    let found = with_unaligned(&device, &values, skip, |input, output| {
                        scan.exclusive(&stream, Sum, input, output).expect("a scan");
                    });
                    assert_eq!(found, sums[..len], "{len} {skip}");
                }
            }
        }
    };
}

wide_scans!(scans_of_i64_are_the_cpus: i64);
wide_scans!(scans_of_u64_are_the_cpus: u64);
wide_scans!(scans_of_f64_are_the_cpus: f64);

#[test]
fn a_workspace_that_is_too_small_is_refused() {
    let (device, stream) = device();
    let mut scan = Scan::new(&device, 8192).expect("a workspace");
    // It has as many bytes for elements of 64 bits.
    let (input, mut output) = (zeros::<i64>(&device, 8193), zeros::<i64>(&device, 8193));
    let error = scan
        .inclusive(&stream, Sum, &input, &mut output)
        .expect_err("too small");
    assert!(
        matches!(
            error,
            Error::TooShort {
                what: "a workspace",
                ..
            }
        ),
        "{error}"
    );
    let mut short = zeros::<i32>(&device, 8191);
    let input = zeros::<i32>(&device, 8192);
    let error = scan
        .inclusive(&stream, Sum, &input, &mut short)
        .expect_err("too short");
    assert_eq!(
        error.to_string(),
        "expected an output of at least 8192 elements, found 8191"
    );
}

#[test]
fn what_is_selected_keeps_its_order() {
    let (device, stream) = device();
    let mut select = Select::new(&device, 80_000).expect("a workspace");
    for len in SIZES {
        for every in [1, 2, 3, u32::MAX] {
            let values: Vec<u32> = words(len)
                .iter()
                .map(|word| if word % every == 0 { *word } else { 0 })
                .collect();
            let expected: Vec<u32> = values.iter().copied().filter(|value| *value != 0).collect();
            let mut count = uploaded(&device, &[7u64]);
            let found = with_unaligned(&device, &values, len % 2, |input, output| {
                select
                    .select(&stream, NotZero, input, output, &mut count)
                    .expect("a selection");
            });
            assert_eq!(
                count.to_vec().unwrap(),
                [expected.len() as u64],
                "{len} {every}"
            );
            assert_eq!(found[..expected.len()], expected, "{len} {every}");
        }
    }
}

#[test]
fn selections_are_of_64_bits_too() {
    let (device, stream) = device();
    let mut count = zeros::<u64>(&device, 1);
    for len in [0, 1, 5119, 5120, 10_247] {
        let values: Vec<u64> = words(len)
            .iter()
            .map(|word| u64::from(word % 3) << 40)
            .collect();
        let (kept, mut others): (Vec<u64>, Vec<u64>) =
            values.iter().partition(|value| **value != 0);
        others.reverse();
        let input = uploaded(&device, &values);
        let mut output = zeros::<u64>(&device, len);
        let mut select = Select::new(&device, len).expect("a workspace");
        select
            .partition(&stream, NotZero, &input, &mut output, &mut count)
            .expect("a partition");
        assert_eq!(count.to_vec().unwrap(), [kept.len() as u64], "{len}");
        assert!(output.to_vec().unwrap() == [kept, others].concat(), "{len}");
        select
            .unique(&stream, &input, &mut output, &mut count)
            .expect("the runs");
        let mut expected = values;
        expected.dedup();
        let found = output.to_vec().unwrap();
        assert!(
            found[..count.to_vec().unwrap()[0] as usize] == expected,
            "{len}"
        );
    }
}

#[test]
fn a_partition_has_the_others_at_its_end() {
    let (device, stream) = device();
    let mut count = zeros::<u64>(&device, 1);
    for len in SIZES {
        let values: Vec<u32> = words(len).iter().map(|word| word % 3).collect();
        let (kept, mut others): (Vec<u32>, Vec<u32>) =
            values.iter().partition(|value| **value != 0);
        others.reverse();
        let input = uploaded(&device, &values);
        // A longer output: what is past the input's length stays as it is.
        let mut output = uploaded(&device, &vec![7; len + 3]);
        Select::new(&device, len)
            .expect("a workspace")
            .partition(&stream, NotZero, &input, &mut output, &mut count)
            .expect("a partition");
        assert_eq!(count.to_vec().unwrap(), [kept.len() as u64], "{len}");
        let expected = [kept, others, vec![7; 3]].concat();
        assert_eq!(output.to_vec().unwrap(), expected, "{len}");
    }
}

#[test]
fn of_each_run_the_first_is_kept() {
    let (device, stream) = device();
    let mut count = zeros::<u64>(&device, 1);
    for len in SIZES {
        for runs in [1, 3, 1000] {
            let values: Vec<i32> = words(len)
                .iter()
                .map(|word| (*word >> 8) as i32 / 16)
                .collect();
            // Runs of about this length, and neighbours that happen to be equal.
            let values: Vec<i32> = (0..len).map(|i| values[i / runs] % 4).collect();
            let mut expected = values.clone();
            expected.dedup();
            for skip in [0, 1] {
                let mut shifted = vec![values.first().copied().unwrap_or(0); skip];
                shifted.extend_from_slice(&values);
                let all = uploaded(&device, &shifted);
                let mut output = zeros::<i32>(&device, len);
                Select::new(&device, len)
                    .expect("a workspace")
                    .unique(&stream, &all.slice(skip..), &mut output, &mut count)
                    .expect("the runs");
                assert_eq!(
                    count.to_vec().unwrap(),
                    [expected.len() as u64],
                    "{len} {runs} {skip}"
                );
                let found = output.to_vec().unwrap();
                assert_eq!(found[..expected.len()], expected, "{len} {runs} {skip}");
            }
        }
    }
}

#[test]
fn histograms_count_every_element() {
    let (device, stream) = device();
    for len in SIZES {
        let bytes: Vec<u8> = words(len).iter().map(|word| *word as u8).collect();
        let mut expected = vec![0u32; 256];
        bytes
            .iter()
            .skip(len.min(3))
            .for_each(|byte| expected[usize::from(*byte)] += 1);
        let (all, mut bins) = (uploaded(&device, &bytes), zeros::<u32>(&device, 256));
        histogram_bytes(&stream, &all.slice(len.min(3)..), &mut bins).expect("a histogram");
        assert_eq!(bins.to_vec().unwrap(), expected, "{len}");

        let values: Vec<i32> = words(len).iter().map(|word| *word as i32 >> 16).collect();
        // Counters of a warp, of a block, and none that fit into a block's memory.
        for (count, shift) in [
            (0, 3),
            (3, 3),
            (256, 3),
            (257, 3),
            (65_535, 0),
            (200_001, 0),
        ] {
            let mut expected = vec![0u32; count];
            for value in &values {
                let bin = usize::try_from((value + 1000) >> shift).ok();
                if let Some(count) = bin.and_then(|bin| expected.get_mut(bin)) {
                    *count += 1;
                }
            }
            let (input, mut bins) = (uploaded(&device, &values), zeros::<u32>(&device, count));
            histogram_even(&stream, &input, -1000, shift, &mut bins).expect("a histogram");
            assert!(bins.to_vec().unwrap() == expected, "{len} in {count} bins");
        }
    }
}

/// One counter of 16 bits is full several times, and its neighbour keeps its count.
#[test]
fn a_counter_of_a_histogram_does_not_run_over() {
    let (device, stream) = device();
    let mut values = vec![300; 150_000];
    values.extend([301, 301]);
    let (input, mut bins) = (uploaded(&device, &values), zeros::<u32>(&device, 302));
    histogram_even(&stream, &input, 0, 0, &mut bins).expect("a histogram");
    let bins = bins.to_vec().unwrap();
    assert_eq!(bins[300..], [150_000, 2]);
    assert!(bins[..300].iter().all(|count| *count == 0));
}

#[test]
fn transposes_are_the_cpus() {
    let (device, stream) = device();
    for (rows, columns) in [
        (1, 1),
        (1, 77),
        (64, 64),
        (128, 192),
        (65, 63),
        (100, 132),
        (3, 500),
    ] {
        let values = words(rows * columns);
        let expected: Vec<u32> = (0..rows * columns)
            .map(|i| values[i % rows * columns + i / rows])
            .collect();
        for skip in [0, 1] {
            let found = with_unaligned(&device, &values, skip, |input, output| {
                transpose(&stream, input, columns as u32, output).expect("a transpose");
            });
            assert_eq!(found, expected, "{rows} x {columns}, {skip}");
        }
    }
}

#[test]
fn rows_without_columns_are_left_alone() {
    let (device, stream) = device();
    let (input, none) = (uploaded(&device, &[1.0f32, 2.0]), zeros::<f32>(&device, 0));
    let mut output = uploaded(&device, &[3.0f32, 4.0]);
    softmax(&stream, &input, 0, &mut output).expect("nothing to do");
    rms_norm(&stream, &input, &none, 1e-5, &mut output).expect("nothing to do");
    layer_norm(&stream, &input, (&none, &none), 1e-5, &mut output).expect("nothing to do");
    transpose(&stream, &input, 0, &mut output).expect("nothing to do");
    assert_eq!(output.to_vec().unwrap(), [3.0, 4.0]);
}

/// The stream that begins with the known answer for counter 0 and key 0.
const OF_ZEROS: Philox = Philox {
    seed: 0,
    stream: 0,
    first: 0,
};

#[test]
fn random_numbers_depend_on_their_position_alone() {
    let (device, stream) = device();
    let philox = Philox {
        seed: 0x1234_5678_9abc_def0,
        stream: 5,
        first: 0,
    };
    let mut all = zeros::<f32>(&device, 20_000);
    philox.uniform(&stream, &mut all).expect("numbers");
    let all = all.to_vec().unwrap();
    assert!(all.iter().all(|x| (0.0..1.0).contains(x)));
    let mut later = zeros::<f32>(&device, 1001);
    Philox {
        first: 100,
        ..philox
    }
    .uniform(&stream, &mut later)
    .expect("numbers");
    assert_eq!(later.to_vec().unwrap(), all[400..1401]);
    // The known answer of Philox4x32-10 for counter 0 and key 0: Salmon and others, kat_vectors.
    let mut first = zeros::<f32>(&device, 4);
    OF_ZEROS.uniform(&stream, &mut first).expect("numbers");
    let known = [0x6627_e8d5u32, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8];
    let known = known.map(|word| (word >> 8) as f32 / 16_777_216.0);
    assert_eq!(first.to_vec().unwrap(), known);
    let mut normal = zeros::<f32>(&device, 20_000);
    philox.normal(&stream, &mut normal).expect("numbers");
    are_normal(normal.to_vec().unwrap().into_iter().map(f64::from));
}

/// Asserts that mean and variance are those of normal numbers.
fn are_normal(numbers: impl Iterator<Item = f64> + Clone) {
    let count = numbers.clone().count() as f64;
    let mean = numbers.clone().sum::<f64>() / count;
    let square = numbers.map(|x| x * x).sum::<f64>() / count;
    assert!(
        mean.abs() < 0.03 && (square - 1.0).abs() < 0.05,
        "{mean} {square}"
    );
}

#[test]
fn random_numbers_of_f64_have_two_words_each() {
    let (device, stream) = device();
    // An odd number of them, of which the first are those of the known answer's words.
    let mut all = zeros::<f64>(&device, 20_001);
    OF_ZEROS.uniform(&stream, &mut all).expect("numbers");
    let all = all.to_vec().unwrap();
    let known = [0xe169_c58d_6627_e8d5u64, 0x9b00_dbd8_bc57_ac4c];
    let known = known.map(|words| (words >> 11) as f64 / 2f64.powi(53));
    assert_eq!(all[..2], known);
    assert!(all.iter().all(|x| (0.0..1.0).contains(x)));
    let mut normal = zeros::<f64>(&device, 20_001);
    OF_ZEROS.normal(&stream, &mut normal).expect("numbers");
    let normal = normal.to_vec().unwrap();
    for (pair, uniform) in normal.as_chunks::<2>().0.iter().zip(all.as_chunks().0) {
        let [a, b]: [f64; 2] = *uniform;
        let (sine, cosine) = (std::f64::consts::TAU * b).sin_cos();
        let radius = (-2.0 * (1.0 - a).ln()).sqrt();
        assert!((pair[0] - radius * cosine).abs() < 1e-14);
        assert!((pair[1] - radius * sine).abs() < 1e-14);
    }
    are_normal(normal.into_iter());
}

#[test]
fn algorithms_are_recorded_in_a_graph() {
    let (device, stream) = device();
    let values: Vec<i32> = (0..20_000).collect();
    let input = uploaded(&device, &values);
    let mut sums = zeros::<i32>(&device, values.len());
    let mut total = zeros::<i32>(&device, 1);
    let mut scan = Scan::new(&device, values.len()).expect("a workspace");
    let mut reduction = Reduction::new(&device).expect("a workspace");
    let graph = device
        .record(|record| {
            scan.inclusive(&mut *record, Sum, &input, &mut sums)?;
            reduction.reduce(&mut *record, Sum, &input, &mut total)?;
            Ok(())
        })
        .expect("a graph");
    for _ in 0..2 {
        graph.launch(&stream).expect("a launch");
        let sum: i32 = values.iter().sum();
        assert_eq!(total.to_vec().unwrap(), [sum]);
        assert_eq!(sums.to_vec().unwrap()[values.len() - 1], sum);
    }
}

#[test]
fn what_waits_for_other_blocks_is_right_in_any_order() {
    let (device, stream) = device();
    let values: Vec<i32> = words(3 * 8192 + 5)
        .iter()
        .map(|word| *word as i32)
        .collect();
    let sum = values
        .iter()
        .fold(0i32, |sum, value| sum.wrapping_add(*value));
    let kept = values.iter().filter(|value| **value != 0).count() as u64;
    let input = uploaded(&device, &values);
    let wide: Vec<i64> = values.iter().map(|value| i64::from(*value) << 20).collect();
    let wide_sum: i64 = wide.iter().sum();
    let wide = uploaded(&device, &wide);
    for (schedule, seed) in [("pct,weak", 1), ("pct,weak", 2), ("random,weak", 3)] {
        let schedule = schedule.parse().expect("a schedule");
        let checking = Checking::all().schedule(schedule).seed(seed);
        let (found, findings) = checks::of(&device, checking, || {
            let mut scan = Scan::new(&device, values.len()).expect("a workspace");
            let mut select = Select::new(&device, values.len()).expect("a workspace");
            let mut sums = zeros::<i32>(&device, values.len());
            let mut count = zeros::<u64>(&device, 1);
            scan.inclusive(&stream, Sum, &input, &mut sums)
                .expect("a scan");
            let last = sums.to_vec()?[values.len() - 1];
            let mut wide_sums = zeros::<i64>(&device, values.len());
            scan.inclusive(&stream, Sum, &wide, &mut wide_sums)
                .expect("a scan");
            let wide_last = wide_sums.to_vec()?[values.len() - 1];
            select
                .select(&stream, NotZero, &input, &mut sums, &mut count)
                .expect("a selection");
            Ok::<_, MemoryError>((last, wide_last, count.to_vec()?[0]))
        })
        .expect("a run");
        assert_eq!(found, (sum, wide_sum, kept), "seed {seed}");
        let findings = findings.unwrap_or_default();
        assert!(findings.is_empty(), "seed {seed}: {findings:#?}");
    }
}
