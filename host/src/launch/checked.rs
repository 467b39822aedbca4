//! The checks of a launch before the driver gets it, and the preparation of its arguments in order
//! with the other uses of the buffers.
//!
//! All but the arguments is compiled once, and not for each kernel that a program launches.

use std::borrow::Cow;
use std::ffi::c_void;
use std::panic::Location;

use lanewise_driver::abi::{CUfunction, CUresult};
use lanewise_std::kernel::{Kernel, LaunchBounds, LaunchContract};

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

/// What a kernel's type says of its launches.
pub(super) struct LaunchRules {
    bounds: Option<LaunchBounds>,
    contract: LaunchContract,
    cluster: Option<[u32; 3]>,
    cooperative: bool,
}

impl LaunchRules {
    /// Those of a kernel of which only the name is known.
    pub(super) const NONE: Self = Self {
        bounds: None,
        contract: LaunchContract::ANY,
        cluster: None,
        cooperative: false,
    };

    pub(super) const fn of<K: Kernel>() -> Self {
        Self {
            bounds: K::BOUNDS,
            contract: K::CONTRACT,
            cluster: K::CLUSTER,
            cooperative: K::COOPERATIVE,
        }
    }

    /// Checks the shape of a launch.
    fn check(
        &self,
        kernel: &str,
        config: LaunchConfig,
        at: &'static Location<'static>,
    ) -> Result<(), LaunchError> {
        if let Some(bounds) = self.bounds
            && config.block.count() > u64::from(bounds.max_threads)
        {
            let (kernel, threads) = (kernel.to_owned(), config.block.count());
            return Err(LaunchError::LaunchBounds {
                kernel,
                threads,
                bounds,
                at,
            });
        }
        self.contract
            .check(config.grid.into(), config.block.into())
            .map_err(|source| {
                let kernel = kernel.to_owned();
                LaunchError::Contract {
                    kernel,
                    config,
                    source,
                    at,
                }
            })?;
        if let (Some(wanted), Some(given)) = (self.cluster, config.cluster)
            && wanted != <[u32; 3]>::from(given)
        {
            let kernel = kernel.to_owned();
            return Err(LaunchError::Cluster {
                kernel,
                wanted,
                given,
                at,
            });
        }
        Ok(())
    }
}

/// A kernel's name, and the driver's handle of it if it was looked up before.
pub(super) type Known = (Cow<'static, str>, Option<CUfunction>);

/// Appends the arguments of a launch.
type Pass<'a> = &'a mut dyn FnMut(&mut ArgumentList<'_>) -> Result<(), DriverError>;

/// Queues a checked launch, or puts it into a graph. It is called once at most.
pub(crate) type Place<'a> = &'a mut dyn FnMut(CheckedLaunch<'_>) -> Result<(), DriverError>;

impl Module {
    /// Checks the kernel's rules, and launches it.
    ///
    /// # Safety
    /// As for [`Module::launch_unchecked`].
    #[track_caller]
    pub(super) unsafe fn launch_checked<K: Kernel, A: Arguments<K::Params>>(
        &self,
        list: ArgumentList<'_>,
        known: Option<CUfunction>,
        config: LaunchConfig,
        arguments: A,
        place: Place<'_>,
    ) -> Result<Vec<Recorded>, LaunchError> {
        let (known, rules) = ((K::NAME.into(), known), const { &LaunchRules::of::<K>() });
        // SAFETY: `Kernel` promises that `Params` are the parameters of the entry point `NAME`. The
        // caller promises the rest.
        unsafe { self.launch_with::<K::Params, A>(list, known, rules, config, arguments, place) }
    }

    /// Launches the kernel. If the launch is recorded, returns the uses that a graph
    /// has to remember.
    ///
    /// # Safety
    /// As for [`Module::launch_named`].
    #[track_caller]
    pub(super) unsafe fn launch_with<Params, A: Arguments<Params>>(
        &self,
        list: ArgumentList<'_>,
        known: Known,
        rules: &LaunchRules,
        config: LaunchConfig,
        arguments: A,
        place: Place<'_>,
    ) -> Result<Vec<Recorded>, LaunchError> {
        let mut arguments = Some(arguments);
        let mut pass = |list: &mut ArgumentList<'_>| match arguments.take() {
            Some(arguments) => arguments.pass_all(list),
            None => Ok(()),
        };
        // SAFETY: `Arguments` promises that these are the parameters. The caller promises the rest.
        unsafe { self.launch_passed(list, known, rules, config, &mut pass, place) }
    }

    /// As [`Self::launch_with`], with a function that passes the arguments, once.
    ///
    /// # Safety
    /// As for [`Module::launch_named`]: `pass` appends the kernel's parameters.
    #[track_caller]
    unsafe fn launch_passed(
        &self,
        mut list: ArgumentList<'_>,
        (name, known): Known,
        rules: &LaunchRules,
        config: LaunchConfig,
        pass: Pass<'_>,
        place: Place<'_>,
    ) -> Result<Vec<Recorded>, LaunchError> {
        let stream = list.stream();
        let at = Location::caller();
        rules.check(&name, config, at)?;
        list.require(rules.contract.lengths);
        let config = LaunchConfig {
            cooperative: config.cooperative || rules.cooperative,
            ..config
        };
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
            // SAFETY: the function is this module's, which is loaded.
            let (reason, source) = unsafe { refusal::explain(source, device, function, config) };
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
            DriverError::check("cuLaunchKernelEx", code, at).map_err(refused)?;
        }
        let _turn = self.device().launching();
        pass(&mut list).map_err(|source| LaunchError::Argument {
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
