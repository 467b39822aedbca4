//! `a * b + c` in every rounding mode.

use anyhow::Result;
use gpu::instruction::fma::{
    mul_add_by_name, mul_add_contracted, mul_add_rd, mul_add_rn, mul_add_ru, mul_add_rz,
    mul_add_separate,
};
use lanewise::{Device, DeviceBuffer, LaunchConfig};
use lanewise_std::kernel::{Kernel, SafeKernel};

use crate::case::Filling;
use crate::{Case, Pattern, Setup, Size, Variant, Work, input};

/// The pattern as `cargo xtask list` shows it and `cargo xtask run` runs it.
pub static PATTERN: Pattern = Pattern {
    name: "fma",
    chapter: "instruction",
    summary: "a * b + c rounded once or twice, to the nearest, towards zero, up, down",
    source: "Professional CUDA C Programming, chapter 7",
    size: Size {
        of: "elements",
        is_square: false,
        default: 1 << 12,
        bench: None,
    },
    variants: &[
        Variant::new("mul_add_contracted", |device, setup| {
            prepare(device, setup, mul_add_contracted, f32::mul_add)
        }),
        Variant::new("mul_add_separate", |device, setup| {
            prepare(device, setup, mul_add_separate, |a, b, c| a * b + c)
        }),
        Variant::new("mul_add_by_name", |device, setup| {
            prepare(device, setup, mul_add_by_name, |a, b, c| a * b + c)
        }),
        Variant::new("mul_add_rn", |device, setup| {
            prepare(device, setup, mul_add_rn, f32::mul_add)
        }),
        Variant::new("mul_add_rz", |device, setup| {
            prepare(device, setup, mul_add_rz, |a, b, c| {
                let [down, up] = neighbours(a, b, c);
                if down >= 0.0 { down } else { up }
            })
        }),
        Variant::new("mul_add_ru", |device, setup| {
            prepare(device, setup, mul_add_ru, |a, b, c| neighbours(a, b, c)[1])
        }),
        Variant::new("mul_add_rd", |device, setup| {
            prepare(device, setup, mul_add_rd, |a, b, c| neighbours(a, b, c)[0])
        }),
    ],
};

fn prepare<K: SafeKernel<Params = <mul_add_contracted as Kernel>::Params>>(
    device: &Device,
    setup: Setup,
    kernel: K,
    expected: fn(f32, f32, f32) -> f32,
) -> Result<Box<dyn Case>> {
    let n = setup.elements()?;
    let config = LaunchConfig::cover_1d(n, setup.block.unwrap_or(LaunchConfig::DEFAULT_BLOCK));
    let operands = operands(n, setup.seed);
    let expected = (0..n).map(|i| expected(operands[0][i], operands[1][i], operands[2][i]));
    let expected = expected.collect();

    let [a, b, c] = &operands;
    let a = DeviceBuffer::from_slice(device, a)?;
    let b = DeviceBuffer::from_slice(device, b)?;
    let c = DeviceBuffer::from_slice(device, c)?;
    let output = DeviceBuffer::zeroed(device, n)?;
    let work = Work::Flops(2 * n as u64);
    Ok(Filling::boxed(
        [output],
        [expected],
        work,
        move |stream, [output]| Ok(stream.launch(kernel, config, (&a, &b, &c, output))?),
    ))
}

/// Returns `n` operands for each of `a`, `b` and `c`. In every second triple the sum almost cancels
/// the product, and only the rounding error of the product is left.
pub fn operands(n: usize, seed: u64) -> [Vec<f32>; 3] {
    let [a, b, mut c] = [0, 1, 2].map(|k| input::floats(n, seed.wrapping_add(k)));
    for i in (0..n).step_by(2) {
        c[i] = -(a[i] * b[i]);
    }
    [a, b, c]
}

// On the CPU.

/// Returns the greatest float that is not above `a * b + c`, and the least that is not below it,
/// for operands like those of [`operands`].
pub fn neighbours(a: f32, b: f32, c: f32) -> [f32; 2] {
    // The product has 48 bits, so it is exact in a double. The sum together with its rounding error
    // (Knuth's two-sum) is exact too.
    let (product, c) = (f64::from(a) * f64::from(b), f64::from(c));
    let sum = product + c;
    let part = sum - product;
    let left = (product - (sum - part)) + (c - part);

    let nearest = sum as f32;
    // The distance from the nearest float up to the exact value.
    let above = (sum - f64::from(nearest)) + left;
    match above.total_cmp(&0.0) {
        _ if above == 0.0 => [nearest, nearest],
        std::cmp::Ordering::Greater => [nearest, nearest.next_up()],
        _ => [nearest.next_down(), nearest],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exact_value_lies_between() {
        // 1/3 is not a float, and the rounding error of its square is left.
        let third = 1.0f32 / 3.0;
        let [down, up] = neighbours(third, third, 0.0);
        assert_eq!(up, down.next_up());
        assert!(
            f64::from(down) < f64::from(third).powi(2) && f64::from(third).powi(2) < f64::from(up)
        );
        assert_eq!(neighbours(0.5, 0.5, 0.25), [0.5, 0.5]);
        let [down, up] = neighbours(third, third, -(third * third));
        assert!(
            down <= third.mul_add(third, -(third * third))
                && third.mul_add(third, -(third * third)) <= up
        );
    }
}
