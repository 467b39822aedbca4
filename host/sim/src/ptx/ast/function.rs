//! Functions: their signature, directives and body.

use super::{Attribute, Body, Variable};
use crate::ptx::position::Position;
use crate::ptx::types::Linkage;

/// An entry point or a function.
#[derive(Clone, PartialEq, Debug)]
pub struct Function<'a> {
    /// The function's name.
    pub name: &'a str,
    /// Whether it is an `.entry` (a kernel) and not a `.func`.
    pub entry: bool,
    /// Which modules see the name.
    pub linkage: Linkage,
    /// The return parameter: at most one.
    pub returns: Vec<Variable<'a>>,
    /// The parameters in the order of the text.
    pub params: Vec<Variable<'a>>,
    /// Performance and other directives between the parameters and the body.
    pub directives: Vec<Directive<'a>>,
    /// The entries of `.attribute(...)`.
    pub attributes: Vec<Attribute>,
    /// `None` for a forward declaration.
    pub body: Option<Body<'a>>,
    /// Where the name is in the text.
    pub position: Position,
}

/// A directive of a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Directive<'a> {
    /// `.maxntid x, y, z` (missing dimensions are 1).
    MaxThreads([u32; 3]),
    /// `.reqntid x, y, z`.
    RequiredThreads([u32; 3]),
    /// `.minnctapersm n`.
    MinBlocksPerSm(u32),
    /// `.maxnctapersm n`.
    MaxBlocksPerSm(u32),
    /// `.maxnreg n`.
    MaxRegisters(u32),
    /// `.reqnctapercluster x, y, z`.
    RequiredCluster([u32; 3]),
    /// `.explicitcluster`.
    ExplicitCluster,
    /// `.maxclusterrank n`.
    MaxClusterRank(u32),
    /// `.blocksareclusters`.
    BlocksAreClusters,
    /// `.noreturn`.
    NoReturn,
    /// `.abi_preserve n`.
    AbiPreserve(u32),
    /// `.abi_preserve_control n`.
    AbiPreserveControl(u32),
    /// `.pragma "text"`.
    Pragma(&'a str),
}

/// `label: .callprototype (returns) _ (params) [.noreturn];`.
#[derive(Clone, PartialEq, Debug)]
pub struct Prototype<'a> {
    /// The values that a function of this type returns.
    pub returns: Vec<Variable<'a>>,
    /// The parameters, in order.
    pub params: Vec<Variable<'a>>,
    /// `.noreturn`, `.abi_preserve`, `.abi_preserve_control`.
    pub directives: Vec<Directive<'a>>,
}
