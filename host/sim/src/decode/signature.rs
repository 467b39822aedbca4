//! Parameters and results of functions: their sizes in bytes, and whether a call matches them.

use crate::machine::program::Area;
use crate::ptx::ast::{Type, Variable};

/// A parameter or result as its function declares it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Formal {
    /// Bytes of the parameter's area.
    pub(super) bytes: u32,
    /// Whether it is an array without a length: the last parameter of a function with a variable
    /// number of arguments.
    pub(super) open: bool,
    /// The type of one element. For arrays of bytes, the type of the argument applies.
    pub(super) ty: Type,
}

impl Formal {
    /// Returns the parameter or result that a variable declares.
    pub(super) fn of(variable: &Variable<'_>) -> Formal {
        Formal {
            bytes: area_bytes(variable),
            open: variable.dims.first() == Some(&None),
            ty: variable.ty,
        }
    }
}

/// Returns the bytes of a parameter's area. A predicate takes a word.
pub(super) fn area_bytes(variable: &Variable<'_>) -> u32 {
    match variable.ty {
        Type::Pred => 4,
        _ => variable.size().min(1 << 16) as u32,
    }
}

/// Formats the sizes of parameters for a message: "4, 8 or more".
pub(super) fn listed(formals: &[Formal]) -> String {
    let size = |formal: &Formal| match formal.open {
        true => "any number".to_owned(),
        false => formal.bytes.to_string(),
    };
    match formals {
        [] => "nothing".to_owned(),
        _ => formals.iter().map(size).collect::<Vec<_>>().join(", ") + " bytes",
    }
}

/// Returns whether the areas of a call match the parameters of a function.
pub(super) fn agree(areas: &[Area], formals: &[Formal]) -> bool {
    areas.len() == formals.len()
        && areas
            .iter()
            .zip(formals)
            .all(|(area, formal)| formal.open || area.size == formal.bytes)
}
