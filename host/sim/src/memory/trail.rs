//! How the program came to allocate or free memory: stack lines that are made only when a report
//! needs them.

use std::fmt;
use std::sync::Arc;

/// Lines of a report, from who knows the host's calls. Clones are the same.
#[derive(Clone)]
pub struct Trail(Arc<dyn Fn() -> String + Send + Sync>);

impl Trail {
    /// What `say` says, whenever it is asked: one note, whose further lines are indented by five
    /// blanks.
    pub fn new(say: impl Fn() -> String + Send + Sync + 'static) -> Self {
        Self(Arc::new(say))
    }

    /// The line of a report that says it.
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
