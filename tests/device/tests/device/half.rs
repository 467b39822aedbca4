//! Floats of 16 bits against the crate `half` on the host, bit by bit.

use device::{TARGETS, device, numbers, run};
use device_kernels::half::{bf16_pairs, bf16s, f16_pairs, f16s, together};
use lanewise::{DeviceBuffer, LaunchConfig};
use lanewise_std::half::{Bf16, Bf16x2, F16, F16x2};

/// The bits, with one value for all NaNs: the machine decides which NaN an operation gives.
fn bits<T: Copy>(values: &[T], of: impl Fn(T) -> (f32, u16)) -> Vec<u16> {
    let bits = |value: &T| match of(*value) {
        (value, _) if value.is_nan() => 0x7fff,
        (_, bits) => bits,
    };
    values.iter().map(bits).collect()
}

macro_rules! tests {
    ($($test:ident: $single:ident, $pair:ident, $float:ident, $packed:ident, $near:expr;)*) => {
        $(
            #[test]
            fn $test() {
                let of = |value: $float| (value.to_f32(), value.to_bits());
                // Any bits, and numbers near each other, where sums round.
                let any = numbers(1).map(|x| [x, x >> 16, x >> 32].map(|x| x as u16)).take(400);
                let near = numbers(2).map(|x| [x, x >> 16, x >> 32].map(|x| (x as u16 & 0x83ff) | $near)).take(400);
                let input: Vec<[$float; 3]> = any.chain(near).map(|row| row.map($float::from_bits)).collect();
                let wanted: Vec<[$float; 9]> = input
                    .iter()
                    .map(|&[a, b, c]| {
                        let mixed = $float::from_f32(0.3f32.mul_add(b.to_f32(), a.to_f32()));
                        [a + b, a - b, a * b, a / b, a.mul_add(b, c), a.min(b), a.max(b), -a, mixed]
                    })
                    .collect();
                let config = LaunchConfig::for_num_elems(input.len());
                for (target, compiled) in TARGETS {
                    let found = run(compiled, $single, config, &input, [$float::ZERO; 9]);
                    for ((input, found), wanted) in input.iter().zip(&found).zip(&wanted) {
                        // Before `sm_80` there is no fused product and sum of `Bf16`.
                        let (mut found, mut wanted) = (bits(found, of), bits(wanted, of));
                        if target == "sm_70" && stringify!($float) == "Bf16" {
                            (found[4], wanted[4]) = (0, 0);
                        }
                        assert_eq!(found, wanted, "{target}: {input:?}");
                    }
                }

                let pairs: Vec<[$packed; 3]> = input
                    .as_chunks::<2>()
                    .0
                    .iter()
                    .map(|[low, high]| std::array::from_fn(|at| $packed::new(low[at], high[at])))
                    .collect();
                let config = LaunchConfig::for_num_elems(pairs.len());
                for (target, compiled) in TARGETS {
                    let found = run(compiled, $pair, config, &pairs, [$packed::default(); 5]);
                    for ((input, found), wanted) in pairs.iter().zip(found).zip(wanted.as_chunks::<2>().0) {
                        for (at, operation) in [0, 1, 2, 4, 7].into_iter().enumerate() {
                            if operation == 4 && target == "sm_70" && stringify!($float) == "Bf16" {
                                continue;
                            }
                            let wanted = bits(&[wanted[0][operation], wanted[1][operation]], of);
                            let found = bits(&[found[at].low, found[at].high], of);
                            assert_eq!(found, wanted, "{target}, operation {operation}: {input:?}");
                        }
                    }
                }
            }
        )*
    };
}

tests! {
    binary16_is_computed_with_as_on_the_host: f16s, f16_pairs, F16, F16x2, 0x3800;
    bfloat16_is_computed_with_as_on_the_host: bf16s, bf16_pairs, Bf16, Bf16x2, 0x3c00;
}

/// Whole numbers that are so small that no order of additions rounds.
#[test]
fn halves_go_by_value_through_warps_and_into_atomics() {
    let device = device();
    let stream = device.stream().expect("a stream");
    let values: Vec<F16> = (0..96)
        .map(|x| F16::from_f32((x % 13) as f32 - 5.0))
        .collect();
    let input = DeviceBuffer::from_slice(&device, &values).expect("a buffer");
    let mut total = DeviceBuffer::from_slice(&device, &[F16::from_f32(2.0)]).expect("a buffer");
    let mut totals = DeviceBuffer::from_slice(&device, &[F16x2::default()]).expect("a buffer");
    let mut output = DeviceBuffer::from_slice(&device, &[[F16::ZERO; 2]; 96]).expect("a buffer");
    let arguments = (
        F16::from_f32(0.5),
        &input,
        &mut total,
        &mut totals,
        &mut output,
    );
    stream
        .launch(together, LaunchConfig::new(3, 32), arguments)
        .expect("a launch");

    let sum = |values: &[F16]| values.iter().map(|x| x.to_f32()).sum::<f32>();
    for (thread, row) in output.to_vec().expect("no fault").into_iter().enumerate() {
        let warp = &values[thread / 32 * 32..][..32];
        let greatest = warp.iter().map(|x| x.to_f32()).fold(f32::MIN, f32::max);
        assert_eq!(
            row.map(f32::from),
            [sum(warp) + 0.5, greatest],
            "thread {thread}"
        );
    }
    assert_eq!(
        total.to_vec().expect("no fault")[0].to_f32(),
        2.0 + sum(&values)
    );
    let totals = totals.to_vec().expect("no fault")[0];
    assert_eq!(
        (totals.low.to_f32(), totals.high.to_f32()),
        (sum(&values), -sum(&values))
    );
}

/// A program whose floats come from the crate `half` passes them without conversion.
#[test]
fn buffers_are_made_of_another_crates_floats() {
    let device = device();
    let values: Vec<f32> = (0..100).map(|i| i as f32 * 0.37 - 20.0).collect();
    let small: Vec<half::f16> = values.iter().map(|x| half::f16::from_f32(*x)).collect();
    let brain: Vec<half::bf16> = values.iter().map(|x| half::bf16::from_f32(*x)).collect();
    let copied = DeviceBuffer::from_slice(&device, F16::slice_of(&small)).expect("a buffer");
    let found: Vec<half::f16> = copied
        .to_vec()
        .expect("no fault")
        .into_iter()
        .map(Into::into)
        .collect();
    assert_eq!(found, small);
    let copied = DeviceBuffer::from_slice(&device, Bf16::slice_of(&brain)).expect("a buffer");
    let found: Vec<half::bf16> = copied
        .to_vec()
        .expect("no fault")
        .into_iter()
        .map(Into::into)
        .collect();
    assert_eq!(found, brain);
}
