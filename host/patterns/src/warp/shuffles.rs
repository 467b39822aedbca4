//! Every form of the shuffle. `--by` is the lane, the distance or the mask.

use std::fmt::Debug;

use anyhow::Result;
use gpu::warp::shuffles::{
    FIRST, Int4, SECOND, shfl_broadcast, shfl_down, shfl_swap, shfl_up, shfl_wrap, shfl_xor,
    shfl_xor_array, shfl_xor_int4,
};
use lanewise::{Device, DeviceBuffer, DeviceCopy, LaunchConfig};
use lanewise_std::DisjointSlice;
use lanewise_std::kernel::{Kernel, SafeKernel};

use crate::case::Filling;
use crate::{Case, Pattern, Setup, Size, Variant, Work, input};

/// The number of lanes in a segment: half a warp, so that a segment is seen to have an end.
pub const WIDTH: usize = 16;

/// The pattern as `cargo xtask list` shows it and `cargo xtask run` runs it.
pub static PATTERN: Pattern = Pattern {
    name: "shuffles",
    chapter: "warp",
    summary: "lanes read each other's registers: by number, from below or above, or in pairs",
    source: "Professional CUDA C Programming, chapter 5",
    size: Size {
        of: "elements",
        is_square: false,
        default: 1 << 20,
        bench: Some(1 << 26),
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

/// Returns the lane, distance or mask that the setup gives, modulo [`WIDTH`], which is the number
/// of lanes in a segment.
fn by(setup: Setup, default: u32) -> u32 {
    setup.by.unwrap_or(default) % WIDTH as u32
}

/// Returns a launch of whole warps that cover `n` elements.
fn config(n: usize, setup: Setup) -> LaunchConfig {
    LaunchConfig::cover_1d(n, setup.block.unwrap_or(LaunchConfig::DEFAULT_BLOCK))
}

/// Returns the bytes that are read and written for `n` elements of this size.
fn work<T>(n: usize) -> Work {
    Work::Bytes(2 * (n * size_of::<T>()) as u64)
}

/// Prepares a kernel that moves one element for each thread. `from` returns the lane of the segment
/// that a lane reads.
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
    let config = config(n, setup);
    Ok(Filling::boxed(
        [output],
        [expected],
        work::<i32>(n),
        move |stream, [output]| {
            let arguments = (&input, output, by, WIDTH as u32);
            Ok(stream.launch(kernel, config, arguments)?)
        },
    ))
}

/// Prepares the kernel whose distance has a sign. Each lane reads the lane that is `--by` below it,
/// and wraps around in its segment.
fn wrap(device: &Device, setup: Setup) -> Result<Box<dyn Case>> {
    let (n, by) = (setup.elements()?, by(setup, 2));
    let values = input::integers(n, setup.seed);
    let back = WIDTH - by as usize;
    let expected = shuffled(&values, WIDTH, |lane| Some((lane + back) % WIDTH));

    let input = DeviceBuffer::from_slice(device, &values)?;
    let output = DeviceBuffer::zeroed(device, n)?;
    let config = config(n, setup);
    Ok(Filling::boxed(
        [output],
        [expected],
        work::<i32>(n),
        move |stream, [output]| {
            let arguments = (&input, output, -(by as i32), WIDTH as u32);
            Ok(stream.launch(shfl_wrap, config, arguments)?)
        },
    ))
}

/// Returns the expected output of a kernel with four elements for each thread, for this mask.
type Exchange = fn(&[[i32; 4]], usize) -> Vec<[i32; 4]>;

fn xor(values: &[[i32; 4]], mask: usize) -> Vec<[i32; 4]> {
    shuffled(values, WIDTH, |lane| Some(lane ^ mask))
}

fn swap(values: &[[i32; 4]], mask: usize) -> Vec<[i32; 4]> {
    swapped(values, mask, FIRST, SECOND)
}

/// The parameters of a kernel that moves four elements for each thread.
type Fours<T> = (&'static [T], DisjointSlice<'static, T>, u32, u32);

/// Prepares a kernel that moves four elements for each thread. The kernel takes the four as a `T`.
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
    let config = config(n, setup);
    Ok(Filling::boxed(
        [output],
        [expected],
        work::<T>(n),
        move |stream, [output]| {
            let arguments = (&input, output, mask, WIDTH as u32);
            Ok(stream.launch(kernel, config, arguments)?)
        },
    ))
}

// On the CPU.

/// Returns the values of `input`, each read from another lane of its warp. `from` returns which of
/// the `width` lanes of the segment a lane reads, or `None` for its own value. Lanes past the end
/// of the input hold the default.
pub fn shuffled<T: Copy + Default>(
    input: &[T],
    width: usize,
    from: impl Fn(usize) -> Option<usize>,
) -> Vec<T> {
    let place = |i: usize| {
        let lane = i % width;
        i - lane + from(lane).filter(|&from| from < width).unwrap_or(lane)
    };
    let value = |i: usize| input.get(place(i)).copied().unwrap_or_default();
    (0..input.len()).map(value).collect()
}

/// Swaps values between lanes whose numbers differ by `mask`. The value at `first` of the lower
/// lane is exchanged with the value at `second` of the upper lane.
pub fn swapped(input: &[[i32; 4]], mask: usize, first: usize, second: usize) -> Vec<[i32; 4]> {
    let other = |i: usize| input.get(i ^ mask).copied().unwrap_or_default();
    let each = input.iter().enumerate().map(|(i, &values)| {
        let mut values = values;
        if i < i ^ mask {
            values[first] = other(i)[second];
        } else {
            // If the mask is zero, a lane is its own partner and exchanges nothing.
            values[second] = if mask == 0 {
                values[second]
            } else {
                other(i)[first]
            };
        }
        values
    });
    each.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_is_a_small_warp() {
        let input: Vec<i32> = (0..8).collect();
        assert_eq!(shuffled(&input, 4, |_| Some(2)), [2, 2, 2, 2, 6, 6, 6, 6]);
        assert_eq!(
            shuffled(&input, 4, |lane| lane.checked_sub(1)),
            [0, 0, 1, 2, 4, 4, 5, 6]
        );
        assert_eq!(
            shuffled(&input, 4, |lane| Some(lane + 1)),
            [1, 2, 3, 3, 5, 6, 7, 7]
        );
    }

    #[test]
    fn two_lanes_swap_one_value_each() {
        let input = [[0, 1, 2, 3], [4, 5, 6, 7]];
        assert_eq!(swapped(&input, 1, 0, 3), [[7, 1, 2, 3], [4, 5, 6, 0]]);
    }
}
