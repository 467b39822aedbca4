//! Gathers and scatters against the CPU's, and an index past the end.

use lanewise::{Device, DeviceBuffer};
use lanewise_algorithms::{Error, gather, scatter};

#[test]
fn elements_come_from_their_places_and_return_there() {
    let device = Device::open().expect("a device");
    let stream = device.stream().expect("a stream");
    for len in [0, 1, 255, 257, 70_001] {
        let values: Vec<i64> = (0..len as i64).map(|i| i * i - 5).collect();
        // 48,271 shares no factor with a length above 1, so each place occurs once.
        let indices: Vec<u32> = (0..len).map(|i| (i * 48_271 % len) as u32).collect();
        let input = DeviceBuffer::from_slice(&device, &values).expect("values");
        let places = DeviceBuffer::from_slice(&device, &indices).expect("indices");
        // Longer than needed: what is past the indices stays as it is.
        let mut output = DeviceBuffer::from_slice(&device, &vec![-7i64; len + 3]).expect("output");
        gather(&stream, &input, &places, &mut output).expect("a gather");
        let mut expected: Vec<i64> = indices.iter().map(|i| values[*i as usize]).collect();
        expected.extend([-7; 3]);
        assert!(output.to_vec().unwrap() == expected, "{len}");
        let mut back = DeviceBuffer::from_slice(&device, &vec![-7i64; len + 3]).expect("output");
        scatter(&stream, &output, &places, &mut back).expect("a scatter");
        let expected = [&values[..], &[-7; 3]].concat();
        assert!(back.to_vec().unwrap() == expected, "{len}");
    }
}

#[test]
fn of_elements_for_one_place_one_is_written() {
    let device = Device::open().expect("a device");
    let stream = device.stream().expect("a stream");
    let values: Vec<f32> = (0..1000).map(|i| i as f32).collect();
    let input = DeviceBuffer::from_slice(&device, &values).expect("values");
    let places = DeviceBuffer::from_slice(&device, &[1u32; 1000]).expect("indices");
    let mut output = DeviceBuffer::from_slice(&device, &[-1.0f32; 3]).expect("output");
    scatter(&stream, &input, &places, &mut output).expect("a scatter");
    let found = output.to_vec().unwrap();
    assert!(
        found[0] == -1.0 && values.contains(&found[1]) && found[2] == -1.0,
        "{found:?}"
    );
}

#[test]
fn what_is_too_short_is_refused() {
    let device = Device::open().expect("a device");
    let stream = device.stream().expect("a stream");
    let short = DeviceBuffer::<u32>::zeroed(&device, 3).expect("a buffer");
    let mut output = DeviceBuffer::<u32>::zeroed(&device, 3).expect("a buffer");
    let indices = DeviceBuffer::<u32>::zeroed(&device, 4).expect("indices");
    let text = |result: Result<(), Error>| result.expect_err("an error").to_string();
    assert_eq!(
        text(gather(&stream, &short, &indices, &mut output)),
        "expected an output of at least 4 elements, found 3"
    );
    assert_eq!(
        text(scatter(&stream, &short, &indices, &mut output)),
        "expected an input of at least 4 elements, found 3"
    );
}
