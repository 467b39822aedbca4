//! The checks of a launch before the driver gets it, and the preparation of its arguments in order
//! with the other uses of the buffers.

use std::borrow::Cow;
use std::ffi::c_void;
use std::panic::Location;

use cust::sys::CUfunction;
use lanewise_driver::abi::{self, CUresult};
use lanewise_std::kernel::Kernel;

use super::argument::{ArgumentList, Arguments, Recorded};
use super::{LaunchConfig, LaunchError, refusal};
use crate::journal::What;
use crate::{DriverError, Module};

/// A launch whose shape and arguments were checked.
pub(crate) struct CheckedLaunch<'a> {
    pub(crate) function: CUfunction,
    pub(crate) config: LaunchConfig,
    /// A pointer to each parameter, as `kernelParams`.
    pub(crate) params: &'a mut [*mut c_void],
    /// The buffers among the arguments, if the launch is recorded.
    pub(crate) uses: &'a [Recorded],
}

impl Module {
    /// Checks the bounds, the contract and the cluster of the kernel's handle, and
    /// launches the kernel. `known` is the driver's handle of it, if it was looked up before.
    ///
    /// # Safety
    /// As for [`Module::launch_unchecked`].
    #[track_caller]
    pub(super) unsafe fn launch_checked<K: Kernel, A: Arguments<K::Params>>(
        &self,
        mut list: ArgumentList<'_>,
        known: Option<CUfunction>,
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
        list.require(const { K::CONTRACT.lengths });
        const { K::CONTRACT }
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
        // SAFETY: `Kernel` promises that `Params` are the parameters of the entry point `NAME`. The
        // caller promises the rest.
        unsafe { self.launch_with(list, K::NAME.into(), known, config, arguments, place) }
    }

    /// Launches the kernel. If the launch is recorded, returns the uses that a graph
    /// has to remember.
    ///
    /// # Safety
    /// As for [`Module::launch_named`].
    #[track_caller]
    pub(super) unsafe fn launch_with<Params, A: Arguments<Params>>(
        &self,
        mut list: ArgumentList<'_>,
        name: Cow<'static, str>,
        known: Option<CUfunction>,
        config: LaunchConfig,
        arguments: A,
        place: impl FnOnce(CheckedLaunch<'_>) -> Result<(), DriverError>,
    ) -> Result<Vec<Recorded>, LaunchError> {
        let stream = list.stream();
        let at = Location::caller();
        let kernel = || name.clone().into_owned();
        let found = known.map_or_else(|| self.function(&name, at), Ok);
        let function = found.map_err(|source| match source.name() {
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
            // A driver may treat a size of zero as a launch without clusters.
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
        list.check_lengths()
            .map_err(|source| LaunchError::Contract {
                kernel: kernel(),
                config,
                source,
                at,
            })?;
        // Waiting for a buffer of another device may have made that device current.
        self.device()
            .make_current(at)
            .map_err(|source| LaunchError::Argument {
                kernel: kernel(),
                source,
            })?;
        // A fault of the kernel names this line.
        lanewise_driver::set_call_site(Some(at));
        // The function is a live handle of the stream's context. Each pointer points to the bytes
        // of a parameter, which the driver copies before it returns.
        let (params, uses) = list.parts();
        let launched = place(CheckedLaunch {
            function,
            config,
            params,
            uses,
        });
        lanewise_driver::set_call_site(None);
        launched.map_err(|source| {
            if source.name() == "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE"
                && let Ok(each) =
                    self.active_blocks(&name, config.block.count() as u32, config.dynamic_shared)
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
            stream.note_launch(|| What::Kernel(name), at);
        }
        Ok(list.into_recorded())
    }
}
