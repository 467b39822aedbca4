//! A second implementation of the instructions: wide integers, softfloats, one bit after another.

mod approx;
mod compare;
mod convert;
mod float;
mod integer;
mod logic;
mod number;
mod small;
mod video;

use lanewise_sim::isa::{Section, pattern};
use lanewise_sim::ptx::ast::{Modifier as M, Opcode, Type};

use crate::kernel::{Case, low};

/// The expected result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Expect {
    /// Exactly these bits.
    Bits(u128),
    /// Any NaN of this type, with any bits.
    Nan(Type),
    /// A float of this type within this distance of this value. Values below the type's normal
    /// numbers may also be zero.
    Near(Type, f64, f64),
    /// The low half and the high half, each as expected.
    Halves([Half; 2]),
}

/// The expected value of half of a register.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Half {
    Bits(u128),
    Near(Type, f64, f64),
}

impl Expect {
    /// Returns whether a result is as expected.
    pub fn holds(&self, result: u128) -> bool {
        match *self {
            Expect::Bits(bits) => bits == result,
            Expect::Nan(ty) => number::value(ty, result).is_nan(),
            Expect::Near(ty, value, distance) => number::is_near(ty, result, value, distance),
            Expect::Halves(halves) => {
                [low(result, 16), result >> 16]
                    .iter()
                    .zip(halves)
                    .all(|(&bits, half)| match half {
                        Half::Bits(expected) => bits == expected,
                        Half::Near(ty, value, distance) => {
                            number::is_near(ty, bits, value, distance)
                        }
                    })
            }
        }
    }
}

/// Returns the element type of a packed type.
pub fn element(ty: Type) -> Option<Type> {
    Some(match ty {
        Type::F16x2 => Type::F16,
        Type::Bf16x2 => Type::Bf16,
        Type::F32x2 => Type::F32,
        Type::U16x2 => Type::U16,
        Type::S16x2 => Type::S16,
        _ => return None,
    })
}

/// Returns whether the table lists the instruction as a video instruction.
fn is_video(opcode: Opcode) -> bool {
    let rows = pattern::of(opcode).iter();
    rows.map(|pattern| pattern.row.section)
        .any(|section| section == Section::Video)
}

/// Returns the results of an instruction on these operands.
pub fn expect(case: &Case, x: &[u128]) -> Vec<Expect> {
    use Opcode::*;
    let ty = case.types.first().copied();
    let float = ty.is_some_and(|ty| number::format(element(ty).unwrap_or(ty)).is_some());
    match case.opcode {
        Mov | Prmt | And | Or | Xor | Not | Cnot | Lop3 | Shf | Shl | Shr => logic::expect(case, x),
        Set | Setp | Selp | Slct | Testp => compare::expect(case, x),
        Cvt => convert::expect(case, x),
        Rsqrt | Sin | Cos | Lg2 | Ex2 | Tanh => vec![approx::expect(case, x)],
        Rcp | Sqrt | Div if case.has(M::Approx) || case.has(M::Full) => {
            vec![approx::expect(case, x)]
        }
        opcode if is_video(opcode) => vec![Expect::Bits(video::expect(case, x))],
        _ if float => vec![Expect::Bits(float::expect(case, x))],
        _ => integer::expect(case, x)
            .into_iter()
            .map(Expect::Bits)
            .collect(),
    }
}
