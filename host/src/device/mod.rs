//! The devices: each opened once for the process, shared by everyone.
//!
//! [`Device::open`] starts the driver (NVIDIA's where there is a GPU, else the simulator's; `LANEWISE_DEVICE=cuda|sim` forces
//! one), makes the first device's primary context current and keeps it until the process ends; [`Device::at`] does it with another one. So no buffer, stream or
//! module can outlive the context it lives in, and threads may share all of them.
//!
//! A kernel's fault poisons the context, and with it the process: CUDA then answers every call with the same error.
//! Source: CUDA driver API, "Primary Context Management"; CUDA study notes, item 6.

mod between_launches;
pub(crate) mod device_runtime;
mod embedded;
mod jit;
mod link;
pub(crate) mod module;
mod peer;
pub(crate) mod properties;
mod ptx_folder;
mod queued;
pub(crate) mod recording;
mod symbol;
mod toolkit;

pub use jit::{JitOptions, LoadCache};
pub use link::{Image, Linker};
pub use module::{Compiled, LoadError, Module};
pub use properties::{ComputeCapability, DeviceProperties};
pub use symbol::{DeviceSymbol, SymbolError};

use std::any::TypeId;
use std::borrow::Cow;
use std::collections::HashMap;
use std::panic::Location;
use std::ptr::null_mut;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use cust::context::{Context, CurrentContext};
use cust::sys::{self, CUcontext, CUresult};
use cust::{CudaFlags, device::Device as CustDevice};
use lanewise_std::kernel::{self, Kernel, PtxText};

use crate::error::in_words;
use crate::{Backend, DriverError, journal};
use between_launches::Launches;
use queued::AllQueued;
use recording::{RecordingGate, Waiting};

/// Why there is no device to work on.
#[derive(thiserror::Error)]
pub enum OpenError {
    /// The driver could not be started, or has no device.
    #[error(
        "no device could be opened; with LANEWISE_DEVICE=sim the simulator is used, with LANEWISE_DEVICE=cuda the machine's own driver"
    )]
    Driver(#[from] DriverError),
}

in_words! { OpenError }

/// A device and its primary context. Clones are the same device.
#[derive(Clone)]
pub struct Device(Arc<Inner>);

struct Inner {
    context: Context,
    device: CustDevice,
    ordinal: usize,
    /// The devices whose memory this one's kernels may reach.
    peers: Mutex<Vec<usize>>,
    backend: Backend,
    properties: DeviceProperties,
    modules: Mutex<HashMap<Key, Slot>>,
    gate: RecordingGate,
    launches: Launches,
    copies: OnceLock<symbol::CopyStream>,
    /// Whether the driver records a point behind all streams: `cuCtxRecordEvent`.
    marks_all: bool,
}

/// Which of a program's modules: the type that stands for a crate's PTX, and whether it is the text of the kernels that launch.
type Key = (TypeId, bool);

/// A module once it is loaded. Who loads one holds its own slot only, so that others load meanwhile.
type Slot = Arc<Mutex<Option<Arc<Module>>>>;

/// The process's devices that have been opened. Held while opening, so that two threads do not both start the driver.
static OPENED: Mutex<Vec<Device>> = Mutex::new(Vec::new());

/// Says which device it is, in a few words: buffers, streams and graphs all show theirs.
impl std::fmt::Debug for Device {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Inner {
            ordinal,
            backend,
            properties,
            ..
        } = &*self.0;
        out.debug_struct("Device")
            .field("ordinal", ordinal)
            .field("backend", backend)
            .field("name", &properties.name)
            .finish_non_exhaustive()
    }
}

impl PartialEq for Device {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Device {}

impl Device {
    /// The process's first device; the first call opens it.
    ///
    /// # Errors
    /// [`OpenError::Driver`] when the driver does not start. A later call tries again.
    #[track_caller]
    pub fn open() -> Result<Self, OpenError> {
        Self::at(0)
    }

    /// The device of this number, from 0; the first call opens it. It is made current on this thread.
    ///
    /// # Errors
    /// As [`Device::open`]; `CUDA_ERROR_INVALID_DEVICE` when there are not so many.
    #[track_caller]
    pub fn at(ordinal: usize) -> Result<Self, OpenError> {
        let at = Location::caller();
        let mut opened = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(device) = opened.iter().find(|device| device.ordinal() == ordinal) {
            device.make_current(at)?;
            return Ok(device.clone());
        }
        let device = Self::start(ordinal, at)?;
        opened.push(device.clone());
        Ok(device)
    }

    /// How many devices there are.
    ///
    /// # Errors
    /// What [`Device::open`] fails with.
    #[track_caller]
    pub fn count() -> Result<usize, OpenError> {
        let at = Location::caller();
        let call = |name| move |error| DriverError::from_cust(name, error, at);
        cust::init(CudaFlags::empty()).map_err(call("cuInit"))?;
        let count = CustDevice::num_devices().map_err(call("cuDeviceGetCount"))?;
        Ok(count as usize)
    }

    /// Opens every device, in the order of their numbers.
    ///
    /// # Errors
    /// What [`Device::open`] fails with.
    #[track_caller]
    pub fn all() -> Result<Vec<Self>, OpenError> {
        (0..Self::count()?).map(Self::at).collect()
    }

    fn start(ordinal: usize, at: &'static Location<'static>) -> Result<Self, DriverError> {
        let call = |name| move |error| DriverError::from_cust(name, error, at);
        cust::init(CudaFlags::empty()).map_err(call("cuInit"))?;
        // More than fit is as much beyond what there is.
        let number = u32::try_from(ordinal).unwrap_or(u32::MAX);
        let device = CustDevice::get_device(number).map_err(call("cuDeviceGet"))?;
        // A device lives until the process ends, and so does its context.
        let context = lanewise_driver::kept(|| Context::new(device))
            .map_err(call("cuDevicePrimaryCtxRetain"))?;
        let properties = DeviceProperties::read(device, at)?;
        // The choice is made where `cuInit` is called, which has been.
        let backend = lanewise_driver::backend().unwrap_or(Backend::Sim);
        Ok(Self(Arc::new(Inner {
            context,
            device,
            ordinal,
            peers: Mutex::default(),
            backend,
            properties,
            modules: Mutex::default(),
            gate: RecordingGate::default(),
            launches: Launches::default(),
            copies: OnceLock::new(),
            marks_all: queued::can_be_recorded(),
        })))
    }

    /// The number of this device, from 0.
    pub fn ordinal(&self) -> usize {
        self.0.ordinal
    }

    /// Its context, for calls that take one.
    pub(crate) fn context(&self) -> CUcontext {
        self.0.context.as_raw()
    }

    /// Who records on it, and who waits for all of it.
    pub(crate) fn gate(&self) -> &RecordingGate {
        &self.0.gate
    }

    /// The numbers of the devices whose memory it reaches.
    pub(crate) fn peers(&self) -> MutexGuard<'_, Vec<usize>> {
        self.0.peers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Who runs the kernels: a GPU through NVIDIA's driver, or the simulator.
    pub fn backend(&self) -> Backend {
        self.0.backend
    }

    /// Limits, sizes and clocks.
    pub fn properties(&self) -> &DeviceProperties {
        &self.0.properties
    }

    /// Waits until everything queued on any stream has run, and first for graphs that other threads are recording.
    ///
    /// # Errors
    /// Among others, the fault of a kernel that ran before; `CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED` in the work of a [`Device::record`].
    #[track_caller]
    pub fn synchronize(&self) -> Result<(), DriverError> {
        self.synchronize_at(Location::caller())
    }

    pub(crate) fn synchronize_at(&self, at: &'static Location<'static>) -> Result<(), DriverError> {
        let waiting = self.no_recordings(at)?;
        let queued = self.all_queued(at)?;
        // From here on others may record: what is waited for may wait for a thread that is about to. A driver that is asked to wait for all at once takes no
        // recording meanwhile.
        let _waiting = queued.is_none().then_some(waiting);
        self.finish(queued.as_ref(), at)
    }

    /// Makes it current for a plain copy, and has nothing be ahead of that: while such a copy waits, NVIDIA's driver lets no other thread queue anything
    /// (asked of an H200, driver 580.159.04), and what the copy waits for may wait for that thread. While a stream is waited for, others queue.
    pub(crate) fn before_copy(&self, at: &'static Location<'static>) -> Result<(), DriverError> {
        match self.backend() {
            Backend::Cuda => self.finish_default_stream(at),
            Backend::Sim => self.make_current(at),
        }
    }

    /// Waits for the default stream, which comes after what is queued on streams that keep order with it.
    pub(crate) fn finish_default_stream(
        &self,
        at: &'static Location<'static>,
    ) -> Result<(), DriverError> {
        self.make_current(at)?;
        // SAFETY: the default stream of the current context.
        let result = unsafe { sys::cuStreamSynchronize(null_mut()) };
        DriverError::check("cuStreamSynchronize", result, at)
    }

    /// Waits for graphs that are being recorded, and lets no other begin.
    fn no_recordings(&self, at: &'static Location<'static>) -> Result<Waiting<'_>, DriverError> {
        self.make_current(at)?;
        self.0.gate.wait().ok_or_else(|| {
            let code = CUresult::CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
            DriverError::answer("cuCtxSynchronize", code, at)
        })
    }

    /// The point behind everything that is queued by now, while nobody records. None where the driver is too old to say it.
    fn all_queued(&self, at: &'static Location<'static>) -> Result<Option<AllQueued>, DriverError> {
        let marks = self.0.marks_all;
        marks.then(|| AllQueued::record(self, at)).transpose()
    }

    /// Waits for that point, or without one for everything that is queued by now, while nobody records.
    fn finish(
        &self,
        queued: Option<&AllQueued>,
        at: &'static Location<'static>,
    ) -> Result<(), DriverError> {
        match queued {
            Some(point) => point.wait(at)?,
            None => {
                self.make_current(at)?;
                let failed = |error| DriverError::from_cust("cuCtxSynchronize", error, at);
                CurrentContext::synchronize().map_err(failed)?;
            }
        }
        journal::done(self.ordinal(), None);
        Ok(())
    }

    /// The kernels of a crate, but for those that launch kernels: `device.module::<gpu::Ptx>()`. Of the crate's PTX the text that suits
    /// this device best, loaded at the first call. A launch loads its kernel's module by itself.
    ///
    /// `LANEWISE_PTX` names a folder whose PTX of that name is taken instead, if there is one: that of `cargo xtask build-ptx --debug`,
    /// for instance.
    ///
    /// # Errors
    /// [`LoadError`], when no embedded PTX suits the device or the driver refuses it.
    #[track_caller]
    pub fn module<M: kernel::Module>(&self) -> Result<Arc<Module>, LoadError> {
        self.once::<M>(false, || {
            let text = match ptx_folder::plain::<M>(self.properties().compute_capability)? {
                Some(text) => Cow::Owned(text),
                None => Cow::Borrowed(self.ptx::<M>()?.plain),
            };
            match M::LINKED {
                [] => Module::from_ptx(self, &text),
                _ => {
                    let linker = Linker::new(self).rust::<M>(M::NAME, &text)?;
                    linker.link()?.load(self)
                }
            }
        })
    }

    /// Takes `module` for the kernels of a crate, in place of what is embedded: what a [`Linker`](crate::Linker) has made of them and of other code, or code that was compiled
    /// ahead of time ([`Module::from_image`]). Kernels that launch kernels are not meant.
    ///
    /// # Errors
    /// [`LoadError::AlreadyLoaded`] after the first launch of one of them.
    ///
    /// # Safety
    /// The module was made from the crate's own PTX or source, and every function that the crate imports is defined as the crate declares it.
    pub unsafe fn set_module<M: kernel::Module>(&self, module: Module) -> Result<(), LoadError> {
        // From now on it lives as long as the device.
        let kept = lanewise_driver::abi::CUmodule(module.raw().addr());
        let mut module = Some(module);
        self.once::<M>(false, || {
            module
                .take()
                .ok_or(LoadError::AlreadyLoaded { module: M::NAME })
        })?;
        match module {
            None => {
                lanewise_driver::keep_module(kept);
                Ok(())
            }
            Some(_) => Err(LoadError::AlreadyLoaded { module: M::NAME }),
        }
    }

    /// Of a crate's embedded PTX the text that suits this device best, whether it is loaded or not.
    ///
    /// # Errors
    /// [`LoadError::NoPtx`] if no text is embedded for this module, [`LoadError::TooOldDevice`] if each one asks for more than the device is.
    pub fn ptx<M: kernel::Module>(&self) -> Result<&'static PtxText, LoadError> {
        embedded::text::<M>(self.properties().compute_capability)
    }

    /// The kernels of a crate that launch kernels, linked with the device runtime. Loaded at the first call.
    ///
    /// # Errors
    /// As for [`Device::module`]; [`LoadError::NoDeviceRuntime`] where a GPU's driver would have to link `libcudadevrt.a` and
    /// there is none.
    #[track_caller]
    pub fn launching_module<M: kernel::Module>(&self) -> Result<Arc<Module>, LoadError> {
        self.once::<M>(true, || {
            let text = match ptx_folder::launching::<M>(self.properties().compute_capability)? {
                Some(text) => Cow::Owned(text),
                None => Cow::Borrowed(self.ptx::<M>()?.launching),
            };
            match M::LINKED {
                [] => Module::with_device_runtime(self, &text),
                _ => {
                    let linker = Linker::new(self).rust::<M>(M::NAME, &text)?;
                    linker.device_runtime()?.link()?.load(self)
                }
            }
        })
    }

    /// The module that has this kernel.
    #[track_caller]
    pub(crate) fn module_of<K: Kernel>(&self) -> Result<Arc<Module>, LoadError> {
        if K::LAUNCHES {
            self.launching_module::<K::Module>()
        } else {
            self.module::<K::Module>()
        }
    }

    /// A module, made at the first call.
    fn once<M: kernel::Module>(
        &self,
        launching: bool,
        make: impl FnOnce() -> Result<Module, LoadError>,
    ) -> Result<Arc<Module>, LoadError> {
        let slot = {
            let mut modules = self
                .0
                .modules
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            let slot = modules.entry((TypeId::of::<M>(), launching)).or_default();
            Arc::clone(slot)
        };
        let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(module) = &*slot {
            return Ok(module.clone());
        }
        // It goes with the device, which does not.
        let module = Arc::new(lanewise_driver::kept(make)?);
        *slot = Some(module.clone());
        Ok(module)
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
