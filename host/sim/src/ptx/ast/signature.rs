//! Directives of functions, and prototypes for indirect calls.

use super::Variable;

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
