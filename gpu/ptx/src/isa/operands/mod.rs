//! Checks an instruction's operands against the rows of the table.
//!
//! PTX ISA 9.4 defines which registers fit an instruction's type: registers of its size, and for
//! loads, stores and conversions also wider ones. Signed and unsigned registers are equivalent,
//! and bits fit everything, because LLVM keeps all `.f32` in `.b32` registers. Integers and floats
//! do not mix.

mod fits;
mod message;

use super::IsaError;
use super::pattern::{Pattern, Shape, Slot, Typed};
use crate::ast::{self, Base, Body, Instruction, Modifier, Modifiers, Opcode, Operand, Type};
use fits::{
    constant_fits, is_integer, is_part, packed_fits, register_fits, size_fits, special_fits,
    vector_of,
};

/// An opcode with modifiers: the rows that accept it, and the properties that its
/// operands depend on.
pub(super) struct Form {
    /// Each row with the modifiers in its order.
    patterns: Vec<(&'static Pattern, Modifiers)>,
    types: Vec<Type>,
    /// The number of elements from `.v2`, `.v4`, `.v8`; otherwise 1.
    vector: usize,
    /// The dimensions of a tensor from `.1d` to `.5d`; otherwise 0.
    dimensions: usize,
    modifiers: Modifiers,
}

/// Returns the number of registers of a thread's part of D of `wgmma`.
pub(super) fn accumulators(words: &[Modifier]) -> usize {
    let columns = words.iter().find_map(|word| {
        let (columns, _) = word.name().strip_prefix("m64n")?.split_once('k')?;
        columns.parse::<usize>().ok()
    });
    let halves = words.iter().copied().find_map(Type::of) == Some(Type::F16);
    columns.unwrap_or(0) / if halves { 4 } else { 2 }
}

/// Returns the number of elements of the offset vector of a fetch: one for each axis that is not a
/// layer. Volumes have four.
pub(super) fn texel_offsets(words: &[Modifier]) -> usize {
    match () {
        () if words.contains(&Modifier::D3) => 4,
        () if words.contains(&Modifier::D2) || words.contains(&Modifier::A2d) => 2,
        () => 1,
    }
}

/// Returns the number of dimensions of a tensor.
pub(super) fn dimensions(word: Modifier) -> Option<usize> {
    match word {
        Modifier::D1 => Some(1),
        Modifier::D2 => Some(2),
        Modifier::D3 => Some(3),
        Modifier::D4 => Some(4),
        Modifier::D5 => Some(5),
        _ => None,
    }
}

impl Form {
    pub(super) fn new(patterns: Vec<(&'static Pattern, Modifiers)>, modifiers: Modifiers) -> Form {
        let vector = modifiers.iter().find_map(|word| match word {
            Modifier::V2 => Some(2),
            Modifier::V4 => Some(4),
            Modifier::V8 => Some(8),
            _ => None,
        });
        Form {
            patterns,
            types: modifiers.types().collect(),
            vector: vector.unwrap_or(1),
            dimensions: modifiers.iter().copied().find_map(dimensions).unwrap_or(0),
            modifiers,
        }
    }

    /// Returns the row that accepts the operands, and the modifiers in its order. If no row does,
    /// the row that matches the most operands provides the error.
    pub(super) fn check(
        &self,
        body: &Body<'_>,
        instruction: &Instruction,
    ) -> Result<(&'static Pattern, Modifiers), IsaError> {
        let operands = body.operands(instruction);
        let mut furthest: Option<(usize, &[Slot])> = None;
        for (pattern, ordered) in &self.patterns {
            let Some(slots) = &pattern.slots else {
                return Ok((pattern, *ordered));
            };
            match self.match_slots(body, slots, operands, 0) {
                Ok(()) => return Ok((pattern, *ordered)),
                Err(fits) if furthest.is_none_or(|(before, _)| before < fits) => {
                    furthest = Some((fits, slots))
                }
                Err(_) => {}
            }
        }
        let (fits, slots) = furthest.unwrap_or_default();
        Err(self.error(body, instruction, slots, fits))
    }

    /// Checks that the slots accept the operands. If not, returns how many operands they accept.
    fn match_slots(
        &self,
        body: &Body<'_>,
        slots: &[Slot],
        operands: &[Operand<'_>],
        fits: usize,
    ) -> Result<(), usize> {
        let Some((slot, slots)) = slots.split_first() else {
            return if operands.is_empty() {
                Ok(())
            } else {
                Err(fits)
            };
        };
        let present = slot.with.is_none_or(|word| self.modifiers.has(word));
        if !present {
            return self.match_slots(body, slots, operands, fits);
        }
        let taken = match operands.split_first() {
            Some((operand, rest)) if self.fits(body, slot, operand) => {
                self.match_slots(body, slots, rest, fits + 1)
            }
            _ => Err(fits),
        };
        match taken {
            Err(taken) if slot.optional => self
                .match_slots(body, slots, operands, fits)
                .map_err(|fits| fits.max(taken)),
            taken => taken,
        }
    }

    /// Returns whether the rows are of `mov`.
    fn moves(&self) -> bool {
        let mut opcodes = self.patterns.iter().map(|(pattern, _)| pattern.row.opcode);
        opcodes.all(|opcode| opcode == Opcode::Mov)
    }

    /// Returns whether an address may be written as an element of an array. Only plain loads and
    /// stores allow that.
    fn may_index(&self) -> bool {
        let opcodes = self.patterns.iter().map(|(pattern, _)| pattern.row.opcode);
        opcodes
            .into_iter()
            .all(|opcode| matches!(opcode, Opcode::Ld | Opcode::Ldu | Opcode::St))
    }

    fn type_of(&self, slot: &Slot) -> Typed {
        match slot.typed {
            Typed::Of(index) => self
                .types
                .get(usize::from(index))
                .map_or(Typed::No, |&ty| Typed::Is(ty)),
            Typed::TwiceOf(index) => match self.types.get(usize::from(index)) {
                Some(ty) if ty.size() == 2 => Typed::Is(Type::B32),
                _ => Typed::Is(Type::B64),
            },
            typed => typed,
        }
    }

    fn fits(&self, body: &Body<'_>, slot: &Slot, operand: &Operand<'_>) -> bool {
        use Operand::*;
        let typed = self.type_of(slot);
        let register = |id: u32| register_fits(body, id, typed, slot.wider);
        let predicate = |id: u32| register_fits(body, id, Typed::Is(Type::Pred), false);
        // A vector register cannot be an operand of one element.
        let whole = matches!(
            slot.shape,
            Shape::Destinations(_)
                | Shape::DestinationsAndMaybe(_)
                | Shape::Sources(_)
                | Shape::Pack
                | Shape::Unpack
        );
        if !whole && vector_of(body, operand).is_some() {
            return false;
        }
        match (slot.shape, operand) {
            (
                Shape::Destination | Shape::DestinationOrSink | Shape::DestinationAndMaybe,
                &Register(id) | &Element(id, _),
            ) => register(id),
            (Shape::DestinationOrSink | Shape::Sink, Sink) => true,
            (Shape::DestinationAnd | Shape::DestinationAndMaybe, &Pair(first, second)) => {
                first.is_none_or(register) && second.is_none_or(predicate)
            }
            (Shape::Source | Shape::Any, &Register(id) | &Element(id, _)) => register(id),
            (Shape::Source | Shape::Any, Int(_) | F32(_) | F64(_)) => constant_fits(operand, typed),
            (Shape::Source | Shape::Any, &Sum(id, _)) => register(id) && is_integer(body, id),
            (Shape::Any, &Special(register, component)) => {
                special_fits(register, component.is_some(), typed, slot.wider)
            }
            (Shape::Any, Symbol(..) | Indexed(_)) => true,
            (Shape::Address, Indexed(_)) => self.may_index(),
            (Shape::Constant, Int(_)) => true,
            (Shape::Predicate | Shape::PredicateOrPair | Shape::PredicateSource, &Register(id)) => {
                predicate(id)
            }
            // This is the only special register that is a predicate.
            (Shape::PredicateSource, Special(register, _)) => {
                *register == ast::SpecialRegister::IsExplicitCluster
            }
            (Shape::Predicate | Shape::PredicateOrPair, Sink) => true,
            (Shape::PredicateOrPair | Shape::PredicatePair, &Pair(first, second)) => {
                first.is_none_or(predicate) && second.is_none_or(predicate)
            }
            (Shape::Condition, &Register(id)) => predicate(id),
            (Shape::Condition | Shape::PredicateSource, &Negated(id)) => predicate(id),
            (Shape::Condition | Shape::PredicateSource, Int(_)) => true,
            (Shape::Address, &Address(Base::Register(id), _)) => {
                register_fits(body, id, Typed::Pointer, false)
            }
            (Shape::Address, Address(..)) => true,
            (Shape::Gradient, Vector(_) | Register(_)) => true,
            (Shape::Register, &Register(id)) => register(id),
            (Shape::Part | Shape::SignedPart, &Register(id)) => register(id),
            (Shape::Part | Shape::SignedPart, Int(_)) => true,
            (Shape::Part | Shape::SignedPart, &Part(id, part)) => register(id) && is_part(part),
            (Shape::SignedPart, &Minus(id, part)) => register(id) && part.is_none_or(is_part),
            (Shape::Minus, &Minus(id, None)) => register(id),
            (Shape::PartDestination, &Part(id, part)) => register(id) && is_part(part),
            (Shape::Elements(_) | Shape::ElementsDestination(_), &Register(id)) => register(id),
            (Shape::Elements(many), &Part(id, elements)) => {
                register(id)
                    && elements.halves() == (many == 2)
                    && elements.elements().len() == usize::from(many)
            }
            (Shape::ElementsDestination(many), &Part(id, mask)) => {
                register(id) && mask.halves() == (many == 2) && mask.is_mask()
            }
            _ => label_fits(body, slot.shape, operand) || self.elements_fit(body, slot, operand),
        }
    }

    /// Tests operands of several elements.
    fn elements_fit(&self, body: &Body<'_>, slot: &Slot, operand: &Operand<'_>) -> bool {
        use Operand::*;
        let typed = self.type_of(slot);
        let predicate = |id: u32| register_fits(body, id, Typed::Is(Type::Pred), false);
        match (slot.shape, operand) {
            (Shape::DestinationsAndMaybe(count), &VectorPair(slice, id)) => {
                predicate(id) && self.vector_fits(body, slot, &Vector(slice), count.into(), typed)
            }
            (Shape::DestinationsAndMaybe(count), _) => {
                self.vector_fits(body, slot, operand, count.into(), typed)
            }
            (Shape::TexelOffsets, _) => {
                let count = texel_offsets(&self.modifiers);
                self.vector_fits(body, slot, operand, count, typed)
            }
            (Shape::Destinations(count) | Shape::Sources(count), _) => {
                let count = count.map_or(self.vector, usize::from);
                self.vector_fits(body, slot, operand, count, typed)
            }
            (Shape::Pack | Shape::Unpack, &Vector(slice)) => {
                packed_fits(body, slot.shape, body.elements(slice), typed)
            }
            (Shape::Pack | Shape::Unpack, &Register(_)) => {
                let Typed::Is(ty) = typed else { return false };
                vector_of(body, operand)
                    .is_some_and(|(register, many)| register.size() * many == ty.size())
            }
            (Shape::Texture, &List(slice)) => {
                matches!(
                    body.elements(slice),
                    [
                        Symbol(..) | Register(_),
                        ..,
                        Vector(_) | Register(_) | Int(_)
                    ]
                )
            }
            (Shape::TensorMap(count), &List(slice)) => {
                let count = count.map_or(self.dimensions, usize::from);
                self.tensor_map_fits(body, body.elements(slice), count)
            }
            (Shape::Accumulators, Vector(_)) => {
                self.vector_fits(body, slot, operand, accumulators(&self.modifiers), typed)
            }
            (Shape::FilterOffsets, &Vector(slice)) => {
                let size = Typed::Is(Type::U16);
                let fits = |element: &Operand<'_>| match *element {
                    Register(id) => register_fits(body, id, size, false),
                    _ => constant_fits(element, size),
                };
                slice.len as usize + 2 == self.dimensions && body.elements(slice).iter().all(fits)
            }
            _ => false,
        }
    }

    /// Tests `[map, {coordinates}]`. The address of the map may have an offset.
    fn tensor_map_fits(&self, body: &Body<'_>, list: &[Operand<'_>], count: usize) -> bool {
        let [map, Operand::Vector(slice)] = list else {
            return false;
        };
        let pointer = |id| register_fits(body, id, Typed::Pointer, false);
        let named = match *map {
            Operand::Register(id) | Operand::Address(Base::Register(id), _) => pointer(id),
            Operand::Symbol(..) => true,
            _ => false,
        };
        let size = Typed::Is(Type::S32);
        let fits = |element: &Operand<'_>| match *element {
            Operand::Register(id) => register_fits(body, id, size, false),
            _ => constant_fits(element, size),
        };
        named && slice.len as usize == count && body.elements(*slice).iter().all(fits)
    }

    fn vector_fits(
        &self,
        body: &Body<'_>,
        slot: &Slot,
        operand: &Operand<'_>,
        count: usize,
        typed: Typed,
    ) -> bool {
        use Operand::*;
        let writes = matches!(
            slot.shape,
            Shape::Destinations(_) | Shape::DestinationsAndMaybe(_)
        );
        let element = |element: &Operand<'_>| match *element {
            Register(_) if vector_of(body, element).is_some() => false,
            Register(id) | Element(id, _) => register_fits(body, id, typed, slot.wider),
            Sum(id, _) => {
                count == 1 && is_integer(body, id) && register_fits(body, id, typed, slot.wider)
            }
            Sink => writes,
            Int(_) | F32(_) | F64(_) => !writes && constant_fits(element, typed),
            _ => false,
        };
        match *operand {
            Vector(slice) => {
                slice.len as usize == count && body.elements(slice).iter().all(element)
            }
            // A special register with components can also be used: `mov.v4.u32 {..}, %tid`.
            Special(register, None) => {
                !writes && count == 4 && register.has_components() && self.moves()
            }
            // A vector register stands for all its components.
            Register(id) if count > 1 => body.registers.get(id as usize).is_some_and(|register| {
                usize::from(register.vector) == count && size_fits(register.ty, typed, slot.wider)
            }),
            _ => count == 1 && element(operand),
        }
    }
}

/// Tests labels, and what a call names.
fn label_fits(body: &Body<'_>, shape: Shape, operand: &Operand<'_>) -> bool {
    use Operand::*;
    let target = |id: u32| body.labels.get(id as usize).map(|label| label.target);
    match (shape, operand) {
        (Shape::Label, &Label(id)) => matches!(target(id), Some(ast::Target::Instruction(_))),
        (Shape::Targets, &Label(id)) => {
            matches!(target(id), Some(ast::Target::BranchTargets(_)))
        }
        (Shape::Table, &Label(id)) => {
            matches!(
                target(id),
                Some(ast::Target::Prototype(_) | ast::Target::CallTargets(_))
            )
        }
        (Shape::Arguments, Arguments(_)) => true,
        (Shape::Callee, Symbol(..)) => true,
        (Shape::Callee, &Register(id)) => register_fits(body, id, Typed::Pointer, false),
        _ => false,
    }
}
