//! Which operands a row takes.
//!
//! PTX ISA 9.4 says which registers fit an instruction's type: those of its size (and for loads, stores and conversions
//! wider ones), where signed and unsigned are the same and bits fit everything: LLVM keeps all `.f32` in `.b32`
//! registers. Integers and floats do not mix.

use super::IsaError;
use super::pattern::{Pattern, Shape, Slot, Typed};
use crate::ptx::ast::{
    self, Base, Body, Class, Instruction, Modifier, Modifiers, Opcode, Operand, Selector, Type,
};

/// Opcode and modifiers seen before: their rows, and what their operands depend on.
pub(super) struct Form {
    /// Each row with the modifiers in its order.
    patterns: Vec<(&'static Pattern, Modifiers)>,
    types: Vec<Type>,
    /// What `.v2`, `.v4`, `.v8` say; otherwise 1.
    vector: usize,
    /// What `.1d` to `.5d` say of a tensor; otherwise 0.
    dimensions: usize,
    modifiers: Modifiers,
}

/// Registers of a thread's part of D of `wgmma`.
pub(super) fn accumulators(words: &[Modifier]) -> usize {
    let columns = words.iter().find_map(|word| {
        let (columns, _) = word.name().strip_prefix("m64n")?.split_once('k')?;
        columns.parse::<usize>().ok()
    });
    let halves = words.iter().copied().find_map(Type::of) == Some(Type::F16);
    columns.unwrap_or(0) / if halves { 4 } else { 2 }
}

/// Elements of the vector by which a fetch moves its texels, one for each axis that is no layer; volumes have four.
pub(super) fn texel_offsets(words: &[Modifier]) -> usize {
    match () {
        () if words.contains(&Modifier::D3) => 4,
        () if words.contains(&Modifier::D2) || words.contains(&Modifier::A2d) => 2,
        () => 1,
    }
}

/// Dimensions of a tensor.
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

    /// The row that takes the operands, and the modifiers in its order; of the rows that do not, the one that fits
    /// furthest gives the error.
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

    /// Whether the slots take the operands; if not, how many operands they take.
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

    /// Whether these are moves.
    fn moves(&self) -> bool {
        let mut opcodes = self.patterns.iter().map(|(pattern, _)| pattern.row.opcode);
        opcodes.all(|opcode| opcode == Opcode::Mov)
    }

    /// Whether an address may be written as an element of an array: only where plain loads and stores are.
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
        let target = |id: u32| body.labels.get(id as usize).map(|label| label.target);
        // A register of several elements is none of one.
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
            // The one special register that is a predicate.
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

    /// `[map, {coordinates}]`, the map's address with an offset perhaps.
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
            // So does a special register that has them: `mov.v4.u32 {..}, %tid`.
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

    #[cold]
    fn error(
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

    /// What a slot takes, in words.
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

fn register_fits(body: &Body<'_>, id: u32, typed: Typed, wider: bool) -> bool {
    body.registers
        .get(id as usize)
        .is_some_and(|register| size_fits(register.ty, typed, wider))
}

fn size_fits(register: Type, typed: Typed, wider: bool) -> bool {
    let memory = !matches!(register.class(), Class::Predicate | Class::Opaque);
    match typed {
        Typed::Is(Type::Pred) => register == Type::Pred,
        Typed::Is(ty) if register.size() == ty.size() => memory && same_kind(register, ty),
        // Of a wider float register, a value could only be some of its bits.
        Typed::Is(ty) if wider && register.size() > ty.size() => {
            memory
                && same_kind(register, ty)
                && (register.class() != Class::Float || ty.class() == Class::Bits)
        }
        Typed::Is(_) => false,
        Typed::Exactly(ty) => register == ty,
        Typed::Pointer => memory && matches!(register.size(), 4 | 8),
        _ => memory,
    }
}

/// Whether a special register can be read as this type: as an integer of its own size, element by element where it has elements.
/// Those that were there before PTX 2.0 can be read as 16 bits too.
fn special_fits(register: ast::SpecialRegister, element: bool, typed: Typed, wider: bool) -> bool {
    use ast::SpecialRegister as S;
    let Typed::Is(ty) = typed else { return true };
    let size = ty.size();
    let sized = match register {
        S::Gridid => matches!(size, 2 | 4 | 8),
        S::Tid | S::Ntid | S::Ctaid | S::Nctaid => matches!(size, 2 | 4),
        S::IsExplicitCluster => ty == Type::Pred,
        S::Globaltimer | S::CurrentGraphExec => size == 8,
        register if register.name().ends_with("64") => size == 8,
        _ => size == 4,
    };
    // A conversion takes what it finds.
    (sized || wider) && ty.class() != Class::Float && element == register.has_components()
}

/// Type and number of elements of a register that has several.
fn vector_of(body: &Body<'_>, operand: &Operand<'_>) -> Option<(Type, u64)> {
    let Operand::Register(id) = *operand else {
        return None;
    };
    let register = body.registers.get(id as usize)?;
    (register.vector > 1).then_some((register.ty, register.vector.into()))
}

fn is_integer(body: &Body<'_>, id: u32) -> bool {
    body.registers.get(id as usize).is_some_and(|register| {
        matches!(
            register.ty.class(),
            Class::Bits | Class::Signed | Class::Unsigned
        )
    })
}

/// A byte or half of a register.
fn is_part(part: Selector) -> bool {
    part.elements().len() == 1 && part.is_mask()
}

/// Integers do not go into float registers, nor floats into integer registers; bits go anywhere.
fn same_kind(register: Type, ty: Type) -> bool {
    let integer = |ty: Type| matches!(ty.class(), Class::Signed | Class::Unsigned);
    // A register of halves holds no `.bf16`.
    let other_half = register == Type::F16 && ty == Type::Bf16;
    !(integer(register) && ty.class() == Class::Float
        || register.class() == Class::Float && integer(ty)
        || other_half)
}

fn constant_fits(constant: &Operand<'_>, typed: Typed) -> bool {
    let Typed::Is(ty) = typed else { return true };
    match constant {
        // Nor do constants stand for pairs of halves.
        Operand::Int(_) | Operand::F32(_) if matches!(ty, Type::F16x2 | Type::Bf16x2) => false,
        Operand::Int(_) => !matches!(ty.class(), Class::Float),
        // Of `.f64` it is the same number.
        Operand::F32(_) if ty == Type::F64 => true,
        Operand::F32(_) => ty.size() == 4 && !matches!(ty.class(), Class::Signed | Class::Unsigned),
        // Decimal constants are doubles, and are rounded to the instruction's type.
        Operand::F64(_) => matches!(ty, Type::F64 | Type::F32 | Type::B64),
        _ => false,
    }
}

/// `{a, b}` of `mov`: 2 or 4 elements (of `.b128`, 2 of 64 bits or 4 of 32) that together have the type's size.
fn packed_fits(body: &Body<'_>, shape: Shape, elements: &[Operand<'_>], typed: Typed) -> bool {
    let Typed::Is(ty) = typed else { return false };
    let count = elements.len() as u64;
    if !matches!(count, 2 | 4) || !ty.size().is_multiple_of(count) {
        return false;
    }
    let size = ty.size() / count;
    elements.iter().all(|element| match *element {
        Operand::Register(_) if vector_of(body, element).is_some() => false,
        Operand::Register(id) | Operand::Element(id, _) => {
            body.registers.get(id as usize).is_some_and(|register| {
                !matches!(register.ty.class(), Class::Predicate | Class::Opaque)
                    && register.ty.size() == size
            })
        }
        Operand::Sink => shape == Shape::Unpack,
        Operand::Int(_) | Operand::F32(_) => shape == Shape::Pack,
        _ => false,
    })
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
