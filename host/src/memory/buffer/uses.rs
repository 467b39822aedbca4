//! The uses of a buffer, in order: by launches, copies, graphs, and libraries that this crate does
//! not know.

use std::mem::size_of;
use std::panic::Location;

use cust::memory::DeviceCopy;
use lanewise_driver::abi::CUresult as Code;

use super::DeviceBuffer;
use crate::stream::order::{Access, LaunchUse, Order};
use crate::{DriverError, Stream};

impl<T: DeviceCopy> DeviceBuffer<T> {
    /// Forgets the streams it was last used on, so that the next launch does not wait for them.
    ///
    /// # Safety
    /// What still runs on those streams and what is launched next do not race on this buffer.
    pub unsafe fn forget_order(&self) {
        self.order.forget();
    }

    /// Called when it is passed to a launch on `stream`: orders that launch after the uses before.
    /// The use lasts until the launch is queued. A stream of another device may use it once that
    /// device reaches this one's memory.
    #[track_caller]
    pub(crate) fn use_on(
        &self,
        stream: &Stream,
        access: Access,
    ) -> Result<LaunchUse<Stream>, DriverError> {
        stream.device().must_reach(&self.device)?;
        self.use_for_copy(stream, access)
    }

    /// The same for a copy between buffers, which needs no access to the other device's memory.
    #[track_caller]
    pub(crate) fn use_for_copy(
        &self,
        stream: &Stream,
        access: Access,
    ) -> Result<LaunchUse<Stream>, DriverError> {
        if self.order.graph().is_some() {
            // It is there while the graph runs, and then for the graph's own work alone.
            let code = Code::ERROR_INVALID_VALUE;
            DriverError::check_code("use of a graph's own memory", code, Location::caller())?;
        }
        self.order.begin_on(stream, access)
    }

    /// The same for a synchronous copy, which runs on the legacy default stream of the buffer's
    /// device; that device is made current.
    pub(crate) fn use_now(
        &self,
        access: Access,
        at: &'static Location<'static>,
    ) -> Result<LaunchUse<Stream>, DriverError> {
        let begun = self.use_for_copy(&self.device.default_stream(), access)?;
        self.device.before_copy(at)?;
        Ok(begun)
    }

    /// Ends that: the copy is over, and whoever uses the buffer next need not wait for it.
    pub(crate) fn used_now(
        &self,
        begun: LaunchUse<Stream>,
        access: Access,
        at: &'static Location<'static>,
    ) -> Result<(), DriverError> {
        if access == Access::Write {
            // The call may have taken the bytes and not written them yet.
            self.device.finish_default_stream(at)?;
        }
        begun.settle();
        Ok(())
    }

    /// What a graph on a stream of this device remembers of it; none for what a graph can't watch
    /// over. `graph` is the one that is being built, which may use memory of its own.
    pub(crate) fn recorded(
        &self,
        stream: &Stream,
        access: Access,
        graph: Option<u64>,
    ) -> Option<(Order<Stream>, Access)> {
        let mine = self.order.graph().is_none_or(|of| graph == Some(of));
        let can = self.whole && mine && *stream.device() == self.device;
        can.then(|| {
            self.order.enter_graph();
            (self.order.clone(), access)
        })
    }

    /// Returns whether a graph may use it, which another thread may launch at any time. A launch of
    /// it waits for uses that are not queued yet, so none may wait before it is.
    pub(super) fn is_in_graphs(&self) -> bool {
        let bytes = self.len() * size_of::<T>();
        bytes > 0 && self.order.graph().is_none() && self.order.is_in_graphs()
    }

    /// What it was used for.
    pub(crate) fn order(&self) -> &Order<Stream> {
        &self.order
    }

    /// Its address, for work on `stream` by a library that this crate does not know, which reads
    /// it. What is queued there from now on comes after the writes before, and later writes come
    /// after what is queued there until then.
    ///
    /// # Errors
    /// The driver's error; without access to the buffer's device, as a launch's.
    #[track_caller]
    pub fn read_on(&self, stream: &Stream) -> Result<u64, DriverError> {
        self.use_on(stream, Access::Read).map(|_| self.address())
    }

    /// The same for work that writes it.
    ///
    /// # Errors
    /// What [`Self::read_on`] fails with.
    #[track_caller]
    pub fn write_on(&mut self, stream: &Stream) -> Result<u64, DriverError> {
        self.use_on(stream, Access::Write).map(|_| self.address())
    }
}
