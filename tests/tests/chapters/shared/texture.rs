//! Textures: filters, what is outside, against the CPU.
//!
//! Tolerance: a weight is a multiple of 1/256 on either device. The simulator's is the nearest, and
//! the reference's too; a GPU's may be one of the two around, which is 1/256 of the difference of
//! two texels, below 1 here, on each axis.

use gpu::shared::texture::{texture_1d, texture_2d_border, texture_2d_linear};
use lanewise::texture::{AddressMode, Filter, Sampling};
use lanewise::{DeviceBuffer, LaunchConfig, Texture};
use lanewise_patterns::Setup;
use lanewise_patterns::shared::texture::{line, resize, shift};
use lanewise_std::texture::Texture1d;
use proptest::prelude::*;
use tests::agree::{all_agree, assert_agree_at_matrix_edges};
use tests::device;
use tests::ptx;
use tests::sizes::{cases, matrix};

const VARIANTS: [&str; 4] = [
    "texture_1d",
    "texture_2d_linear",
    "texture_2d_wrap",
    "texture_2d_border",
];

const TOLERANCE: f32 = 2.0 / 256.0;

/// The first value that differs by more than the tolerance, with its place.
fn differs(got: &[f32], expected: &[f32]) -> Option<(usize, f32, f32)> {
    assert_eq!(got.len(), expected.len());
    let pairs = got.iter().zip(expected).enumerate();
    let mut wrong = pairs.filter(|(_, (got, expected))| (**got - **expected).abs() > TOLERANCE);
    wrong
        .next()
        .map(|(i, (got, expected))| (i, *got, *expected))
}

/// Numbers from 0 to 1 that jump about.
fn texels(n: usize) -> Vec<f32> {
    (0..n).map(|i| ((i * 37) % 101) as f32 / 101.0).collect()
}

fn look_up(table: &[f32], at: &[f32]) -> Vec<f32> {
    let device = device();
    let stream = device.stream().expect("a stream");
    let sampling = Sampling {
        filter: Filter::Linear,
        ..Sampling::default()
    };
    let texture = Texture::from_slice(&device, table, [table.len()], sampling).expect("a texture");
    let coordinates = DeviceBuffer::from_slice(&device, at).expect("a buffer");
    let mut output = DeviceBuffer::zeroed(&device, at.len()).expect("a buffer");
    let config = LaunchConfig::for_num_elems(at.len());
    stream
        .launch(texture_1d, config, (&texture, &coordinates, &mut output))
        .expect("a launch");
    output.to_vec().expect("no fault")
}

fn resized(
    image: &[f32],
    size: [usize; 2],
    [width, height]: [usize; 2],
    address_mode: AddressMode,
) -> Vec<f32> {
    let device = device();
    let stream = device.stream().expect("a stream");
    let sampling = Sampling {
        filter: Filter::Linear,
        normalized: true,
        address_mode,
    };
    let texture = Texture::from_slice(&device, image, size, sampling).expect("a texture");
    let mut output = DeviceBuffer::zeroed(&device, width * height).expect("a buffer");
    let config = LaunchConfig::cover_2d((width, height), (16, 16));
    let arguments = (&texture, output.matrix_mut(width));
    stream
        .launch(texture_2d_linear, config, arguments)
        .expect("a launch");
    output.to_vec().expect("no fault")
}

fn shifted(
    image: &[f32],
    size: [usize; 2],
    [dx, dy]: [i32; 2],
    address_mode: AddressMode,
) -> Vec<f32> {
    let device = device();
    let stream = device.stream().expect("a stream");
    let sampling = Sampling {
        address_mode,
        ..Sampling::default()
    };
    let texture = Texture::from_slice(&device, image, size, sampling).expect("a texture");
    let mut output = DeviceBuffer::zeroed(&device, image.len()).expect("a buffer");
    let config = LaunchConfig::cover_2d((size[0], size[1]), (16, 16));
    let arguments = (&texture, output.matrix_mut(size[0]), dx, dy);
    stream
        .launch(texture_2d_border, config, arguments)
        .expect("a launch");
    output.to_vec().expect("no fault")
}

#[test]
fn textures_agree_with_the_cpu_at_every_edge() {
    assert_agree_at_matrix_edges(VARIANTS);
}

proptest! {
    #![proptest_config(cases(16))]

    #[test]
    fn textures_agree_with_the_cpu(columns in 0usize..150, rows in 0usize..150, seed: u64, by in 0u32..200) {
        let setup = Setup { by: Some(by), ..matrix(columns, rows, seed) };
        prop_assert_eq!(all_agree(VARIANTS, setup), Ok(()));
    }

    #[test]
    fn a_table_agrees_with_the_cpu(n in 1usize..300, at in prop::collection::vec(-2.0f32..302.0, 1..200)) {
        let table = texels(n);
        let expected: Vec<f32> = at.iter().map(|&x| line(&table, x)).collect();
        prop_assert_eq!(differs(&look_up(&table, &at), &expected), None);
    }

    #[test]
    fn resizing_agrees_with_the_cpu(nx in 1usize..40, ny in 1usize..40, width in 1usize..70, height in 1usize..70) {
        let image = texels(nx * ny);
        let expected = resize(&image, [nx, ny], [width, height], AddressMode::Clamp);
        prop_assert_eq!(differs(&resized(&image, [nx, ny], [width, height], AddressMode::Clamp), &expected), None);
    }

    #[test]
    fn shifting_agrees_with_the_cpu(nx in 1usize..60, ny in 1usize..60, dx in -70i32..70, dy in -70i32..70, border in 0.0f32..1.0) {
        let image = texels(nx * ny);
        let expected = shift(&image, [nx, ny], [dx, dy], AddressMode::Border(border));
        // Points are texels: no tolerance.
        prop_assert_eq!(shifted(&image, [nx, ny], [dx, dy], AddressMode::Border(border)), expected);
    }
}

/// A handle that another library's call gave leads to the texture as a reference to ours does.
#[test]
fn a_texture_is_passed_by_its_handle() {
    let device = device();
    let stream = device.stream().expect("a stream");
    let table = texels(20);
    let texture =
        Texture::from_slice(&device, &table, [20], Sampling::default()).expect("a texture");
    // SAFETY: it names a texture of one dimension, which lives until the copy below.
    let handle = unsafe { Texture1d::from_handle(texture.handle()) };
    let at: Vec<f32> = (0..20).rev().map(|i| i as f32 + 0.5).collect();
    let coordinates = DeviceBuffer::from_slice(&device, &at).expect("a buffer");
    let mut output = DeviceBuffer::zeroed(&device, 20).expect("a buffer");
    let config = LaunchConfig::for_num_elems(20);
    stream
        .launch(texture_1d, config, (handle, &coordinates, &mut output))
        .expect("a launch");
    let expected: Vec<f32> = table.into_iter().rev().collect();
    assert_eq!(output.to_vec().expect("no fault"), expected);
}

#[test]
fn weights_have_nine_bits() {
    // Between 0 and 1 the blend is the weight itself: 257 values from 0 to 1.
    let at: Vec<f32> = (0..=4096).map(|i| 0.5 + i as f32 / 4096.0).collect();
    let mut seen = look_up(&[0.0, 1.0], &at);
    assert!(seen.iter().all(|weight| (weight * 256.0).fract() == 0.0));
    seen.dedup();
    assert_eq!(seen.len(), 257);
}

#[test]
fn an_image_meets_its_other_edge_where_it_wraps() {
    // Two texels over four pixels: the outer pixels lie a quarter of a texel past the middles,
    // towards the other edge.
    let expected = |address_mode| resize(&[0.0, 1.0], [2, 1], [4, 1], address_mode);
    assert_eq!(expected(AddressMode::Clamp), [0.0, 0.25, 0.75, 1.0]);
    assert_eq!(expected(AddressMode::Wrap), [0.25, 0.25, 0.75, 0.75]);
    for address_mode in [AddressMode::Clamp, AddressMode::Wrap] {
        let seen = resized(&[0.0, 1.0], [2, 1], [4, 1], address_mode);
        assert_eq!(differs(&seen, &expected(address_mode)), None);
    }
}

#[test]
fn a_kernel_fetches_once() {
    for (target, text) in ptx::embedded() {
        for kernel in ["texture_1d", "texture_2d_linear", "texture_2d_border"] {
            let text = ptx::kernel(text, kernel);
            let fetches = ptx::instructions(text).filter(|line| line.starts_with("tex."));
            assert_eq!(fetches.count(), 1, "{target}: {text}");
        }
    }
}

#[test]
fn edges_go_on_where_they_are_held() {
    let image = texels(12);
    let moved = shifted(&image, [4, 3], [2, 0], AddressMode::Clamp);
    assert_eq!(moved[..4], [image[0], image[0], image[0], image[1]]);
}

#[test]
fn a_texture_of_another_length_or_of_nothing_is_refused() {
    let device = device();
    let refused = Texture::from_slice(&device, &[1.0; 5], [2, 3], Sampling::default());
    assert!(matches!(
        refused,
        Err(lanewise::MemoryError::LengthMismatch {
            buffer: 6,
            host: 5,
            ..
        })
    ));
    let refused = Texture::from_slice(&device, &[], [0], Sampling::default());
    assert!(matches!(refused, Err(lanewise::MemoryError::Driver(_))));
}
