//! What no other test runs under all checks: nothing is found, and the results are those without
//! checks, which other tests compare with the CPU's.

use std::fmt::Debug;

use lanewise::checks::{self, Checking};
use lanewise::{Device, DeviceBuffer, DeviceCopy, MemoryError, Stream};
use lanewise_algorithms::{
    ArgMin, Fold, MeanVariance, Moments, Order, Philox, Place, Reduction, SegmentedSort, Select,
    cross_entropy, cross_entropy_backward, gather, histogram_bytes, histogram_even, layer_norm,
    rms_norm, scatter, softmax, transpose,
};
use lanewise_std::collective::{Max, Sum};

use crate::common::{device, words};

/// No multiple of a block, and not of sixteen bytes.
const LEN: usize = 5003;

/// A buffer of so many elements.
fn room<T: DeviceCopy + Default>(device: &Device, len: usize) -> DeviceBuffer<T> {
    DeviceBuffer::from_slice(device, &vec![T::default(); len]).expect("a buffer")
}

fn shown<T: DeviceCopy + Debug>(buffer: &DeviceBuffer<T>) -> Result<String, MemoryError> {
    Ok(format!("{:?}", buffer.to_vec()?))
}

/// Returns what the algorithms make of some numbers.
fn results(device: &Device, stream: &Stream) -> Result<Vec<String>, MemoryError> {
    let words = words(LEN);
    let floats: Vec<f32> = words
        .iter()
        .map(|word| (*word >> 8) as f32 / 16_777_216.0)
        .collect();
    let bytes: Vec<u8> = words.iter().map(|word| *word as u8).collect();
    let small: Vec<i32> = words.iter().map(|word| (*word % 3) as i32).collect();
    let places: Vec<u32> = (0..LEN as u32).map(|i| i * 2503 % LEN as u32).collect();
    let on_words = DeviceBuffer::from_slice(device, &words)?;
    let on_floats = DeviceBuffer::from_slice(device, &floats)?;
    let on_bytes = DeviceBuffer::from_slice(device, &bytes)?;
    let on_small = DeviceBuffer::from_slice(device, &small)?;
    let on_places = DeviceBuffer::from_slice(device, &places)?;
    let mut all = Vec::new();

    let (mut sum, mut most) = (room::<f32>(device, 1), room::<u32>(device, 1));
    let mut reduction = Reduction::with_blocks(device, 2).expect("a workspace");
    reduction
        .reduce(stream, Sum, &on_floats, &mut sum)
        .expect("a sum");
    let mut reduction = Reduction::new(device).expect("a workspace");
    reduction
        .reduce(stream, Max, &on_words, &mut most)
        .expect("a maximum");
    all.extend([shown(&sum)?, shown(&most)?]);

    let mut place = DeviceBuffer::<Place>::zeroed(device, 1)?;
    let mut moments = DeviceBuffer::<Moments>::zeroed(device, 1)?;
    let mut fold = Fold::new(device).expect("a workspace");
    fold.fold(stream, ArgMin, &on_floats, &mut place)
        .expect("a place");
    let mut fold = Fold::new(device).expect("a workspace");
    fold.fold(stream, MeanVariance, &on_floats, &mut moments)
        .expect("moments");
    all.extend([shown(&place)?, shown(&moments)?]);

    let (mut firsts, mut count) = (room::<i32>(device, LEN), room::<u64>(device, 1));
    let mut select = Select::new(device, LEN).expect("a workspace");
    select
        .unique(stream, &on_small, &mut firsts, &mut count)
        .expect("the first of each run");
    all.extend([shown(&firsts)?, shown(&count)?]);

    let (mut bins, mut many) = (room::<u32>(device, 256), room::<u32>(device, 300));
    histogram_bytes(stream, &on_bytes, &mut bins).expect("a histogram");
    histogram_even(stream, &on_small, 0, 0, &mut many).expect("a histogram");
    all.extend([shown(&bins)?, shown(&many)?]);

    let mut moved = room::<f32>(device, LEN);
    transpose(stream, &on_floats.slice(..37 * 135), 135, &mut moved).expect("a transpose");
    all.push(shown(&moved)?);
    gather(stream, &on_floats, &on_places, &mut moved).expect("a gather");
    all.push(shown(&moved)?);
    scatter(stream, &on_floats, &on_places, &mut moved).expect("a scatter");
    all.push(shown(&moved)?);

    let ends = [0, 1, 65, 65, 130, 830, LEN as u32];
    let starts = DeviceBuffer::from_slice(device, &ends)?;
    let mut sorted = room::<u32>(device, LEN);
    let mut sort = SegmentedSort::new(device, LEN, ends.len() - 1).expect("a workspace");
    sort.sort(stream, Order::Descending, &on_words, &starts, &mut sorted)
        .expect("a sort");
    all.push(shown(&sorted)?);

    let (columns, rows) = (1000, 5);
    let (of_rows, factors) = (
        on_floats.slice(1..=rows * columns),
        on_floats.slice(2..columns + 2),
    );
    let n = columns as u32;
    let mut output = room::<f32>(device, rows * columns);
    softmax(stream, &of_rows, n, &mut output).expect("a softmax");
    all.push(shown(&output)?);
    layer_norm(stream, &of_rows, (&factors, &factors), 1e-5, &mut output).expect("a norm");
    all.push(shown(&output)?);
    rms_norm(stream, &of_rows, &factors, 1e-5, &mut output).expect("a norm");
    all.push(shown(&output)?);

    let (targets, mut losses) = (on_places.slice(..rows), room::<f32>(device, rows));
    cross_entropy(stream, &of_rows, n, &targets, &mut losses).expect("losses");
    all.push(shown(&losses)?);
    cross_entropy_backward(stream, &of_rows, n, &targets, 1.0, &mut losses, &mut output)
        .expect("a gradient");
    all.extend([shown(&losses)?, shown(&output)?]);

    let philox = Philox {
        seed: 1,
        stream: 2,
        first: 3,
    };
    philox.uniform(stream, &mut moved).expect("numbers");
    all.push(shown(&moved)?);
    philox.normal(stream, &mut moved).expect("numbers");
    all.push(shown(&moved)?);
    Ok(all)
}

#[test]
fn nothing_is_found_in_algorithms() {
    let (device, stream) = device();
    let expected = results(&device, &stream).expect("results");
    let run = || results(&device, &stream);
    let (found, findings) = checks::of(&device, Checking::all(), run).expect("a run");
    let findings = findings.unwrap_or_default();
    assert!(findings.is_empty(), "{findings:#?}");
    assert_eq!(found, expected);
}
