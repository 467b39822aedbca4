//! The first few elements of rows against the CPU's sort: rows of awkward lengths, in any order,
//! and with many equal elements.

use lanewise::checks::{self, Checking};
use lanewise::{Device, DeviceBuffer, MemoryError};
use lanewise_algorithms::{Key, Order, top_of_rows};

use crate::common::words;

/// Compares the first elements of three rows with the CPU's, bit for bit, under all checks.
fn check<K: Key<Word = u32>>(
    row: &[K],
    wanted: usize,
    order: Order,
    compare: fn(&K, &K) -> std::cmp::Ordering,
) {
    let device = Device::open().expect("a device");
    let stream = device.stream().expect("a stream");
    let mut rows = row.to_vec();
    rows.rotate_left(row.len() / 3);
    let rows = [row, &rows, row].concat();
    let input = DeviceBuffer::from_slice(&device, &rows).expect("an input");
    let (found, findings) = checks::of(&device, Checking::all(), || {
        let mut found = DeviceBuffer::<K>::zeroed(&device, 3 * wanted)?;
        let mut places = DeviceBuffer::zeroed(&device, 3 * wanted)?;
        let output = (&mut found, &mut places);
        top_of_rows(&stream, order, wanted, &input, row.len() as u32, output).expect("a launch");
        Ok::<_, MemoryError>((found.to_vec()?, places.to_vec()?))
    })
    .expect("a run");
    let findings = findings.unwrap_or_default();
    assert!(findings.is_empty(), "{findings:#?}");
    let mut expected = (Vec::new(), Vec::new());
    for row in rows.chunks(row.len().max(1)) {
        let mut places: Vec<u32> = (0..row.len() as u32).collect();
        places.sort_by(|a, b| {
            let compared = compare(&row[*a as usize], &row[*b as usize]);
            if order == Order::Ascending {
                compared
            } else {
                compared.reverse()
            }
        });
        places.truncate(wanted);
        expected
            .0
            .extend(places.iter().map(|place| row[*place as usize].to_bits()));
        expected.1.extend(places);
    }
    let bits: Vec<u64> = found.0.into_iter().map(K::to_bits).collect();
    assert!(
        (bits, found.1) == expected,
        "{} of {} {order:?}",
        wanted,
        row.len()
    );
}

#[test]
fn the_first_of_rows_are_the_cpus() {
    for (columns, wanted) in [(1, 1), (8, 8), (100, 64), (2047, 8), (2049, 1), (9001, 64)] {
        let row: Vec<f32> = words(columns).into_iter().map(f32::from_bits).collect();
        check(&row, wanted, Order::Descending, f32::total_cmp);
        let row: Vec<i32> = words(columns).into_iter().map(|word| word as i32).collect();
        check(&row, wanted, Order::Ascending, i32::cmp);
    }
}

#[test]
fn rows_that_have_the_best_at_their_end_or_many_times() {
    let ascending: Vec<u32> = (0..9001).collect();
    check(&ascending, 64, Order::Descending, u32::cmp);
    check(&ascending, 64, Order::Ascending, u32::cmp);
    check(&[7u32; 5000], 64, Order::Descending, u32::cmp);
    check(&[0u32; 5000], 3, Order::Descending, u32::cmp);
    // All of the best are of one thread, and some are equal.
    let of_one: Vec<u32> = (0..9001)
        .map(|i| if i % 256 == 5 { 1000 + i % 512 } else { i % 7 })
        .collect();
    check(&of_one, 64, Order::Descending, u32::cmp);
}

#[test]
fn nothing_is_wanted_or_too_much() {
    let device = Device::open().expect("a device");
    let stream = device.stream().expect("a stream");
    let input = DeviceBuffer::from_slice(&device, &[1.0f32; 200]).expect("an input");
    let mut found = DeviceBuffer::<f32>::zeroed(&device, 3).expect("an output");
    let mut places = DeviceBuffer::<u32>::zeroed(&device, 4).expect("an output");
    let mut top = |wanted, columns| {
        let output = (&mut found, &mut places);
        top_of_rows(&stream, Order::Descending, wanted, &input, columns, output)
            .map_err(|error| error.to_string())
    };
    top(0, 100).expect("nothing");
    top(0, 0).expect("nothing");
    let text = |result: Result<(), String>| result.expect_err("an error");
    assert_eq!(
        text(top(65, 100)),
        "expected at most 64 elements of a row, found 65"
    );
    assert_eq!(
        text(top(8, 5)),
        "expected a row of at least 8 elements, found 5"
    );
    assert_eq!(
        text(top(2, 100)),
        "expected an output of elements of at least 4 elements, found 3"
    );
}
