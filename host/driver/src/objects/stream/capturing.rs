//! A stream's part in a capture, as streams and events keep it.
//!
//! A capture has a graph, whose nodes have contexts, which have streams: below all of these only
//! the part is known, and what a capture is, is the business of [`crate::objects::graph::capture`].

use crate::abi::CUgraphNode;
use std::any::Any;
use std::sync::Arc;

/// A stream's part in a capture.
#[derive(Debug, Clone)]
pub(crate) struct Capturing {
    /// The capture, a `graph::capture::Capture`.
    pub(crate) capture: Arc<dyn Any + Send + Sync>,
    /// What its next node waits for.
    pub(crate) after: Vec<CUgraphNode>,
}
