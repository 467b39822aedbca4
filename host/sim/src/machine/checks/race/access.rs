//! An access, as the machine passes it to the race check.

/// What an access does: read, write, or both.
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
    /// The block's number in the grid.
    pub(crate) block: u64,
    /// The warp's number in the block.
    pub(crate) warp: u32,
    /// The lane's number in the warp.
    pub(crate) lane: u32,
    /// The operation's number in the program.
    pub(crate) op: u32,
    /// Whether it reads, writes or does both.
    pub(crate) kind: AccessKind,
    /// Whether it is strong in the memory model's sense.
    pub(crate) strong: bool,
    /// Whether it is strong because it is volatile.
    pub(crate) volatile: bool,
    /// Whether the access itself is a release, without a fence before it.
    pub(crate) releases: bool,
    /// Whether the access itself is an acquire, without a fence after it.
    pub(crate) acquires: bool,
    /// Whether its scope is the block.
    pub(crate) narrow: bool,
    /// Whether it is a load of read-only data (`.nc`). It races with every write of the launch,
    /// whatever synchronisation is between them.
    pub(crate) read_only: bool,
    /// The block that the shared memory belongs to, by its number in the grid; `None`
    /// for global memory.
    pub(crate) shared: Option<u64>,
    /// Whether it is asynchronous and not complete. Nothing is ordered after it
    /// before it completes.
    pub(crate) pending: bool,
}

impl Access {
    /// Returns whether it is an ordinary load or store.
    #[inline(always)]
    pub(super) fn is_plain(&self) -> bool {
        self.kind != AccessKind::Atomic && !(self.strong | self.narrow | self.pending)
    }
}
