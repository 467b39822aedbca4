//! The device: opened once for the process, shared by everyone.
//!
//! [`Device::open`] starts the driver (NVIDIA's where there is a GPU, else the simulator's; `LANEWISE_DEVICE=cuda|sim` forces
//! one), makes the first device's primary context current and keeps it until the process ends. So no buffer, stream or
//! module can outlive the context it lives in, and threads may share all of them.
//!
//! A kernel's fault poisons the context, and with it the process: CUDA then answers every call with the same error.
//! Source: CUDA driver API, "Primary Context Management"; notes 000, item 6.

use std::panic::Location;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use cust::context::{Context, CurrentContext};
use cust::{CudaFlags, device::Device as CustDevice};
use gpu_std::kernel::Kernel;

use crate::{
    Backend, DeviceProperties, DriverError, LoadError, Module, Stream, embedded, ptx_folder,
};

/// Why there is no device to work on.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The driver could not be started, or has no device.
    #[error(
        "no device could be opened; with LANEWISE_DEVICE=sim the simulator is used, with LANEWISE_DEVICE=cuda the machine's own driver"
    )]
    Driver(#[from] DriverError),
}

/// A device and its primary context. Clones are the same device.
#[derive(Debug, Clone)]
pub struct Device(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    context: Context,
    device: CustDevice,
    backend: Backend,
    properties: DeviceProperties,
    embedded: Mutex<Option<Arc<Module>>>,
    launching: Mutex<Option<Arc<Module>>>,
}

/// The process's device, once it has been opened.
static OPENED: OnceLock<Device> = OnceLock::new();

/// Held while opening, so that two threads do not both start the driver.
static OPENING: Mutex<()> = Mutex::new(());

impl Device {
    /// The process's device; the first call opens it.
    ///
    /// # Errors
    /// [`OpenError::Driver`] when the driver does not start. A later call tries again.
    #[track_caller]
    pub fn open() -> Result<Self, OpenError> {
        let at = Location::caller();
        let _opening = OPENING.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(device) = OPENED.get() {
            device.make_current(at)?;
            return Ok(device.clone());
        }
        let device = Self::start(at)?;
        Ok(OPENED.get_or_init(|| device).clone())
    }

    fn start(at: &'static Location<'static>) -> Result<Self, DriverError> {
        let call = |name| move |error| DriverError::from_cust(name, error, at);
        cust::init(CudaFlags::empty()).map_err(call("cuInit"))?;
        let device = CustDevice::get_device(0).map_err(call("cuDeviceGet"))?;
        let context = Context::new(device).map_err(call("cuDevicePrimaryCtxRetain"))?;
        let properties = DeviceProperties::read(device, at)?;
        let backend = crate::backend::chosen();
        Ok(Self(Arc::new(Inner {
            context,
            device,
            backend,
            properties,
            embedded: Mutex::new(None),
            launching: Mutex::new(None),
        })))
    }

    /// Who runs the kernels: a GPU through NVIDIA's driver, or the simulator.
    pub fn backend(&self) -> Backend {
        self.0.backend
    }

    /// Limits, sizes and clocks.
    pub fn properties(&self) -> &DeviceProperties {
        &self.0.properties
    }

    /// A new stream. It waits for the legacy default stream, on which copies run.
    ///
    /// # Errors
    /// The driver's.
    #[track_caller]
    pub fn stream(&self) -> Result<Stream, DriverError> {
        let at = Location::caller();
        self.make_current(at)?;
        Stream::new(at)
    }

    /// Waits until everything queued on any stream has run.
    ///
    /// # Errors
    /// Among others, the fault of a kernel that ran before.
    #[track_caller]
    pub fn synchronize(&self) -> Result<(), DriverError> {
        self.synchronize_at(Location::caller())
    }

    pub(crate) fn synchronize_at(&self, at: &'static Location<'static>) -> Result<(), DriverError> {
        self.make_current(at)?;
        CurrentContext::synchronize()
            .map_err(|error| DriverError::from_cust("cuCtxSynchronize", error, at))
    }

    /// The kernels of the `gpu` crate, from the embedded PTX that suits this device best, but for those that launch
    /// kernels. Loaded at the first call. `LANEWISE_PTX` names a folder whose PTX is taken instead: that of
    /// `cargo xtask build-ptx --debug`, for instance.
    ///
    /// # Errors
    /// [`LoadError`], when no embedded PTX suits the device or the driver refuses it.
    #[track_caller]
    pub fn module(&self) -> Result<Arc<Module>, LoadError> {
        let capability = self.properties().compute_capability;
        once(&self.0.embedded, || {
            match ptx_folder::best_for(capability)? {
                Some(target) => Module::from_ptx(self, &ptx_folder::read(&target, "gpu.ptx")?),
                None => Module::from_ptx(self, embedded::best_for(capability)?.plain),
            }
        })
    }

    /// The kernels of the `gpu` crate that launch kernels, linked with the device runtime. Loaded at the first call.
    ///
    /// # Errors
    /// As for [`Device::module`]; [`LoadError::NoDeviceRuntime`] where a GPU's driver would have to link `libcudadevrt.a` and
    /// there is none.
    #[track_caller]
    pub fn launching_module(&self) -> Result<Arc<Module>, LoadError> {
        let capability = self.properties().compute_capability;
        once(&self.0.launching, || {
            match ptx_folder::best_for(capability)? {
                Some(target) => {
                    let text = ptx_folder::read(&target, "gpu.launching.ptx")?;
                    Module::with_device_runtime(self, &text)
                }
                None => {
                    Module::with_device_runtime(self, embedded::best_for(capability)?.launching)
                }
            }
        })
    }

    /// The embedded module that has this kernel.
    #[track_caller]
    pub(crate) fn module_of<K: Kernel>(&self) -> Result<Arc<Module>, LoadError> {
        if K::LAUNCHES {
            self.launching_module()
        } else {
            self.module()
        }
    }

    /// The device as `cust` has it, for what this crate does not wrap.
    pub fn cust(&self) -> CustDevice {
        self.0.device
    }

    /// Makes the context current on this thread, as every driver call wants it.
    pub(crate) fn make_current(&self, at: &'static Location<'static>) -> Result<(), DriverError> {
        CurrentContext::set_current(&self.0.context)
            .map_err(|error| DriverError::from_cust("cuCtxSetCurrent", error, at))
    }
}

/// What is in the slot, made at the first call.
fn once(
    slot: &Mutex<Option<Arc<Module>>>,
    make: impl FnOnce() -> Result<Module, LoadError>,
) -> Result<Arc<Module>, LoadError> {
    let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(module) = &*slot {
        return Ok(module.clone());
    }
    let module = Arc::new(make()?);
    *slot = Some(module.clone());
    Ok(module)
}
