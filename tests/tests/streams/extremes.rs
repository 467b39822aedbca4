//! Lengths that no memory has: each way to allocate or slice memory returns an error. It does not
//! panic, end the program, or use a smaller length.

use std::fmt::Debug;

use lanewise::{
    Device, DeviceBuffer, LaunchConfig, ManagedBuffer, MemoryPool, MulticastBuffer, PinnedBuffer,
    Pinning, PitchedBuffer, Surface, Texture,
};

/// Near the ends of what a length, an address or a size in bytes can be.
fn lengths() -> Vec<usize> {
    let powers = (41..64).map(|power| 1usize << power);
    let near = powers.flat_map(|power| [power - 1, power, power + 1]);
    near.chain((0..10).map(|less| usize::MAX - less)).collect()
}

#[track_caller]
fn refused<T, E: Debug>(made: Result<T, E>, how: &str, length: usize) {
    assert!(made.is_err(), "{how} of {length:#x} elements");
}

/// What memory of such elements answers.
macro_rules! refused_of {
    ($element:ty, $device:ident) => {{
        let stream = $device.stream().expect("a stream");
        let pool = MemoryPool::new(&$device).expect("a pool");
        for length in lengths() {
            let zeroed = DeviceBuffer::<$element>::zeroed(&$device, length);
            refused(zeroed, "zeroed", length);
            let zeroed = DeviceBuffer::<$element>::zeroed_on(&stream, length);
            refused(zeroed, "zeroed_on", length);
            refused(pool.zeroed::<$element>(&stream, length), "a pool's", length);
            let managed = ManagedBuffer::<$element>::zeroed(&$device, length);
            refused(managed, "managed", length);
            for pinning in [Pinning::Cached, Pinning::WriteCombined] {
                let pinned = PinnedBuffer::<$element>::zeroed(&$device, length, pinning);
                refused(pinned, "pinned", length);
            }
            let built =
                $device.build_graph(|graph| graph.allocate::<$element>(&[], length).map(drop));
            refused(built, "a graph's own", length);
        }
        stream.synchronize().expect("no fault");
    }};
}

#[test]
fn memory_that_is_too_long_is_refused() {
    let _turn = tests::turn();
    let Some(device) = tests::simulator("lengths", "a GPU's driver may try for long") else {
        return;
    };
    refused_of!(u8, device);
    refused_of!(u32, device);
    refused_of!([u16; 3], device);
    refused_of!([u64; 32], device);
    for length in lengths() {
        refused(
            MulticastBuffer::<u32>::zeroed(std::slice::from_ref(&device), length),
            "multicast",
            length,
        );
        for size in [
            [length, 1, 1],
            [1, length, 1],
            [1, 1, length],
            [length, length, 0],
            [0, length, 7],
            [length, 0, 3],
        ] {
            // An empty one may be made.
            let made = PitchedBuffer::<f32>::from_volume(&device, &[], size);
            assert!(made.is_err() || size.contains(&0), "{size:?}");
            if let Ok(made) = made {
                assert!(made.to_vec().expect("no fault").is_empty());
            }
            refused(Surface::<3>::zeroed(&device, size), "a surface", length);
            let texels = Texture::<3>::from_slice(&device, &[], size, Default::default());
            refused(texels, "a texture", length);
        }
    }
    let one = DeviceBuffer::from_slice(&device, &[1u32]).expect("the device goes on");
    assert_eq!(one.to_vec().expect("no fault"), [1]);
}

/// To the driver a height or a depth of 0 is an axis that is not there.
#[test]
fn an_array_has_texels_on_each_axis() {
    let _turn = tests::turn();
    let device = tests::device();
    fn none<const DIMENSIONS: usize>(device: &Device, size: [usize; DIMENSIONS]) {
        let surface = Surface::zeroed(device, size).map(drop);
        let filled = Surface::from_slice(device, &[], size).map(drop);
        let texture = Texture::from_slice(device, &[], size, Default::default()).map(drop);
        for refused in [surface, filled, texture] {
            let refused = refused.expect_err(&format!("{size:?}"));
            let text = format!("{refused:?}");
            assert!(text.contains("CUDA_ERROR_INVALID_VALUE"), "{text}");
        }
    }
    none(&device, [0]);
    for size in [[5, 0], [0, 5], [0, 0]] {
        none(&device, size);
    }
    for size in [[5, 7, 0], [5, 0, 7], [0, 5, 7], [5, 0, 0], [0; 3]] {
        none(&device, size);
    }
}

/// As many texels as the host has no room for, on an axis that no device has them on.
#[test]
fn zeros_are_not_asked_of_the_host_before_the_device_takes_them() {
    let _turn = tests::turn();
    let device = tests::device();
    for power in [28, 32, 33, 36] {
        let length = 1 << power;
        refused(Surface::<1>::zeroed(&device, [length]), "a line", length);
        refused(
            Surface::<2>::zeroed(&device, [2, length]),
            "a plane",
            length,
        );
        let volume = Surface::<3>::zeroed(&device, [1, 1, length]);
        refused(volume, "a volume", length);
    }
}

/// Zeros come in pieces of rows and of planes.
#[test]
fn all_of_a_large_surface_is_zero() {
    let _turn = tests::turn();
    let device = tests::device();
    let zero = |texels: Vec<f32>| texels.iter().all(|texel| texel.to_bits() == 0);
    for size in [[16_384, 65], [3, 65_000], [1000, 1049]] {
        // What is freed here is given out again.
        let ones = vec![1.0; size[0] * size[1]];
        drop(Surface::from_slice(&device, &ones, size).expect("a surface"));
        let surface = Surface::zeroed(&device, size).expect("a surface");
        assert!(zero(surface.to_vec().expect("no fault")), "{size:?}");
    }
    for size in [[1024, 1025, 2], [16, 16, 5000], [7, 11, 13]] {
        let ones = vec![1.0; size.iter().product()];
        drop(Surface::from_slice(&device, &ones, size).expect("a surface"));
        let surface = Surface::zeroed(&device, size).expect("a surface");
        assert!(zero(surface.to_vec().expect("no fault")), "{size:?}");
    }
}

#[test]
fn a_launch_for_more_than_a_grid_has_is_refused() {
    let _turn = tests::turn();
    let Some(device) = tests::simulator("lengths", "a GPU's driver may try for long") else {
        return;
    };
    let stream = device.stream().expect("a stream");
    let from = DeviceBuffer::from_slice(&device, &[1u32; 4]).expect("a buffer");
    let mut to = DeviceBuffer::<u32>::zeroed(&device, 4).expect("a buffer");
    for length in lengths() {
        let kernel = gpu::streams::advance::advance;
        let shape = LaunchConfig::for_num_elems(length);
        let launched = stream.launch(kernel, shape, (&from, &mut to, 1));
        refused(launched, "a launch", length);
    }
}

/// Elements of no bytes: as many as one likes.
#[test]
fn nothing_at_all_may_be_as_long_as_one_likes() {
    let _turn = tests::turn();
    let device = tests::device();
    let stream = device.stream().expect("a stream");
    let pool = MemoryPool::new(&device).expect("a pool");
    for length in lengths() {
        let host = vec![[0u32; 0]; length];
        let mut buffers = [
            DeviceBuffer::from_slice(&device, &host).expect("nothing"),
            DeviceBuffer::zeroed(&device, length).expect("nothing"),
            DeviceBuffer::zeroed_on(&stream, length).expect("nothing"),
            pool.zeroed(&stream, length).expect("nothing"),
        ];
        let mut pinned =
            PinnedBuffer::<[u32; 0]>::zeroed(&device, length, Pinning::Cached).expect("nothing");
        let registered = PinnedBuffer::register(&device, host.clone()).expect("nothing");
        let mut managed = ManagedBuffer::<[u32; 0]>::zeroed(&device, length).expect("nothing");
        assert_eq!(managed.as_mut_slice().expect("no fault").len(), length);
        assert_eq!(pinned.mapped().expect("no fault").len(), length);
        for buffer in &mut buffers {
            buffer.fill_zero().expect("nothing");
            buffer.copy_from_slice(&host).expect("nothing");
            assert_eq!(buffer.to_vec().expect("nothing").len(), length);
            assert_eq!(buffer.slice(length / 2..length).len(), length - length / 2);
            let (most, last) = buffer.split_at_mut(length - 1);
            assert_eq!((most.len(), last.len()), (length - 1, 1));
            stream
                .copy_in(&registered, buffer)
                .expect("nothing")
                .detach();
            stream
                .copy_out(buffer, &mut pinned)
                .expect("nothing")
                .detach();
            let graph = device
                .record(|record| record.fill_zero(buffer))
                .expect("a graph");
            graph.launch(&stream).expect("a launch");
        }
        let [one, other, ..] = &mut buffers;
        stream.copy(one, other).expect("nothing");
        assert_eq!(pinned.as_slice().expect("no fault").len(), length);
    }
}
