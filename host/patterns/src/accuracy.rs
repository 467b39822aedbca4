//! How far standard functions and intrinsics are off, over all their inputs or a sample of them.
//!
//! An input is a pattern of 32 bits, so there are 2^32: a GPU takes them all in a minute or two. The simulator takes a stratified sample: as many
//! stretches of neighbouring patterns as asked for, and one of each at random, so that every exponent has its share.
//! The truth is the CPU's function in double precision, which is off by less than a billionth of a unit in the last place of an `f32`.

use anyhow::{Result, ensure};
use lanewise::ulp::{self, unit_f32};
use lanewise::{Device, DeviceBuffer, LaunchConfig};

use crate::instruction::functions::{Function, operands};

/// Which inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Inputs {
    /// All 2^32.
    All,
    /// 2 to this power, 32 at most, spread over all of them.
    Sample(u32),
}

/// What was found of a kernel on some inputs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Accuracy {
    /// Inputs that were looked at.
    pub inputs: u64,
    /// The greatest error among the finite ones, in units in the last place.
    pub max: f64,
    /// Its argument.
    pub worst: f32,
    /// The mean of the finite errors.
    pub mean: f64,
    /// How many results were a number, or an infinity, where the other was right.
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

    /// Takes up one error.
    fn add(&mut self, x: f32, error: f64) {
        self.inputs += 1;
        if error.is_infinite() {
            self.wrong += 1;
            return;
        }
        // The sum, until `finish`.
        self.mean += error;
        if error > self.max {
            (self.max, self.worst) = (error, x);
        }
    }

    /// Takes up what was found of other inputs.
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

/// Inputs of a launch.
const CHUNK: u64 = 1 << 22;

/// What the standard function, or the intrinsic, makes of the inputs: of all of them, and of those in the function's range.
///
/// # Errors
/// The driver's, and a sample of more than 2^32.
pub fn measure(
    device: &Device,
    function: &'static Function,
    is_intrinsic: bool,
    inputs: Inputs,
) -> Result<[Accuracy; 2]> {
    let power = match inputs {
        Inputs::All => 32,
        Inputs::Sample(power) => power,
    };
    ensure!(power <= 32, "there are 2^32 inputs, not 2^{power}");
    let (count, stratum) = (1u64 << power, 1u64 << (32 - power));
    let stream = device.stream()?;
    let mut found = [Accuracy::NONE; 2];
    for start in (0..count).step_by(CHUNK as usize) {
        let numbers = start..count.min(start + CHUNK);
        let arguments: Vec<f32> = numbers.map(|i| argument(i, stratum)).collect();
        let on_device = operands(device, function, &arguments)?;
        let mut output = DeviceBuffer::zeroed(device, arguments.len())?;
        let config = LaunchConfig::for_num_elems(arguments.len());
        let [a, b] = &on_device;
        function.launch[usize::from(is_intrinsic)](device, &stream, config, [a, b], &mut output)?;
        let output = output.to_vec()?;
        for part in compare(function, &arguments, &output) {
            for (found, part) in found.iter_mut().zip(part) {
                found.join(&part);
            }
        }
    }
    Ok(found.map(Accuracy::finish))
}

/// The input of a stratum: its only one, or any.
fn argument(number: u64, stratum: u64) -> f32 {
    // Multiplication by an odd number mixes upwards: its upper bits are as good as random.
    let random = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
    f32::from_bits((number * stratum + random % stratum) as u32)
}

/// The errors of some outputs, taken up by as many threads as there are cores.
fn compare(function: &Function, arguments: &[f32], output: &[f32]) -> Vec<[Accuracy; 2]> {
    let cores = std::thread::available_parallelism().map_or(1, Into::into);
    let share = arguments.len().div_ceil(cores).max(1);
    let [low, high] = function.range;
    std::thread::scope(|scope| {
        let parts = arguments.chunks(share).zip(output.chunks(share));
        let parts: Vec<_> = parts
            .map(|(arguments, output)| {
                scope.spawn(move || {
                    let mut found = [Accuracy::NONE; 2];
                    for (&x, &value) in arguments.iter().zip(output) {
                        let truth = function.value(x);
                        let unit = unit_f32(truth);
                        let error = ulp::error(value.into(), truth, unit, f32::MAX.into());
                        found[0].add(x, error);
                        if (low..=high).contains(&x) {
                            found[1].add(x, error);
                        }
                    }
                    found
                })
            })
            .collect();
        let join = |part: std::thread::ScopedJoinHandle<'_, _>| part.join();
        parts
            .into_iter()
            .filter_map(|part| join(part).ok())
            .collect()
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
