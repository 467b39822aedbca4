//! Conditions of graphs: what a kernel says of how the graph that it is a node of goes on.
//!
//! A conditional node runs its body if a condition is not 0, or as long as it is not, or runs the one of its bodies that the condition numbers. Kernels before the node
//! set the condition, and of a loop those in its body, without the host's being asked. The host builds such graphs by `lanewise::GraphBuilder`.
//! CUDA C++ Programming Guide, "Conditional Graph Nodes".

use crate::intrinsics;
use crate::kernel::Value;

/// A condition, as a kernel takes it; the host passes a `ConditionSetter`.
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

// SAFETY: a number, which the driver gave for a graph. It is no `DeviceCopy`, so that the host can pass nothing else for it.
unsafe impl Value for Condition {}

impl Condition {
    /// Sets its value. Of several threads that do so, one has the last word; which, is open.
    #[doc(alias = "cudaGraphSetConditional")]
    #[inline]
    pub fn set(self, value: u32) {
        // SAFETY: the handle is one of the running graph's: the host passes a condition to nodes of its own graph only.
        unsafe { intrinsics::graph_set_conditional(self.0, value) }
    }
}
