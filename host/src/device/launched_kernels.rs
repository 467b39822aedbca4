//! The kernels that were launched before, each with the driver's handle, so that the next launch
//! does not look for its module and its name.

use std::any::TypeId;
use std::collections::HashMap;
use std::panic::Location;
use std::sync::{Arc, PoisonError, RwLock};

use cust::sys::CUfunction;
use lanewise_std::kernel::Kernel;

use super::Device;
use crate::{LoadError, Module};

/// The kernels of one device, by the types of their handles.
#[derive(Default)]
pub(super) struct LaunchedKernels(RwLock<HashMap<TypeId, LaunchedKernel>>);

/// A kernel's module, and its handle in it.
#[derive(Clone)]
pub(crate) struct LaunchedKernel {
    pub(crate) module: Arc<Module>,
    /// `None` if the module has no kernel of this name.
    pub(crate) function: Option<CUfunction>,
}

// SAFETY: the driver may be called with the handle from any thread.
unsafe impl Send for LaunchedKernel {}
// SAFETY: as for `Send`, and nothing here changes through `&self`.
unsafe impl Sync for LaunchedKernel {}

impl Device {
    /// Returns the kernel. The first call loads its module, which the device keeps from then on.
    #[track_caller]
    pub(crate) fn kernel<K: Kernel>(&self) -> Result<LaunchedKernel, LoadError> {
        let (kernels, key) = (&self.0.kernels.0, TypeId::of::<K>());
        {
            let kernels = kernels.read().unwrap_or_else(PoisonError::into_inner);
            if let Some(kernel) = kernels.get(&key) {
                return Ok(kernel.clone());
            }
        }
        let module = self.module_of::<K>()?;
        let function = module.function(K::NAME, Location::caller()).ok();
        let kernel = LaunchedKernel { module, function };
        if function.is_some() {
            let mut kernels = kernels.write().unwrap_or_else(PoisonError::into_inner);
            kernels.insert(key, kernel.clone());
        }
        Ok(kernel)
    }
}
