//! What goes on outside of a launch, for launches that wait for it.
//!
//! Threads may spin on memory that another launch, a copy or the host changes later. When nothing
//! in a launch makes progress and some of its threads read global memory, the machine asks
//! whether anything outside can still change that memory, and if so, it looks again and again.

/// What goes on outside of a launch.
pub trait Outside: Sync {
    /// Begins to wait for it. The wait ends when the value is dropped. All calls come from the
    /// thread that made the launch.
    fn wait(&self) -> Box<dyn Waiting + '_>;
}

/// A launch that makes no progress and waits for a change of its memory.
pub trait Waiting {
    /// Notes that the launch is about to look at everything that it waits for.
    fn looks(&mut self);

    /// Notes that the launch has looked and makes no progress. Returns whether anything outside
    /// can still change its memory, or may have changed it since the last [`Waiting::looks`].
    fn may_end(&mut self) -> bool;
}

/// Nothing outside of the launch changes its memory while it runs.
#[derive(Debug, Clone, Copy)]
pub struct Nothing;

impl Outside for Nothing {
    fn wait(&self) -> Box<dyn Waiting + '_> {
        Box::new(Self)
    }
}

impl Waiting for Nothing {
    fn looks(&mut self) {}

    fn may_end(&mut self) -> bool {
        false
    }
}
