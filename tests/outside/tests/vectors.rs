//! Buffers of numbers as vectors, loads and stores that choose their caches, and memory that
//! nothing wrote.
#![forbid(unsafe_code)]

use lanewise::{Device, DeviceBuffer, LaunchConfig, ManagedBuffer, MemoryError, Stream};
use lanewise_std::vector::Float4;
use own_kernels::{Reading, add, doubled_vectors, twice_past_caches};
use proptest::prelude::*;

fn device() -> (Device, Stream) {
    let device = Device::open().expect("a device");
    let stream = device.stream().expect("a stream");
    (device, stream)
}

/// Distinct numbers that floats hold exactly.
fn numbers(n: usize) -> Vec<f32> {
    (0..n).map(|i| i as f32 - 7.5).collect()
}

fn twice(numbers: &[f32]) -> Vec<f32> {
    numbers.iter().map(|number| 2.0 * number).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn values_of_all_sizes_pass_the_caches(
        vectors in 0usize..70,
        sensors in prop::collection::vec(any::<(u16, [i16; 3])>(), 0..70),
        bytes in prop::collection::vec(any::<[u8; 3]>(), 0..70),
        wide in prop::collection::vec(any::<u128>(), 0..70),
    ) {
        let (device, stream) = device();
        let numbers = numbers(4 * vectors);
        let readings: Vec<_> = sensors.iter().map(|&(sensor, values)| Reading { sensor, values }).collect();
        let input = DeviceBuffer::from_slice(&device, &numbers).unwrap();
        let mut output = DeviceBuffer::<f32>::uninit(&device, numbers.len()).unwrap();
        let from_readings = DeviceBuffer::from_slice(&device, &readings).unwrap();
        let mut to_readings = DeviceBuffer::from_slice(&device, &vec![Reading::default(); readings.len()]).unwrap();
        let from_bytes = DeviceBuffer::from_slice(&device, &bytes).unwrap();
        let mut to_bytes = DeviceBuffer::<[u8; 3]>::uninit(&device, bytes.len()).unwrap();
        let from_wide = DeviceBuffer::from_slice(&device, &wide).unwrap();
        let mut to_wide = DeviceBuffer::<u128>::uninit(&device, wide.len()).unwrap();
        let arguments = (
            &input.as_vectors::<Float4>().unwrap(),
            &from_readings,
            &from_bytes,
            &from_wide,
            &mut output.as_vectors_mut::<Float4>().unwrap(),
            &mut to_readings,
            &mut to_bytes,
            &mut to_wide,
        );
        stream.launch(twice_past_caches, LaunchConfig::new(2, 32), arguments).unwrap();
        prop_assert_eq!(output.to_vec().unwrap(), twice(&numbers));
        prop_assert_eq!(to_readings.to_vec().unwrap(), readings);
        prop_assert_eq!(to_bytes.to_vec().unwrap(), bytes);
        prop_assert_eq!(to_wide.to_vec().unwrap(), wide);
    }
}

#[test]
fn vectors_of_whole_buffers_parts_and_managed_memory() {
    let (device, stream) = device();
    let config = LaunchConfig::new(1, 32);
    // ANCHOR: vectors
    let input = DeviceBuffer::from_slice(&device, &numbers(16)).unwrap();
    let mut output = DeviceBuffer::<f32>::uninit(&device, 16).unwrap();
    let arguments = (
        &input.as_vectors::<Float4>().unwrap(),
        &mut output.as_vectors_mut::<Float4>().unwrap(),
    );
    stream.launch(doubled_vectors, config, arguments)
        .unwrap();
    // ANCHOR_END: vectors
    assert_eq!(output.to_vec().unwrap(), twice(&numbers(16)));

    let (from, mut part) = (input.slice(4..12), output.slice_mut(8..16));
    let arguments = (
        &from.as_vectors::<Float4>().unwrap(),
        &mut part.as_vectors_mut::<Float4>().unwrap(),
    );
    stream.launch(doubled_vectors, config, arguments)
        .unwrap();
    drop(part);
    assert_eq!(output.to_vec().unwrap()[8..], twice(&numbers(16)[4..12]));

    let mut managed = ManagedBuffer::<f32>::zeroed(&device, 16).unwrap();
    let arguments = (
        &input.as_vectors::<Float4>().unwrap(),
        &mut managed.as_vectors_mut::<Float4>().unwrap(),
    );
    stream.launch(doubled_vectors, config, arguments)
        .unwrap();
    assert_eq!(managed.as_slice().unwrap(), twice(&numbers(16)));
}

#[test]
fn a_graph_uses_the_vectors_of_a_buffer() {
    let (device, stream) = device();
    let input = DeviceBuffer::from_slice(&device, &numbers(8)).unwrap();
    let mut output = DeviceBuffer::<f32>::zeroed(&device, 8).unwrap();
    let (template, ()) = device
        .build_graph(|graph| {
            let arguments = (
                &input.as_vectors::<Float4>().unwrap(),
                &mut output.as_vectors_mut::<Float4>().unwrap(),
            );
            graph.launch(&[], doubled_vectors, LaunchConfig::new(1, 32), arguments)?;
            Ok(())
        })
        .unwrap();
    template.instantiate().unwrap().launch(&stream).unwrap();
    assert_eq!(output.to_vec().unwrap(), twice(&numbers(8)));
}

#[test]
fn what_does_not_make_vectors_is_an_error() {
    let (device, _) = device();
    let mut buffer = DeviceBuffer::from_slice(&device, &numbers(9)).unwrap();
    let error = buffer.as_vectors::<Float4>().unwrap_err();
    assert!(
        matches!(
            error,
            MemoryError::NotWholeVectors {
                len: 9,
                lanes: 4,
                ..
            }
        ),
        "{error}"
    );
    let error = buffer.slice_mut(1..9).as_vectors_mut::<Float4>().unwrap_err();
    assert!(
        matches!(
            error,
            MemoryError::NotAligned {
                beyond: 4,
                alignment: 16,
                ..
            }
        ),
        "{error}"
    );
    assert_eq!(buffer.slice(3..3).as_vectors::<Float4>().unwrap().len(), 0);
}

#[test]
fn an_uninit_buffer_may_be_empty_or_written_by_the_host() {
    let (device, stream) = device();
    let mut buffer = DeviceBuffer::<u32>::uninit(&device, 3).unwrap();
    buffer.fill(5).unwrap();
    stream.launch(add, LaunchConfig::new(1, 32), (&mut buffer, 2))
        .unwrap();
    assert_eq!(buffer.to_vec().unwrap(), [7; 3]);
    assert!(DeviceBuffer::<u32>::uninit(&device, 0).unwrap().is_empty());
    assert!(matches!(
        DeviceBuffer::<u32>::uninit(&device, usize::MAX / 8),
        Err(MemoryError::OutOfMemory { .. })
    ));
}
