//! Launches: a typed kernel handle, a shape, arguments.
//!
//! `#[kernel]` turns a function into a handle whose type has the kernel's parameter types, so
//! wrong arguments do not compile. A safe `fn` becomes a [`SafeKernel`], which
//! [`Stream::launch`] launches. An `unsafe fn` has conditions that its caller must meet; it is
//! launched by the unsafe [`Stream::launch_unchecked`].
//!
//! A launch is asynchronous. A wrong shape or too few resources are an error of the
//! launch; a fault in the kernel is reported at the next synchronisation. Source: CUDA
//! driver API, `cuLaunchKernel`.

pub(crate) mod argument;
mod checked;
mod cluster;
pub(crate) mod config;
mod error;
pub mod guidelines;
mod nearest;
pub mod occupancy;
mod refusal;
mod submit;

pub use argument::{Argument, ArgumentList, Arguments};
pub use config::{Dim3, LaunchConfig};
pub use error::LaunchError;

use std::panic::Location;

use lanewise_std::kernel::{Kernel, SafeKernel};

use crate::device::launched_kernels::LaunchedKernel;
use crate::{DriverError, Module, Stream};
use argument::Recorded;

use checked::LaunchRules;
pub(crate) use checked::{CheckedLaunch, Place};
pub(crate) use submit::{attributes, submit, with_config};

impl Stream {
    /// Launches a kernel on this stream. The handle names the crate whose PTX contains the kernel.
    /// The first launch loads that PTX.
    ///
    /// ```
    /// use lanewise::{Device, DeviceBuffer, LaunchConfig};
    /// use kernels::vec_add;
    ///
    /// let device = Device::open()?;
    /// let stream = device.stream()?;
    /// let a = DeviceBuffer::from_slice(&device, &[1.0f32; 1000])?;
    /// let b = DeviceBuffer::from_slice(&device, &[2.0f32; 1000])?;
    /// let mut c = DeviceBuffer::<f32>::zeroed(&device, 1000)?;
    /// stream.launch(vec_add, LaunchConfig::for_num_elems(1000), (&a, &b, &mut c))?;
    /// assert_eq!(c.to_vec()?, [3.0; 1000]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// The compiler checks the arguments against the kernel. A buffer of another element type
    /// does not compile:
    /// ```compile_fail,E0277
    /// # use lanewise::{Device, DeviceBuffer, LaunchConfig};
    /// # use kernels::vec_add;
    /// # fn f(device: Device, stream: lanewise::Stream, b: DeviceBuffer<f32>, mut c: DeviceBuffer<f32>) {
    /// let a: DeviceBuffer<i32> = DeviceBuffer::zeroed(&device, 8).unwrap();
    /// stream.launch(vec_add, LaunchConfig::for_num_elems(8), (&a, &b, &mut c));
    /// # }
    /// ```
    /// nor an output that is not passed as `&mut`,
    /// ```compile_fail,E0277
    /// # use lanewise::{Device, DeviceBuffer, LaunchConfig};
    /// # use kernels::vec_add;
    /// # fn f(device: Device, stream: lanewise::Stream, a: DeviceBuffer<f32>, b: DeviceBuffer<f32>, c: DeviceBuffer<f32>) {
    /// stream.launch(vec_add, LaunchConfig::for_num_elems(8), (&a, &b, &c));
    /// # }
    /// ```
    /// nor one argument too few,
    /// ```compile_fail,E0277
    /// # use lanewise::{Device, DeviceBuffer, LaunchConfig};
    /// # use kernels::vec_add;
    /// # fn f(device: Device, stream: lanewise::Stream, a: DeviceBuffer<f32>, mut c: DeviceBuffer<f32>) {
    /// stream.launch(vec_add, LaunchConfig::for_num_elems(8), (&a, &mut c));
    /// # }
    /// ```
    /// nor a buffer that is read and written by the same launch:
    /// ```compile_fail,E0502
    /// # use lanewise::{Device, DeviceBuffer, LaunchConfig};
    /// # use kernels::vec_add;
    /// # fn f(device: Device, stream: lanewise::Stream, b: DeviceBuffer<f32>, mut c: DeviceBuffer<f32>) {
    /// stream.launch(vec_add, LaunchConfig::for_num_elems(8), (&c, &b, &mut c));
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`LaunchError`] if the kernel or the device does not allow the shape, or the PTX
    /// cannot be loaded.
    #[track_caller]
    pub fn launch<K: SafeKernel, A: Arguments<K::Params>>(
        &self,
        kernel: K,
        config: LaunchConfig,
        arguments: A,
    ) -> Result<(), LaunchError> {
        // SAFETY: a `SafeKernel` has no conditions that its caller must meet.
        unsafe { self.launch_unchecked(kernel, config, arguments) }
    }

    /// Launches a kernel that is unsafe to launch.
    ///
    /// # Errors
    /// As [`Stream::launch`].
    ///
    /// # Safety
    /// The conditions of the kernel's `# Safety` section hold for these arguments and this shape.
    #[track_caller]
    pub unsafe fn launch_unchecked<K: Kernel, A: Arguments<K::Params>>(
        &self,
        kernel: K,
        config: LaunchConfig,
        arguments: A,
    ) -> Result<(), LaunchError> {
        let _: K = kernel;
        let LaunchedKernel { module, function } = self.device().kernel::<K>()?;
        let (list, at) = (ArgumentList::new(self), Location::caller());
        // SAFETY: the caller promises the kernel's conditions, and `Kernel::Module` is compiled
        // from the kernel's own source.
        unsafe {
            let mut queue = queue(self, at);
            module.launch_checked::<K, A>(list, *function, config, arguments, &mut queue)
        }
        .map(drop)
    }
}

impl Module {
    /// Launches the module's kernel that has this handle's name.
    ///
    /// # Errors
    /// As [`Stream::launch`]; [`LaunchError::UnknownKernel`] if the module has no such kernel.
    ///
    /// # Safety
    /// The module's kernel has the handle's parameters and uses them in the same way, and the
    /// conditions of the kernel's `# Safety` section hold.
    #[track_caller]
    pub unsafe fn launch_unchecked<K: Kernel, A: Arguments<K::Params>>(
        &self,
        stream: &Stream,
        _kernel: K,
        config: LaunchConfig,
        arguments: A,
    ) -> Result<(), LaunchError> {
        let (list, at) = (ArgumentList::new(stream), Location::caller());
        // SAFETY: the caller promises the same.
        unsafe {
            let mut queue = queue(stream, at);
            self.launch_checked::<K, A>(list, None, config, arguments, &mut queue)
        }
        .map(drop)
    }

    /// Launches the kernel with this name without checking the arguments, for PTX that was not
    /// made from Rust.
    ///
    /// # Errors
    /// As [`Module::launch_unchecked`].
    ///
    /// # Safety
    /// The kernel takes exactly `Params`, and is sound to run with these arguments and this shape.
    #[track_caller]
    pub unsafe fn launch_named<Params, A: Arguments<Params>>(
        &self,
        stream: &Stream,
        name: &str,
        config: LaunchConfig,
        arguments: A,
    ) -> Result<(), LaunchError> {
        let (list, at) = (ArgumentList::new(stream), Location::caller());
        // SAFETY: the caller promises the same.
        unsafe {
            let (known, mut queue) = ((name.to_owned().into(), None), queue(stream, at));
            let rules = &LaunchRules::NONE;
            self.launch_with(list, known, rules, config, arguments, &mut queue)
        }
        .map(drop)
    }
}

impl LaunchedKernel {
    /// Passes a launch to `place`, which puts it into the graph with this number, and returns its
    /// uses of buffers. The stream determines the device.
    ///
    /// # Errors
    /// As [`Module::launch_unchecked`].
    ///
    /// # Safety
    /// As for [`Module::launch_unchecked`], whenever the graph is launched. Each launch
    /// of the graph keeps order with the buffers' other uses, and `place` uses the launch
    /// for nothing else.
    #[track_caller]
    pub(crate) unsafe fn place_launch<K: Kernel, A: Arguments<K::Params>>(
        &self,
        stream: &Stream,
        graph: Option<u64>,
        config: LaunchConfig,
        arguments: A,
        place: Place<'_>,
    ) -> Result<Vec<Recorded>, LaunchError> {
        let list = ArgumentList::recording(stream, graph);
        // SAFETY: the caller promises the same.
        unsafe {
            let (module, function) = (&self.module, self.function);
            module.launch_checked::<K, A>(list, function, config, arguments, place)
        }
    }
}

/// Returns a function that queues a launch on `stream`, or puts it into the graph that
/// the stream captures.
///
/// # Safety
/// The function is called with a live kernel handle of the stream's context and pointers to its
/// parameters. The kernel is sound to run with them in this shape.
unsafe fn queue(
    stream: &Stream,
    at: &'static Location<'static>,
) -> impl FnMut(CheckedLaunch<'_>) -> Result<(), DriverError> {
    move |ready| {
        // SAFETY: the caller promises the same.
        unsafe { submit::submit(ready, stream, at) }
    }
}
