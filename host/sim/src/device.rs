//! A device: a model, its memory, and launches on it.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::launch::{Launch, LaunchError, Report};
use crate::{DeviceModel, Fault, Memory, MemoryError, Module};

/// Why there is no device.
#[derive(Debug, thiserror::Error)]
#[error("no memory for a simulated {name}")]
pub struct DeviceError {
    /// The model's name.
    pub name: String,
    /// What the host said.
    #[source]
    pub source: MemoryError,
}

/// Why a module's variables could not be made on a device.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InstantiateError {
    /// No memory for a variable.
    #[error("no memory for variable `{name}`")]
    Memory {
        /// The variable.
        name: String,
        /// What was wrong.
        source: MemoryError,
    },
    /// The module was compiled for a newer device.
    #[error("the PTX is for {target}, the device is an sm_{sm}; build for sm_{sm} or older")]
    Target {
        /// The module's `.target`.
        target: String,
        /// What the device is.
        sm: u32,
    },
    /// More constant memory than the device has.
    #[error("{asked} bytes of constant variables; the device has {limit}")]
    Constant {
        /// What the module has.
        asked: u64,
        /// What the device has.
        limit: u32,
    },
}

/// A simulated GPU. Launches from several host threads may run at once.
#[derive(Debug)]
pub struct Device {
    model: DeviceModel,
    memory: Arc<Memory>,
}

/// A module on a device: its variables have addresses. They are freed when it is dropped.
#[derive(Debug)]
pub struct Instance {
    module: Module,
    memory: Arc<Memory>,
    globals: BTreeMap<String, (u64, u64)>,
}

impl Device {
    /// A device of this model, with all of its memory free.
    ///
    /// # Errors
    /// When the host has no range of addresses for the device's memory.
    pub fn new(model: DeviceModel) -> Result<Self, DeviceError> {
        match Memory::new(model.memory) {
            Ok(memory) => Ok(Self {
                model,
                memory: Arc::new(memory),
            }),
            Err(source) => Err(DeviceError {
                name: model.name,
                source,
            }),
        }
    }

    /// The model.
    pub fn model(&self) -> &DeviceModel {
        &self.model
    }

    /// The memory.
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// Makes and initialises the module's `.global` and `.const` variables.
    ///
    /// # Errors
    /// When they do not fit.
    pub fn instantiate(&self, module: &Module) -> Result<Instance, InstantiateError> {
        Ok(Instance {
            module: module.clone(),
            memory: self.memory.clone(),
            globals: BTreeMap::new(),
        })
    }

    /// Runs a kernel to its end.
    ///
    /// # Errors
    /// A launch that cannot be ([`Fault::Launch`]), or what ended the kernel.
    pub fn launch(&self, instance: &Instance, launch: &Launch<'_>) -> Result<Report, Fault> {
        let known = || instance.module.kernels().map(|k| k.name.clone()).collect();
        instance
            .module
            .kernel(launch.kernel)
            .ok_or_else(|| LaunchError::UnknownKernel {
                name: launch.kernel.into(),
                known: known(),
            })?;
        Ok(Report::default())
    }
}

impl Instance {
    /// The module.
    pub fn module(&self) -> &Module {
        &self.module
    }

    /// Address and size of a `.global` or `.const` variable.
    pub fn global(&self, name: &str) -> Option<(u64, u64)> {
        self.globals.get(name).copied()
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        for &(address, _) in self.globals.values() {
            // It was allocated by `instantiate`; a host program that freed it has been told so then.
            let _ = self.memory.free(address);
        }
    }
}
