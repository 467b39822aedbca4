//! Sorts of segments against the CPU's: around the sizes of warps, networks and tiles, of all types
//! of keys in both directions.

use lanewise::DeviceBuffer;
use lanewise_algorithms::{Error, Number, Order, SegmentedSort};

use crate::common::device;

/// Lengths around those of warps, of what a warp and a block sort, and of tiles of both sizes.
const LENGTHS: [usize; 21] = [
    0, 1, 2, 3, 31, 32, 33, 64, 65, 127, 0, 128, 129, 511, 512, 513, 1000, 4224, 4225, 8833, 20_000,
];

fn words(len: usize) -> Vec<u64> {
    let mut next = crate::common::random();
    (0..len).map(|_| next().rotate_left(31)).collect()
}

/// Returns where segments of these lengths begin and end; the first begins with element `first`.
fn starts(first: u32, lengths: &[usize]) -> Vec<u32> {
    let mut end = first;
    let ends = lengths.iter().map(|length| {
        end += *length as u32;
        end
    });
    [first].into_iter().chain(ends).collect()
}

/// A test that sorts segments of keys made of random words, and compares them bit for bit.
macro_rules! sorts {
    ($test:ident: $key:ident, $of_word:expr, $compare:expr) => {
        #[test]
        fn $test() {
            let (device, stream) = device();
            // Two elements before the first segment, and one after the last, are in none.
            let starts = starts(2, &LENGTHS);
            let len = starts[LENGTHS.len()] as usize + 1;
            let keys: Vec<$key> = words(len).into_iter().map($of_word).collect();
            let input = DeviceBuffer::from_slice(&device, &keys).expect("a buffer");
            let starts_there = DeviceBuffer::from_slice(&device, &starts).expect("a buffer");
            let mut sort = SegmentedSort::new(&device, len, LENGTHS.len()).expect("a workspace");
            for order in [Order::Ascending, Order::Descending] {
                let mut expected = vec![$key::default(); len];
                for ends in starts.windows(2) {
                    let of = ends[0] as usize..ends[1] as usize;
                    expected[of.clone()].copy_from_slice(&keys[of.clone()]);
                    expected[of.clone()].sort_by($compare);
                    if order == Order::Descending {
                        expected[of].reverse();
                    }
                }
                let mut sorted = DeviceBuffer::zeroed(&device, len).expect("a buffer");
                sort.sort(&stream, order, &input, &starts_there, &mut sorted)
                    .expect("a sort");
                let bits =
                    |keys: Vec<$key>| keys.into_iter().map(Number::to_bits).collect::<Vec<_>>();
                let found = bits(sorted.to_vec().expect("keys"));
                assert!(found == bits(expected), "{order:?}");
            }
        }
    };
}

sorts!(segments_of_u32: u32, |word| word as u32 % 1000, u32::cmp);
sorts!(segments_of_i32: i32, |word| word as i32, i32::cmp);
sorts!(segments_of_f32: f32, |word| f32::from_bits(word as u32), f32::total_cmp);
sorts!(segments_of_u64: u64, |word| word, u64::cmp);
sorts!(segments_of_f64: f64, f64::from_bits, f64::total_cmp);

#[test]
fn what_is_too_short_is_an_error() {
    let (device, stream) = device();
    let keys = DeviceBuffer::from_slice(&device, &[1u32; 9]).expect("a buffer");
    let starts = DeviceBuffer::from_slice(&device, &[0u32, 4, 9]).expect("a buffer");
    let mut output = DeviceBuffer::zeroed(&device, 9).expect("a buffer");
    let mut error = |len, segments, starts: &DeviceBuffer<u32>| {
        SegmentedSort::new(&device, len, segments)
            .expect("a workspace")
            .sort(&stream, Order::Ascending, &keys, starts, &mut output)
            .err()
            .map(|error: Error| error.to_string())
    };
    let keys = "expected a workspace of keys of at least 9 elements, found 8";
    assert_eq!(error(8, 2, &starts).as_deref(), Some(keys));
    let segments = "expected a workspace of segments of at least 2 elements, found 1";
    assert_eq!(error(9, 1, &starts).as_deref(), Some(segments));
    assert_eq!(error(9, 2, &starts), None);
    // Without a start there is no segment.
    let none = DeviceBuffer::from_slice(&device, &[0u32; 0]).expect("a buffer");
    assert_eq!(error(9, 0, &none), None);
}
