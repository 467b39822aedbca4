//! Devices. Each device is opened once in the process, and all threads share it.
//!
//! [`Device::open`] starts the driver: NVIDIA's driver if there is a GPU, else the simulator's
//! (`LANEWISE_DEVICE=cuda|sim` forces one). It makes the primary context of the first device
//! current and keeps it until the process ends; [`Device::at`] does the same with another device.
//! So no buffer, stream or module outlives the context it lives in, and threads may share them.
//!
//! A fault in a kernel corrupts the context, and with it the process: every later CUDA call then
//! returns the same error.
//! Source: CUDA driver API, "Primary Context Management"; Professional CUDA C Programming,
//! chapter 2.

mod between_launches;
pub(crate) mod device_runtime;
mod embedded;
mod entries;
mod jit;
pub(crate) mod launched_kernels;
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
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use lanewise_driver::abi::{CUcontext, CUdevice, CUresult, CUstream};
use lanewise_driver::api;
use lanewise_std::kernel::{self, Kernel, PtxText};
use lanewise_variables::PTX;

use crate::error::in_words;
use crate::{Backend, DriverError, journal};
use between_launches::Launches;
use launched_kernels::LaunchedKernels;
use queued::AllQueued;
use recording::{RecordingGate, Waiting};

/// Why no device could be opened.
#[derive(thiserror::Error)]
pub enum OpenError {
    /// The driver could not be started, or has no device.
    #[error(
        "no device could be opened; with LANEWISE_DEVICE=sim the simulator is used, with LANEWISE_DEVICE=cuda the machine's own driver"
    )]
    Driver(#[from] DriverError),
}

in_words! { OpenError }

/// A device and its primary context. A clone is a handle of the same device.
#[derive(Clone)]
pub struct Device(Arc<Inner>);

struct Inner {
    context: CUcontext,
    device: CUdevice,
    ordinal: usize,
    /// The numbers of the devices whose memory this one's kernels may access.
    peers: Mutex<Vec<usize>>,
    backend: Backend,
    properties: DeviceProperties,
    modules: Mutex<HashMap<Key, Slot>>,
    kernels: LaunchedKernels,
    gate: RecordingGate,
    launches: Launches,
    copies: OnceLock<symbol::CopyStream>,
    /// Whether the driver can record one event after the work of all streams (`cuCtxRecordEvent`).
    marks_all: bool,
}

/// The key of a loaded module: the type that identifies a crate's PTX, and what of it.
type Key = (TypeId, Contents);

/// What a module holds of a crate's PTX.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Contents {
    /// All kernels that launch none, and all statics.
    Plain,
    /// The kernels that launch kernels.
    Launching,
    /// One kernel, by its symbol.
    Part(&'static str),
}

/// The place of a module, empty until the module is loaded. Loading locks this slot only, so that
/// other modules can be loaded at the same time.
type Slot = Arc<Mutex<Option<Arc<Module>>>>;

/// The devices that have been opened. The lock is held while one is opened, so that two threads do
/// not both start the driver.
static OPENED: Mutex<Vec<Device>> = Mutex::new(Vec::new());

/// The output is short, because the output of buffers, streams and graphs contains their device.
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
    /// Returns the process's first device. The first call opens it.
    ///
    /// # Errors
    /// [`OpenError::Driver`] if the driver does not start. A later call tries again.
    #[track_caller]
    pub fn open() -> Result<Self, OpenError> {
        Self::at(0)
    }

    /// Returns the device with this number, from 0, and makes it current on this thread. The first
    /// call opens it.
    ///
    /// # Errors
    /// As [`Device::open`]; `CUDA_ERROR_INVALID_DEVICE` if there is no device with this number.
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

    /// Returns the number of devices.
    ///
    /// # Errors
    /// As [`Device::open`].
    #[track_caller]
    pub fn count() -> Result<usize, OpenError> {
        let (at, mut count) = (Location::caller(), 0);
        init(at)?;
        // SAFETY: the result is written to a local variable.
        let result = unsafe { api::cuDeviceGetCount(&mut count) };
        DriverError::check("cuDeviceGetCount", result, at)?;
        Ok(count as usize)
    }

    /// Opens every device, in the order of their numbers.
    ///
    /// # Errors
    /// As [`Device::open`].
    #[track_caller]
    pub fn all() -> Result<Vec<Self>, OpenError> {
        (0..Self::count()?).map(Self::at).collect()
    }

    fn start(ordinal: usize, at: &'static Location<'static>) -> Result<Self, DriverError> {
        init(at)?;
        // A number that does not fit becomes one that no device has.
        let number = i32::try_from(ordinal).unwrap_or(i32::MAX);
        let (mut device, mut context) = (0, CUcontext::default());
        // SAFETY: the result is written to a local variable.
        let result = unsafe { api::cuDeviceGet(&mut device, number) };
        DriverError::check("cuDeviceGet", result, at)?;
        // A device lives until the process ends, and so does its context.
        // SAFETY: as above.
        let retain = || unsafe { api::cuDevicePrimaryCtxRetain(&mut context, device) };
        DriverError::check(
            "cuDevicePrimaryCtxRetain",
            lanewise_driver::kept(retain),
            at,
        )?;
        set_current(context, at)?;
        let properties = DeviceProperties::read(device, at)?;
        // `cuInit` has chosen the backend.
        let backend = lanewise_driver::backend().unwrap_or(Backend::Sim);
        Ok(Self(Arc::new(Inner {
            context,
            device,
            ordinal,
            peers: Mutex::default(),
            backend,
            properties,
            modules: Mutex::default(),
            kernels: LaunchedKernels::default(),
            gate: RecordingGate::default(),
            launches: Launches::default(),
            copies: OnceLock::new(),
            marks_all: queued::can_be_recorded(),
        })))
    }

    /// Returns the number of this device, from 0.
    pub fn ordinal(&self) -> usize {
        self.0.ordinal
    }

    /// Returns the context's handle, for driver calls that take one.
    pub(crate) fn context(&self) -> CUcontext {
        self.0.context
    }

    /// Returns the gate between recording a graph and waiting for the whole device.
    pub(crate) fn gate(&self) -> &RecordingGate {
        &self.0.gate
    }

    /// Returns the numbers of the devices whose memory this one's kernels may access.
    pub(crate) fn peers(&self) -> MutexGuard<'_, Vec<usize>> {
        self.0.peers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns what runs the kernels: a GPU through NVIDIA's driver, or the simulator.
    pub fn backend(&self) -> Backend {
        self.0.backend
    }

    /// Returns the device's limits, sizes and clock rates.
    pub fn properties(&self) -> &DeviceProperties {
        &self.0.properties
    }

    /// Waits until everything that was queued on any stream has run. If other threads are recording
    /// graphs, it first waits for those.
    ///
    /// # Errors
    /// The driver's error, for example the fault of a kernel that ran before;
    /// `CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED` inside a [`Device::record`].
    #[track_caller]
    pub fn synchronize(&self) -> Result<(), DriverError> {
        self.synchronize_at(Location::caller())
    }

    pub(crate) fn synchronize_at(&self, at: &'static Location<'static>) -> Result<(), DriverError> {
        let waiting = self.no_recordings(at)?;
        let queued = self.all_queued(at)?;
        // From here on other threads may record, because the work that is waited for may itself
        // wait for a thread that is about to record. A driver that can only wait for the whole
        // context allows no recording meanwhile, so then the gate stays closed.
        let _waiting = queued.is_none().then_some(waiting);
        self.finish(queued.as_ref(), at)
    }

    /// Makes the device current for a synchronous copy, and waits for the work that the copy would
    /// wait for. While such a copy waits, NVIDIA's driver lets no other thread queue anything (seen
    /// on an H200, driver 580.159.04). If the copy waits for such a thread, that is a deadlock.
    /// While a stream is synchronised, other threads can queue work.
    pub(crate) fn before_copy(&self, at: &'static Location<'static>) -> Result<(), DriverError> {
        match self.backend() {
            Backend::Cuda => self.finish_default_stream(at),
            Backend::Sim => self.make_current(at),
        }
    }

    /// Waits for the default stream, and therefore for the streams that keep order with it.
    pub(crate) fn finish_default_stream(
        &self,
        at: &'static Location<'static>,
    ) -> Result<(), DriverError> {
        self.make_current(at)?;
        // SAFETY: null names the default stream of the current context.
        let result = unsafe { api::cuStreamSynchronize(CUstream::default()) };
        DriverError::check("cuStreamSynchronize", result, at)
    }

    /// Waits until no graph is being recorded. No recording begins while the result exists.
    fn no_recordings(&self, at: &'static Location<'static>) -> Result<Waiting<'_>, DriverError> {
        self.make_current(at)?;
        self.0.gate.wait().ok_or_else(|| {
            let code = CUresult::ERROR_STREAM_CAPTURE_UNSUPPORTED;
            DriverError::answer("cuCtxSynchronize", code, at)
        })
    }

    /// Returns the point after everything that is queued now. No thread may be recording. Returns
    /// `None` if the driver is too old for that.
    fn all_queued(&self, at: &'static Location<'static>) -> Result<Option<AllQueued>, DriverError> {
        let marks = self.0.marks_all;
        marks.then(|| AllQueued::record(self, at)).transpose()
    }

    /// Waits for that point. Without a point, it waits for everything that is queued now, and no
    /// thread may be recording.
    fn finish(
        &self,
        queued: Option<&AllQueued>,
        at: &'static Location<'static>,
    ) -> Result<(), DriverError> {
        match queued {
            Some(point) => point.wait(at)?,
            None => {
                self.make_current(at)?;
                // SAFETY: the call works on the current context and takes no pointer.
                let result = unsafe { api::cuCtxSynchronize() };
                DriverError::check("cuCtxSynchronize", result, at)?;
            }
        }
        journal::done(self.ordinal(), None);
        Ok(())
    }

    /// Returns the module with a crate's kernels, except those that launch kernels:
    /// `device.module::<gpu::Ptx>()`. The first call loads the crate's PTX that suits this device
    /// best. A launch loads its kernel automatically, and only that kernel, unless it has statics
    /// or the whole module is loaded: the driver takes long to compile many kernels.
    ///
    /// If `LANEWISE_PTX` names a folder with PTX of that name, that PTX is used instead.
    /// `cargo xtask build-ptx --debug` makes such a folder, for example.
    ///
    /// # Errors
    /// [`LoadError`] if no embedded PTX suits the device or the driver refuses it.
    #[track_caller]
    pub fn module<M: kernel::Module>(&self) -> Result<Arc<Module>, LoadError> {
        self.once(self.slot::<M>(Contents::Plain), || {
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

    /// Uses `module` for the kernels of a crate in place of the embedded PTX. The module may
    /// come from a [`Linker`](crate::Linker) that linked the kernels with other code, or from
    /// code that was compiled ahead of time ([`Module::from_image`]). Kernels that launch
    /// kernels are not affected.
    ///
    /// # Errors
    /// [`LoadError::AlreadyLoaded`] if the crate's kernels are already loaded, for example by a
    /// launch of one of them.
    ///
    /// # Safety
    /// The module was made from the crate's own PTX or source, and every function that the crate
    /// imports is defined as the crate declares it.
    pub unsafe fn set_module<M: kernel::Module>(&self, module: Module) -> Result<(), LoadError> {
        // From now on the module exists as long as the device.
        let kept = module.raw();
        let mut module = Some(module);
        let slot = self.slot_of_all::<M>();
        let slot = slot.ok_or(LoadError::AlreadyLoaded { module: M::NAME })?;
        self.once(slot, || {
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

    /// Returns the crate's embedded PTX that suits this device best. It need not be loaded.
    ///
    /// # Errors
    /// [`LoadError::NoPtx`] if the crate embeds no PTX; [`LoadError::TooOldDevice`] if no embedded
    /// PTX suits the device.
    pub fn ptx<M: kernel::Module>(&self) -> Result<&'static PtxText, LoadError> {
        embedded::text::<M>(self.properties().compute_capability)
    }

    /// Returns the module with a crate's kernels that launch kernels, linked with the device
    /// runtime. The first call loads it.
    ///
    /// # Errors
    /// As for [`Device::module`]; [`LoadError::NoDeviceRuntime`] if the device is a GPU and
    /// `libcudadevrt.a` is not found, which has to be linked.
    #[track_caller]
    pub fn launching_module<M: kernel::Module>(&self) -> Result<Arc<Module>, LoadError> {
        self.once(self.slot::<M>(Contents::Launching), || {
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

    /// Returns the module that contains this kernel. The first call loads it, or the part of it
    /// that the kernel needs.
    #[track_caller]
    pub(crate) fn module_of<K: Kernel>(&self) -> Result<Arc<Module>, LoadError> {
        self.module_with::<K::Module>(K::NAME, K::LAUNCHES)
    }

    /// As [`Self::module_of`]. It is compiled once for all kernels of a crate.
    #[track_caller]
    fn module_with<M: kernel::Module>(
        &self,
        kernel: &'static str,
        launches: bool,
    ) -> Result<Arc<Module>, LoadError> {
        if launches {
            return self.launching_module::<M>();
        }
        match self.part_of::<M>(kernel)? {
            Some((slot, part)) => self.once(slot, || Module::from_ptx(self, &part.text())),
            None => self.module::<M>(),
        }
    }

    /// Returns the place of a kernel's own module and what it holds, unless the kernel is in the
    /// module with all kernels: then that is loaded, its PTX is not the embedded one, or kernels
    /// share statics.
    fn part_of<M: kernel::Module>(
        &self,
        kernel: &'static str,
    ) -> Result<Option<(Slot, embedded::Part)>, LoadError> {
        let is_alone = M::LINKED.is_empty() && PTX.path().is_none();
        let text = self.ptx::<M>()?;
        let Some(part) = embedded::part(text, kernel).filter(|_| is_alone) else {
            return Ok(None);
        };
        let module = TypeId::of::<M>();
        let mut modules = self.modules();
        if modules.contains_key(&(module, Contents::Plain)) {
            return Ok(None);
        }
        let slot = modules.entry((module, Contents::Part(kernel))).or_default();
        Ok(Some((Arc::clone(slot), part)))
    }

    /// Returns the place of a module with all of a crate's kernels, unless kernels of the crate
    /// have modules of their own.
    fn slot_of_all<M: kernel::Module>(&self) -> Option<Slot> {
        let module = TypeId::of::<M>();
        let mut modules = self.modules();
        let is_part = |(of, contents): &Key| *of == module && matches!(contents, Contents::Part(_));
        if modules.keys().any(is_part) {
            return None;
        }
        let slot = modules.entry((module, Contents::Plain)).or_default();
        Some(Arc::clone(slot))
    }

    /// Returns the place of a crate's module.
    fn slot<M: kernel::Module>(&self, contents: Contents) -> Slot {
        let mut modules = self.modules();
        let slot = modules.entry((TypeId::of::<M>(), contents)).or_default();
        Arc::clone(slot)
    }

    fn modules(&self) -> MutexGuard<'_, HashMap<Key, Slot>> {
        let modules = &self.0.modules;
        modules.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the module in a place. The first call makes it with `make`.
    fn once(
        &self,
        slot: Slot,
        make: impl FnOnce() -> Result<Module, LoadError>,
    ) -> Result<Arc<Module>, LoadError> {
        let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(module) = &*slot {
            return Ok(module.clone());
        }
        // It is never unloaded, because the device is not closed.
        let module = Arc::new(lanewise_driver::kept(make)?);
        *slot = Some(module.clone());
        Ok(module)
    }

    /// Returns the driver's number of the device.
    pub(crate) fn number(&self) -> CUdevice {
        self.0.device
    }

    /// Makes the context current on this thread. Every driver call needs that.
    pub(crate) fn make_current(&self, at: &'static Location<'static>) -> Result<(), DriverError> {
        // Asking costs a tenth of setting, and in most programs it is current already.
        let mut current = CUcontext::default();
        // SAFETY: the result is written to a local variable.
        let known = unsafe { api::cuCtxGetCurrent(&mut current) };
        if known == CUresult::SUCCESS && current == self.context() {
            return Ok(());
        }
        set_current(self.context(), at)
    }
}

/// Starts the driver. Only the first call has something to do.
fn init(at: &'static Location<'static>) -> Result<(), DriverError> {
    // SAFETY: the call takes no pointer.
    DriverError::check("cuInit", unsafe { api::cuInit(0) }, at)
}

/// Makes a device's context current on this thread.
fn set_current(context: CUcontext, at: &'static Location<'static>) -> Result<(), DriverError> {
    // SAFETY: the context lives as long as the process.
    let result = unsafe { api::cuCtxSetCurrent(context) };
    DriverError::check("cuCtxSetCurrent", result, at)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::{Device, LaunchConfig};

    #[test]
    fn a_launch_loads_its_kernel_alone_unless_kernels_share_a_static() {
        let device = Device::open().expect("a device");
        let stream = device.stream().expect("a stream");
        let own = device.module_of::<kernels::count_bins>().expect("it loads");
        assert_eq!(own.kernels(), ["count_bins"]);
        let all = device.module_of::<kernels::count_up>().expect("it loads");
        assert!(all.kernels().iter().any(|name| name == "count_bins"));
        stream
            .launch(kernels::count_up, LaunchConfig::new(1, 32), ())
            .expect("a launch");
        stream.synchronize().expect("it ends");
        let count = device.symbol(kernels::COUNT).expect("the static");
        assert_eq!(count.read().expect("a copy"), 32);
        // All kernels are loaded, so the next one is not loaded once more.
        let later = device.module_of::<kernels::vec_add>().expect("it loads");
        assert!(Arc::ptr_eq(&later, &all));
    }
}
