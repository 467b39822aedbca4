//! What a kernel's entry point makes in shared memory before any code of the kernel runs: barriers,
//! pipelines, stages, tensor memory.
//!
//! A barrier must be initialised once, by one thread, before any other thread uses it. Threads may
//! part as soon as they run code of the kernel: one could leave before the barrier is there, and
//! two could initialise it at different times. At the entry, each thread of the block is there, and
//! has passed no barrier yet.

/// A type that `shared!` declares in the first statement of a kernel.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "the entry point of a kernel cannot make `{Self}`",
    label = "it makes `Barrier<Scope>`, `Barriers<Scope, N>`, `Pipeline<STAGES>`, `SharedStages<T, N, STAGES>`, `TensorMemory<COLUMNS>` and `WorkStealing`"
)]
pub trait AtEntry: Sized {
    /// What a declaration says after `=`.
    type Initial;

    /// Returns which threads have to meet before the value is used.
    fn meeting() -> Meeting;

    /// Makes the value of one declaration.
    ///
    /// # Safety
    /// All threads of the block call it once for each `Declaration`, before any code of the
    /// kernel. Then they meet.
    unsafe fn at_entry<Declaration>(initial: Option<Self::Initial>) -> Self;
}

/// The threads that wait for each other at a kernel's entry.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meeting {
    None,
    Block,
    Cluster,
}
