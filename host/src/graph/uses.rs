//! The memory that graphs may use, the memory that each node uses, and the check for nodes that
//! must not run at the same time.

use std::panic::Location;

use lanewise_std::kernel::Value;

use super::error::GraphError;
use crate::stream::order::{Access, HoldOutcome, Order};
use crate::tensor_map::{TensorElement, TensorMap, TensorMapMut};
use crate::{DeviceBuffer, DeviceCopy, GraphBuffer, Matrix, MatrixMut, Part, Stream, View};

/// A host value that may be passed to a launch in a graph: a device buffer, all of one as vectors
/// ([`DeviceBuffer::as_vectors`]), a tensor map, or a plain value.
///
/// # Safety
/// All memory that it points to belongs to device buffers that it passes to the launch.
pub unsafe trait Recordable {}
// SAFETY: it passes the buffer itself.
unsafe impl<T: DeviceCopy> Recordable for &DeviceBuffer<T> {}
// SAFETY: it passes the buffer itself.
unsafe impl<T: DeviceCopy> Recordable for &mut DeviceBuffer<T> {}
// SAFETY: the builder refuses the memory of another graph.
unsafe impl<T: DeviceCopy> Recordable for &GraphBuffer<'_, T> {}
// SAFETY: as above.
unsafe impl<T: DeviceCopy> Recordable for &mut GraphBuffer<'_, T> {}
// SAFETY: it passes a buffer, and a launch in a graph refuses one that is less than its whole.
unsafe impl<T: DeviceCopy> Recordable for &View<'_, T> {}
// SAFETY: as above.
unsafe impl<T: DeviceCopy> Recordable for &mut Part<'_, T> {}
// SAFETY: as above. A matrix of memory that a graph cannot track is refused in the same way.
unsafe impl<T: DeviceCopy> Recordable for Matrix<'_, T> {}
// SAFETY: as above.
unsafe impl<T: DeviceCopy> Recordable for MatrixMut<'_, T> {}
// SAFETY: it passes the buffer that the map is of.
unsafe impl<T: TensorElement, const RANK: usize> Recordable for &TensorMap<'_, T, RANK> {}
// SAFETY: as above.
unsafe impl<T: TensorElement, const RANK: usize> Recordable for &mut TensorMapMut<'_, T, RANK> {}
// SAFETY: a value points to no memory, or to memory that the caller of an `unsafe` kernel
// is responsible for.
unsafe impl<T: Value> Recordable for T {}

/// A tuple of [`Recordable`] values.
///
/// # Safety
/// Each element is [`Recordable`].
#[diagnostic::on_unimplemented(
    message = "a launch in a graph can't be passed all of these",
    note = "a graph takes device buffers and plain values; what else leads to memory may be gone when it is launched"
)]
pub unsafe trait RecordableAll {}

macro_rules! tuples {
    ($($name:ident),*) => {
        // SAFETY: each element is `Recordable`.
        unsafe impl<$($name: Recordable),*> RecordableAll for ($($name,)*) {}
    };
}
/// Implements the trait for tuples of all lengths that a kernel's parameters can have.
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

/// A buffer that a graph uses, and the access.
pub(super) type Used = (Order<Stream>, Access);

/// Returns whether one writes memory that the other uses, so that they must run one
/// after the other.
pub(super) fn conflict(one: &[Used], other: &[Used]) -> bool {
    one.iter().any(|(order, access)| {
        other.iter().any(|(another, also)| {
            order.is(another) && (*access == Access::Write || *also == Access::Write)
        })
    })
}

/// Memory that is held until this is dropped. No other use of it begins, and it is not freed.
pub(super) struct HeldMemory<'a> {
    /// Memory of the graph itself.
    own: Option<&'a Order<Stream>>,
    uses: &'a [Used],
    /// How many of these are held, in this order.
    held: usize,
}

impl HeldMemory<'_> {
    fn release(&mut self) {
        let all = self.own.into_iter();
        let all = all.chain(self.uses.iter().map(|(order, _)| order));
        all.take(self.held).for_each(Order::release);
        self.held = 0;
    }
}

impl Drop for HeldMemory<'_> {
    fn drop(&mut self) {
        self.release();
    }
}

/// Holds all of the buffers at once, until the driver has finished a call on the graph. The driver
/// reads the addresses of copies, and an H200's driver crashes if the memory is freed.
pub(super) fn hold<'a>(
    uses: &'a [Used],
    at: &'static Location<'static>,
) -> Result<HeldMemory<'a>, GraphError> {
    hold_by(None, uses, at, |order, access| Ok(order.hold(access)))
}

/// Holds the graph's own memory, which it writes, and all of the buffers at once, by `hold`. So no
/// other use of a buffer begins, and none is dropped, before a launch is queued.
pub(super) fn hold_by<'a>(
    own: Option<&'a Order<Stream>>,
    uses: &'a [Used],
    at: &'static Location<'static>,
    hold: impl Fn(&Order<Stream>, Access) -> Result<HoldOutcome, GraphError>,
) -> Result<HeldMemory<'a>, GraphError> {
    let mut memory = HeldMemory { own, uses, held: 0 };
    'again: loop {
        let all = own.into_iter().map(|order| (order, Access::Write));
        for (order, access) in all.chain(uses.iter().map(|(order, access)| (order, *access))) {
            match hold(order, access)? {
                HoldOutcome::Held => memory.held += 1,
                HoldOutcome::Gone => return Err(GraphError::BufferIsGone { at }),
                HoldOutcome::Busy => {
                    // A thread that is about to queue work may be waiting for memory that is held
                    // here.
                    memory.release();
                    std::thread::yield_now();
                    continue 'again;
                }
            }
        }
        return Ok(memory);
    }
}

/// Returns each buffer once, as written if any of its uses writes it. The graph's own memory is
/// left out, because no other work uses it.
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
