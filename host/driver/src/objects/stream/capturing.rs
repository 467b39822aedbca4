//! A stream's part in a capture, as streams and events keep it.
//!
//! A capture has a graph, whose nodes have contexts, which have streams. The
//! modules below all of these contain only the stream's part. The capture itself
//! is in [`crate::objects::graph::capture`].

use crate::abi::CUgraphNode;
use std::any::Any;
use std::sync::Arc;

/// A stream's part in a capture.
#[derive(Debug, Clone)]
pub(crate) struct Capturing {
    /// The capture, of type `graph::capture::Capture`.
    pub(crate) capture: Arc<dyn Any + Send + Sync>,
    /// The nodes that its next node waits for.
    pub(crate) after: Vec<CUgraphNode>,
}
