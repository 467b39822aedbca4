//! Operands: registers, constants, addresses, and lists of these.

use super::{LabelId, RegisterId, Slice};
use crate::selector::Selector;
use crate::words::{Component, SpecialRegister};

/// An operand of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operand<'a> {
    /// A register, `%r1`.
    Register(RegisterId),
    /// A predicate register, negated: `!%p1`.
    Negated(RegisterId),
    /// `%v.x`: one component of a vector register.
    Element(RegisterId, Component),
    /// `%r1.b0`: bytes or halves of a register.
    Part(RegisterId, Selector),
    /// `-%r1`, `-%r1.h0`: a register, or a part of it, negated.
    Minus(RegisterId, Option<Selector>),
    /// `d|p`: a destination and a second destination, which is a predicate. Either may
    /// be [`Operand::Sink`] (`None`).
    Pair(Option<RegisterId>, Option<RegisterId>),
    /// `_`: a result that is discarded, or an absent element.
    Sink,
    /// `%tid.x`, `%laneid`, ...
    Special(SpecialRegister, Option<Component>),
    /// An integer, two's complement in 64 bits. The instruction's type determines how many of the
    /// bits are used.
    Int(i64),
    /// The bits of a `0f` constant.
    F32(u32),
    /// The bits of a `0d` or decimal constant. If the instruction has type `.f32`, the value is
    /// rounded to it.
    F64(u64),
    /// A symbol's address as a value (`mov`, `call`), with an offset, or a texture, surface or
    /// parameter by its name.
    Symbol(Symbol<'a>, i64),
    /// `%r1+4`: the sum of a register and a constant.
    Sum(RegisterId, i64),
    /// `[base + offset]`.
    Address(Base<'a>, i64),
    /// `array[%r1+2]`: an element of an array, as an address or as its value.
    Indexed(Indexed<'a>),
    /// `[a, b, ...]` of textures, surfaces and tensors: the elements.
    List(Slice),
    /// `{a, b, ...}`: the elements.
    Vector(Slice),
    /// `{a, b, c, d}|p`: the elements of a result, and a predicate destination.
    VectorPair(Slice, RegisterId),
    /// `(a, b, ...)` of `call`: the elements. A call always has the operands returns,
    /// target, arguments (the lists possibly empty), and then possibly the label of a
    /// prototype or of targets.
    Arguments(Slice),
    /// A label: of an instruction, prototype or target list.
    Label(LabelId),
}

/// An element of an array variable. The index counts elements. The elements of a vector count one
/// by one (as in ptxas).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Indexed<'a> {
    /// The array that is indexed.
    pub symbol: Symbol<'a>,
    /// The register that is added to the index, if there is one.
    pub register: Option<RegisterId>,
    /// The constant part of the index.
    pub index: i64,
}

/// The base of an address, to which an offset is added.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Base<'a> {
    /// A register that holds the address.
    Register(RegisterId),
    /// A variable or function, by its name.
    Symbol(Symbol<'a>),
    /// No base: the offset is the address.
    Absolute,
}

/// A name that is not a register or label.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Symbol<'a> {
    /// A parameter of this function: an index into [`Function::params`](super::Function::params).
    Param(u32),
    /// A return value of this function: an index into
    /// [`Function::returns`](super::Function::returns).
    Return(u32),
    /// A variable of this body: an index into [`Body::variables`](super::Body::variables).
    Local(u32),
    /// A name of module scope, defined in this module or elsewhere.
    Module(&'a str),
}
