//! Every form of the shuffle: `--by` is the lane, the distance or the mask.

use std::fmt::Debug;

use anyhow::Result;
use gpu::warp::shuffles::{
    FIRST, Int4, SECOND, shfl_broadcast, shfl_down, shfl_swap, shfl_up, shfl_wrap, shfl_xor,
    shfl_xor_array, shfl_xor_int4,
};
use gpu_std::DisjointSlice;
use gpu_std::kernel::{Kernel, SafeKernel};
use host::reference::shuffles::{shuffled, swapped};
use host::{Device, DeviceBuffer, DeviceCopy, LaunchConfig};

use crate::case::Filling;
use crate::{Case, Pattern, Setup, Size, Variant, Work, input};

/// Lanes of a segment, as in the notes.
pub const WIDTH: usize = 16;

/// The pattern.
pub static PATTERN: Pattern = Pattern {
    name: "shuffles",
    chapter: "warp",
    summary: "lanes read each other's registers: by number, from below or above, or in pairs",
    source: "notes 000, chapters 5.6.1 and 5.6.2",
    size: Size {
        of: "elements",
        default: 1 << 20,
        bench: None,
    },
    variants: &[
        Variant::new("shfl_broadcast", |device, setup| {
            one(device, setup, 2, shfl_broadcast, |_, by| Some(by % WIDTH))
        }),
        Variant::new("shfl_up", |device, setup| {
            one(device, setup, 2, shfl_up, |lane, by| lane.checked_sub(by))
        }),
        Variant::new("shfl_down", |device, setup| {
            one(device, setup, 2, shfl_down, |lane, by| Some(lane + by))
        }),
        Variant::new("shfl_wrap", wrap),
        Variant::new("shfl_xor", |device, setup| {
            one(device, setup, 1, shfl_xor, |lane, by| Some(lane ^ by))
        }),
        Variant::new("shfl_xor_array", |device, setup| {
            four(device, setup, shfl_xor_array, xor, |values| values)
        }),
        Variant::new("shfl_xor_int4", |device, setup| {
            four(device, setup, shfl_xor_int4, xor, Int4)
        }),
        Variant::new("shfl_swap", |device, setup| {
            four(device, setup, shfl_swap, swap, |values| values)
        }),
    ],
};

/// The lane, distance or mask that the setup asks for. The segment has [`WIDTH`] lanes, and what is past them is another question.
fn by(setup: Setup, default: u32) -> u32 {
    setup.by.unwrap_or(default) % WIDTH as u32
}

/// Whole warps that cover `n` elements.
fn config(n: usize, setup: Setup) -> LaunchConfig {
    LaunchConfig::cover_1d(n, setup.block.unwrap_or(LaunchConfig::DEFAULT_BLOCK))
}

/// Bytes that `n` elements of this size have to be read and written for.
fn work<T>(n: usize) -> Work {
    Work::Bytes(2 * (n * size_of::<T>()) as u64)
}

/// A kernel that moves one element a thread; `from` says which lane of the segment a lane reads.
fn one<K: SafeKernel<Params = <shfl_up as Kernel>::Params>>(
    device: &Device,
    setup: Setup,
    default: u32,
    kernel: K,
    from: fn(usize, usize) -> Option<usize>,
) -> Result<Box<dyn Case>> {
    let (n, by) = (setup.elements()?, by(setup, default));
    let values = input::integers(n, setup.seed);
    let expected = shuffled(&values, WIDTH, |lane| from(lane, by as usize));

    let input = DeviceBuffer::from_slice(device, &values)?;
    let output = DeviceBuffer::zeroed(device, n)?;
    let (device, config) = (device.clone(), config(n, setup));
    Ok(Filling::boxed(
        [output],
        [expected],
        work::<i32>(n),
        move |stream, [output]| {
            let arguments = (&input, output, by, WIDTH as u32);
            Ok(device.launch(stream, kernel, config, arguments)?)
        },
    ))
}

/// The kernel whose distance has a sign: back, by as much as `--by` says.
fn wrap(device: &Device, setup: Setup) -> Result<Box<dyn Case>> {
    let (n, by) = (setup.elements()?, by(setup, 2));
    let values = input::integers(n, setup.seed);
    let back = WIDTH - by as usize;
    let expected = shuffled(&values, WIDTH, |lane| Some((lane + back) % WIDTH));

    let input = DeviceBuffer::from_slice(device, &values)?;
    let output = DeviceBuffer::zeroed(device, n)?;
    let (device, config) = (device.clone(), config(n, setup));
    Ok(Filling::boxed(
        [output],
        [expected],
        work::<i32>(n),
        move |stream, [output]| {
            let arguments = (&input, output, -(by as i32), WIDTH as u32);
            Ok(device.launch(stream, shfl_wrap, config, arguments)?)
        },
    ))
}

/// What a kernel that takes four elements a thread should make of them, with this mask.
type Exchange = fn(&[[i32; 4]], usize) -> Vec<[i32; 4]>;

fn xor(values: &[[i32; 4]], mask: usize) -> Vec<[i32; 4]> {
    shuffled(values, WIDTH, |lane| Some(lane ^ mask))
}

fn swap(values: &[[i32; 4]], mask: usize) -> Vec<[i32; 4]> {
    swapped(values, mask, FIRST, SECOND)
}

/// What a kernel takes that moves four elements a thread.
type Fours<T> = (&'static [T], DisjointSlice<'static, T>, u32, u32);

/// A kernel that moves four elements a thread, which are a `T` to it.
fn four<T, K>(
    device: &Device,
    setup: Setup,
    kernel: K,
    exchange: Exchange,
    make: fn([i32; 4]) -> T,
) -> Result<Box<dyn Case>>
where
    T: DeviceCopy + PartialEq + Debug + Default + 'static,
    K: SafeKernel<Params = Fours<T>>,
{
    let (n, mask) = (setup.elements()?.div_ceil(4), by(setup, 1));
    let integers = input::integers(4 * n, setup.seed);
    let values: Vec<[i32; 4]> = integers.as_chunks().0.to_vec();
    let all = |values: Vec<[i32; 4]>| -> Vec<T> { values.into_iter().map(make).collect() };
    let expected = all(exchange(&values, mask as usize));

    let input = DeviceBuffer::from_slice(device, &all(values))?;
    let output = DeviceBuffer::from_slice(device, &vec![T::default(); n])?;
    let (device, config) = (device.clone(), config(n, setup));
    Ok(Filling::boxed(
        [output],
        [expected],
        work::<T>(n),
        move |stream, [output]| {
            let arguments = (&input, output, mask, WIDTH as u32);
            Ok(device.launch(stream, kernel, config, arguments)?)
        },
    ))
}
