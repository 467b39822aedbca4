//! The errors of standard functions and intrinsics, over all their inputs or a sample of them.
//!
//! An input is a pattern of 32 bits, so there are 2^32 inputs. A GPU computes all of them in a
//! minute or two. The simulator uses a stratified sample: the patterns are divided into ranges of
//! neighbours, and one input is chosen from each range at random, so that every exponent has its
//! share. The true value is that of the CPU's function in double precision. Its error is less than
//! a billionth of a unit in the last place of an `f32`.

use anyhow::{Result, ensure};
use lanewise::{Device, DeviceBuffer, LaunchConfig};
use lanewise_std::math::ulp::{self, unit_f32};
use rayon::prelude::*;

use crate::instruction::functions::Function;

/// The arguments with which a function is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Inputs {
    /// Every `f32`, all 2^32 of them.
    All,
    /// A sample of 2 to this power inputs, which are spread over all inputs. The power is
    /// 32 at most.
    Sample(u32),
}

/// The errors of a kernel on some inputs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Accuracy {
    /// The number of inputs that were measured.
    pub inputs: u64,
    /// The largest finite error, in units in the last place.
    pub max: f64,
    /// The argument at which the error is largest.
    pub worst: f32,
    /// The mean of the finite errors.
    pub mean: f64,
    /// The number of results that were a number where the true value is infinite or a NaN,
    /// or the reverse.
    pub wrong: u64,
}

impl Accuracy {
    const NONE: Self = Self {
        inputs: 0,
        max: 0.0,
        worst: 0.0,
        mean: 0.0,
        wrong: 0,
    };

    /// Adds one error.
    fn add(&mut self, x: f32, error: f64) {
        self.inputs += 1;
        if error.is_infinite() {
            self.wrong += 1;
            return;
        }
        // This is the sum of the errors until `finish`.
        self.mean += error;
        if error > self.max {
            (self.max, self.worst) = (error, x);
        }
    }

    /// Adds the errors on other inputs.
    fn join(&mut self, other: &Self) {
        self.inputs += other.inputs;
        self.wrong += other.wrong;
        self.mean += other.mean;
        if other.max > self.max {
            (self.max, self.worst) = (other.max, other.worst);
        }
    }

    fn finish(mut self) -> Self {
        self.mean /= (self.inputs - self.wrong).max(1) as f64;
        self
    }
}

/// The maximum number of inputs of a launch. It is large enough that copies and launches take
/// little of the time.
const CHUNK: usize = 1 << 24;

/// The number of inputs that a CPU thread takes at a time.
const SHARE: usize = 1 << 14;

/// The accuracy of a kernel over all inputs and over the function's range.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FunctionAccuracy {
    /// The accuracy over all inputs.
    pub all: Accuracy,
    /// The accuracy over the inputs in the function's range.
    pub range: Accuracy,
}

impl FunctionAccuracy {
    const NONE: Self = Self {
        all: Accuracy::NONE,
        range: Accuracy::NONE,
    };

    fn join(mut self, other: &Self) -> Self {
        self.all.join(&other.all);
        self.range.join(&other.range);
        self
    }
}

/// Measures the standard function and the intrinsic, in this order.
///
/// Computing the true values takes longer than the work of the device. So they are computed once
/// for both, on all cores.
///
/// # Errors
/// The driver's error, or an error for a sample of more than 2^32 inputs.
pub fn measure(
    device: &Device,
    function: &'static Function,
    inputs: Inputs,
) -> Result<[FunctionAccuracy; 2]> {
    let power = match inputs {
        Inputs::All => 32,
        Inputs::Sample(power) => power,
    };
    ensure!(power <= 32, "there are 2^32 inputs, not 2^{power}");
    let (count, stratum) = (1u64 << power, 1u64 << (32 - power));
    // Both numbers are powers of two, so all launches have the same number of inputs.
    let chunk = CHUNK.min(usize::try_from(count)?);
    let config = LaunchConfig::for_num_elems(chunk);
    let stream = device.stream()?;
    let mut arguments = vec![0.0; chunk];
    let mut column = arguments.clone();
    let mut results = [arguments.clone(), arguments.clone()];
    let mut operands = [
        DeviceBuffer::zeroed(device, chunk)?,
        DeviceBuffer::zeroed(device, chunk)?,
    ];
    let mut output = DeviceBuffer::zeroed(device, chunk)?;
    let mut found = [FunctionAccuracy::NONE; 2];
    for start in (0..count).step_by(chunk) {
        let place = |i: usize| argument(start + i as u64, stratum);
        fill(&mut arguments, place);
        for (k, operand) in operands.iter_mut().enumerate() {
            fill(&mut column, |i| (function.operands)(arguments[i])[k]);
            operand.copy_from_slice(&column)?;
        }
        let [a, b] = &operands;
        for (launch, result) in function.launch.iter().zip(&mut results) {
            launch(&stream, config, [a, b], &mut output)?;
            output.copy_to_slice(result)?;
        }
        let of_chunk = compare(function, &arguments, &results);
        for (found, of_chunk) in found.iter_mut().zip(of_chunk) {
            *found = found.join(&of_chunk);
        }
    }
    Ok(found.map(|found| FunctionAccuracy {
        all: found.all.finish(),
        range: found.range.finish(),
    }))
}

/// Computes every element by its index, on all cores.
fn fill(elements: &mut [f32], of: impl Fn(usize) -> f32 + Sync) {
    let shares = elements.par_chunks_mut(SHARE).enumerate();
    shares.for_each(|(share, elements)| {
        for (i, element) in elements.iter_mut().enumerate() {
            *element = of(share * SHARE + i);
        }
    });
}

/// Returns the input for a range: a pseudo-random one, or the only one.
fn argument(number: u64, stratum: u64) -> f32 {
    // Multiplication by an odd number mixes the bits upwards, so the upper bits are nearly random.
    let random = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
    f32::from_bits((number * stratum + random % stratum) as u32)
}

/// Returns the errors of both kernels' results, computed on all cores.
fn compare(
    function: &Function,
    arguments: &[f32],
    results: &[Vec<f32>; 2],
) -> [FunctionAccuracy; 2] {
    let [low, high] = function.range;
    let [standard, intrinsic] = results.each_ref().map(|results| results.par_chunks(SHARE));
    let shares = arguments.par_chunks(SHARE).zip(standard).zip(intrinsic);
    let of_share = |((arguments, standard), intrinsic): ((&[f32], &[f32]), &[f32])| {
        let mut found = [FunctionAccuracy::NONE; 2];
        for ((&x, &standard), &intrinsic) in arguments.iter().zip(standard).zip(intrinsic) {
            let truth = function.value(x);
            let unit = unit_f32(truth);
            for (found, value) in found.iter_mut().zip([standard, intrinsic]) {
                let error = ulp::error(value.into(), truth, unit, f32::MAX.into());
                found.all.add(x, error);
                if (low..=high).contains(&x) {
                    found.range.add(x, error);
                }
            }
        }
        found
    };
    // The parts are added in order, so that sums are the same in every run.
    let parts: Vec<[FunctionAccuracy; 2]> = shares.map(of_share).collect();
    parts
        .iter()
        .fold([FunctionAccuracy::NONE; 2], |[a, b], [c, d]| {
            [a.join(c), b.join(d)]
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_has_one_input_of_each_stratum() {
        let bits = |i| argument(i, 1 << 12).to_bits();
        for i in 0..1 << 10 {
            assert_eq!(u64::from(bits(i)) >> 12, i);
        }
        assert_ne!(bits(1) & 0xfff, bits(2) & 0xfff);
        assert_eq!(argument(7, 1).to_bits(), 7);
    }

    #[test]
    fn the_worst_and_the_mean_are_those_of_all_parts() {
        let (mut all, mut part) = (Accuracy::NONE, Accuracy::NONE);
        all.add(1.0, 0.5);
        part.add(2.0, 1.5);
        part.add(3.0, f64::INFINITY);
        all.join(&part);
        let all = all.finish();
        assert_eq!((all.inputs, all.wrong, all.worst), (3, 1, 2.0));
        assert_eq!((all.max, all.mean), (1.5, 1.0));
    }
}
