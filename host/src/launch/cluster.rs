//! How large the clusters of a device can be, beyond what every device takes, and how many of them
//! run at once.
//!
//! A launch is cut into clusters by [`LaunchConfig::with_cluster`], or by the kernel's
//! `#[cluster_launch]`.
//! Source: CUDA driver API, `cuOccupancyMaxActiveClusters`,
//! `CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED`; CUDA C++ Programming Guide, "Thread Block
//! Clusters".

use std::panic::Location;

use lanewise_driver::abi::enums::function_attribute::NON_PORTABLE_CLUSTER_SIZE_ALLOWED;
use lanewise_driver::abi::{CUfunction, CUstream};
use lanewise_driver::api;
use lanewise_std::kernel::Kernel;

use crate::launch::with_config;
use crate::{Device, DriverError, LaunchConfig, LaunchError};

impl Device {
    /// Lets launches of this kernel ask for clusters of more than the 8 blocks that every device
    /// takes: 16 on Hopper.
    ///
    /// # Errors
    /// When the embedded module does not load; the driver's error, before compute capability 9.0.
    #[track_caller]
    pub fn allow_large_clusters<K: Kernel>(&self, _kernel: K) -> Result<(), LaunchError> {
        let at = Location::caller();
        let function = self.cluster_function::<K>(at)?;
        // SAFETY: the function is the module's, which is loaded.
        let result =
            unsafe { api::cuFuncSetAttribute(function, NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1) };
        DriverError::check_code("cuFuncSetAttribute", result, at).map_err(unanswered::<K>)
    }

    /// Clusters of this kernel that the device runs at once, in this shape; 0 where not even one
    /// fits.
    ///
    /// # Errors
    /// What [`Device::allow_large_clusters`] fails with.
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
            // SAFETY: the function is the module's, which is loaded; the configuration and its
            // attributes live meanwhile.
            unsafe { api::cuOccupancyMaxActiveClusters(&mut clusters, function, config) }
        });
        DriverError::check_code("cuOccupancyMaxActiveClusters", result, at)
            .map_err(unanswered::<K>)?;
        Ok(u32::try_from(clusters).unwrap_or(0))
    }

    fn cluster_function<K: Kernel>(
        &self,
        at: &'static Location<'static>,
    ) -> Result<CUfunction, LaunchError> {
        let function = self.module_of::<K>()?.function(K::NAME, at);
        Ok(CUfunction(
            function.map_err(unanswered::<K>)?.expose_provenance(),
        ))
    }
}

fn unanswered<K: Kernel>(source: DriverError) -> LaunchError {
    LaunchError::Unanswered {
        kernel: K::NAME.to_owned(),
        source,
    }
}
