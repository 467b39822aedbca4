//! Clusters that are larger than every device allows, and the number of clusters that run at once.
//!
//! [`LaunchConfig::with_cluster`] or the kernel's `#[cluster_launch]` divides a
//! launch into clusters.
//! Source: CUDA driver API, `cuOccupancyMaxActiveClusters`,
//! `CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED`; CUDA C++ Programming Guide,
//! "Thread Block Clusters".

use std::panic::Location;

use lanewise_driver::abi::enums::function_attribute::NON_PORTABLE_CLUSTER_SIZE_ALLOWED;
use lanewise_driver::abi::{CUfunction, CUstream};
use lanewise_driver::api;
use lanewise_std::kernel::Kernel;

use crate::launch::with_config;
use crate::{Device, DriverError, LaunchConfig, LaunchError};

impl Device {
    /// Allows clusters of more than 8 blocks for launches of this kernel. Every device with
    /// clusters allows 8; Hopper allows up to 16.
    ///
    /// # Errors
    /// An error if the embedded module does not load, or the driver's error before
    /// compute capability 9.0.
    #[track_caller]
    pub fn allow_large_clusters<K: Kernel>(&self, _kernel: K) -> Result<(), LaunchError> {
        let at = Location::caller();
        let function = self.cluster_function::<K>(at)?;
        // SAFETY: the function is one of a loaded module.
        let result =
            unsafe { api::cuFuncSetAttribute(function, NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1) };
        DriverError::check("cuFuncSetAttribute", result, at).map_err(unanswered::<K>)
    }

    /// Returns the number of clusters of this kernel that the device runs at once in this shape. It
    /// is 0 if not even one fits.
    ///
    /// # Errors
    /// As [`Device::allow_large_clusters`].
    #[track_caller]
    pub fn max_active_clusters<K: Kernel>(
        &self,
        _kernel: K,
        config: LaunchConfig,
    ) -> Result<u32, LaunchError> {
        let at = Location::caller();
        let function = self.cluster_function::<K>(at)?;
        let mut clusters = 0;
        let result = with_config(config, CUstream::default(), |config| {
            // SAFETY: the function is one of a loaded module. The configuration and its attributes
            // live until the call returns.
            unsafe { api::cuOccupancyMaxActiveClusters(&mut clusters, function, config) }
        });
        DriverError::check("cuOccupancyMaxActiveClusters", result, at).map_err(unanswered::<K>)?;
        Ok(u32::try_from(clusters).unwrap_or(0))
    }

    fn cluster_function<K: Kernel>(
        &self,
        at: &'static Location<'static>,
    ) -> Result<CUfunction, LaunchError> {
        let function = self.kernel::<K>()?.module.function(K::NAME, at);
        function.map_err(unanswered::<K>)
    }
}

fn unanswered<K: Kernel>(source: DriverError) -> LaunchError {
    LaunchError::Unanswered {
        kernel: K::NAME.to_owned(),
        source,
    }
}
