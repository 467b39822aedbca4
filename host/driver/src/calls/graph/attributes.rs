//! Launch attributes of kernel nodes besides the shape: clusters, cooperation.

use super::params;
use crate::abi::enums::launch_attribute as attribute;
use crate::abi::*;
use crate::calls::code::launch;
use crate::calls::{present, put};
use crate::error::{Result, ensure, fail};
use crate::objects::graph::{self, Kind, Node};
use std::sync::Arc;

/// Returns the node, which must be a kernel node.
fn kernel_node(node: CUgraphNode) -> Result<Arc<Node>> {
    let node = graph::node(node)?;
    params::of_kernel(&node)?;
    Ok(node)
}

pub(crate) unsafe fn get(
    node: CUgraphNode,
    which: c_uint,
    value: *mut CUlaunchAttributeValue,
) -> Result {
    let node = kernel_node(node)?;
    let mut found = CUlaunchAttributeValue { bytes: [0; 64] };
    if let Kind::Kernel(launch) = &*node.kind.lock() {
        let words: &[u32] = match which {
            attribute::COOPERATIVE => &[u32::from(launch.shape.cooperative)],
            attribute::CLUSTER_DIMENSION => &launch.shape.cluster,
            attribute::PRIORITY | attribute::ACCESS_POLICY_WINDOW => &[],
            other => fail!(
                ERROR_INVALID_VALUE,
                "{other} is no attribute that a kernel node has here"
            ),
        };
        for (bytes, word) in found.bytes.chunks_exact_mut(4).zip(words) {
            bytes.copy_from_slice(&word.to_ne_bytes());
        }
    }
    // SAFETY: the caller keeps the contract.
    unsafe { put(value, found, "value_out") }
}

pub(crate) unsafe fn set(
    node: CUgraphNode,
    which: c_uint,
    value: *const CUlaunchAttributeValue,
) -> Result {
    let node = kernel_node(node)?;
    present(value, "value")?;
    // SAFETY: the pointer is not null, so it is valid by the caller's contract.
    let value = unsafe { value.read() };
    if let Kind::Kernel(launch) = &mut *node.kind.lock() {
        let mut shape = launch.shape;
        match which {
            attribute::COOPERATIVE => shape.cooperative = value.word(0) != 0,
            attribute::CLUSTER_DIMENSION => shape.cluster = [0, 1, 2].map(|axis| value.word(axis)),
            // These affect how a GPU does the work, not the result.
            attribute::PRIORITY | attribute::ACCESS_POLICY_WINDOW => {}
            other => fail!(
                ERROR_INVALID_VALUE,
                "{other} is no attribute that a kernel node has here"
            ),
        }
        launch::check(&launch.context, &launch.function, &shape)?;
        launch.shape = shape;
    }
    Ok(())
}

pub(crate) unsafe fn copy(to: CUgraphNode, from: CUgraphNode) -> Result {
    let (to, from) = (kernel_node(to)?, kernel_node(from)?);
    ensure!(
        to.graph == from.graph || to.handle != from.handle,
        ERROR_INVALID_VALUE,
        "a node's attributes are copied to another node"
    );
    let wanted = match &*from.kind.lock() {
        Kind::Kernel(launch) => (launch.shape.cluster, launch.shape.cooperative),
        other => return params::wrong("kernel", other),
    };
    if let Kind::Kernel(launch) = &mut *to.kind.lock() {
        (launch.shape.cluster, launch.shape.cooperative) = wanted;
    }
    Ok(())
}
