//! A device: a model, its memory, and launches on it.

use std::sync::{Arc, OnceLock};

use crate::image::{Images, Object};
use crate::launch::limits;
use crate::launch::{Launch, Report};
use crate::machine::control::heap::Heap;
use crate::machine::launch::family;
use crate::machine::program::{PresetRow, Reference, Value, Variable, VariableSpace};
use crate::memory::window;
use crate::report::LaunchError;
use crate::{AllocationKind, DeviceModel, Fault, Kernel, Memory, MemoryError, Module};

/// The reason why a device could not be created.
#[derive(Debug, thiserror::Error)]
#[error("no memory for a simulated {name}")]
pub struct DeviceError {
    /// The name of the model, such as `H200`.
    pub name: String,
    /// Why the memory could not be reserved.
    #[source]
    pub source: MemoryError,
}

/// The reason why a module could not be instantiated on a device.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InstantiateError {
    /// There is no memory left for a variable.
    #[error("no memory for variable `{name}`")]
    Memory {
        /// The variable's name in the PTX.
        name: String,
        /// Why the allocation failed.
        source: MemoryError,
    },
    /// The module was compiled for a newer device, or only for another device (`sm_90a`).
    #[error("the PTX is for {target}, the device is an sm_{sm}; build for sm_{sm} or older")]
    Target {
        /// The module's `.target`.
        target: String,
        /// The device's target, as in 90 for sm_90.
        sm: u32,
    },
    /// More constant memory than the device has.
    #[error("{asked} bytes of constant variables; the device has {limit}")]
    Constant {
        /// Bytes of constant memory in the module.
        asked: u64,
        /// Bytes of constant memory on the device.
        limit: u32,
    },
}

/// A simulated GPU. Several host threads may run launches on it at the same time.
#[derive(Debug)]
pub struct Device {
    model: DeviceModel,
    memory: Arc<Memory>,
    images: Arc<Images>,
    heap: OnceLock<Heap>,
}

/// A module on a device, with addresses for its variables. Dropping it frees them.
#[derive(Debug)]
pub struct Instance {
    module: Module,
    memory: Arc<Memory>,
    images: Arc<Images>,
    /// The address of every variable in its own state space, in the order of the program.
    addresses: Vec<u64>,
    /// The constant rows of every function, with the addresses filled in.
    rows: Vec<Vec<PresetRow>>,
}

impl Device {
    /// Makes a device of this model. All of its memory is free.
    ///
    /// # Errors
    /// The host has no range of addresses for the device's memory.
    pub fn new(model: DeviceModel) -> Result<Self, DeviceError> {
        match Memory::new(model.memory) {
            Ok(memory) => Ok(Self {
                model,
                memory: Arc::new(memory),
                images: Arc::default(),
                heap: OnceLock::new(),
            }),
            Err(source) => Err(DeviceError {
                name: model.name,
                source,
            }),
        }
    }

    /// Returns the device's model.
    pub fn model(&self) -> &DeviceModel {
        &self.model
    }

    /// Returns the device's memory, which all its instances share.
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// Returns the device's textures and surfaces.
    pub fn images(&self) -> &Images {
        &self.images
    }

    /// Allocates and initialises the module's `.global` and `.const` variables.
    ///
    /// # Errors
    /// The variables do not fit, or the module is for another or a newer device.
    pub fn instantiate(&self, module: &Module) -> Result<Instance, InstantiateError> {
        let program = &module.inner.program;
        let sm = self.model.sm();
        if let Some(target) = program.target.filter(|target| !target.runs_on(sm)) {
            return Err(InstantiateError::Target {
                target: target.to_string(),
                sm,
            });
        }
        let constant = program
            .variables
            .iter()
            .filter(|v| v.space == VariableSpace::Constant);
        let asked = constant.map(|v| v.size).sum::<u64>();
        if asked > u64::from(self.model.limits.constant) {
            return Err(InstantiateError::Constant {
                asked,
                limit: self.model.limits.constant,
            });
        }
        let mut instance = Instance {
            module: module.clone(),
            memory: self.memory.clone(),
            images: self.images.clone(),
            addresses: Vec::new(),
            rows: Vec::new(),
        };
        for variable in &program.variables {
            let address = self.place(variable)?;
            instance.addresses.push(address);
        }
        for (variable, &address) in program.variables.iter().zip(&instance.addresses) {
            instance.initialise(variable, address);
        }
        instance.rows = program
            .functions
            .iter()
            .map(|f| f.rows.iter().map(|row| instance.resolve(row)).collect())
            .collect();
        Ok(instance)
    }

    /// Returns the address of a variable in its own state space. Allocates memory for it if
    /// it needs any.
    fn place(&self, variable: &Variable) -> Result<u64, InstantiateError> {
        let name = || variable.name.as_str().into();
        let kind = match variable.space {
            VariableSpace::Global => AllocationKind::Global(name()),
            VariableSpace::Managed => AllocationKind::Managed,
            VariableSpace::Constant => AllocationKind::Constant(name()),
            VariableSpace::Shared(offset) => {
                return Ok(u64::from(self.model.limits.shared_reserved) + u64::from(offset));
            }
            VariableSpace::DynamicShared => return Ok(0),
            VariableSpace::Function(index) => return Ok(window::function_address(index)),
            VariableSpace::Reference(Reference::Texture) => {
                return Ok(self.images.add(Object::UnboundTexture));
            }
            VariableSpace::Reference(Reference::Surface) => {
                return Ok(self.images.add(Object::UnboundSurface));
            }
        };
        self.memory
            .allocate(variable.size.max(1), variable.align, kind, None)
            .map_err(|source| InstantiateError::Memory {
                name: variable.name.clone(),
                source,
            })
    }

    /// Checks the shape of a launch without running it. Does not check the parameters.
    ///
    /// # Errors
    /// The error of [`Device::launch`] for this shape.
    pub fn check(&self, kernel: &Kernel, launch: &Launch<'_>) -> Result<(), LaunchError> {
        limits::check_on_model(&self.model, kernel, launch).map(drop)
    }

    /// Runs a kernel to its end.
    ///
    /// # Errors
    /// [`Fault::Launch`] if nothing ran, else the fault that ended the kernel.
    pub fn launch(&self, instance: &Instance, launch: &Launch<'_>) -> Result<Report, Fault> {
        if !Arc::ptr_eq(&self.memory, &instance.memory) {
            return Err(LaunchError::OtherDevice.into());
        }
        let program = &instance.module.inner.program;
        let heap = if program.heap {
            self.heap(launch)?
        } else {
            &NO_HEAP
        };
        if !launch.checks.init {
            self.memory.all_written();
        }
        family::launch(
            &self.model,
            (&self.memory, &self.images),
            heap,
            program,
            &instance.rows,
            launch,
        )
    }

    /// Returns the heap for `malloc` in kernels. The first launch of a kernel that uses
    /// it allocates it.
    fn heap(&self, launch: &Launch<'_>) -> Result<&Heap, LaunchError> {
        if let Some(heap) = self.heap.get() {
            return Ok(heap);
        }
        let size = launch.heap.unwrap_or(self.model.limits.heap);
        let base = self.memory.allocate(size, 16, AllocationKind::Heap, None)?;
        Ok(self.heap.get_or_init(|| Heap::new(base, size)))
    }
}

/// The heap of launches that allocate nothing.
static NO_HEAP: Heap = Heap::empty();

impl Instance {
    /// Returns the instance's module.
    pub fn module(&self) -> &Module {
        &self.module
    }

    /// Returns the address and the size of a `.global` or `.const` variable.
    pub fn global(&self, name: &str) -> Option<(u64, u64)> {
        let program = &self.module.inner.program;
        let at = program
            .variables
            .iter()
            .position(|v| v.name == name && v.visible && in_memory(v))?;
        Some((self.addresses[at], program.variables[at].size))
    }

    /// Returns the handle of a `.texref` variable of this name.
    pub fn texture_reference(&self, name: &str) -> Option<u64> {
        self.reference(name, Reference::Texture)
    }

    /// Returns the handle of a `.surfref` variable of this name.
    pub fn surface_reference(&self, name: &str) -> Option<u64> {
        self.reference(name, Reference::Surface)
    }

    fn reference(&self, name: &str, kind: Reference) -> Option<u64> {
        let space = VariableSpace::Reference(kind);
        let variables = &self.module.inner.program.variables;
        let at = variables
            .iter()
            .position(|v| v.name == name && v.space == space)?;
        Some(self.addresses[at])
    }

    /// Writes the initial contents of a variable.
    fn initialise(&self, variable: &Variable, address: u64) {
        if !in_memory(variable) || variable.image.is_empty() {
            return;
        }
        let mut image = variable.image.clone();
        for place in &variable.addresses {
            let of = &self.module.inner.program.variables[place.variable as usize];
            let mut value = self.addresses[place.variable as usize];
            if place.generic && matches!(of.space, VariableSpace::Shared(_)) {
                value += window::SHARED;
            }
            let value = value.wrapping_add_signed(place.offset) >> place.shift;
            image[place.at..place.at + place.width]
                .copy_from_slice(&value.to_le_bytes()[..place.width]);
        }
        // SAFETY: `place` allocated the variable's size at this address. The decoder checked that
        // the image is no larger. No kernel uses the variable yet.
        unsafe { (address as *mut u8).copy_from_nonoverlapping(image.as_ptr(), image.len()) };
    }

    /// Returns a constant row with its address filled in.
    fn resolve(&self, row: &PresetRow) -> PresetRow {
        match row.value {
            Value::Symbol(variable, offset) => {
                let address = self.addresses[variable as usize].wrapping_add_signed(offset);
                PresetRow {
                    value: Value::Bits(u128::from(address)),
                    ..*row
                }
            }
            _ => *row,
        }
    }
}

/// Returns whether a variable has memory of its own.
fn in_memory(variable: &Variable) -> bool {
    matches!(
        variable.space,
        VariableSpace::Global | VariableSpace::Managed | VariableSpace::Constant
    )
}

impl Drop for Instance {
    fn drop(&mut self) {
        for (variable, &address) in self
            .module
            .inner
            .program
            .variables
            .iter()
            .zip(&self.addresses)
        {
            if in_memory(variable) {
                // `instantiate` allocated it. If the host program has freed it, that call has
                // returned the error already.
                let _ = self.memory.free(address);
            }
            if matches!(variable.space, VariableSpace::Reference(_)) {
                self.images.remove(address);
            }
        }
    }
}
