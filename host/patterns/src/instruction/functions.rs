//! Standard functions and intrinsics. Each is checked over its range against its error bound.

use anyhow::{Context, Result};
use gpu::instruction::functions::{
    cos_intrinsic, cos_standard, div_intrinsic, div_standard, exp_intrinsic, exp_standard,
    log_intrinsic, log_standard, pow_intrinsic, pow_standard, sin_intrinsic, sin_standard,
    sqrt_intrinsic, sqrt_standard, tan_intrinsic, tan_standard,
};
use lanewise::testing::{self, Agreement, Expected, Mismatch};
use lanewise::{Device, DeviceBuffer, LaunchConfig, LaunchError, Stream};
use lanewise_std::math::ulp::unit_f32;

use crate::{Case, Pattern, Setup, Size, Variant, Work, input};

/// The pattern as `cargo xtask list` shows it and `cargo xtask run` runs it.
pub static PATTERN: Pattern = Pattern {
    name: "functions",
    chapter: "instruction",
    summary: "sin, cos, tan, exp, log, sqrt, div, pow: as accurate as a CPU's, or as fast as the machine can",
    source: "Professional CUDA C Programming, chapter 7",
    size: Size {
        of: "elements",
        is_square: false,
        default: 1 << 12,
        bench: Some(1 << 26),
    },
    variants: &[
        Variant::new("sin_standard", |device, setup| {
            Values::prepare(device, setup, "sin", false)
        }),
        Variant::new("sin_intrinsic", |device, setup| {
            Values::prepare(device, setup, "sin", true)
        }),
        Variant::new("cos_standard", |device, setup| {
            Values::prepare(device, setup, "cos", false)
        }),
        Variant::new("cos_intrinsic", |device, setup| {
            Values::prepare(device, setup, "cos", true)
        }),
        Variant::new("tan_standard", |device, setup| {
            Values::prepare(device, setup, "tan", false)
        }),
        Variant::new("tan_intrinsic", |device, setup| {
            Values::prepare(device, setup, "tan", true)
        }),
        Variant::new("exp_standard", |device, setup| {
            Values::prepare(device, setup, "exp", false)
        }),
        Variant::new("exp_intrinsic", |device, setup| {
            Values::prepare(device, setup, "exp", true)
        }),
        Variant::new("log_standard", |device, setup| {
            Values::prepare(device, setup, "log", false)
        }),
        Variant::new("log_intrinsic", |device, setup| {
            Values::prepare(device, setup, "log", true)
        }),
        Variant::new("sqrt_standard", |device, setup| {
            Values::prepare(device, setup, "sqrt", false)
        }),
        Variant::new("sqrt_intrinsic", |device, setup| {
            Values::prepare(device, setup, "sqrt", true)
        }),
        Variant::new("div_standard", |device, setup| {
            Values::prepare(device, setup, "div", false)
        }),
        Variant::new("div_intrinsic", |device, setup| {
            Values::prepare(device, setup, "div", true)
        }),
        Variant::new("pow_standard", |device, setup| {
            Values::prepare(device, setup, "pow", false)
        }),
        Variant::new("pow_intrinsic", |device, setup| {
            Values::prepare(device, setup, "pow", true)
        }),
    ],
};

/// Launches a function's kernel on operands that are on the device. A function of one operand
/// uses the first.
pub type Launch = fn(
    &Stream,
    LaunchConfig,
    [&DeviceBuffer<f32>; 2],
    &mut DeviceBuffer<f32>,
) -> Result<(), LaunchError>;

/// A function with its kernels, its exact value, and its error bounds.
#[derive(Debug)]
pub struct Function {
    /// The name of the function, as in `sin`.
    pub name: &'static str,
    /// The operands as a function of `x`, as in `x, 2.5`.
    pub of: &'static str,
    /// Returns the operands for an `x`.
    pub operands: fn(f32) -> [f32; 2],
    /// The launch of the standard function and that of the intrinsic.
    pub launch: [Launch; 2],
    /// Computes the value in double precision.
    pub truth: fn([f64; 2]) -> f64,
    /// The range in which the intrinsic is meant to be used.
    pub range: [f32; 2],
    /// The greatest error of the standard function, in units in the last place. CUDA's guide
    /// documents it as a difference from the correctly rounded result.
    pub units: f64,
    /// Returns the greatest error of the intrinsic in its range, for an `x` and its value.
    pub bound: fn(f64, f64) -> f64,
}

/// Makes the launch of a kernel with one operand.
macro_rules! one {
    ($kernel:ident) => {
        |stream, config, [a, _], output| stream.launch($kernel, config, (a, output))
    };
}

/// Makes the launch of a kernel with two operands.
macro_rules! two {
    ($kernel:ident) => {
        |stream, config, [a, b], output| stream.launch($kernel, config, (a, b, output))
    };
}

/// All functions. Their bounds are those of CUDA's intrinsics (`lanewise_std::fast` has them). The
/// bounds of `tan` and `pow` are the sums of the bounds of their parts.
pub static FUNCTIONS: [Function; 8] = [
    Function {
        name: "sin",
        of: "x",
        operands: |x| [x, 0.0],
        launch: [one!(sin_standard), one!(sin_intrinsic)],
        truth: |[x, _]| x.sin(),
        range: [-std::f32::consts::PI, std::f32::consts::PI],
        units: 2.0,
        bound: |_, _| (-21.41f64).exp2(),
    },
    Function {
        name: "cos",
        of: "x",
        operands: |x| [x, 0.0],
        launch: [one!(cos_standard), one!(cos_intrinsic)],
        truth: |[x, _]| x.cos(),
        range: [-std::f32::consts::PI, std::f32::consts::PI],
        units: 2.0,
        bound: |_, _| (-21.19f64).exp2(),
    },
    Function {
        name: "tan",
        of: "x",
        operands: |x| [x, 0.0],
        launch: [one!(tan_standard), one!(tan_intrinsic)],
        truth: |[x, _]| x.tan(),
        range: [-1.5, 1.5],
        units: 4.0,
        bound: |x, truth| {
            let (sin, cos) = ((-21.41f64).exp2(), (-21.19f64).exp2());
            (sin + truth.abs() * cos) / (x.cos() - cos) + 2.0 * unit_f32(truth)
        },
    },
    Function {
        name: "exp",
        of: "x",
        operands: |x| [x, 0.0],
        launch: [one!(exp_standard), one!(exp_intrinsic)],
        truth: |[x, _]| x.exp(),
        range: [-87.0, 88.7],
        units: 2.0,
        // NVIDIA documents 2 units in place of 3. On an H200 (driver 580.159.04, 2026-11-23) 7334
        // arguments of the range are beyond that, by up to 0.44 units at -0.747; with an exact
        // `ex2` 22 are, by up to 0.71 at -45.06, where the rounding of the product costs most.
        bound: |x, truth| (3.0 + (1.173 * x).abs().floor()) * unit_f32(truth),
    },
    Function {
        name: "log",
        of: "x",
        operands: |x| [x, 0.0],
        launch: [one!(log_standard), one!(log_intrinsic)],
        truth: |[x, _]| x.ln(),
        range: [f32::MIN_POSITIVE, f32::MAX],
        units: 1.5,
        bound: |x, truth| {
            if (0.5..=2.0).contains(&x) {
                (-21.41f64).exp2()
            } else {
                3.0 * unit_f32(truth)
            }
        },
    },
    Function {
        name: "sqrt",
        of: "x",
        operands: |x| [x, 0.0],
        launch: [one!(sqrt_standard), one!(sqrt_intrinsic)],
        truth: |[x, _]| x.sqrt(),
        range: [f32::MIN_POSITIVE, f32::MAX],
        units: 0.5,
        bound: |_, truth| (-23f64).exp2() * truth,
    },
    Function {
        name: "div",
        of: "1, x",
        operands: |x| [1.0, x],
        launch: [two!(div_standard), two!(div_intrinsic)],
        truth: |[a, b]| a / b,
        range: [f32::MIN_POSITIVE, 8e37],
        units: 0.5,
        bound: |_, truth| 2.0 * unit_f32(truth),
    },
    Function {
        name: "pow",
        of: "x, 2.5",
        operands: |x| [x, 2.5],
        launch: [two!(pow_standard), two!(pow_intrinsic)],
        truth: |[a, b]| a.powf(b),
        range: [1e-6, 1e6],
        units: 4.0,
        bound: |x, truth| {
            let log2 = x.log2();
            let of_log2 = (-22f64).exp2().max(2.0 * unit_f32(log2));
            let of_product = 2.5 * of_log2 + 0.5 * unit_f32(2.5 * log2);
            2.0 * unit_f32(truth) + 1.01 * std::f64::consts::LN_2 * of_product * truth
        },
    },
];

impl Function {
    /// Returns the function of this name.
    pub fn find(name: &str) -> Option<&'static Self> {
        FUNCTIONS.iter().find(|function| function.name == name)
    }

    /// Returns the value for an `x`, computed from the operands after their rounding to `f32`.
    pub fn value(&self, x: f32) -> f64 {
        (self.truth)((self.operands)(x).map(f64::from))
    }

    /// Returns `n` arguments over the range. They are evenly spread, or evenly spread in their
    /// logarithm if the range has only positive numbers.
    fn arguments(&self, n: usize, seed: u64) -> Vec<f32> {
        let [low, high] = self.range.map(f64::from);
        let place = |unit: f32| f64::from(unit) + 0.5;
        let spread = |unit| {
            let x = if low > 0.0 {
                (low.ln() + (high.ln() - low.ln()) * place(unit)).exp()
            } else {
                low + (high - low) * place(unit)
            };
            x.clamp(low, high) as f32
        };
        input::floats(n, seed).into_iter().map(spread).collect()
    }
}

/// A function and its arguments.
struct Values {
    function: &'static Function,
    is_intrinsic: bool,
    config: LaunchConfig,
    arguments: Vec<f32>,
    operands: [DeviceBuffer<f32>; 2],
    output: DeviceBuffer<f32>,
}

impl Values {
    fn prepare(
        device: &Device,
        setup: Setup,
        name: &str,
        is_intrinsic: bool,
    ) -> Result<Box<dyn Case>> {
        let function = Function::find(name).context("there is no such function")?;
        let arguments = function.arguments(setup.elements()?, setup.seed);
        let block = setup.block.unwrap_or(LaunchConfig::DEFAULT_BLOCK);
        Ok(Box::new(Self {
            function,
            is_intrinsic,
            config: LaunchConfig::cover_1d(arguments.len(), block),
            operands: operands(device, function, &arguments)?,
            output: DeviceBuffer::zeroed(device, arguments.len())?,
            arguments,
        }))
    }
}

/// Returns the operands of each argument, on the device.
fn operands(
    device: &Device,
    function: &Function,
    arguments: &[f32],
) -> Result<[DeviceBuffer<f32>; 2]> {
    let column = |k: usize| {
        let operands = arguments.iter().map(|x| (function.operands)(*x)[k]);
        DeviceBuffer::from_slice(device, &operands.collect::<Vec<_>>())
    };
    Ok([column(0)?, column(1)?])
}

impl Case for Values {
    fn launch(&mut self, stream: &Stream) -> Result<()> {
        let launch = self.function.launch[usize::from(self.is_intrinsic)];
        let [a, b] = &self.operands;
        Ok(launch(stream, self.config, [a, b], &mut self.output)?)
    }

    fn check(&mut self) -> Result<Result<Agreement, Mismatch>> {
        let expected = self.arguments.iter().enumerate().map(|(index, x)| {
            let value = self.function.value(*x);
            let tolerance = if self.is_intrinsic {
                (self.function.bound)(f64::from(*x), value)
            } else {
                self.function.units * unit_f32(value)
            };
            Expected {
                index,
                value,
                tolerance,
            }
        });
        Ok(testing::within(&self.output.to_vec()?, expected))
    }

    fn work(&self) -> Work {
        Work::Bytes(2 * 4 * self.arguments.len() as u64)
    }
}
