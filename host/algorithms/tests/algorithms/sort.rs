//! Sorts against the CPU's: all types of keys in both directions, with values and without, at sizes
//! that do not fit tiles, under schedules of the blocks that wait for each other.

use lanewise::DeviceBuffer;
use lanewise::checks::{self, Checking};
use lanewise_algorithms::{Error, Number, Order, Sort, SortPairs};

use crate::common::device;

/// Numbers of keys around those of warps and tiles.
const SIZES: [usize; 7] = [0, 1, 33, 4223, 4225, 8832, 20_001];

/// Numbers without a pattern, the same in each run.
fn words(len: usize) -> Vec<u64> {
    let mut next = crate::common::random();
    (0..len).map(|_| next().rotate_left(31)).collect()
}

/// A test that sorts keys made of random words. It compares bit for bit with the CPU's stable sort.
macro_rules! sorts {
    ($test:ident: $key:ident, $value:ident, $of_word:expr, $compare:expr) => {
        #[test]
        fn $test() {
            let (device, stream) = device();
            for len in SIZES {
                let keys: Vec<$key> = words(len).into_iter().map($of_word).collect();
                // An index tells equal keys apart.
                let values: Vec<$value> = (0..len).map(|i| i as $value).collect();
                // One element is skipped, so that no address is a multiple of sixteen.
                let upload = |keys: &[$key]| {
                    let shifted = [&[$key::default()], keys].concat();
                    DeviceBuffer::from_slice(&device, &shifted).expect("a buffer")
                };
                let input = upload(&keys);
                let input = input.slice(1..);
                let indices = DeviceBuffer::from_slice(&device, &values).expect("a buffer");
                for order in [Order::Ascending, Order::Descending] {
                    let mut places: Vec<usize> = (0..len).collect();
                    places.sort_by(|a, b| {
                        let compared = $compare(&keys[*a], &keys[*b]);
                        if order == Order::Ascending {
                            compared
                        } else {
                            compared.reverse()
                        }
                    });
                    let bits =
                        |keys: Vec<$key>| keys.into_iter().map(Number::to_bits).collect::<Vec<_>>();
                    let expected = bits(places.iter().map(|i| keys[*i]).collect());
                    let mut sorted = DeviceBuffer::zeroed(&device, len).expect("a buffer");
                    Sort::new(&device, len)
                        .expect("a workspace")
                        .sort(&stream, order, &input, &mut sorted)
                        .expect("a sort");
                    assert!(
                        bits(sorted.to_vec().unwrap()) == expected,
                        "{len} {order:?}"
                    );
                    sorted.fill_zero().unwrap();
                    let mut moved = DeviceBuffer::zeroed(&device, len).expect("a buffer");
                    SortPairs::new(&device, len)
                        .expect("a workspace")
                        .sort(
                            &stream,
                            order,
                            (&input, &indices),
                            (&mut sorted, &mut moved),
                        )
                        .expect("a sort");
                    assert!(
                        bits(sorted.to_vec().unwrap()) == expected,
                        "{len} {order:?}"
                    );
                    let expected: Vec<$value> = places.iter().map(|i| *i as $value).collect();
                    assert!(moved.to_vec().unwrap() == expected, "{len} {order:?}");
                }
            }
        }
    };
}

sorts!(keys_of_u32_are_sorted: u32, u32, |word| word as u32, u32::cmp);
sorts!(keys_of_i32_are_sorted: i32, f64, |word| word as i32 % 1000, i32::cmp);
sorts!(keys_of_f32_are_sorted: f32, i32, |word| f32::from_bits(word as u32), f32::total_cmp);
sorts!(keys_of_u64_are_sorted: u64, f32, |word| word, u64::cmp);
sorts!(keys_of_i64_are_sorted: i64, i64, |word| word as i64 >> (word % 64), i64::cmp);
sorts!(keys_of_f64_are_sorted: f64, u32, f64::from_bits, f64::total_cmp);

#[test]
fn floats_are_in_their_total_order() {
    let (device, stream) = device();
    let nan = f32::from_bits(0x7FC0_0001);
    let expected = [
        -nan,
        f32::NEG_INFINITY,
        -1.0,
        -0.0,
        0.0,
        1e-40,
        f32::INFINITY,
        nan,
    ];
    let mut keys = expected;
    keys.reverse();
    let keys = DeviceBuffer::from_slice(&device, &keys).expect("keys");
    let mut sorted = DeviceBuffer::zeroed(&device, 8).expect("a buffer");
    let mut sort = Sort::new(&device, 8).expect("a workspace");
    sort.sort(&stream, Order::Ascending, &keys, &mut sorted)
        .expect("a sort");
    assert_eq!(
        sorted.to_vec().unwrap().map_bits(),
        expected.to_vec().map_bits()
    );
}

/// For comparing floats bit for bit.
trait MapBits {
    fn map_bits(self) -> Vec<u32>;
}

impl MapBits for Vec<f32> {
    fn map_bits(self) -> Vec<u32> {
        self.into_iter().map(f32::to_bits).collect()
    }
}

#[test]
fn one_key_many_times_stays_in_its_order() {
    let (device, stream) = device();
    let keys = DeviceBuffer::from_slice(&device, &[7u32; 30_000]).expect("keys");
    let expected: Vec<u64> = (0..30_000).collect();
    let values = DeviceBuffer::from_slice(&device, &expected).expect("values");
    let mut sorted = DeviceBuffer::zeroed(&device, 30_000).expect("a buffer");
    let mut moved = DeviceBuffer::zeroed(&device, 30_000).expect("a buffer");
    let mut sort = SortPairs::new(&device, 30_000).expect("a workspace");
    sort.sort(
        &stream,
        Order::Descending,
        (&keys, &values),
        (&mut sorted, &mut moved),
    )
    .expect("a sort");
    assert!(moved.to_vec().unwrap() == expected);
}

#[test]
fn what_is_too_short_is_refused() {
    let (device, stream) = device();
    let keys = DeviceBuffer::from_slice(&device, &[1u32; 9]).expect("keys");
    let few = DeviceBuffer::from_slice(&device, &[1u32; 8]).expect("values");
    let mut sorted = DeviceBuffer::zeroed(&device, 9).expect("a buffer");
    let mut moved = DeviceBuffer::zeroed(&device, 9).expect("a buffer");
    let mut short = DeviceBuffer::zeroed(&device, 8).expect("a buffer");
    let up = Order::Ascending;
    let text = |result: Result<(), Error>| result.expect_err("an error").to_string();
    let mut sort = Sort::new(&device, 8).expect("a workspace");
    assert_eq!(
        text(sort.sort(&stream, up, &keys, &mut sorted)),
        "expected a workspace of at least 9 elements, found 8"
    );
    let mut sort = Sort::new(&device, 9).expect("a workspace");
    assert_eq!(
        text(sort.sort(&stream, up, &keys, &mut short)),
        "expected an output of at least 9 elements, found 8"
    );
    let mut sort = SortPairs::<u32, u32>::new(&device, 9).expect("a workspace");
    assert_eq!(
        text(sort.sort(&stream, up, (&keys, &few), (&mut sorted, &mut moved))),
        "expected values of at least 9 elements, found 8"
    );
    assert_eq!(
        text(sort.sort(&stream, up, (&keys, &keys), (&mut sorted, &mut short))),
        "expected an output of values of at least 9 elements, found 8"
    );
}

#[test]
fn a_sort_is_recorded_in_a_graph() {
    let (device, stream) = device();
    let numbers: Vec<i32> = (0..10_000).map(|i| (i * 7919) % 10_007 - 5000).collect();
    let keys = DeviceBuffer::from_slice(&device, &numbers).expect("keys");
    let mut sorted = DeviceBuffer::zeroed(&device, numbers.len()).expect("a buffer");
    let mut sort = Sort::new(&device, numbers.len()).expect("a workspace");
    let graph = device
        .record(|record| Ok(sort.sort(record, Order::Ascending, &keys, &mut sorted)?))
        .expect("a graph");
    let mut expected = numbers;
    expected.sort_unstable();
    for _ in 0..2 {
        graph.launch(&stream).expect("a launch");
        assert!(sorted.to_vec().unwrap() == expected);
        sorted.fill_zero().unwrap();
    }
}

#[test]
fn a_sort_is_right_in_any_order_of_blocks() {
    let (device, stream) = device();
    let keys: Vec<u32> = words(2 * 8832 + 5)
        .into_iter()
        .map(|word| word as u32)
        .collect();
    let mut expected = keys.clone();
    expected.sort_unstable();
    let input = DeviceBuffer::from_slice(&device, &keys).expect("keys");
    for (schedule, seed) in [("pct,weak", 1), ("pct,weak", 2), ("random,weak", 3)] {
        let schedule = schedule.parse().expect("a schedule");
        let checking = Checking::all().schedule(schedule).seed(seed);
        let (found, findings) = checks::of(&device, checking, || {
            let mut sort = Sort::new(&device, keys.len()).expect("a workspace");
            let mut sorted = DeviceBuffer::zeroed(&device, keys.len()).expect("a buffer");
            sort.sort(&stream, Order::Ascending, &input, &mut sorted)
                .expect("a sort");
            sorted.to_vec()
        })
        .expect("a run");
        assert!(found == expected, "seed {seed}");
        let findings = findings.unwrap_or_default();
        assert!(findings.is_empty(), "seed {seed}: {findings:#?}");
    }
}
