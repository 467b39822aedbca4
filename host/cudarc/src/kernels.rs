//! The kernels of a context: PTX is loaded once, and kernels are launched after their contract was
//! checked.

use std::any::TypeId;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use cudarc::driver::sys::CUstreamCaptureStatus;
use cudarc::driver::{CudaContext, CudaFunction, CudaModule, CudaStream, LaunchConfig, result};
use cudarc::nvrtc::Ptx;
use lanewise_ptx::isa::Architecture;
use lanewise_std::kernel::{Kernel, Module, SafeKernel};

use crate::{ArgumentList, Arguments, LaunchError};

/// The kernels of a context, each loaded when it is first used. They are unloaded when this is
/// dropped.
#[derive(Debug)]
pub struct Kernels {
    context: Arc<CudaContext>,
    loaded: Mutex<Loaded>,
}

/// What is loaded, by the types of modules and of kernels' handles.
#[derive(Debug, Default)]
struct Loaded {
    modules: HashMap<TypeId, Arc<CudaModule>>,
    functions: HashMap<TypeId, CudaFunction>,
}

impl Kernels {
    /// Makes the place for kernels that run in this context. No PTX is loaded yet.
    #[must_use]
    pub fn new(context: &Arc<CudaContext>) -> Self {
        Self {
            context: Arc::clone(context),
            loaded: Mutex::default(),
        }
    }

    /// Returns the context.
    pub fn context(&self) -> &Arc<CudaContext> {
        &self.context
    }

    /// Launches a kernel on `stream`.
    ///
    /// A buffer of another element type does not compile:
    /// ```compile_fail,E0277
    /// # use cudarc::driver::{CudaSlice, CudaStream, LaunchConfig};
    /// # use {kernels::vec_add, lanewise_cudarc::Kernels, std::sync::Arc};
    /// # fn f(kernels: Kernels, stream: Arc<CudaStream>, b: CudaSlice<f32>, mut c: CudaSlice<f32>, config: LaunchConfig) {
    /// let a: CudaSlice<i32> = stream.alloc_zeros(8).unwrap();
    /// kernels.launch(&stream, vec_add, config, (&a, &b, &mut c));
    /// # }
    /// ```
    /// nor an output that is not passed as `&mut`,
    /// ```compile_fail,E0277
    /// # use cudarc::driver::{CudaSlice, CudaStream, LaunchConfig};
    /// # use {kernels::vec_add, lanewise_cudarc::Kernels, std::sync::Arc};
    /// # fn f(kernels: Kernels, stream: Arc<CudaStream>, a: CudaSlice<f32>, b: CudaSlice<f32>, c: CudaSlice<f32>, config: LaunchConfig) {
    /// kernels.launch(&stream, vec_add, config, (&a, &b, &c));
    /// # }
    /// ```
    /// nor a buffer that is read and written by the same launch:
    /// ```compile_fail,E0502
    /// # use cudarc::driver::{CudaSlice, CudaStream, LaunchConfig};
    /// # use {kernels::vec_add, lanewise_cudarc::Kernels, std::sync::Arc};
    /// # fn f(kernels: Kernels, stream: Arc<CudaStream>, b: CudaSlice<f32>, mut c: CudaSlice<f32>, config: LaunchConfig) {
    /// kernels.launch(&stream, vec_add, config, (&c, &b, &mut c));
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`LaunchError`] if the kernel does not allow the shape or the lengths, or if the driver
    /// refuses the PTX or the launch; [`LaunchError::Captured`] if the stream is captured into a
    /// graph. A fault of the kernel is an error of a later call, as always.
    pub fn launch<'a, K: SafeKernel, A: Arguments<'a, K::Params>>(
        &self,
        stream: &'a Arc<CudaStream>,
        kernel: K,
        config: LaunchConfig,
        arguments: A,
    ) -> Result<(), LaunchError> {
        let status = stream.capture_status().map_err(refused::<K>)?;
        if status != CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_NONE {
            return Err(LaunchError::Captured { kernel: K::NAME });
        }
        // SAFETY: a `SafeKernel` has no conditions that its caller must meet, and no graph keeps
        // the launch.
        unsafe { self.launch_unchecked(stream, kernel, config, arguments) }
    }

    /// Launches a kernel that is unsafe to launch, or one on a stream that is captured into a
    /// graph. The kernel's contract is checked all the same.
    ///
    /// # Errors
    /// As [`Kernels::launch`].
    ///
    /// # Safety
    /// - The conditions of the kernel's `# Safety` section hold for these arguments and this shape.
    /// - If the stream is captured, the slices and this value live until the graph is gone, and
    ///   each launch of the graph is ordered with the other uses of the slices.
    pub unsafe fn launch_unchecked<'a, K: Kernel, A: Arguments<'a, K::Params>>(
        &self,
        stream: &'a Arc<CudaStream>,
        kernel: K,
        config: LaunchConfig,
        arguments: A,
    ) -> Result<(), LaunchError> {
        check_shape::<K>(config)?;
        if !Arc::ptr_eq(stream.context(), &self.context) {
            return Err(LaunchError::OtherContext {
                kernel: K::NAME,
                what: "the stream".to_owned(),
            });
        }
        let function = self.function(kernel)?;
        let mut list = ArgumentList::new::<K>(stream);
        arguments.pass_all(&mut list)?;
        list.check_lengths(&K::CONTRACT)
            .map_err(|source| LaunchError::Contract {
                kernel: K::NAME,
                config,
                source,
            })?;
        // This also returns the error of a wait for the earlier uses of an argument.
        self.context.bind_to_thread().map_err(refused::<K>)?;
        let LaunchConfig {
            grid_dim,
            block_dim,
            shared_mem_bytes,
        } = config;
        let launch = if K::COOPERATIVE {
            result::launch_cooperative_kernel
        } else {
            result::launch_kernel
        };
        // SAFETY: the function is loaded in the context of the stream, which is current. `Kernel`
        // promises that `Params` are the parameters of the entry point, and `Arguments` that the
        // list has a value for each of them. The caller promises the rest.
        unsafe {
            launch(
                function.cu_function(),
                grid_dim,
                block_dim,
                shared_mem_bytes,
                stream.cu_stream(),
                list.pointers(),
            )
        }
        .map_err(refused::<K>)
    }

    /// Returns the kernel as cudarc's own type, for its attributes and its occupancy. The first
    /// call loads the PTX of the kernel's crate.
    ///
    /// More than 48 KiB of dynamic shared memory have to be allowed there:
    /// `CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES` by
    /// [`CudaFunction::set_attribute`].
    ///
    /// # Errors
    /// [`LaunchError`] if no embedded PTX is for the device, or if the driver refuses it.
    pub fn function<K: Kernel>(&self, _kernel: K) -> Result<CudaFunction, LaunchError> {
        const {
            assert!(
                !K::LAUNCHES && K::Module::LINKED.is_empty(),
                "kernels that launch kernels, and crates that link other device code, need the host library `lanewise`"
            );
        }
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(function) = loaded.functions.get(&TypeId::of::<K>()) {
            return Ok(function.clone());
        }
        let of_module = TypeId::of::<K::Module>();
        let module = match loaded.modules.get(&of_module) {
            Some(module) => Arc::clone(module),
            None => {
                let text = Ptx::from_src(self.text::<K>()?);
                let module = self.context.load_module(text).map_err(refused::<K>)?;
                loaded.modules.insert(of_module, Arc::clone(&module));
                module
            }
        };
        let function = module.load_function(K::NAME).map_err(refused::<K>)?;
        loaded.functions.insert(TypeId::of::<K>(), function.clone());
        Ok(function)
    }

    /// Returns the embedded PTX that suits the device best: the newest that it can run.
    fn text<K: Kernel>(&self) -> Result<&'static str, LaunchError> {
        let (major, minor) = self.context.compute_capability().map_err(refused::<K>)?;
        let device = (major * 10 + minor).unsigned_abs();
        let texts = K::Module::TEXTS;
        let best = Architecture::best(texts, |text| text.arch, device);
        best.map(|text| text.plain).ok_or_else(|| match texts {
            [] => LaunchError::NoPtx { kernel: K::NAME },
            texts => LaunchError::OtherDevices {
                module: K::Module::NAME,
                device,
                targets: texts.iter().map(|text| text.arch).collect(),
            },
        })
    }
}

/// Checks the shape of a launch against what the kernel was compiled for. A cluster's shape is in
/// the PTX, and the driver checks it.
fn check_shape<K: Kernel>(config: LaunchConfig) -> Result<(), LaunchError> {
    let sizes = |(x, y, z): (u32, u32, u32)| [x, y, z];
    let block = sizes(config.block_dim);
    let threads = block
        .iter()
        .fold(1u64, |threads, &size| threads.saturating_mul(size.into()));
    if let Some(bounds) = K::BOUNDS
        && threads > u64::from(bounds.max_threads)
    {
        return Err(LaunchError::LaunchBounds {
            kernel: K::NAME,
            threads,
            bounds,
        });
    }
    K::CONTRACT
        .check(sizes(config.grid_dim), block)
        .map_err(|source| LaunchError::Contract {
            kernel: K::NAME,
            config,
            source,
        })
}

fn refused<K: Kernel>(source: cudarc::driver::DriverError) -> LaunchError {
    LaunchError::Driver {
        kernel: K::NAME,
        source,
    }
}
