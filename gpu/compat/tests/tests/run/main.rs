//! Each kernel against a CPU reference.

use std::sync::LazyLock;

use compat::{cuda_oxide::kernels as oxide, rust_cuda};
use lanewise::{Device, DeviceBuffer, LaunchConfig, Stream};
use lanewise_std::kernel::Module;

/// The PTX of the kernels.
const PTX: &str = <compat::Ptx as Module>::TEXTS[0].plain;

struct Opened {
    device: Device,
    stream: Stream,
}

static OPENED: LazyLock<Opened> = LazyLock::new(|| {
    let device = Device::open().expect("a device");
    let stream = device.stream().expect("a stream");
    Opened { device, stream }
});

fn buffer<T: lanewise::DeviceCopy>(values: &[T]) -> DeviceBuffer<T> {
    DeviceBuffer::from_slice(&OPENED.device, values).expect("memory")
}

/// Launches a kernel.
macro_rules! launch {
    ($kernel:expr, $config:expr, $arguments:expr) => {
        // SAFETY: some of the kernels are `unsafe`, as those projects write them, and each test
        // passes what its kernel asks for.
        unsafe {
            let opened = &*OPENED;
            let launched = opened.stream.launch_unchecked($kernel, $config, $arguments);
            launched.unwrap_or_else(|error| panic!("{error}"));
        }
    };
}

mod barriers;
mod names;
mod tensors;

const SIZE: usize = 1000;

fn floats() -> Vec<f32> {
    (0..SIZE).map(|i| i as f32 * 0.25).collect()
}

fn numbers(length: usize) -> Vec<u32> {
    (0..length as u32)
        .map(|i| i.wrapping_mul(2_654_435_761) >> 20)
        .collect()
}

#[test]
fn saxpy_agrees_with_the_cpu() {
    let (x, mut y) = (buffer(&floats()), buffer(&vec![1.0f32; SIZE]));
    launch!(
        rust_cuda::saxpy,
        LaunchConfig::for_num_elems(SIZE),
        (2.0f32, &x, &mut y)
    );
    let expected: Vec<f32> = floats().iter().map(|x| 2.0 * x + 1.0).collect();
    assert_eq!(y.to_vec().expect("a copy"), expected);
}

#[test]
fn brighten_saturates_at_the_edge_of_a_byte() {
    let (width, height) = (37, 21);
    let image: Vec<u8> = (0..width * height).map(|i| i as u8).collect();
    let mut pixels = buffer(&image);
    let config = LaunchConfig::cover_2d((width, height), (16, 8));
    launch!(
        rust_cuda::brighten,
        config,
        (&mut pixels, width as u32, height as u32, 100u32)
    );
    let expected: Vec<u8> = image
        .iter()
        .map(|pixel| pixel.saturating_add(100))
        .collect();
    assert_eq!(pixels.to_vec().expect("a copy"), expected);
}

#[test]
fn lengths_take_square_roots_by_the_method() {
    let points: Vec<[f32; 2]> = (0..SIZE)
        .map(|i| [3.0 * i as f32, 4.0 * i as f32])
        .collect();
    let mut out = buffer(&vec![0.0f32; SIZE]);
    launch!(
        rust_cuda::lengths,
        LaunchConfig::for_num_elems(SIZE),
        (&buffer(&points), &mut out)
    );
    let expected: Vec<f32> = (0..SIZE).map(|i| 5.0 * i as f32).collect();
    assert_eq!(out.to_vec().expect("a copy"), expected);
}

#[test]
fn blocks_are_reversed_through_a_shared_array() {
    let values = numbers(256);
    let mut data = buffer(&values);
    launch!(
        rust_cuda::reverse_blocks,
        LaunchConfig::new(4, 64),
        (&mut data,)
    );
    let expected: Vec<u32> = values
        .chunks(64)
        .flat_map(|block| block.iter().rev().copied())
        .collect();
    assert_eq!(data.to_vec().expect("a copy"), expected);
}

#[test]
fn the_address_that_a_macro_takes_is_in_shared_memory() {
    let values = numbers(256);
    let mut reversed = buffer(&[0u32; 256]);
    launch!(
        oxide::reverse,
        LaunchConfig::new(4, 64),
        (&buffer(&values), &mut reversed)
    );
    let blocks = values.chunks(64);
    let expected: Vec<u32> = blocks
        .flat_map(|block| block.iter().rev().copied())
        .collect();
    assert_eq!(reversed.to_vec().expect("a copy"), expected);
}

#[test]
fn block_sums_go_through_dynamic_shared_memory() {
    let values = numbers(1000);
    let (mut sums, mut odd) = (buffer(&[0u32; 4]), buffer(&[0u32; 4]));
    let config = LaunchConfig::new(4, 256).with_dynamic_shared(8 * 4);
    launch!(
        rust_cuda::block_sum,
        config,
        (&buffer(&values), &mut sums, &mut odd)
    );
    let expected: Vec<u32> = values.chunks(256).map(|block| block.iter().sum()).collect();
    assert_eq!(sums.to_vec().expect("a copy"), expected);
    let odd_expected: Vec<u32> = values
        .chunks(256)
        .map(|block| block.iter().filter(|n| *n % 2 == 1).count() as u32)
        .collect();
    assert_eq!(odd.to_vec().expect("a copy"), odd_expected);
}

#[test]
fn println_is_compiled_to_a_call_of_vprintf() {
    let start = PTX.find(".entry hello(").expect("the kernel is there");
    assert!(PTX[start..].contains("vprintf"), "{PTX}");
    launch!(rust_cuda::hello, LaunchConfig::new(2, 32), (7u32,));
    OPENED.device.synchronize().expect("it runs");
}

#[test]
fn an_index_may_be_given_away() {
    let mut c = buffer(&vec![0.0f32; SIZE]);
    let (a, b) = (buffer(&floats()), buffer(&floats()));
    launch!(
        oxide::add_squares,
        LaunchConfig::for_num_elems(SIZE),
        (&a, &b, &mut c)
    );
    let expected: Vec<f32> = floats().iter().map(|x| 2.0 * x * x).collect();
    assert_eq!(c.to_vec().expect("a copy"), expected);
}

#[test]
fn a_slice_gives_the_element_with_its_index() {
    let values = numbers(SIZE);
    let mut output = buffer(&vec![0u32; SIZE]);
    launch!(
        oxide::double,
        LaunchConfig::for_num_elems(SIZE),
        (&buffer(&values), &mut output)
    );
    let expected: Vec<u32> = values.iter().map(|n| 2 * n).collect();
    assert_eq!(output.to_vec().expect("a copy"), expected);
}

#[test]
fn a_mutable_static_becomes_a_shared_array() {
    let values = numbers(256);
    let mut output = buffer(&[0u32; 256]);
    launch!(
        oxide::block_scan,
        LaunchConfig::new(4, 64),
        (&buffer(&values), &mut output)
    );
    let scan = |block: &[u32]| -> Vec<u32> {
        block
            .iter()
            .scan(0, |sum, n| {
                *sum += n;
                Some(*sum)
            })
            .collect()
    };
    let expected: Vec<u32> = values.chunks(64).flat_map(scan).collect();
    assert_eq!(output.to_vec().expect("a copy"), expected);
    let kernel = &PTX[PTX.find(".entry block_scan(").expect("the kernel is there")..];
    assert!(kernel.contains("st.shared.b32"), "{kernel}");
}

#[test]
fn ballots_and_atomics_count() {
    let values = numbers(SIZE);
    let mut total = buffer(&[0u32]);
    launch!(
        oxide::count_even,
        LaunchConfig::for_num_elems(SIZE),
        (&buffer(&values), &mut total)
    );
    let expected = values.iter().filter(|n| *n % 2 == 0).count() as u32;
    assert_eq!(total.to_vec().expect("a copy"), [expected]);
}

#[test]
fn barriers_count_and_combine_what_a_block_says() {
    // Block 0: some; block 1: none; block 2: all.
    let values: Vec<u32> = (0..192)
        .map(|i| match i / 64 {
            0 => i % 3,
            1 => 0,
            _ => i,
        })
        .collect();
    let mut out = buffer(&[[9u32; 3]; 192]);
    launch!(
        rust_cuda::block_votes,
        LaunchConfig::new(3, 64),
        (&buffer(&values), &mut out)
    );
    let expected: Vec<[u32; 3]> = values
        .chunks(64)
        .flat_map(|block| {
            let count = block.iter().filter(|n| **n != 0).count() as u32;
            [[count, (count == 64).into(), (count > 0).into()]; 64]
        })
        .collect();
    assert_eq!(out.to_vec().expect("a copy"), expected);
}

#[test]
fn floats_have_methods_and_constants_come_from_the_host() {
    let (a, b): (Vec<f32>, Vec<f32>) = numbers(SIZE)
        .iter()
        .map(|n| ((n % 8) as f32, (n >> 4) as f32))
        .unzip();
    let weights = [1.0f32, 0.5, -2.0, 3.0];
    let symbol = OPENED
        .device
        .symbol(oxide::WEIGHTS)
        .expect("the static is there");
    symbol.write(weights).expect("a copy");
    let mut out = buffer(&vec![0.0f32; SIZE]);
    launch!(
        oxide::lengths,
        LaunchConfig::for_num_elems(SIZE),
        (&buffer(&a), &buffer(&b), &mut out)
    );
    let pairs = a.iter().zip(&b).enumerate();
    let expected: Vec<f32> = pairs
        .map(|(i, (a, b))| (a * a + b * b).sqrt().floor() * weights[i % 4] + a.exp2())
        .collect();
    assert_eq!(out.to_vec().expect("a copy"), expected);
}

#[test]
fn a_space_of_rows_takes_its_own_index() {
    let values: Vec<f32> = (0..64 * 64).map(|i| i as f32).collect();
    let mut output = buffer(&vec![0.0f32; 64 * 64]);
    launch!(
        oxide::transpose,
        LaunchConfig::new((4, 4), (16, 16)),
        (&buffer(&values), &mut output)
    );
    let expected: Vec<f32> = (0..64 * 64)
        .map(|i| (64 * (i % 64) + i / 64) as f32)
        .collect();
    assert_eq!(output.to_vec().expect("a copy"), expected);
}

#[test]
fn the_host_says_how_long_rows_are() {
    let (m, n, k) = (20usize, 33usize, 7usize);
    let a: Vec<f32> = (0..m * k).map(|i| (i % 5) as f32).collect();
    let b: Vec<f32> = (0..k * n).map(|i| (i % 7) as f32).collect();
    let mut c = buffer(&vec![1.0f32; m * n]);
    launch!(
        oxide::sgemm_naive,
        LaunchConfig::cover_2d((n, m), (16, 16)),
        (
            m as u32,
            n as u32,
            k as u32,
            2.0f32,
            &buffer(&a),
            &buffer(&b),
            3.0f32,
            &mut c,
            n as u32
        )
    );
    let element = |i: usize| {
        let (row, column) = (i / n, i % n);
        let sum: f32 = (0..k).map(|j| a[row * k + j] * b[j * n + column]).sum();
        2.0 * sum + 3.0
    };
    let expected: Vec<f32> = (0..m * n).map(element).collect();
    assert_eq!(c.to_vec().expect("a copy"), expected);
}

#[test]
fn barriers_are_waited_for_by_function_and_by_type() {
    let values = numbers(256);
    let steps = OPENED.device.symbol(oxide::STEPS).expect("it is there");
    steps.write([10, 20, 30, 40]).expect("a copy");
    let mut output = buffer(&[0u32; 256]);
    launch!(
        oxide::neighbours,
        LaunchConfig::new(4, 64),
        (&buffer(&values), &mut output)
    );
    let expected: Vec<u32> = (0..256)
        .map(|i| values[64 * (i / 64) + (i + 63) % 64] + 10 * (i as u32 % 4 + 1))
        .collect();
    assert_eq!(output.to_vec().expect("a copy"), expected);
}
