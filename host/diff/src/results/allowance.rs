//! The error bounds of the ISA for the instructions that it calls approximate.
//!
//! PTX ISA 9.7.3 and 9.7.4, the table of each instruction. The bounds are relative to the exact
//! result. The simulator's result is correctly rounded, so a device's result may differ from it by
//! another half unit in the last place.

use half::{bf16, f16};
use lanewise_sim::image::{Filter, Format, Shape};
use lanewise_sim::ptx::ast::{Modifier, Opcode, Type};

use crate::Case;
use crate::image::Setup;

/// The largest permitted difference from the simulator's result.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Allowance {
    /// The results must have the same bits.
    Exact,
    /// This many steps between neighbouring numbers of the format.
    Steps(u64),
    /// This fraction of the result.
    Relative(f64),
    /// This amount, whatever the value.
    Absolute(f64),
    /// `lg2.approx.f32`: 2^-22, absolute for operands in (0.5, 2) and relative elsewhere.
    Logarithm,
    /// `sin.approx`, `cos.approx`: absolute, depending on the size of the operand. The ISA gives no
    /// bound beyond 100 pi.
    Circular,
}

/// Returns the bound of an instruction.
pub fn of(case: &Case) -> Allowance {
    use Allowance::*;
    let has = |word| case.has(word);
    let ty = case.types().first().copied();
    if !has(Modifier::Approx) && !has(Modifier::Full) {
        return Exact;
    }
    match (case.row.opcode, ty) {
        (Opcode::Div, _) => Steps(2),
        (Opcode::Rcp | Opcode::Rsqrt, Some(Type::F64)) if has(Modifier::Ftz) => {
            Relative(f64::exp2(-20.0))
        }
        // The ISA gives no bound for this instruction, which is expanded to several. It is expected
        // to be right in all but the last places.
        (Opcode::Rsqrt, Some(Type::F64)) => Steps(2),
        (Opcode::Rcp, _) => Steps(1),
        (Opcode::Rsqrt, _) => Relative(f64::exp2(-22.9)),
        (Opcode::Sqrt, _) => Relative(f64::exp2(-23.0)),
        (Opcode::Sin | Opcode::Cos, _) => Circular,
        (Opcode::Lg2, _) => Logarithm,
        (Opcode::Ex2, Some(Type::F32)) => Steps(2),
        (Opcode::Ex2, Some(Type::F16 | Type::F16x2)) => Relative(f64::exp2(-9.9)),
        (Opcode::Ex2, _) => Relative(f64::exp2(-7.0)),
        (Opcode::Tanh, Some(Type::F32)) => Relative(f64::exp2(-11.0)),
        (Opcode::Tanh, Some(Type::F16 | Type::F16x2)) => Absolute(f64::exp2(-10.987)),
        (Opcode::Tanh, _) => Absolute(f64::exp2(-8.0)),
        _ => Exact,
    }
}

/// Returns the bound of fetches of an object. An H200's results were measured and are exact, with
/// two exceptions. Sums of filtered signed bytes are right to one part in 32767 (the simulator's
/// `texture::blend`). Weights of a volume between two levels are right to a 256th of the difference
/// of texels, which is at most 4.
pub fn of_object(object: &Setup) -> Allowance {
    let filtered =
        object.sampler.filter == Filter::Linear || object.sampler.level_filter == Filter::Linear;
    let levels = object.sampler.level_filter == Filter::Linear && object.shape == Shape::D3;
    match object.format {
        _ if levels => Allowance::Absolute(2.0 * 4.0 / 256.0),
        Format::I8 if filtered && object.sampler.as_float => Allowance::Absolute(1.01 / 32767.0),
        _ => Allowance::Exact,
    }
}

/// Returns whether ptxas is known to translate a scalar video instruction differently from the ISA.
///
/// GPUs since sm_70 have no such instructions, and ptxas replaces them by others. On an H200
/// (driver 580, 1500 forms with 512 sets of operands each) these differences were found. Everything
/// else is right.
/// - `.h1` of a destination gets the upper half of the result.
/// - `.sat` does not clamp to the size of a part of a destination, nor always to `.u32`.
/// - `.min` and `.max` compare 64 bits, but neither `.sat` nor the operation sets the upper ones
///   correctly. After `vset` they treat the third operand as signed if the first is.
/// - `vmad` treats unsigned factors and addends as signed, which is visible with `.sat`
///   and a scale.
///
/// The simulator follows the ISA.
pub fn departs(case: &Case) -> bool {
    use Opcode::{Vabsdiff, Vadd, Vmad, Vmax, Vmin, Vset, Vshl, Vshr, Vsub};
    let has = |word| case.has(word);
    let scaled = has(Modifier::Sat) || has(Modifier::Shr7) || has(Modifier::Shr15);
    let part = case
        .sample
        .instruction
        .split_once(' ')
        .and_then(|(_, operands)| operands.split(',').next()?.split_once('.'))
        .map(|(_, part)| part);
    let compares = has(Modifier::Min) || has(Modifier::Max);
    match case.row.opcode {
        Vmad => scaled && case.types()[1..] != [Type::S32, Type::S32],
        Vset => part == Some("h1") || compares && case.types().first() == Some(&Type::S32),
        Vadd | Vsub | Vabsdiff | Vmin | Vmax | Vshl | Vshr => {
            let unsigned = case.types().first() == Some(&Type::U32);
            part == Some("h1")
                || has(Modifier::Sat) && (part.is_some() || unsigned)
                || compares && (unsigned || !has(Modifier::Sat))
        }
        _ => false,
    }
}

impl Allowance {
    /// Returns whether a device's result is permitted where the simulator has another one.
    /// `operand` is the first operand.
    pub fn admits(self, ty: Type, device: u64, simulator: u64, operand: f64) -> bool {
        let (d, s) = (number(ty, device), number(ty, simulator));
        // Half a step is the simulator's own rounding error. Below the least normal number, steps
        // are not small relative to the value.
        let slack = step(ty, simulator) / 2.0;
        let near = |bound: f64| d == s || (d - s).abs() <= bound + slack;
        match self {
            Allowance::Exact => false,
            Allowance::Steps(count) => order(ty, device).abs_diff(order(ty, simulator)) <= count,
            Allowance::Relative(part) => near(part * s.abs()),
            Allowance::Absolute(bound) => near(bound),
            Allowance::Logarithm if operand > 0.5 && operand < 2.0 => near(f64::exp2(-22.0)),
            Allowance::Logarithm => near(f64::exp2(-22.0) * s.abs()),
            Allowance::Circular => {
                let turns = operand.abs() / std::f64::consts::PI;
                turns > 100.0 || near(f64::exp2(if turns <= 2.0 { -20.5 } else { -14.7 }))
            }
        }
    }
}

/// Returns the number that the bits of a float type represent.
pub fn number(ty: Type, bits: u64) -> f64 {
    match ty {
        Type::F16 => f16::from_bits(bits as u16).to_f64(),
        Type::Bf16 => bf16::from_bits(bits as u16).to_f64(),
        Type::F32 | Type::Tf32 => f32::from_bits(bits as u32).into(),
        Type::F64 => f64::from_bits(bits),
        _ => bits as f64,
    }
}

/// Returns whether bits of a type are a NaN.
pub fn is_nan(ty: Type, bits: u64) -> bool {
    is_float(ty) && number(ty, bits).is_nan()
}

fn is_float(ty: Type) -> bool {
    matches!(
        ty,
        Type::F16 | Type::Bf16 | Type::F32 | Type::Tf32 | Type::F64
    )
}

/// Returns the distance to the next number away from zero.
fn step(ty: Type, bits: u64) -> f64 {
    let magnitude = bits & !(1 << (ty.size() * 8 - 1));
    let step = number(ty, magnitude + 1) - number(ty, magnitude);
    if step.is_finite() { step } else { 0.0 }
}

/// Returns a number's position among all numbers of its format. Both zeros have the same position.
fn order(ty: Type, bits: u64) -> i64 {
    let sign = 1 << (ty.size() * 8 - 1);
    let magnitude = (bits & !sign) as i64;
    if bits & sign == 0 {
        magnitude
    } else {
        -magnitude
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits(x: f32) -> u64 {
        x.to_bits().into()
    }

    #[test]
    fn steps_count_neighbours_across_zero() {
        let two = Allowance::Steps(2);
        assert!(two.admits(Type::F32, bits(1.0), bits(1.0) + 2, 0.0));
        assert!(!two.admits(Type::F32, bits(1.0), bits(1.0) + 3, 0.0));
        assert!(two.admits(Type::F32, 1, 1 << 31 | 1, 0.0));
        assert!(two.admits(Type::F32, bits(f32::MAX), bits(f32::INFINITY), 0.0));
    }

    #[test]
    fn a_relative_bound_grows_with_the_result() {
        let bound = Allowance::Relative(f64::exp2(-22.9));
        assert!(bound.admits(Type::F32, bits(1e30) + 1, bits(1e30), 0.0));
        assert!(!bound.admits(Type::F32, bits(1e30) + 4, bits(1e30), 0.0));
        assert!(!bound.admits(Type::F32, bits(f32::INFINITY), bits(1e30), 0.0));
    }

    #[test]
    fn a_sine_may_be_worse_further_out() {
        let off = |x: f64| Allowance::Circular.admits(Type::F32, bits(0.50001), bits(0.5), x);
        assert_eq!((off(1.0), off(200.0), off(1e6)), (false, true, true));
    }

    #[test]
    fn exact_means_exact() {
        assert!(!Allowance::Exact.admits(Type::F32, bits(1.0), bits(1.0) + 1, 0.0));
    }
}
