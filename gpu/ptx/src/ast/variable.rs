//! Variables and parameters: their types, sizes and initial values.

use super::RegisterId;
use crate::position::Position;
use crate::types::{Linkage, Space, Type};

/// A variable of any space but `.reg`, or a parameter of any kind.
#[derive(Clone, PartialEq, Debug)]
pub struct Variable<'a> {
    /// The variable's name. Parameters of prototypes may be `_`.
    pub name: &'a str,
    /// The state space that the variable is in.
    pub space: Space,
    /// The constant bank of the old form `.const[n]`.
    pub bank: Option<u32>,
    /// Which modules can see the name.
    pub linkage: Linkage,
    /// `.align n`. Without it, the natural alignment of the type applies.
    pub align: Option<u32>,
    /// Type of one element.
    pub ty: Type,
    /// 2, 4 or 8 for `.v2`, `.v4`, `.v8`; otherwise 1.
    pub vector: u8,
    /// Array dimensions, outermost first; `None` for `[]`.
    pub dims: Vec<Option<u64>>,
    /// The initial value, after `=`.
    pub initializer: Option<Initializer<'a>>,
    /// `.ptr [space] [.align n]`, on kernel parameters.
    pub pointer: Option<Pointer>,
    /// The entries of `.attribute(...)`.
    pub attributes: Vec<Attribute>,
    /// The register of a parameter that is declared `.reg`, in functions with a body.
    pub register: Option<RegisterId>,
    /// Where the name is in the text.
    pub position: Position,
}

impl Variable<'_> {
    /// Returns the bytes of one element. A whole vector counts as one element.
    pub fn element_size(&self) -> u64 {
        self.ty.size() * u64::from(self.vector)
    }

    /// Returns the bytes of the whole variable. An unsized outermost dimension has the
    /// length of the initializer, or is empty without one. The parser has checked that the
    /// size does not overflow.
    pub fn size(&self) -> u64 {
        let listed = match &self.initializer {
            Some(Initializer::List(list)) => list.len() as u64,
            _ => 0,
        };
        self.dims.iter().fold(self.element_size(), |size, dim| {
            size.saturating_mul(dim.unwrap_or(listed))
        })
    }

    /// Returns the alignment in bytes: the declared one, or else that of the type.
    pub fn alignment(&self) -> u64 {
        self.align.map_or(self.element_size().max(1), u64::from)
    }
}

/// `.ptr` on a kernel parameter: facts about the memory that the pointer points to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pointer {
    /// The state space; `None` is generic.
    pub space: Option<Space>,
    /// The alignment of the memory that it points to, in bytes.
    pub align: Option<u32>,
}

/// One entry of `.attribute(...)`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Attribute {
    /// The attribute `.managed`: managed memory.
    Managed,
    /// The attribute `.unified(a, b)`, with its two numbers.
    Unified(u64, u64),
}

/// The initial value of a variable.
#[derive(Clone, PartialEq, Debug)]
pub enum Initializer<'a> {
    /// `{ ... }`; nested for more than one dimension. Missing elements are zero.
    List(Vec<Initializer<'a>>),
    /// An integer, two's complement in 64 bits.
    Int(i64),
    /// The bits of a `0f` constant.
    F32(u32),
    /// The bits of a `0d` or decimal constant.
    F64(u64),
    /// The address of a symbol.
    Address(AddressOf<'a>),
}

/// `sym`, `sym+offset`, `generic(sym)+offset` or `mask(sym)` in an initializer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AddressOf<'a> {
    /// The name of the variable or function.
    pub symbol: &'a str,
    /// Bytes that are added to the address.
    pub offset: i64,
    /// Whether the address is converted to a generic address.
    pub generic: bool,
    /// `0xFF00(sym)`: the byte of the address that this mask selects, shifted down.
    pub mask: Option<u64>,
    /// Where the expression is in the text.
    pub position: Position,
}
