//! The order of a buffer's uses by launches, copies, graphs and other libraries.

use std::mem::size_of;
use std::panic::Location;

use lanewise_driver::abi::CUresult as Code;

use super::DeviceBuffer;
use crate::stream::order::{Access, BegunUse, LaunchUse, Order};
use crate::{DeviceCopy, DriverError, Stream};

impl<T: DeviceCopy> DeviceBuffer<T> {
    /// Forgets the streams on which the buffer was last used, so that the next launch does not
    /// wait for them.
    ///
    /// # Safety
    /// The work that still runs on those streams and the work that is launched next do not race
    /// on this buffer.
    pub unsafe fn forget_order(&self) {
        self.order.forget();
    }

    /// Begins a use by a launch on `stream`, adds it to the launch's uses, and makes the stream
    /// wait for the earlier ones. The launch ends the use when it is queued. A stream of another
    /// device may use the buffer if that device has peer access to this one's memory.
    ///
    /// # Safety
    /// The buffer is there until the uses have ended.
    #[track_caller]
    #[inline(always)]
    pub(crate) unsafe fn launch_on(
        &self,
        uses: &mut Vec<BegunUse<Stream>>,
        stream: &Stream,
        access: Access,
    ) -> Result<(), DriverError> {
        stream.device().must_reach(&self.device)?;
        self.must_not_be_a_graphs()?;
        // SAFETY: the caller promises the same.
        unsafe { self.order.begin_among_on(uses, stream, access) }
    }

    /// As [`Self::launch_on`], for work of another library. The use ends when it is dropped.
    #[track_caller]
    pub(crate) fn use_on(
        &self,
        stream: &Stream,
        access: Access,
    ) -> Result<LaunchUse<Stream>, DriverError> {
        stream.device().must_reach(&self.device)?;
        self.use_for_copy(stream, access)
    }

    /// As [`Self::use_on`], for a copy between buffers, which needs no peer access.
    #[track_caller]
    pub(crate) fn use_for_copy(
        &self,
        stream: &Stream,
        access: Access,
    ) -> Result<LaunchUse<Stream>, DriverError> {
        self.must_not_be_a_graphs()?;
        self.order.begin_on(stream, access)
    }

    /// Returns an error if a graph owns the memory, which then exists only while the graph runs,
    /// and only for the graph's own nodes.
    #[track_caller]
    fn must_not_be_a_graphs(&self) -> Result<(), DriverError> {
        match self.order.graph() {
            None => Ok(()),
            Some(_) => {
                let code = Code::ERROR_INVALID_VALUE;
                DriverError::check("use of a graph's own memory", code, Location::caller())
            }
        }
    }

    /// As [`Self::use_on`], for a synchronous copy. The copy runs on the legacy default stream of
    /// the buffer's device, and that device is made current.
    pub(crate) fn use_now(
        &self,
        access: Access,
        at: &'static Location<'static>,
    ) -> Result<LaunchUse<Stream>, DriverError> {
        let begun = self.use_for_copy(&self.device.default_stream(), access)?;
        self.device.before_copy(at)?;
        Ok(begun)
    }

    /// Ends the use of a synchronous copy. The copy is over, and later uses of the buffer need not
    /// wait for it.
    pub(crate) fn used_now(
        &self,
        begun: LaunchUse<Stream>,
        access: Access,
        at: &'static Location<'static>,
    ) -> Result<(), DriverError> {
        if access == Access::Write {
            // The call may have read the bytes from the host and not written them to
            // the device yet.
            self.device.finish_default_stream(at)?;
        }
        begun.settle();
        Ok(())
    }

    /// Returns the use that a graph on a stream of this device remembers, or `None` for memory that
    /// a graph can't track. `graph` is the number of the graph that is being built, which may use
    /// its own memory.
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

    /// Returns whether a graph may use the buffer. Another thread may launch the graph at any time.
    /// That launch waits for uses that are not queued yet, so a use of this buffer must not wait
    /// before it is queued.
    pub(super) fn is_in_graphs(&self) -> bool {
        let bytes = self.len() * size_of::<T>();
        bytes > 0 && self.order.graph().is_none() && self.order.is_in_graphs()
    }

    /// Returns the order of the buffer's uses.
    pub(crate) fn order(&self) -> &Order<Stream> {
        &self.order
    }

    /// Returns the buffer's address, for work on `stream` by another library that reads the buffer.
    /// Work that is queued on the stream from now on comes after the earlier writes of the buffer.
    /// A later write comes after the work that is queued on the stream before that write.
    ///
    /// # Errors
    /// The driver's error. Without peer access to the buffer's device, the same error as
    /// for a launch.
    #[track_caller]
    pub fn read_on(&self, stream: &Stream) -> Result<u64, DriverError> {
        self.use_on(stream, Access::Read).map(|_| self.address())
    }

    /// As [`Self::read_on`], for work that writes the buffer.
    ///
    /// # Errors
    /// As [`Self::read_on`].
    #[track_caller]
    pub fn write_on(&mut self, stream: &Stream) -> Result<u64, DriverError> {
        self.use_on(stream, Access::Write).map(|_| self.address())
    }
}
