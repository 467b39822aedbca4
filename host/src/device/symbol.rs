//! Statics on the device: their addresses, sizes and values.
//!
//! A `#[device] static` is memory on the device and a handle on the host. The handle's type
//! determines the module of the static and the type of its value. [`Device::symbol`] asks the
//! driver for its address and size in that module; [`DeviceSymbol::read`] and
//! [`DeviceSymbol::write`] copy its value. The copies are synchronous. They wait for every kernel
//! that was launched before, and every kernel that is launched later reads the new value. Launches
//! of other threads wait for the copies, so no kernel sees a constant change, and none reads a
//! partly written value.
//! Source: CUDA driver API, `cuModuleGetGlobal`; CUDA C++ Programming Guide, "Device Memory";
//! Professional CUDA C Programming, chapter 4.

use std::ffi::CString;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::panic::Location;
use std::sync::Arc;

use lanewise_driver::abi::CUstream;
use lanewise_driver::abi::enums::stream_flags;
use lanewise_driver::api;
use lanewise_std::kernel::Value;
use lanewise_std::symbol::Symbol;

use crate::error::in_words;
use crate::{Device, DriverError, LoadError, Module};

/// Why a static on the device cannot be used.
#[derive(thiserror::Error)]
pub enum SymbolError {
    /// The module has no static of this name.
    #[error(
        "the module has no static `{name}`: is it `#[device] static`, and in a module that is compiled?"
    )]
    Unknown {
        /// The name of the static.
        name: String,
        /// The driver's error: `CUDA_ERROR_NOT_FOUND`.
        source: DriverError,
    },
    /// The static in the module has another size than the host's type.
    #[error(
        "`{name}` has {device} bytes on the device and {host} on the host: the PTX was made from another declaration"
    )]
    Size {
        /// The name of the static.
        name: String,
        /// Its size in the module.
        device: usize,
        /// The size of the host's type.
        host: usize,
    },
    /// The static's module could not be loaded.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The driver refused the copy. After a fault in a kernel it refuses every call.
    #[error("the driver refused to copy a static")]
    Driver(#[from] DriverError),
}

in_words! { SymbolError }

/// A static in a loaded module.
#[derive(Debug)]
pub struct DeviceSymbol<T> {
    address: u64,
    // Keeps the module loaded, because unloading it frees the memory.
    module: Arc<Module>,
    value: PhantomData<T>,
}

impl Device {
    /// Returns the static of this handle, in its crate's module.
    ///
    /// ```
    /// use kernels::{COUNT, count_up};
    /// use lanewise::{Device, LaunchConfig};
    ///
    /// let device = Device::open()?;
    /// let stream = device.stream()?;
    /// let count = device.symbol(COUNT)?;
    /// count.write(3)?;
    /// stream.launch(count_up, LaunchConfig::new(2, 32), ())?;
    /// assert_eq!(count.read()?, 67);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`SymbolError`] if the module has no such static, or one of another size.
    #[track_caller]
    pub fn symbol<S: Symbol>(&self, _symbol: S) -> Result<DeviceSymbol<S::Value>, SymbolError> {
        let at = Location::caller();
        let module = self.module::<S::Module>()?;
        let (address, bytes) = module.global(S::NAME, at)?;
        if bytes != size_of::<S::Value>() {
            return Err(SymbolError::Size {
                name: S::NAME.to_owned(),
                device: bytes,
                host: size_of::<S::Value>(),
            });
        }
        Ok(DeviceSymbol {
            address,
            module,
            value: PhantomData,
        })
    }
}

/// The stream on which statics are copied, one copy at a time.
#[derive(Debug)]
pub(super) struct CopyStream(CUstream);

impl Device {
    /// Returns the stream for copies of statics. The first copy makes it, before it blocks
    /// launches. A driver of an H200 was seen to make a stream only after a host function of
    /// another stream had returned, and such a function may wait for a launch.
    fn copy_stream(&self, at: &'static Location<'static>) -> Result<&CopyStream, DriverError> {
        let kept = &self.0.copies;
        if let Some(stream) = kept.get() {
            return Ok(stream);
        }
        self.make_current(at)?;
        let mut stream = CUstream::default();
        let flags = stream_flags::NON_BLOCKING;
        // SAFETY: the handle is written to a local variable, and the context is current.
        let make = || unsafe { api::cuStreamCreate(&mut stream, flags) };
        // It is never destroyed, because the device is not closed.
        DriverError::check("cuStreamCreate", lanewise_driver::kept(make), at)?;
        let made = CopyStream(stream);
        if let Err(CopyStream(second)) = kept.set(made) {
            // SAFETY: another thread was first, so this stream was never used.
            let _ = unsafe { api::cuStreamDestroy_v2(second) };
        }
        Ok(kept.wait())
    }
}

impl Module {
    /// Returns the address and the size in bytes of the module's static with this name.
    ///
    /// # Errors
    /// [`SymbolError::Unknown`] if it has none.
    #[track_caller]
    pub fn symbol_named(&self, name: &str) -> Result<(u64, usize), SymbolError> {
        self.global(name, Location::caller())
    }

    fn global(
        &self,
        name: &str,
        at: &'static Location<'static>,
    ) -> Result<(u64, usize), SymbolError> {
        self.device().make_current(at)?;
        let (mut address, mut bytes) = (0, 0);
        // No static has a NUL in its name. For the empty name the driver returns the error for
        // an unknown one.
        let text = CString::new(name).unwrap_or_default();
        // SAFETY: the module is loaded, `text` ends with NUL, and both results are written
        // to local variables.
        let result = unsafe {
            api::cuModuleGetGlobal_v2(&mut address, &mut bytes, self.raw(), text.as_ptr())
        };
        DriverError::check("cuModuleGetGlobal", result, at).map_err(|source| {
            match source.name() {
                "CUDA_ERROR_NOT_FOUND" => SymbolError::Unknown {
                    name: name.to_owned(),
                    source,
                },
                _ => SymbolError::Driver(source),
            }
        })?;
        Ok((address, bytes))
    }
}

impl<T: Value> DeviceSymbol<T> {
    /// Returns the address of the static on the device.
    pub fn address(&self) -> u64 {
        self.address
    }

    /// Returns the size of the static in bytes.
    pub fn size(&self) -> usize {
        size_of::<T>()
    }

    /// Copies the value to the host and returns it.
    ///
    /// # Errors
    /// The driver's error, for example the fault of a kernel that ran before.
    #[track_caller]
    pub fn read(&self) -> Result<T, SymbolError> {
        let at = Location::caller();
        let mut value = MaybeUninit::<T>::uninit();
        let to = value.as_mut_ptr().cast();
        self.copy(at, |stream| {
            // SAFETY: the static has the size of `T`, which `Device::symbol` has checked. The
            // destination has that size too, and it exists until the stream has been waited for.
            let result =
                unsafe { api::cuMemcpyDtoHAsync_v2(to, self.address, self.size(), stream) };
            DriverError::check("cuMemcpyDtoHAsync", result, at)
        })?;
        // SAFETY: the copy filled the value. The static holds a `T` that the module's initialiser,
        // the host or a kernel has stored.
        Ok(unsafe { value.assume_init() })
    }

    /// Replaces the value.
    ///
    /// # Errors
    /// As [`DeviceSymbol::read`].
    #[track_caller]
    pub fn write(&self, value: T) -> Result<(), SymbolError> {
        let at = Location::caller();
        let from = (&raw const value).cast();
        self.copy(at, |stream| {
            // SAFETY: the static has the size of `T`, which `Device::symbol` has checked. `value`
            // exists until the stream has been waited for.
            let result =
                unsafe { api::cuMemcpyHtoDAsync_v2(self.address, from, self.size(), stream) };
            DriverError::check("cuMemcpyHtoDAsync", result, at)
        })
    }

    /// Queues a copy while no kernel uses the static, and waits for it. The copy uses its own
    /// stream. On the default stream it would wait for host functions of other streams, and those
    /// may wait for a launch.
    fn copy(
        &self,
        at: &'static Location<'static>,
        queue: impl FnOnce(CUstream) -> Result<(), DriverError>,
    ) -> Result<(), SymbolError> {
        let device = self.module.device();
        let CopyStream(stream) = device.copy_stream(at)?;
        Ok(device.between_launches(at, || {
            let queued = queue(*stream);
            // SAFETY: the stream lives as long as the device. The copy is over when this returns.
            let done = unsafe { api::cuStreamSynchronize(*stream) };
            queued?;
            DriverError::check("cuStreamSynchronize", done, at)
        })?)
    }
}
