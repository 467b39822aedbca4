//! Memory of another library: of PyTorch, numba, or a program in C++.

use std::mem::ManuallyDrop;
use std::sync::Arc;

use cudarc::driver::{CudaSlice, CudaStream, CudaView, CudaViewMut, DriverError};

/// Memory that another library owns, with elements of type `T`. Kernels take views of it.
///
/// cudarc never frees the memory. When this is dropped, the uses of it are first ordered before
/// later work of its stream, and then `owner` is dropped, which gives the memory back.
#[derive(Debug)]
pub struct Foreign<T, Owner> {
    /// Its drop would free the memory. No reference to it leaves this type, because two slices
    /// could then be exchanged.
    slice: ManuallyDrop<CudaSlice<T>>,
    owner: Owner,
}

impl<T, Owner> Foreign<T, Owner> {
    /// Makes a slice of memory that `owner` keeps.
    ///
    /// ```no_run
    /// # use lanewise_cudarc::{Foreign, cudarc::driver::CudaContext};
    /// # fn address_from_elsewhere() -> u64 { 0 }
    /// let stream = CudaContext::new(0)?.default_stream();
    /// let address = address_from_elsewhere();
    /// // SAFETY: the other library keeps 1000 numbers there, and uses them on this stream only.
    /// let numbers = unsafe { Foreign::<f32, _>::new(&stream, address, 1000, ())? };
    /// assert_eq!(numbers.view().len(), 1000);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The driver's error, if the stream's context cannot be used.
    ///
    /// # Safety
    /// - Until the owner is dropped, `address` is that of `len` valid elements that kernels of the
    ///   stream's context can access.
    /// - Other accesses to the memory, and its end after the owner is dropped, come before or after
    ///   this slice's life in the order of `stream`. While the slice exists, others may only read,
    ///   and only if nobody calls [`Foreign::view_mut`].
    pub unsafe fn new(
        stream: &Arc<CudaStream>,
        address: u64,
        len: usize,
        owner: Owner,
    ) -> Result<Self, DriverError> {
        // cudarc makes two events next, and panics where it cannot.
        stream.context().bind_to_thread()?;
        // SAFETY: the caller promises the elements. The slice does not free them.
        let slice = unsafe { stream.upgrade_device_ptr(address, len) };
        Ok(Self {
            slice: ManuallyDrop::new(slice),
            owner,
        })
    }

    /// Returns the elements, for a kernel that reads them.
    pub fn view(&self) -> CudaView<'_, T> {
        self.slice.as_view()
    }

    /// Returns the elements, for a kernel that writes them.
    pub fn view_mut(&mut self) -> CudaViewMut<'_, T> {
        self.slice.as_view_mut()
    }

    /// Returns the owner of the memory.
    pub fn owner(&self) -> &Owner {
        &self.owner
    }
}

impl<T, Owner> Drop for Foreign<T, Owner> {
    fn drop(&mut self) {
        // SAFETY: the slice is not used after this.
        let slice = unsafe { ManuallyDrop::take(&mut self.slice) };
        // This orders the uses, and frees all but the memory.
        slice.leak();
    }
}
