//! Conditions of graphs, by which a kernel decides which nodes of its graph run next.
//!
//! A conditional node runs its body if its condition is not 0 (`if`), repeats it while the
//! condition is not 0 (`while`), or runs the body with the condition's number (`switch`). Kernels
//! before the node set the condition, and so do kernels in the body of a loop. The host is not
//! involved. The host builds such graphs with `lanewise::GraphBuilder`. CUDA C++ Programming Guide,
//! "Conditional Graph Nodes".

use crate::intrinsics;
use crate::kernel::Value;

/// A condition as a kernel parameter. The host passes a `ConditionSetter`.
///
/// ```
/// use lanewise_macros::kernel;
/// use lanewise_std::graph::Condition;
///
/// /// Lets a loop go on as long as the difference is large.
/// #[kernel]
/// pub fn go_on(difference: &[f32], limit: f32, condition: Condition) {
///     condition.set(u32::from(difference[0] > limit));
/// }
/// ```
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct Condition(u64);

// SAFETY: the type is a number, which the driver returned for a graph. It is not `DeviceCopy`, so
// that the host cannot pass any other number.
unsafe impl Value for Condition {
    const LAYOUT: u64 = crate::kernel::layout::named("Condition");
}

impl Condition {
    /// Sets the condition. If several threads set it, one of their values remains; which
    /// one is unspecified.
    #[doc(alias = "cudaGraphSetConditional")]
    #[inline]
    pub fn set(self, value: u32) {
        // SAFETY: the handle belongs to the running graph, because the host passes a condition only
        // to nodes of the same graph.
        unsafe { intrinsics::graph_set_conditional(self.0, value) }
    }
}
