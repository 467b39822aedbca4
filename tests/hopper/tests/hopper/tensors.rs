//! Boxes of tensors, against loops over their elements.

use hopper::{buffer, device, values};
use hopper_kernels::tensors::{
    ADDERS, JOINED, WORDS, add_elements, add_plain, add_rows_of_all, bound_elements, bound_plain,
    count_elements, count_plain, join_bits, join_plain, load_box, load_for_all, load_pixels,
    load_pixels_for_all, store_box, store_pixels,
};
use lanewise::tensor_map::{
    Columns, Im2colMap, Im2colMapMut, Swizzle, TensorElement, TensorMap, TensorMapError,
    TensorMapMut, Tiles,
};
use lanewise::{Argument, DeviceBuffer, LaunchConfig};
use lanewise_std::GlobalMut;
use lanewise_std::half::{Bf16, F16};
use lanewise_std::kernel::{Kernel, SafeKernel};
use lanewise_std::tma;
use proptest::prelude::*;
use tests::sizes::cases;

/// Returns the element at these coordinates of a tensor without gaps, or `None` outside.
fn index<const RANK: usize>(size: [usize; RANK], at: [i64; RANK]) -> Option<usize> {
    let mut index = 0;
    for dimension in (0..RANK).rev() {
        let place = usize::try_from(at[dimension]).ok()?;
        if place >= size[dimension] {
            return None;
        }
        index = index * size[dimension] + place;
    }
    Some(index)
}

/// Returns, for each element of a box, its index in the tensor, or `None`.
fn indices<const RANK: usize>(
    size: [usize; RANK],
    tile: [u32; RANK],
    at: [i32; RANK],
) -> Vec<Option<usize>> {
    let count: u32 = tile.iter().product();
    (0..count)
        .map(|number| {
            let mut rest = number;
            let mut place = [0; RANK];
            for dimension in 0..RANK {
                place[dimension] = i64::from(at[dimension]) + i64::from(rest % tile[dimension]);
                rest /= tile[dimension];
            }
            index(size, place)
        })
        .collect()
}

/// A size whose rows fill 16 bytes, a box, and where it begins: at a multiple of 16 bytes.
type Shape<const RANK: usize> = ([usize; RANK], [u32; RANK], [i32; RANK]);

/// Boxes that begin up to `before` places before the tensor: loads may, stores may not.
fn shapes<const RANK: usize>(before: i32) -> impl Strategy<Value = Shape<RANK>> {
    let first = (1usize..8, 1u32..4, -before..10);
    let others = proptest::collection::vec((1usize..6, 1u32..4, -before..8), RANK - 1);
    (first, others).prop_map(|((width, tile, at), others)| {
        let value = |d: usize| match d {
            0 => (4 * width, 4 * tile, 4 * at),
            _ => others[d - 1],
        };
        (
            std::array::from_fn(|d| value(d).0),
            std::array::from_fn(|d| value(d).1),
            std::array::from_fn(|d| value(d).2),
        )
    })
}

fn config() -> LaunchConfig {
    LaunchConfig::new(1, 128)
}

/// The arguments of the kernels that load a box.
type LoadParams<const RANK: usize> = (
    tma::TensorMap<'static, u32, RANK>,
    [i32; RANK],
    u32,
    GlobalMut<'static, u32>,
);

/// What a box of a tensor of numbers that count from 1 looks like in shared memory.
fn loaded<K, const RANK: usize>(
    kernel: K,
    (size, tile, at): Shape<RANK>,
    swizzle: Swizzle,
) -> Vec<u32>
where
    K: SafeKernel<Params = LoadParams<RANK>>,
    [i32; RANK]: Argument<[i32; RANK]>,
{
    let (device, stream) = device();
    let elements: Vec<u32> = (1..=size.iter().product::<usize>() as u32).collect();
    let tensor = buffer(&device, &elements);
    let map = TensorMap::new(&tensor, Tiles::new(size, tile).swizzle(swizzle));
    let map = map.unwrap_or_else(|error| panic!("{size:?} {tile:?}: {error}"));
    let count: u32 = tile.iter().product();
    let mut output = buffer(&device, &vec![u32::MAX; count as usize]);
    stream
        .launch(kernel, config(), (&map, at, 4 * count, &mut output))
        .expect("a launch");
    values(&output)
}

fn check_load<K, const RANK: usize>(kernel: K, shape: Shape<RANK>) -> Result<(), TestCaseError>
where
    K: SafeKernel<Params = LoadParams<RANK>>,
    [i32; RANK]: Argument<[i32; RANK]>,
{
    let (size, tile, at) = shape;
    let expected: Vec<u32> = indices(size, tile, at)
        .into_iter()
        .map(|index| index.map_or(0, |i| i as u32 + 1))
        .collect();
    prop_assert_eq!(
        loaded(kernel, shape, Swizzle::None),
        expected,
        "{:?}",
        shape
    );
    Ok(())
}

/// How each way to store combines an old element and a new one.
const WAYS: [fn(u32, u32) -> u32; 9] = [
    |_, new| new,
    u32::wrapping_add,
    |old, new| old.min(new),
    |old, new| old.max(new),
    |old, new| old & new,
    |old, new| old | new,
    |old, new| old ^ new,
    |old, new| if old >= new { 0 } else { old + 1 },
    |old, new| if old == 0 || old > new { new } else { old - 1 },
];

fn check_store<K, const RANK: usize>(
    kernel: K,
    shape: Shape<RANK>,
    how: usize,
) -> Result<(), TestCaseError>
where
    K: SafeKernel<
        Params = (
            tma::TensorMapMut<'static, u32, RANK>,
            [i32; RANK],
            &'static [u32],
            u32,
        ),
    >,
    [i32; RANK]: Argument<[i32; RANK]>,
{
    let (size, tile, at) = shape;
    let (device, stream) = device();
    let mut expected: Vec<u32> = (0..size.iter().product::<usize>() as u32)
        .map(|i| i.wrapping_mul(0x9e37_79b9))
        .collect();
    let mut tensor = buffer(&device, &expected);
    let count: u32 = tile.iter().product();
    let input: Vec<u32> = (0..count)
        .map(|i| i.wrapping_mul(0x85eb_ca6b) ^ 0xff)
        .collect();
    for (element, index) in input.iter().zip(indices(size, tile, at)) {
        if let Some(place) = index {
            expected[place] = WAYS[how](expected[place], *element);
        }
    }
    let input = buffer(&device, &input);
    let mut map = TensorMapMut::new(&mut tensor, Tiles::new(size, tile)).expect("a map");
    stream
        .launch(kernel, config(), (&mut map, at, &input, how as u32))
        .expect("a launch");
    prop_assert_eq!(values(&tensor), expected, "{:?} by {}", shape, how);
    Ok(())
}

macro_rules! ranks {
    ($($rank:literal: $loaded:ident, $stored:ident;)*) => {
        proptest! {
            #![proptest_config(cases(8))]

            $(
                #[test]
                fn $loaded(shape in shapes::<$rank>(5)) {
                    check_load(load_box::<$rank>, shape)?;
                }

                #[test]
                fn $stored(shape in shapes::<$rank>(0), how in 0usize..9) {
                    check_store(store_box::<$rank>, shape, how)?;
                }
            )*
        }
    };
}
ranks! {
    1: boxes_of_1_dimension_are_loaded, boxes_of_1_dimension_are_stored_and_joined;
    2: boxes_of_2_dimensions_are_loaded, boxes_of_2_dimensions_are_stored_and_joined;
    3: boxes_of_3_dimensions_are_loaded, boxes_of_3_dimensions_are_stored_and_joined;
    4: boxes_of_4_dimensions_are_loaded, boxes_of_4_dimensions_are_stored_and_joined;
    5: boxes_of_5_dimensions_are_loaded, boxes_of_5_dimensions_are_stored_and_joined;
}

#[test]
fn a_swizzled_box_is_where_the_device_library_says() {
    // Rows of 128 bytes, 16 of them: the pattern twice.
    let shape = ([32, 16], [32, 16], [0, 0]);
    let swizzled = loaded(load_box::<2>, shape, Swizzle::B128);
    for word in 0..512 {
        assert_eq!(swizzled[tma::swizzled(4 * word) / 4], word as u32 + 1);
    }
}

#[test]
fn strides_offsets_and_steps_are_the_maps() {
    let (device, stream) = device();
    // Rows of 24 words, of which the tensor has the 8 from word 4 on, and every other of 9 rows.
    let tensor = buffer(&device, &(0..24 * 9).collect::<Vec<u32>>());
    let tiles = Tiles::new([8, 9], [8, 9])
        .strides(&[96])
        .offset(4)
        .steps([1, 2]);
    let map = TensorMap::new(&tensor, tiles).expect("a map");
    let mut output = buffer(&device, &[0; 40]);
    stream
        .launch(load_box::<2>, config(), (&map, [0, 0], 160, &mut output))
        .expect("a launch");
    let expected: Vec<u32> = (0..40).map(|i| 48 * (i / 8) + 4 + i % 8).collect();
    assert_eq!(values(&output), expected);
}

#[test]
fn one_box_comes_to_all_blocks_of_a_cluster() {
    let (device, stream) = device();
    let tensor = buffer(&device, &(1..=256).collect::<Vec<u32>>());
    let map = TensorMap::new(&tensor, Tiles::new([16, 16], [8, 8])).expect("a map");
    for cluster in [1, 2, 4, 8] {
        let mut output = buffer(&device, &vec![0; 64 * cluster as usize]);
        let config = LaunchConfig::new(cluster, 64).with_cluster(cluster);
        stream
            .launch(load_for_all, config, (&map, [4, 5], 256, &mut output))
            .expect("a launch");
        let element = |i: u32| 16 * (5 + i % 64 / 8) + 4 + i % 8 + 1;
        let expected: Vec<u32> = (0..64 * cluster).map(element).collect();
        assert_eq!(values(&output), expected);
    }
}

/// Two images of 5 x 4 pixels of 4 channels.
const IMAGES: [usize; 4] = [4, 5, 4, 2];

/// The 32 pixels from the corner on that a filter of 3 x 3 pixels meets at these offsets, of images
/// whose elements count from 1.
fn met(offsets: [u16; 2]) -> Vec<u32> {
    let mut expected = Vec::new();
    for pixel in 0..32i64 {
        let (x, y, image) = (pixel % 5, pixel / 5 % 4, pixel / 20);
        let (x, y) = (x - 1 + i64::from(offsets[0]), y - 1 + i64::from(offsets[1]));
        for channel in 0..4 {
            let place = index(IMAGES, [channel, x, y, image]);
            expected.push(place.map_or(0, |i| i as u32 + 1));
        }
    }
    expected
}

#[test]
fn pixels_come_as_a_convolution_meets_them() {
    let (device, stream) = device();
    let images = buffer(&device, &(1..=160).collect::<Vec<u32>>());
    let columns = Columns::new(IMAGES, ([-1, -1, 0], [-1, -1, 0]), (4, 32));
    let map = Im2colMap::new(&images, columns).expect("a map");
    for offsets in [[0u16, 0], [1, 2], [2, 1]] {
        let mut output = buffer(&device, &[u32::MAX; 128]);
        let arguments = (&map, [0, -1, -1, 0], offsets, 512, &mut output);
        stream
            .launch(load_pixels, config(), arguments)
            .expect("a launch");
        assert_eq!(values(&output), met(offsets), "{offsets:?}");
        for cluster in [1, 2, 4] {
            let mut output = buffer(&device, &vec![u32::MAX; 128 * cluster as usize]);
            let arguments = (&map, [0, -1, -1, 0], offsets, 512, &mut output);
            let config = LaunchConfig::new(cluster, 64).with_cluster(cluster);
            stream
                .launch(load_pixels_for_all, config, arguments)
                .expect("a launch");
            let expected = met(offsets).repeat(cluster as usize);
            assert_eq!(values(&output), expected, "{offsets:?} {cluster}");
        }
    }
}

#[test]
fn pixels_go_where_a_convolution_met_them() {
    let (device, stream) = device();
    let size = IMAGES;
    for (lower, upper) in [([0, 0], [0, 0]), ([0, 0], [-2, -1]), ([1, 0], [0, 0])] {
        for (how, join) in (0..).zip(WAYS) {
            let mut expected: Vec<u32> = (0..160u32)
                .map(|i| i.wrapping_mul(0x9e37_79b9) >> 24)
                .collect();
            let mut images = buffer(&device, &expected);
            let pixels: Vec<u32> = (1..=96).collect();
            let corners = ([lower[0], lower[1], 0], [upper[0], upper[1], 0]);
            let columns = Columns::new(size, corners, (4, 24));
            let mut map = Im2colMapMut::new(&mut images, columns).expect("a map");
            let start = [0, i32::from(lower[0]), i32::from(lower[1]), 0];
            let arguments = (&mut map, start, &buffer(&device, &pixels), how);
            stream
                .launch(store_pixels, config(), arguments)
                .expect("a launch");
            let [width, height] =
                [0, 1].map(|d| size[d + 1] as i64 + i64::from(upper[d]) - i64::from(lower[d]));
            for pixel in 0..24i64 {
                let x = pixel % width + i64::from(lower[0]);
                let y = pixel / width % height + i64::from(lower[1]);
                for channel in 0..4 {
                    if let Some(place) = index(size, [channel, x, y, pixel / (width * height)]) {
                        expected[place] = join(expected[place], (4 * pixel + channel) as u32 + 1);
                    }
                }
            }
            assert_eq!(values(&images), expected, "{lower:?} {upper:?} by {how}");
        }
    }
}

/// A store of 32 elements from `at` on joins each with the one that is there.
fn check_joins<T, K>(kernel: K, how: u32, join: impl Fn(T, T) -> T, value: impl Fn(usize) -> T)
where
    T: TensorElement + PartialEq + std::fmt::Debug + 'static,
    K: SafeKernel<Params = (tma::TensorMapMut<'static, T, 1>, i32, &'static [T], u32)> + Copy,
    i32: Argument<i32>,
{
    let (device, stream) = device();
    let piece = (16 / size_of::<T>()) as i32;
    let size = 64 + piece as usize;
    // Inside, across the end, and after it.
    for at in [0, 3 * piece, size as i32 - piece, size as i32 + piece] {
        let mut expected: Vec<T> = (0..size).map(|i| value(3 * i + 1)).collect();
        let input: Vec<T> = (0..JOINED).map(|i| value(5 * i + 2)).collect();
        let mut tensor = buffer(&device, &expected);
        for (i, &element) in input.iter().enumerate() {
            if let Some(there) = expected.get_mut(at as usize + i) {
                *there = join(*there, element);
            }
        }
        let tiles = Tiles::new([size], [JOINED as u32]);
        let mut map = TensorMapMut::new(&mut tensor, tiles).expect("a map");
        let input = buffer(&device, &input);
        let arguments = (&mut map, at, &input, how);
        let launched = stream.launch(kernel, config(), arguments);
        launched.expect("a launch");
        let name = std::any::type_name::<T>();
        assert_eq!(values(&tensor), expected, "{name} by {how} at {at}");
    }
}

/// The same by a plain bulk copy of as many elements.
fn check_plain<T, K>(kernel: K, how: u32, join: impl Fn(T, T) -> T, value: impl Fn(usize) -> T)
where
    T: TensorElement + PartialEq + std::fmt::Debug + 'static,
    K: Kernel<Params = (GlobalMut<'static, T>, &'static [T], u32)> + Copy,
    u32: Argument<u32>,
{
    let (device, stream) = device();
    let mut expected: Vec<T> = (0..JOINED + 8).map(|i| value(3 * i + 1)).collect();
    let input: Vec<T> = (0..JOINED).map(|i| value(5 * i + 2)).collect();
    let mut output = buffer(&device, &expected);
    for (there, &element) in expected.iter_mut().zip(&input) {
        *there = join(*there, element);
    }
    let input = buffer(&device, &input);
    // SAFETY: buffers begin at multiples of 256 bytes.
    let launched = unsafe { stream.launch_unchecked(kernel, config(), (&mut output, &input, how)) };
    launched.expect("a launch");
    let name = std::any::type_name::<T>();
    assert_eq!(values(&output), expected, "{name} by {how}");
}

/// Half floats are joined as `f32`, which has every one of these numbers and sums.
macro_rules! halves {
    ($($ty:ident)*) => {$(
        let value = |i: usize| $ty::from_f32((i as f32 % 61.0) - 30.0);
        let join = |f: fn(f32, f32) -> f32| {
            move |a: $ty, b: $ty| $ty::from_f32(f(a.to_f32(), b.to_f32()))
        };
        check_joins(add_elements::<$ty>, 0, join(|a, b| a + b), value);
        check_joins(bound_elements::<$ty>, 0, join(f32::min), value);
        check_joins(bound_elements::<$ty>, 1, join(f32::max), value);
        check_plain(add_plain::<$ty>, 0, join(|a, b| a + b), value);
        check_plain(bound_plain::<$ty>, 0, join(f32::min), value);
        check_plain(bound_plain::<$ty>, 1, join(f32::max), value);
    )*};
}

#[test]
fn each_type_of_element_is_joined_by_what_the_hardware_has_for_it() {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let bits = |i: usize| ODD.wrapping_mul(i as u64);
    macro_rules! integers {
        ($($ty:ident: [$($adds:ident $plain:ident)?], [$($bits:ident $bits_plain:ident)?];)*) => {$(
            let value = |i| bits(i) as $ty;
            $(
                check_joins($adds::<$ty>, 0, $ty::wrapping_add, value);
                check_plain($plain::<$ty>, 0, $ty::wrapping_add, value);
            )?
            check_joins(bound_elements::<$ty>, 0, Ord::min, value);
            check_joins(bound_elements::<$ty>, 1, Ord::max, value);
            check_plain(bound_plain::<$ty>, 0, Ord::min, value);
            check_plain(bound_plain::<$ty>, 1, Ord::max, value);
            $(
                let joins: [fn($ty, $ty) -> $ty; 3] = [|a, b| a & b, |a, b| a | b, |a, b| a ^ b];
                for (how, join) in joins.into_iter().enumerate() {
                    check_joins($bits::<$ty>, how as u32, join, value);
                    check_plain($bits_plain::<$ty>, how as u32, join, value);
                }
            )?
        )*};
    }
    integers! {
        u32: [add_elements add_plain], [join_bits join_plain];
        i32: [add_elements add_plain], [join_bits join_plain];
        u64: [add_elements add_plain], [join_bits join_plain];
        i64: [], [];
    }
    let small = |i: usize| (bits(i) >> 59) as u32;
    for (how, join) in [(0, WAYS[7]), (1, WAYS[8])] {
        check_plain(count_plain::<u32>, how, join, small);
        check_joins(count_elements::<u32>, how, join, small);
    }
    halves! { F16 Bf16 }
    check_joins(
        add_elements::<f32>,
        0,
        |a, b| a + b,
        |i| i as f32 / 4.0 - 20.0,
    );
    check_joins(
        add_elements::<f64>,
        0,
        |a, b| a + b,
        |i| i as f64 / 3.0 - 20.0,
    );
}

#[test]
fn a_cluster_shares_what_all_its_blocks_read() {
    let (device, stream) = device();
    for (cluster, boxes) in [(1, 5), (2, 1), (2, 20), (4, 7)] {
        let elements: Vec<u32> = (0..boxes * 512)
            .map(|i: u32| i.wrapping_mul(0x9e37_79b9))
            .collect();
        let tensor = buffer(&device, &elements);
        let tiles = Tiles::new([64, 8 * boxes as usize], [64, 8 / cluster]);
        let map = TensorMap::new(&tensor, tiles).expect("a map");
        let grid = 2 * cluster;
        let mut output = buffer(&device, &vec![0; (grid * ADDERS) as usize]);
        let config = LaunchConfig::new(grid, 160).with_cluster(cluster);
        let arguments = (&map, boxes, &mut output);
        match cluster {
            1 => stream.launch(add_rows_of_all::<1>, config, arguments),
            2 => stream.launch(add_rows_of_all::<2>, config, arguments),
            _ => stream.launch(add_rows_of_all::<4>, config, arguments),
        }
        .expect("a launch");
        let own = |thread: u32| {
            let mine = elements.iter().skip((thread % ADDERS) as usize);
            mine.step_by(ADDERS as usize)
                .fold(0u32, |sum, x| sum.wrapping_add(*x))
        };
        let expected: Vec<u32> = (0..grid * ADDERS).map(own).collect();
        assert_eq!(values(&output), expected, "{cluster} {boxes}");
    }
}

/// Returns why there is no such map over 1024 words.
fn refusal<const RANK: usize>(tiles: Tiles<RANK>) -> String {
    let (device, _) = device();
    let tensor: DeviceBuffer<u32> = buffer(&device, &[0; 1024]);
    let refused = TensorMap::new(&tensor, tiles);
    refused.expect_err("no such map").to_string()
}

#[test]
fn what_the_hardware_cannot_do_is_refused_with_the_reason() {
    const { assert!(WORDS >= 1024) };
    for (refused, reason) in [
        (
            refusal(Tiles::new([10, 10], [4, 4])),
            "the tensor map cannot be: a stride of 40 bytes in dimension 1; it has to be a multiple of 16 below 2^40",
        ),
        (
            refusal(Tiles::new([32, 16], [3, 4])),
            "the tensor map cannot be: rows of the box have 96 bits; they have to be a multiple of 16 bytes",
        ),
        (
            refusal(Tiles::new([32, 16], [4, 257])),
            "the tensor map cannot be: a box of 257 elements in dimension 1; it has to have 1 to 256",
        ),
        (
            refusal(Tiles::new([32, 16], [32, 4]).swizzle(Swizzle::B64)),
            "the tensor map cannot be: rows of the box have 128 bytes, and the swizzle is of 64: they may have no more",
        ),
        (
            refusal(Tiles::new([32, 16], [4, 4]).nan_outside()),
            "the tensor map cannot be: outside of the tensor a NaN is asked for, and its elements are no floats",
        ),
        (
            refusal(Tiles::new([32, 16], [4, 4]).offset(2)),
            "is no multiple of 16 bytes",
        ),
        (
            refusal(Tiles::new([32, 33], [4, 4])),
            "the tensor reaches to byte 4224 of a buffer of 4096: look at its size, its strides and its offset",
        ),
        (
            refusal(Tiles::new([32, 32], [4, 4]).offset(4)),
            "the tensor reaches to byte 4112 of a buffer of 4096: look at its size, its strides and its offset",
        ),
        (
            refusal(Tiles::new([usize::MAX, usize::MAX], [4, 4])),
            "the tensor reaches to byte 18446744073709551615 of a buffer of 4096",
        ),
        (
            refusal(Tiles::new([32, 16], [4, 4]).strides(&[128, 2048])),
            "2 strides for a tensor of 2 dimensions; there is one for each but the first",
        ),
        (
            refusal(Tiles::new([32, 0], [4, 4])),
            "the tensor map cannot be: 0 elements in dimension 1; there have to be 1 to 2^32",
        ),
    ] {
        assert!(refused.contains(reason), "{refused}");
    }
    let (device, _) = device();
    let mut rows = buffer(&device, &[0u32; 160]);
    let tiles = Tiles::new([18, 2], [4, 2]).strides(&[80]);
    let refused = TensorMapMut::new(&mut rows, tiles).expect_err("rows of 72 bytes");
    assert!(
        refused
            .to_string()
            .starts_with("rows of 72 bytes are not to be stored to"),
        "{refused}"
    );
    // Rows of 64 bytes that begin 32 bytes apart, and planes whose rows are those of the next one.
    for (tiles, stride) in [
        (Tiles::new([16, 4, 1], [4, 2, 1]).strides(&[32, 32]), 32),
        (Tiles::new([4, 4, 4], [4, 2, 1]).strides(&[32, 64]), 64),
    ] {
        assert!(TensorMap::new(&rows, tiles.clone()).is_ok());
        let refused = TensorMapMut::new(&mut rows, tiles).expect_err("elements in one place");
        let text = format!("a stride of {stride} bytes in dimension");
        assert!(refused.to_string().starts_with(&text), "{refused}");
    }
    let turned = Tiles::new([4, 4, 4], [4, 2, 1]).strides(&[64, 16]);
    TensorMapMut::new(&mut rows, turned).expect("planes between rows have places of their own");
    let images = buffer(&device, &[0u32; 160]);
    let columns = Columns::new([4, 5, 4, 2], ([-129, 0, 0], [0; 3]), (4, 32));
    let refused = Im2colMap::new(&images, columns).expect_err("a corner too far");
    assert!(
        matches!(refused, TensorMapError::Requirement(_)),
        "{refused}"
    );
    let mut images = images;
    let columns = Columns::new([4, 5, 4, 2], ([0, -1, 0], [0; 3]), (4, 32));
    let refused = Im2colMapMut::new(&mut images, columns).expect_err("a corner before the image");
    assert!(
        refused
            .to_string()
            .contains("by corners -1 and 0 in spatial dimension 1"),
        "{refused}"
    );
}
