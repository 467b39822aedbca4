//! Directives of functions, and prototypes for indirect calls.

use super::Variable;

/// A directive of a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Directive<'a> {
    /// `.maxntid x, y, z` (missing dimensions are 1).
    MaxThreads([u32; 3]),
    /// `.reqntid x, y, z`.
    RequiredThreads([u32; 3]),
    /// `.minnctapersm n`: the least number of blocks on a multiprocessor at once.
    MinBlocksPerSm(u32),
    /// `.maxnctapersm n`: the most blocks on a multiprocessor at once.
    MaxBlocksPerSm(u32),
    /// `.maxnreg n`: the most registers of a thread.
    MaxRegisters(u32),
    /// `.reqnctapercluster x, y, z`.
    RequiredCluster([u32; 3]),
    /// `.explicitcluster`: a launch must specify its cluster.
    ExplicitCluster,
    /// `.maxclusterrank n`: the most blocks in a cluster.
    MaxClusterRank(u32),
    /// `.blocksareclusters`: a launch counts clusters instead of blocks.
    BlocksAreClusters,
    /// `.noreturn`: the function does not return.
    NoReturn,
    /// `.abi_preserve n`: general registers that a callee preserves.
    AbiPreserve(u32),
    /// `.abi_preserve_control n`: registers for calls and barriers that a callee preserves.
    AbiPreserveControl(u32),
    /// `.pragma "text"`, a hint for the compiler.
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
