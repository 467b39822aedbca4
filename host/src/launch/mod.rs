//! Launches: a typed kernel handle, a shape, arguments.
//!
//! `#[kernel]` makes of a function a handle that knows its parameter types, so wrong arguments do not compile. Whether a
//! launch is `unsafe` follows the function: a safe `fn` makes a [`SafeKernel`], launched by [`Device::launch`]; an `unsafe fn`
//! asks something of its caller, which [`Device::launch_unchecked`] passes on.
//!
//! A launch is asynchronous. What the driver can see is wrong with it (shape, resources) is an error here; what the kernel
//! does wrong surfaces at the next synchronisation. Source: CUDA driver API, `cuLaunchKernel`.

pub(crate) mod argument;
mod cluster;
pub(crate) mod config;
pub mod guidelines;
pub mod occupancy;
mod refusal;
mod submit;

pub use argument::{Argument, ArgumentList, Arguments};
pub use config::{Dim3, LaunchConfig};

use std::ffi::c_void;
use std::panic::Location;

use cust::sys::CUfunction;
use lanewise_driver::abi::{self, CUresult};
use lanewise_std::kernel::{BrokenContract, Kernel, LaunchBounds, SafeKernel};

use crate::error::in_words;
use crate::{Device, DriverError, LoadError, Module, Stream};
use argument::Recorded;

pub(crate) use submit::{attributes, submit, with_config};

/// Why a kernel could not be launched.
#[derive(thiserror::Error)]
pub enum LaunchError {
    /// The module has no kernel of this name.
    #[error("the module has no kernel `{name}`{}", did_you_mean(.name, .known))]
    UnknownKernel {
        /// The name that was asked for.
        name: String,
        /// The kernels that it has.
        known: Vec<String>,
        /// The driver's answer: `CUDA_ERROR_NOT_FOUND`.
        source: DriverError,
    },
    /// The block is larger than the kernel was compiled for.
    #[error(
        "kernel `{kernel}` has #[launch_bounds({})] and was launched at {at} with {threads} threads a block: use blocks of at most {}",
        .bounds.max_threads, .bounds.max_threads
    )]
    LaunchBounds {
        /// The name of the kernel.
        kernel: String,
        /// Threads of a block in this launch.
        threads: u64,
        /// The bounds that the kernel was compiled with.
        bounds: LaunchBounds,
        /// The line of the program that launched the kernel.
        at: &'static Location<'static>,
    },
    /// The kernel is right for some shapes only, and this is none of them.
    #[error(
        "`{kernel}` was launched at {at} with {config}, which its #[launch_contract] does not allow"
    )]
    Contract {
        /// The name of the kernel.
        kernel: String,
        /// The shape that was asked for.
        config: LaunchConfig,
        /// Which clause, and what it asks for.
        source: BrokenContract,
        /// The line of the program that launched the kernel.
        at: &'static Location<'static>,
    },
    /// The kernel was compiled for another cluster.
    #[error(
        "kernel `{kernel}` has #[cluster_launch({}, {}, {})] and was launched at {at} in clusters of {given}: leave `with_cluster` out",
        .wanted[0], .wanted[1], .wanted[2]
    )]
    Cluster {
        /// The name of the kernel.
        kernel: String,
        /// The blocks of a cluster that the kernel was compiled for.
        wanted: [u32; 3],
        /// The blocks of a cluster in this launch.
        given: Dim3,
        /// The line of the program that launched the kernel.
        at: &'static Location<'static>,
    },
    /// The blocks of a cooperative launch wait for each other, and the device does not hold all of them at once.
    #[error(
        "`{kernel}` was launched at {at} with {config}: {} blocks that wait for each other, of which {device} holds {} at once, \
         {each} on each of {multiprocessors} multiprocessors; use fewer blocks, and let each do more",
        .config.grid.count(), u64::from(*.each) * u64::from(*.multiprocessors)
    )]
    Cooperative {
        /// The name of the kernel.
        kernel: String,
        /// The shape that was asked for.
        config: LaunchConfig,
        /// The name of the device.
        device: String,
        /// The most blocks of this shape that a multiprocessor holds.
        each: u32,
        /// How many multiprocessors the device has.
        multiprocessors: u32,
        /// The line of the program that launched the kernel.
        at: &'static Location<'static>,
    },
    /// The driver refused the launch.
    #[error("cannot launch `{kernel}` with {config}{reason}")]
    Refused {
        /// The name of the kernel.
        kernel: String,
        /// The shape that was asked for.
        config: LaunchConfig,
        /// What of the shape is beyond the device or the kernel, and what to do. Empty when it is not the shape.
        reason: String,
        /// What the driver answered.
        source: DriverError,
    },
    /// The stream is another device's.
    #[error(
        "`{kernel}` was launched at {at} by device {module} on a stream of device {stream}: use a stream that this device has made"
    )]
    OtherDevice {
        /// The name of the kernel.
        kernel: String,
        /// The number of the device that the stream is on.
        stream: usize,
        /// The number of the device that was to launch.
        module: usize,
        /// The line of the program that launched the kernel.
        at: &'static Location<'static>,
    },
    /// An argument could not be made ready for the stream.
    #[error("an argument of `{kernel}` cannot be used on this stream")]
    Argument {
        /// The name of the kernel.
        kernel: String,
        /// What the driver answered.
        source: DriverError,
    },
    /// The driver did not answer a question about a kernel.
    #[error("the driver does not say what `{kernel}` takes")]
    Unanswered {
        /// The name of the kernel.
        kernel: String,
        /// What the driver answered.
        source: DriverError,
    },
    /// The kernel's module could not be loaded.
    #[error(transparent)]
    Load(#[from] LoadError),
}

in_words! { LaunchError }

/// A launch whose shape and arguments were looked at.
pub(crate) struct CheckedLaunch<'a> {
    pub(crate) function: CUfunction,
    pub(crate) config: LaunchConfig,
    /// A pointer to each parameter, as `kernelParams`.
    pub(crate) params: &'a mut [*mut c_void],
    /// The buffers among the arguments, where the launch is recorded.
    pub(crate) uses: &'a [Recorded],
}

impl Device {
    /// Launches a kernel on `stream`. Its handle says which crate's PTX it is in; that is loaded at the first launch.
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
    /// device.launch(&stream, vec_add, LaunchConfig::for_num_elems(1000), (&a, &b, &mut c))?;
    /// assert_eq!(c.to_vec()?, [3.0; 1000]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// The compiler checks the arguments against the kernel. A buffer of another element type does not compile:
    /// ```compile_fail,E0277
    /// # use lanewise::{Device, DeviceBuffer, LaunchConfig};
    /// # use kernels::vec_add;
    /// # fn f(device: Device, stream: lanewise::Stream, b: DeviceBuffer<f32>, mut c: DeviceBuffer<f32>) {
    /// let a: DeviceBuffer<i32> = DeviceBuffer::zeroed(&device, 8).unwrap();
    /// device.launch(&stream, vec_add, LaunchConfig::for_num_elems(8), (&a, &b, &mut c));
    /// # }
    /// ```
    /// nor an output that is not passed as `&mut`,
    /// ```compile_fail,E0277
    /// # use lanewise::{Device, DeviceBuffer, LaunchConfig};
    /// # use kernels::vec_add;
    /// # fn f(device: Device, stream: lanewise::Stream, a: DeviceBuffer<f32>, b: DeviceBuffer<f32>, c: DeviceBuffer<f32>) {
    /// device.launch(&stream, vec_add, LaunchConfig::for_num_elems(8), (&a, &b, &c));
    /// # }
    /// ```
    /// nor one argument too few,
    /// ```compile_fail,E0277
    /// # use lanewise::{Device, DeviceBuffer, LaunchConfig};
    /// # use kernels::vec_add;
    /// # fn f(device: Device, stream: lanewise::Stream, a: DeviceBuffer<f32>, mut c: DeviceBuffer<f32>) {
    /// device.launch(&stream, vec_add, LaunchConfig::for_num_elems(8), (&a, &mut c));
    /// # }
    /// ```
    /// nor a buffer that is read and written by the same launch:
    /// ```compile_fail,E0502
    /// # use lanewise::{Device, DeviceBuffer, LaunchConfig};
    /// # use kernels::vec_add;
    /// # fn f(device: Device, stream: lanewise::Stream, b: DeviceBuffer<f32>, mut c: DeviceBuffer<f32>) {
    /// device.launch(&stream, vec_add, LaunchConfig::for_num_elems(8), (&c, &b, &mut c));
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`LaunchError`], when the shape is beyond the kernel or the device.
    #[track_caller]
    pub fn launch<K: SafeKernel, A: Arguments<K::Params>>(
        &self,
        stream: &Stream,
        kernel: K,
        config: LaunchConfig,
        arguments: A,
    ) -> Result<(), LaunchError> {
        // SAFETY: a `SafeKernel` asks nothing of its caller.
        unsafe { self.launch_unchecked(stream, kernel, config, arguments) }
    }

    /// Launches a kernel that asks something of its caller.
    ///
    /// # Errors
    /// What [`Device::launch`] fails with.
    ///
    /// # Safety
    /// What the kernel's `# Safety` section says holds for these arguments and this shape.
    #[track_caller]
    pub unsafe fn launch_unchecked<K: Kernel, A: Arguments<K::Params>>(
        &self,
        stream: &Stream,
        kernel: K,
        config: LaunchConfig,
        arguments: A,
    ) -> Result<(), LaunchError> {
        let module = self.module_of::<K>()?;
        // SAFETY: the caller vouches for the kernel; its `Kernel::Module` is compiled from its own source.
        unsafe { module.launch_unchecked(stream, kernel, config, arguments) }
    }
}

impl Module {
    /// Launches the module's kernel of this handle's name.
    ///
    /// # Errors
    /// As [`Device::launch`]; [`LaunchError::UnknownKernel`] when the module has no such kernel.
    ///
    /// # Safety
    /// The module's kernel has the handle's parameters, and does with them what the handle's does; and what the kernel's
    /// `# Safety` section says holds.
    #[track_caller]
    pub unsafe fn launch_unchecked<K: Kernel, A: Arguments<K::Params>>(
        &self,
        stream: &Stream,
        _kernel: K,
        config: LaunchConfig,
        arguments: A,
    ) -> Result<(), LaunchError> {
        let (list, at) = (ArgumentList::new(stream), Location::caller());
        // SAFETY: the caller's promise.
        unsafe {
            let queue = queue(stream, at);
            self.launch_checked::<K, A>(list, config, arguments, queue)
        }
        .map(drop)
    }

    /// Hands a launch to `place`, which puts it into the graph of this number, and says which buffers it uses. The stream says which device it is for.
    ///
    /// # Errors
    /// As [`Module::launch_unchecked`].
    ///
    /// # Safety
    /// As for [`Module::launch_unchecked`], whenever the graph is launched; that happens in order with the buffers' other uses, and `place` does nothing
    /// else with it.
    #[track_caller]
    pub(crate) unsafe fn place_launch<K: Kernel, A: Arguments<K::Params>>(
        &self,
        stream: &Stream,
        graph: Option<u64>,
        config: LaunchConfig,
        arguments: A,
        place: impl FnOnce(CheckedLaunch<'_>) -> Result<(), DriverError>,
    ) -> Result<Vec<Recorded>, LaunchError> {
        let list = ArgumentList::recording(stream, graph);
        // SAFETY: the caller's promise.
        unsafe { self.launch_checked::<K, A>(list, config, arguments, place) }
    }

    /// The launch of a kernel whose handle's bounds, contract and cluster are looked at first.
    ///
    /// # Safety
    /// As for [`Module::launch_unchecked`].
    #[track_caller]
    unsafe fn launch_checked<K: Kernel, A: Arguments<K::Params>>(
        &self,
        list: ArgumentList<'_>,
        config: LaunchConfig,
        arguments: A,
        place: impl FnOnce(CheckedLaunch<'_>) -> Result<(), DriverError>,
    ) -> Result<Vec<Recorded>, LaunchError> {
        let at = Location::caller();
        if let Some(bounds) = K::BOUNDS
            && config.block.count() > u64::from(bounds.max_threads)
        {
            let (kernel, threads) = (K::NAME.to_owned(), config.block.count());
            return Err(LaunchError::LaunchBounds {
                kernel,
                threads,
                bounds,
                at,
            });
        }
        K::CONTRACT
            .check(config.grid.into(), config.block.into())
            .map_err(|source| {
                let kernel = K::NAME.to_owned();
                LaunchError::Contract {
                    kernel,
                    config,
                    source,
                    at,
                }
            })?;
        if let (Some(wanted), Some(given)) = (K::CLUSTER, config.cluster)
            && wanted != <[u32; 3]>::from(given)
        {
            let kernel = K::NAME.to_owned();
            return Err(LaunchError::Cluster {
                kernel,
                wanted,
                given,
                at,
            });
        }
        let config = LaunchConfig {
            cooperative: config.cooperative || K::COOPERATIVE,
            ..config
        };
        // SAFETY: `Kernel` promises that `Params` are the parameters of the entry point `NAME`; the rest is the caller's.
        unsafe { self.launch_with(list, K::NAME, config, arguments, place) }
    }

    /// Launches the kernel of this name with arguments that nothing checks: for PTX that was not made from Rust.
    ///
    /// # Errors
    /// What [`Module::launch_unchecked`] fails with.
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
        // SAFETY: the caller's promise.
        unsafe { self.launch_with(list, name, config, arguments, queue(stream, at)) }.map(drop)
    }

    /// The launch itself; what a graph has to remember of it comes back, where it is recorded.
    ///
    /// # Safety
    /// As for [`Module::launch_named`].
    #[track_caller]
    unsafe fn launch_with<Params, A: Arguments<Params>>(
        &self,
        mut list: ArgumentList<'_>,
        name: &str,
        config: LaunchConfig,
        arguments: A,
        place: impl FnOnce(CheckedLaunch<'_>) -> Result<(), DriverError>,
    ) -> Result<Vec<Recorded>, LaunchError> {
        let stream = list.stream();
        let at = Location::caller();
        let kernel = || name.to_owned();
        let function = self
            .function(name, at)
            .map_err(|source| match source.name() {
                "CUDA_ERROR_NOT_FOUND" => LaunchError::UnknownKernel {
                    name: kernel(),
                    known: self.kernels().to_vec(),
                    source,
                },
                _ => LaunchError::Refused {
                    kernel: kernel(),
                    config,
                    reason: String::new(),
                    source,
                },
            })?;
        let refused = |source: DriverError| {
            let device = self.device().properties();
            let handle = abi::CUfunction(function.expose_provenance());
            // SAFETY: the function is this module's, which is loaded.
            let (reason, source) = unsafe { refusal::explain(source, device, handle, config) };
            LaunchError::Refused {
                kernel: kernel(),
                config,
                reason,
                source,
            }
        };
        if stream.device() != self.device() {
            return Err(LaunchError::OtherDevice {
                kernel: kernel(),
                stream: stream.device().ordinal(),
                module: self.device().ordinal(),
                at,
            });
        }
        if config.cluster.is_some_and(|cluster| cluster.count() == 0) {
            // A driver may take it for no cluster at all.
            let code = CUresult::ERROR_INVALID_CLUSTER_SIZE;
            DriverError::check_code("cuLaunchKernelEx", code, at).map_err(refused)?;
        }
        let _turn = self.device().launching();
        arguments
            .pass_all(&mut list)
            .map_err(|source| LaunchError::Argument {
                kernel: kernel(),
                source,
            })?;
        let mut pointers = list.pointers();
        // Waiting for a buffer of another device may have made that one current.
        self.device()
            .make_current(at)
            .map_err(|source| LaunchError::Argument {
                kernel: kernel(),
                source,
            })?;
        // A fault of the kernel names this line.
        lanewise_driver::set_call_site(Some(at));
        // The function is a live handle of the stream's context; each pointer leads to a parameter's bytes, which the driver copies before it
        // returns.
        let launched = place(CheckedLaunch {
            function,
            config,
            params: &mut pointers.pointers,
            uses: list.recorded(),
        });
        lanewise_driver::set_call_site(None);
        launched.map_err(|source| {
            if source.name() == "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE"
                && let Ok(each) =
                    self.active_blocks(name, config.block.count() as u32, config.dynamic_shared)
            {
                let device = self.device().properties();
                return LaunchError::Cooperative {
                    kernel: kernel(),
                    config,
                    device: device.name.clone(),
                    each,
                    multiprocessors: device.multiprocessors,
                    at,
                };
            }
            refused(source)
        })?;
        if !list.is_recording() {
            stream.note_launch(|| format!("kernel `{name}`"), at);
        }
        Ok(list.into_recorded())
    }
}

/// What queues a launch on `stream`, or puts it into the graph that the stream captures.
///
/// # Safety
/// It is called with a live handle of the stream's context and pointers to its parameters, with which it is sound to run in the shape.
unsafe fn queue(
    stream: &Stream,
    at: &'static Location<'static>,
) -> impl FnOnce(CheckedLaunch<'_>) -> Result<(), DriverError> {
    move |ready| {
        // SAFETY: the caller's promise.
        unsafe { submit::submit(ready, stream, at) }
    }
}

/// Offers the kernel whose name is nearest, or lists what there is.
fn did_you_mean(name: &str, known: &[String]) -> String {
    let near = known
        .iter()
        .map(|candidate| (distance(name, candidate), candidate))
        .min();
    match near {
        None => ": it has none at all".to_owned(),
        Some((distance, candidate)) if distance <= 3 => format!("; did you mean `{candidate}`?"),
        Some(_) => format!("; it has {}", known.join(", ")),
    }
}

/// Edits between two names (Levenshtein).
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.chars().count()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, to) in b.chars().enumerate() {
            let cost = diagonal + usize::from(from != to);
            diagonal = row[j + 1];
            row[j + 1] = cost.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edit_distance_counts_edits() {
        assert_eq!(distance("vec_add", "vec_add"), 0);
        assert_eq!(distance("vec_ad", "vec_add"), 1);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("kitten", "sitting"), 3);
    }

    #[test]
    fn a_mistyped_kernel_is_offered_and_a_strange_one_gets_the_list() {
        let known = ["vec_add".to_owned(), "mat_add_2d_2d".to_owned()];
        assert_eq!(did_you_mean("vecadd", &known), "; did you mean `vec_add`?");
        assert_eq!(
            did_you_mean("transpose", &known),
            "; it has vec_add, mat_add_2d_2d"
        );
        assert_eq!(did_you_mean("x", &[]), ": it has none at all");
    }
}
