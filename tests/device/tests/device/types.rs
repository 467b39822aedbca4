//! Kernels generic over types, and values of all kinds as parameters.

use std::fmt::Debug;
use std::num::NonZero;

use device::{TARGETS, device, numbers, run};
use device_kernels::types::{
    Clamp, Line, Map, Mixed, Shape, float, from_below, of_float, scale, take_apart, transform, turn,
};
use lanewise::{Argument, DeviceBuffer, DeviceCopy, LaunchConfig};
use lanewise_std::DisjointSlice;
use lanewise_std::kernel::{Kernel, SafeKernel};
use lanewise_std::math::Float;

const LENGTH: usize = 100;

fn inputs<T>(of: impl Fn(u64) -> T) -> Vec<T> {
    numbers(3).map(of).take(LENGTH).collect()
}

/// Compares one instance of `scale` with the same on the host.
#[track_caller]
fn scales<K, T>(kernel: K, factor: T, of: impl Fn(u64) -> T)
where
    K: SafeKernel<Params = (&'static [T], DisjointSlice<'static, T>, T)>,
    T: DeviceCopy + Debug + PartialEq + std::ops::Mul<Output = T> + Argument<T> + 'static,
{
    let device = device();
    let stream = device.stream().expect("a stream");
    let values = inputs(of);
    let input = DeviceBuffer::from_slice(&device, &values).expect("a buffer");
    let mut output = DeviceBuffer::from_slice(&device, &values).expect("a buffer");
    let config = LaunchConfig::for_num_elems(LENGTH);
    stream
        .launch(kernel, config, (&input, &mut output, factor))
        .expect("a launch");
    let wanted: Vec<T> = values.into_iter().map(|x| x * factor).collect();
    assert_eq!(output.to_vec().expect("no fault"), wanted, "{}", K::NAME);
}

#[test]
fn a_kernel_has_an_instance_for_each_type() {
    scales(scale::<f32>, 1.5, |x| x as u16 as f32);
    scales(scale::<f64>, 1.0 / 3.0, |x| x as f64);
    scales(scale::<i32>, -3, |x| x as i16 as i32);
    scales(scale::<u8>, 3, |x| x as u8 % 80);
    assert_eq!(<scale<f64> as Kernel>::NAME, "scale_f64");
    assert_eq!(<scale<f64> as Kernel>::PARAMS[1].ty, "DisjointSlice<f64>");
}

#[test]
fn a_kernel_over_floats_asks_for_nothing_else() {
    fn holds<K, T>(kernel: K)
    where
        K: SafeKernel<Params = (&'static [T], DisjointSlice<'static, T>, T)>,
        T: Float + DeviceCopy,
    {
        let device = device();
        let stream = device.stream().expect("a stream");
        let values = inputs(|x| T::from(f32::from(x as i8)) / T::from(8.0));
        let input = DeviceBuffer::from_slice(&device, &values).expect("a buffer");
        let mut output = DeviceBuffer::from_slice(&device, &values).expect("a buffer");
        let (config, bound) = (LaunchConfig::for_num_elems(LENGTH), T::from(5.0));
        stream
            .launch(kernel, config, (&input, &mut output, bound))
            .expect("a launch");
        let wanted: Vec<T> = values.into_iter().map(|x| float(x, bound)).collect();
        assert_eq!(output.to_vec().expect("no fault"), wanted, "{}", K::NAME);
    }
    holds(of_float::<f32>);
    holds(of_float::<f64>);
}

/// Compares one instance of `from_below` with the list.
fn moves<K, T>(kernel: K, by: usize, of: impl Fn(u64) -> T)
where
    K: SafeKernel<Params = (&'static [T], DisjointSlice<'static, T>)>,
    T: DeviceCopy + Debug + PartialEq + 'static,
{
    let input: Vec<T> = numbers(5).map(of).take(64).collect();
    for (target, compiled) in TARGETS {
        let found = run(compiled, kernel, LaunchConfig::new(2, 32), &input, input[0]);
        for (at, found) in found.iter().enumerate() {
            let from = if at % 8 >= by { at - by } else { at };
            assert_eq!(*found, input[from], "{} for {target}, thread {at}", K::NAME);
        }
    }
}

#[test]
fn types_and_numbers_go_together() {
    moves(from_below::<u32, 1>, 1, |x| x as u32);
    moves(from_below::<f64, 3>, 3, |x| (x >> 20) as f64);
    moves(from_below::<[u32; 2], 1>, 1, |x| {
        [x as u32, (x >> 32) as u32]
    });
    assert_eq!(
        <from_below<[u32; 2], 1> as Kernel>::NAME,
        "from_below_u32_2_1"
    );
}

/// Compares one instance of `transform` with its function on the host.
fn maps<K, T, F>(kernel: K, f: F, of: impl Fn(u64) -> T)
where
    K: SafeKernel<Params = (F, &'static [T], DisjointSlice<'static, T>)>,
    T: DeviceCopy + Debug + PartialEq + 'static,
    F: Map<T> + Argument<F>,
{
    let device = device();
    let stream = device.stream().expect("a stream");
    let values = inputs(of);
    let input = DeviceBuffer::from_slice(&device, &values).expect("a buffer");
    let mut output = DeviceBuffer::from_slice(&device, &values).expect("a buffer");
    let config = LaunchConfig::for_num_elems(LENGTH);
    stream
        .launch(kernel, config, (f, &input, &mut output))
        .expect("a launch");
    let wanted: Vec<T> = values.into_iter().map(|x| f.map(x)).collect();
    assert_eq!(output.to_vec().expect("no fault"), wanted, "{}", K::NAME);
}

#[test]
fn a_function_object_goes_by_value() {
    let line = Line {
        slope: 3.0f32,
        offset: -0.5,
    };
    maps(transform::<f32, Line<f32>>, line, |x| (x % 4096) as f32);
    let line = Line {
        slope: -7i64,
        offset: 1 << 40,
    };
    maps(transform::<i64, Line<i64>>, line, |x| x as i64);
    let clamp = Clamp {
        least: -(1 << 61),
        most: 1 << 60,
    };
    maps(transform::<i64, Clamp>, clamp, |x| x as i64);
}

#[test]
fn values_of_many_kinds_arrive_as_they_were() {
    let device = device();
    let stream = device.stream().expect("a stream");
    let mut output = DeviceBuffer::from_slice(&device, &[[0u64; 10]]).expect("a buffer");
    let rectangle = Shape::Rectangle {
        width: 2.5,
        height: 40_000,
    };
    for (shape, area, kind) in [
        (Shape::Empty, 0f32, 0),
        (Shape::Circle(2.0), 12.0, 1),
        (rectangle, 100_000.0, 2),
    ] {
        for maybe in [None, NonZero::new(60_000u16)] {
            let wide = 0x0123_4567_89ab_cdef_fedc_ba98_7654_3210u128;
            let mixed = Mixed {
                wide: -(wide as i128),
                maybe: maybe.map(NonZero::from),
                list: [1, 20, 300, 4000, 50_000],
                yes: kind == 1,
                byte: 200,
            };
            let arguments = (wide, maybe, shape, 'ß', mixed, &mut output);
            stream
                .launch(take_apart, LaunchConfig::new(1, 1), arguments)
                .expect("a launch");
            let wanted = [
                (wide >> 64) as u64,
                wide as u64,
                maybe.map_or(0, |it| it.get().into()),
                area.to_bits().into(),
                kind,
                'ß' as u64,
                (mixed.wide >> 64) as u64,
                mixed.wide as u64 ^ maybe.map_or(7, |it| it.get().into()),
                54_321,
                u64::from(mixed.yes) << 8 | 200,
            ];
            assert_eq!(
                output.to_vec().expect("no fault"),
                [wanted],
                "{shape:?}, {maybe:?}"
            );
        }
    }
}

#[test]
fn a_buffer_holds_values_of_ones_own() {
    let line = |x: u64| Line {
        slope: (x % 100) as f32,
        offset: (x >> 60) as f32,
    };
    let input = inputs(line);
    for (target, compiled) in TARGETS {
        let found = run(
            compiled,
            turn,
            LaunchConfig::new(1, LENGTH as u32),
            &input,
            line(0),
        );
        let turned = input.iter().map(|it| Line {
            slope: it.offset,
            offset: it.slope,
        });
        assert_eq!(found, turned.collect::<Vec<_>>(), "{target}");
    }
}
