//! Tests whether one register or constant fits a type.

use super::super::pattern::{Shape, Typed};
use crate::ast::{self, Body, Class, Operand, Selector, Type};

/// Returns whether a register fits a slot's type.
pub(super) fn register_fits(body: &Body<'_>, id: u32, typed: Typed, wider: bool) -> bool {
    body.registers
        .get(id as usize)
        .is_some_and(|register| size_fits(register.ty, typed, wider))
}

pub(super) fn size_fits(register: Type, typed: Typed, wider: bool) -> bool {
    let memory = !matches!(register.class(), Class::Predicate | Class::Opaque);
    match typed {
        Typed::Is(Type::Pred) => register == Type::Pred,
        Typed::Is(ty) if register.size() == ty.size() => memory && same_kind(register, ty),
        // The value would be only some of the bits of a wider float register, which is not allowed.
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

/// Returns whether a special register can be read as this type. It can be read as an integer of its
/// own size, and element by element if it has elements. Registers that existed before PTX 2.0 can
/// also be read as 16 bits.
pub(super) fn special_fits(
    register: ast::SpecialRegister,
    element: bool,
    typed: Typed,
    wider: bool,
) -> bool {
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
    // A conversion accepts the register's own size.
    (sized || wider) && ty.class() != Class::Float && element == register.has_components()
}

/// Returns the type and the number of elements of a vector register.
pub(super) fn vector_of(body: &Body<'_>, operand: &Operand<'_>) -> Option<(Type, u64)> {
    let Operand::Register(id) = *operand else {
        return None;
    };
    let register = body.registers.get(id as usize)?;
    (register.vector > 1).then_some((register.ty, register.vector.into()))
}

pub(super) fn is_integer(body: &Body<'_>, id: u32) -> bool {
    body.registers.get(id as usize).is_some_and(|register| {
        matches!(
            register.ty.class(),
            Class::Bits | Class::Signed | Class::Unsigned
        )
    })
}

/// Returns whether the selector is a single byte or half.
pub(super) fn is_part(part: Selector) -> bool {
    part.elements().len() == 1 && part.is_mask()
}

/// Returns whether a register's type and an operand's type are of one kind. Integers do not fit
/// float registers, nor floats integer registers. Bits fit every register.
fn same_kind(register: Type, ty: Type) -> bool {
    let integer = |ty: Type| matches!(ty.class(), Class::Signed | Class::Unsigned);
    // A `.f16` register cannot contain `.bf16`.
    let other_half = register == Type::F16 && ty == Type::Bf16;
    !(integer(register) && ty.class() == Class::Float
        || register.class() == Class::Float && integer(ty)
        || other_half)
}

pub(super) fn constant_fits(constant: &Operand<'_>, typed: Typed) -> bool {
    let Typed::Is(ty) = typed else { return true };
    match constant {
        // Constants cannot stand for pairs of halves either.
        Operand::Int(_) | Operand::F32(_) if matches!(ty, Type::F16x2 | Type::Bf16x2) => false,
        Operand::Int(_) => !matches!(ty.class(), Class::Float),
        // For `.f64`, it is the same number.
        Operand::F32(_) if ty == Type::F64 => true,
        Operand::F32(_) => ty.size() == 4 && !matches!(ty.class(), Class::Signed | Class::Unsigned),
        // Decimal constants are doubles, which are rounded to the instruction's type.
        Operand::F64(_) => matches!(ty, Type::F64 | Type::F32 | Type::B64),
        _ => false,
    }
}

/// Tests `{a, b}` of `mov`: 2 or 4 elements (for `.b128`, 2 of 64 bits or 4 of 32) that together
/// have the type's size.
pub(super) fn packed_fits(
    body: &Body<'_>,
    shape: Shape,
    elements: &[Operand<'_>],
    typed: Typed,
) -> bool {
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
