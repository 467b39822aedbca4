//! An access as the machine tells of it.

/// What an access does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AccessKind {
    /// The access only reads.
    Read,
    /// The access writes, and does not read.
    Write,
    /// The access reads and writes in one step.
    Atomic,
}

/// One lane's access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Access {
    /// The block, by its number in the grid.
    pub(crate) block: u64,
    /// The warp in the block.
    pub(crate) warp: u32,
    /// The lane in the warp.
    pub(crate) lane: u32,
    /// The operation, by its number in the program.
    pub(crate) op: u32,
    /// What it does.
    pub(crate) kind: AccessKind,
    /// Whether it is strong in the memory model's sense.
    pub(crate) strong: bool,
    /// Whether it releases by itself, without a fence before it.
    pub(crate) releases: bool,
    /// Whether it acquires by itself, without a fence behind it.
    pub(crate) acquires: bool,
    /// Whether it is of block scope.
    pub(crate) narrow: bool,
    /// Whether it is a load by the way of read-only data: it races with every write of the launch,
    /// whatever stands between.
    pub(crate) read_only: bool,
    /// Of shared memory: the block that it belongs to, by its number in the grid; else global.
    pub(crate) shared: Option<u64>,
    /// Whether it was only begun: nothing is ordered after it until it is over.
    pub(crate) pending: bool,
}

impl Access {
    /// Whether it is an ordinary load or store.
    #[inline(always)]
    pub(super) fn is_plain(&self) -> bool {
        self.kind != AccessKind::Atomic && !(self.strong | self.narrow | self.pending)
    }
}
