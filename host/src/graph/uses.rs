//! What graphs may use, what each node uses, and which nodes must not run at the same time.

use std::panic::Location;

use cust::memory::DeviceCopy;
use lanewise_std::kernel::Value;

use super::error::GraphError;
use crate::stream::order::{Access, HeldMemory, HoldOutcome, Order};
use crate::{DeviceBuffer, GraphBuffer, Stream};

/// A host value that a launch in a graph may be passed: a device buffer or a plain value.
///
/// # Safety
/// All memory that it leads to is that of device buffers that it passes on.
pub unsafe trait Recordable {}
// SAFETY: a buffer.
unsafe impl<T: DeviceCopy> Recordable for &DeviceBuffer<T> {}
// SAFETY: a buffer.
unsafe impl<T: DeviceCopy> Recordable for &mut DeviceBuffer<T> {}
// SAFETY: the builder refuses one of another graph.
unsafe impl<T: DeviceCopy> Recordable for &GraphBuffer<'_, T> {}
// SAFETY: as above.
unsafe impl<T: DeviceCopy> Recordable for &mut GraphBuffer<'_, T> {}
// SAFETY: a value that leads nowhere, or to where an `unsafe` kernel's caller answers for.
unsafe impl<T: Value> Recordable for T {}

/// A tuple of them.
///
/// # Safety
/// Each is one.
#[diagnostic::on_unimplemented(
    message = "a launch in a graph can't be passed all of these",
    note = "a graph takes device buffers and plain values; what else leads to memory may be gone when it is launched"
)]
pub unsafe trait RecordableAll {}

macro_rules! tuples {
    ($($name:ident),*) => {
        // SAFETY: each is.
        unsafe impl<$($name: Recordable),*> RecordableAll for ($($name,)*) {}
    };
}
/// Of all lengths that a kernel's parameters can have.
macro_rules! each_length {
    () => {
        tuples!();
    };
    ($first:ident $(, $more:ident)*) => {
        tuples!($first $(, $more)*);
        each_length!($($more),*);
    };
}
each_length!(
    A, B, C, D, E, F, G, H, I, J, K, L, M, N, O, P, Q, R, S, T, U, V, W, X
);

/// A buffer that a graph uses, and what for.
pub(super) type Used = (Order<Stream>, Access);

/// Returns whether one writes what the other uses, so that they run one after another.
pub(super) fn conflict(one: &[Used], other: &[Used]) -> bool {
    one.iter().any(|(order, access)| {
        other.iter().any(|(another, also)| {
            order.is(another) && (*access == Access::Write || *also == Access::Write)
        })
    })
}

/// Holds all of the buffers at once, so that nobody begins a use of one, or drops it, before a
/// launch is queued or the driver has worked with a graph: it looks at the memory of copies, and an
/// H200's dies of memory that is gone.
pub(super) fn hold(
    uses: &[Used],
    at: &'static Location<'static>,
) -> Result<Vec<HeldMemory<Stream>>, GraphError> {
    loop {
        let mut held = Vec::with_capacity(uses.len());
        for (order, access) in uses {
            match order.hold(*access) {
                HoldOutcome::Held(one) => held.push(one),
                HoldOutcome::Gone => return Err(GraphError::BufferIsGone { at }),
                HoldOutcome::Busy => break,
            }
        }
        if held.len() == uses.len() {
            return Ok(held);
        }
        // Whoever is about to queue something may be waiting for what is held here.
        drop(held);
        std::thread::yield_now();
    }
}

/// Each buffer once, written if any of its uses writes it; a graph's own memory is nobody else's to
/// wait for.
pub(super) fn once_each(uses: Vec<Used>) -> Vec<Used> {
    let mut all: Vec<Used> = Vec::new();
    for (order, access) in uses {
        if order.graph().is_some() {
            continue;
        }
        match all.iter_mut().find(|(earlier, _)| earlier.is(&order)) {
            Some((_, earlier)) if access == Access::Write => *earlier = access,
            Some(_) => {}
            None => all.push((order, access)),
        }
    }
    all
}
