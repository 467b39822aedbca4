//! Copies and kernels on different streams that use the same buffers, or parts of them.

use gpu::basics::vector_add::vec_add;
use lanewise::{DeviceBuffer, LaunchConfig, StreamOptions};
use lanewise_patterns::input;
use proptest::prelude::*;
use tests::sizes::{EDGES, cases, lengths};

use super::{pinned, round_trip, streams};

proptest! {
    #![proptest_config(cases(6))]

    #[test]
    fn copies_and_kernels_on_different_streams_keep_order(size in lengths(), seed: u64) {
        let _turn = tests::turn();
        let device = tests::device();
        let values = input::floats(size, seed);
        let doubled: Vec<f32> = values.iter().map(|value| value + value).collect();
        let [blocking, free] = streams(&device);
        for pair in [[blocking.clone(), free.clone()], [free.clone(), blocking.clone()], [free.clone(), free]] {
            prop_assert_eq!(round_trip(&device, &values, &pair), doubled.clone());
        }
    }
}

#[test]
fn copies_of_every_edge_size_arrive() {
    let _turn = tests::turn();
    let device = tests::device();
    let pair = streams(&device);
    for size in EDGES {
        let values = input::floats(size, 3);
        let doubled: Vec<f32> = values.iter().map(|value| value + value).collect();
        assert_eq!(round_trip(&device, &values, &pair), doubled, "{size}");
    }
}

#[test]
fn lengths_that_differ_are_refused() {
    let _turn = tests::turn();
    let device = tests::device();
    let [stream, _] = streams(&device);
    let host = pinned(&device, &[1.0; 3]);
    let mut buffer = DeviceBuffer::<f32>::zeroed(&device, 4).expect("a buffer");
    let error = stream
        .copy_in(&host, &mut buffer)
        .expect_err("lengths differ");
    assert!(
        error
            .to_string()
            .contains("4 elements and the host slice 3"),
        "{error}"
    );
}

#[test]
fn parts_are_written_by_several_streams_and_the_whole_waits_for_them() {
    let _turn = tests::turn();
    let device = tests::device();
    let values = input::floats(1000, 5);
    let a = DeviceBuffer::from_slice(&device, &values).expect("a buffer");
    let mut sum = DeviceBuffer::<f32>::zeroed(&device, 1000).expect("a buffer");
    let mut pieces = DeviceBuffer::from_slice(&device, &values).expect("a buffer");
    let free = StreamOptions::new().non_blocking();
    for mut part in sum.chunks_mut(300).into_iter().zip(pieces.chunks_mut(300)) {
        let stream = device.stream_with(free).expect("a stream");
        let config = LaunchConfig::for_num_elems(part.0.len());
        stream
            .launch(vec_add, config, (&part.1, &part.1, &mut part.0))
            .expect("a launch");
        stream.copy(&part.0, &mut part.1).expect("a copy");
    }
    let doubled: Vec<f32> = values.iter().map(|value| value + value).collect();
    assert_eq!(sum.to_vec().expect("no fault"), doubled);
    assert_eq!(pieces.to_vec().expect("no fault"), doubled);
    let (mut left, right) = sum.split_at_mut(1);
    assert_eq!((left.len(), right.len()), (1, 999));
    let [stream, _] = streams(&device);
    stream.fill_zero(&mut left).expect("a set");
    assert_eq!(sum.to_vec().expect("no fault")[..2], [0.0, doubled[1]]);
    assert_eq!(a.to_vec().expect("no fault"), values);
}
