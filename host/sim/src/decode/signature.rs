//! Parameters and results of functions: how many bytes each takes, and whether a call passes that.

use crate::machine::program::Area;
use crate::ptx::ast::{Type, Variable};

/// A parameter or result as its function declares it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Formal {
    /// Bytes of its area.
    pub(super) bytes: u32,
    /// An array without a length: the last parameter of a function that takes any number of
    /// arguments.
    pub(super) open: bool,
    /// Type of one element; of arrays of bytes, that of what is passed decides.
    pub(super) ty: Type,
}

impl Formal {
    /// The parameter or result that a variable declares.
    pub(super) fn of(variable: &Variable<'_>) -> Formal {
        Formal {
            bytes: area_bytes(variable),
            open: variable.dims.first() == Some(&None),
            ty: variable.ty,
        }
    }
}

/// Bytes of a parameter's area; a predicate takes a word.
pub(super) fn area_bytes(variable: &Variable<'_>) -> u32 {
    match variable.ty {
        Type::Pred => 4,
        _ => variable.size().min(1 << 16) as u32,
    }
}

/// The bytes of parameters as a message shows them: "4, 8 or more".
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

/// Whether areas of a call are what a function takes.
pub(super) fn agree(areas: &[Area], formals: &[Formal]) -> bool {
    areas.len() == formals.len()
        && areas
            .iter()
            .zip(formals)
            .all(|(area, formal)| formal.open || area.size == formal.bytes)
}
