//! Messages about operands that no row accepts.

use super::super::IsaError;
use super::super::pattern::{Shape, Slot, Typed};
use super::{Form, accumulators, texel_offsets};
use crate::ast::{Base, Body, Instruction, Operand};

impl Form {
    #[cold]
    pub(super) fn error(
        &self,
        body: &Body<'_>,
        instruction: &Instruction,
        slots: &[Slot],
        fits: usize,
    ) -> IsaError {
        let operands = body.operands(instruction);
        let (spelling, at) = (instruction.spelling(), instruction.position);
        let slots: Vec<_> = slots
            .iter()
            .filter(|slot| slot.with.is_none_or(|word| self.modifiers.has(word)))
            .collect();
        let least = slots.iter().filter(|slot| !slot.optional).count();
        if !(least..=slots.len()).contains(&operands.len())
            || fits >= operands.len()
            || fits >= slots.len()
        {
            let many = if least == slots.len() {
                least.to_string()
            } else {
                format!("{least} to {}", slots.len())
            };
            let names: Vec<_> = slots.iter().map(|slot| self.describe(slot)).collect();
            let expected = match names.len() {
                0 => "no operands".to_owned(),
                1 => format!("1 operand ({})", names[0]),
                _ => format!("{many} operands ({})", names.join(", ")),
            };
            return IsaError::OperandCount {
                spelling,
                expected,
                found: operands.len(),
                at,
            };
        }
        let (expected, found) = (
            self.describe(slots[fits]),
            describe_operand(body, &operands[fits]),
        );
        IsaError::Operand {
            spelling,
            number: fits + 1,
            expected,
            found,
            at,
        }
    }

    /// Describes the operands that a slot accepts.
    fn describe(&self, slot: &Slot) -> String {
        let size = match self.type_of(slot) {
            Typed::Is(ty) if slot.wider => {
                format!(" of {} bits or more for .{}", ty.size() * 8, ty.name())
            }
            Typed::Is(ty) => format!(" of {} bits for .{}", ty.size() * 8, ty.name()),
            Typed::Exactly(ty) => format!(" of type .{}", ty.name()),
            Typed::Pointer => " of 32 or 64 bits".to_owned(),
            _ => String::new(),
        };
        let count = |count: Option<u8>| match count.map_or(self.vector, usize::from) {
            1 => format!("a register{size}"),
            many => format!("a vector of {many} registers{size}"),
        };
        match slot.shape {
            Shape::Destination | Shape::DestinationOrSink => format!("a register{size}"),
            Shape::Source => format!("a register{size} or a constant"),
            Shape::Any => format!("a register{size}, a constant or a symbol"),
            Shape::Constant => "a constant".to_owned(),
            Shape::Predicate | Shape::PredicateSource => "a predicate register".to_owned(),
            Shape::PredicateOrPair => "a predicate register or a pair `p|q` of them".to_owned(),
            Shape::PredicatePair => "a pair `p|q` of predicate registers".to_owned(),
            Shape::DestinationAndMaybe => {
                format!("a register{size}, perhaps `|` a predicate register")
            }
            Shape::DestinationAnd => format!("a register{size} `|` a predicate register"),
            Shape::Condition => "a predicate register, perhaps negated".to_owned(),
            Shape::Address => {
                "an address in brackets, if in a register then of 32 or 64 bits".to_owned()
            }
            Shape::Destinations(many) | Shape::Sources(many) => count(many),
            Shape::DestinationsAndMaybe(many) => {
                format!("{}, perhaps `|` a predicate register", count(Some(many)))
            }
            Shape::TexelOffsets => match texel_offsets(&self.modifiers) {
                1 => "an offset in texels".to_owned(),
                many => format!("a vector of {many} offsets in texels"),
            },
            Shape::Pack | Shape::Unpack => format!("a vector{size} in all"),
            Shape::Texture => "a list such as `[texture, {x, y}]`".to_owned(),
            Shape::TensorMap(count) => format!(
                "a tensor map with {} coordinates, `[map, {{x, ..}}]`",
                count.map_or(self.dimensions, usize::from)
            ),
            Shape::Accumulators => count(u8::try_from(accumulators(&self.modifiers)).ok()),
            Shape::FilterOffsets => {
                format!(
                    "a vector of {} offsets of 16 bits",
                    self.dimensions.saturating_sub(2)
                )
            }
            Shape::Gradient => "a vector of gradients".to_owned(),
            Shape::Register => format!("a register{size}"),
            Shape::Part => {
                format!(
                    "a register{size}, perhaps `.b0` to `.b3`, `.h0` or `.h1` of it, or a constant"
                )
            }
            Shape::SignedPart => format!(
                "a register{size}, perhaps `.b0` to `.b3`, `.h0` or `.h1` of it, perhaps negated, or a constant"
            ),
            Shape::Minus => format!("a negated register{size}"),
            Shape::PartDestination => format!("`.b0` to `.b3`, `.h0` or `.h1` of a register{size}"),
            Shape::Elements(2) => {
                format!("a register{size}, perhaps with two halves such as `.h32`")
            }
            Shape::Elements(_) => {
                format!("a register{size}, perhaps with four bytes such as `.b7654`")
            }
            Shape::ElementsDestination(2) => {
                format!("a register{size}, perhaps with a mask of halves, `.h0`, `.h1` or `.h10`")
            }
            Shape::ElementsDestination(_) => {
                format!("a register{size}, perhaps with a mask of bytes such as `.b20`")
            }
            Shape::Sink => "`_`".to_owned(),
            Shape::Label => "the label of an instruction".to_owned(),
            Shape::Targets => "the label of a `.branchtargets`".to_owned(),
            Shape::Arguments => "a list in parentheses".to_owned(),
            Shape::Callee => "a function or a register with its address".to_owned(),
            Shape::Table => "the label of a `.callprototype` or `.calltargets`".to_owned(),
        }
    }
}

fn describe_operand(body: &Body<'_>, operand: &Operand<'_>) -> String {
    use Operand::*;
    let name = |id: u32| {
        body.registers
            .get(id as usize)
            .map_or_else(String::new, |register| {
                let vector = match register.vector {
                    1 => String::new(),
                    many => format!(".v{many} "),
                };
                format!(
                    "`{}` of type {vector}.{}",
                    register.name,
                    register.ty.name()
                )
            })
    };
    match *operand {
        Register(id) => name(id),
        Negated(id) => format!("the negation of {}", name(id)),
        Element(id, component) => format!("component .{} of {}", component.name(), name(id)),
        Part(id, part) => format!("`.{part}` of {}", name(id)),
        Minus(id, _) => format!("the negation of {}", name(id)),
        Pair(Some(id), _) => format!("a pair with {}", name(id)),
        Pair(None, _) => "a pair".to_owned(),
        Sink => "`_`".to_owned(),
        Special(register, _) => format!("the special register %{register}"),
        Int(_) => "an integer constant".to_owned(),
        F32(_) | F64(_) => "a floating-point constant".to_owned(),
        Sum(id, _) => format!("a sum with {}", name(id)),
        Indexed(_) => "an element of an array".to_owned(),
        Symbol(..) => "a symbol".to_owned(),
        Address(Base::Register(id), _) => format!("the address in {}", name(id)),
        Address(..) => "an address".to_owned(),
        List(_) => "a list in brackets".to_owned(),
        Vector(slice) | VectorPair(slice, _) => match body.elements(slice) {
            [Register(id), ..] => format!("a vector of {}, the first {}", slice.len, name(*id)),
            _ => format!("a vector of {}", slice.len),
        },
        Arguments(_) => "a list in parentheses".to_owned(),
        Label(_) => "a label".to_owned(),
    }
}
