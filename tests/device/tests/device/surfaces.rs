//! Arrays that kernels write as surfaces, and then read as textures.

use device_kernels::surfaces::{paint_1d, paint_2d, paint_3d, painted, read_outside, read_row};
use lanewise::texture::Sampling;
use lanewise::{Device, DeviceBuffer, LaunchConfig, MemoryError, Surface};
use proptest::prelude::*;
use tests::sizes::cases;

/// Numbers for the texels of a surface.
fn texels(count: usize) -> Vec<f32> {
    (0..count).map(|i| ((i * 37) % 101) as f32).collect()
}

/// Texels that were painted this many times.
fn expected(size: [usize; 3], times: usize) -> Vec<f32> {
    let place = |i: usize| [i % size[0], i / size[0] % size[1], i / (size[0] * size[1])];
    let paint = |(i, mut texel): (usize, f32)| {
        let [x, y, z] = place(i).map(|n| n as u32);
        for _ in 0..times {
            texel = painted(texel, x, y, z);
        }
        texel
    };
    texels(size.iter().product())
        .into_iter()
        .enumerate()
        .map(paint)
        .collect()
}

proptest! {
    #![proptest_config(cases(6))]

    #[test]
    fn texels_are_painted_and_nothing_outside(x in 1usize..70, y in 1usize..20, z in 1usize..6) {
        let device = Device::open().expect("a device");
        // Launches on two streams take turns by the surface.
        let streams = [0, 1].map(|_| device.stream().expect("a stream"));
        let over = LaunchConfig::cover_2d((x + 3, y + 5), (16, 8));
        let mut line = Surface::from_slice(&device, &texels(x), [x]).expect("a surface");
        let mut plane = Surface::from_slice(&device, &texels(x * y), [x, y]).expect("a surface");
        let all = texels(x * y * z);
        let mut volume = Surface::from_slice(&device, &all, [x, y, z]).expect("a surface");
        for stream in &streams {
            let covering = LaunchConfig::for_num_elems(x + 40);
            stream.launch(paint_1d, covering, (&mut line,)).expect("a launch");
            stream.launch(paint_2d, over, (&mut plane,)).expect("a launch");
            let deep = z as u32 + 2;
            stream.launch(paint_3d, over, (&mut volume, deep)).expect("a launch");
        }
        prop_assert_eq!(line.to_vec().expect("texels"), expected([x, 1, 1], 2));
        prop_assert_eq!(plane.to_vec().expect("texels"), expected([x, y, 1], 2));
        prop_assert_eq!(volume.to_vec().expect("texels"), expected([x, y, z], 2));
        let row = y - 1;
        let painted = plane.to_vec().expect("texels");
        let image = plane.into_texture(Sampling::default()).expect("a texture");
        let mut output = DeviceBuffer::from_slice(&device, &vec![-1f32; x]).expect("a buffer");
        let arguments = (&image, row as u32, &mut output);
        streams[0].launch(read_row, LaunchConfig::for_num_elems(x), arguments)
            .expect("a launch");
        prop_assert_eq!(output.to_vec().expect("a copy"), painted[row * x..].to_vec());
    }
}

#[test]
fn outside_is_zero_however_far() {
    let device = Device::open().expect("a device");
    let stream = device.stream().expect("a stream");
    let mut line = Surface::from_slice(&device, &[7.0; 33], [33]).expect("a surface");
    let mut output = DeviceBuffer::from_slice(&device, &[1f32; 64]).expect("a buffer");
    let config = LaunchConfig::for_num_elems(64);
    stream
        .launch(read_outside, config, (&mut line, 33, &mut output))
        .expect("a launch");
    assert_eq!(output.to_vec().expect("a copy"), [0.0; 64]);
    let none = Surface::<2>::from_slice(&device, &[1.0; 3], [2, 2]);
    assert!(matches!(none, Err(MemoryError::LengthMismatch { .. })));
    assert!(Surface::zeroed(&device, [0]).is_err());
}
