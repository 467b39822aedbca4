//! How the program came to allocate or free memory: lines of a stack trace, which are formatted
//! only when a report needs them.

use std::fmt;
use std::sync::Arc;

/// Lines of a report about the host's calls. The code that records the calls supplies them. Clones
/// share one function.
#[derive(Clone)]
pub struct Trail(Arc<dyn Fn() -> String + Send + Sync>);

impl Trail {
    /// Creates a trail whose note is the result of `say`, called each time a report needs it.
    /// Further lines of the note are indented by five blanks.
    pub fn new(say: impl Fn() -> String + Send + Sync + 'static) -> Self {
        Self(Arc::new(say))
    }

    /// Returns the line of the report.
    pub fn note(&self) -> String {
        (self.0)()
    }
}

impl fmt::Debug for Trail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Trail")
    }
}

impl PartialEq for Trail {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Trail {}
