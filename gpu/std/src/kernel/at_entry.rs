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

    /// Whether all threads of the cluster have to meet before the value is used.
    const OF_CLUSTER: bool = false;

    /// Returns whether the threads of the block have to meet before the value is used.
    fn meeting() -> bool;

    /// Makes the value of one declaration.
    ///
    /// # Safety
    /// All threads of the block call it once for each `Declaration`, before any code of the
    /// kernel. Then they meet.
    unsafe fn at_entry<Declaration>(initial: Option<Self::Initial>) -> Self;
}
