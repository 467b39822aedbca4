//! Modules and functions: PTX that was loaded into a context.
//!
//! [`super::image`] describes the kinds of images.

use super::{image, panics};
use crate::abi::enums::function_attribute as attribute;
use crate::abi::{CUcontext, CUfunction, CUmodule, CUresult};
use crate::error::{Error, Result, fail};
use crate::objects::context::Context;
use crate::objects::device::with_causes;
use crate::objects::handle::ledger::ObjectKind;
use crate::objects::handle::registry::Registry;
use lanewise_sim::{InstantiateError, Kernel, LoadError};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::ffi::CString;
use std::sync::{Arc, Weak};

pub(crate) static MODULES: Registry<CUmodule, Module> = Registry::to_give_back(ObjectKind::Module);
pub(crate) static FUNCTIONS: Registry<CUfunction, Function> = Registry::new();

/// Code and variables in a context.
#[derive(Debug)]
pub(crate) struct Module {
    pub(crate) handle: CUmodule,
    pub(crate) context: CUcontext,
    pub(crate) instance: Arc<lanewise_sim::Instance>,
    /// Where its kernels store a panic, if they do.
    panics: Option<Arc<panics::Place>>,
    /// The functions that were requested, so that each name has one handle.
    functions: Mutex<HashMap<String, CUfunction>>,
}

/// A kernel of a module, with its settings by the program.
#[derive(Debug)]
pub(crate) struct Function {
    pub(crate) handle: CUfunction,
    pub(crate) module: CUmodule,
    pub(crate) context: CUcontext,
    pub(crate) instance: Arc<lanewise_sim::Instance>,
    pub(crate) panics: Option<Arc<panics::Place>>,
    pub(crate) kernel: Kernel,
    /// The kernel's name as a C string, for `cuFuncGetName`.
    pub(crate) c_name: CString,
    pub(crate) settings: Mutex<Settings>,
}

/// The settings that the `cuFuncSet*` calls change.
#[derive(Debug, Clone, Default)]
pub(crate) struct Settings {
    /// Bytes of dynamic shared memory that a launch may use; `None` while the
    /// default limit applies.
    pub(crate) max_dynamic_shared: Option<u32>,
    /// Preferred percentage of the L1 cache for shared memory; -1 for no preference.
    pub(crate) carveout: Option<i32>,
    pub(crate) cluster_must_be_set: bool,
    pub(crate) cluster: [u32; 3],
    pub(crate) non_portable_cluster: bool,
    pub(crate) cluster_policy: u32,
    /// The `CUsharedconfig`, if it was set for this function.
    pub(crate) shared_config: Option<u32>,
    pub(crate) legacy: Legacy,
}

/// The values that the launch calls of CUDA 3 and before set one by one.
#[derive(Debug, Clone, Default)]
pub(crate) struct Legacy {
    pub(crate) block: Option<[u32; 3]>,
    pub(crate) shared: u32,
    pub(crate) params: Vec<u8>,
}

/// An image, and the instance made from it.
type Loaded = (Box<[u8]>, Weak<lanewise_sim::Instance>);

/// The images that contexts have loaded. A program with several devices loads the same image for
/// each, and it is read only once.
static LOADED: Mutex<Vec<Loaded>> = Mutex::new(Vec::new());

/// Loads `image` into `context`.
pub(crate) fn load(context: &Context, image: &[u8]) -> Result<Arc<Module>> {
    let known = {
        let mut loaded = LOADED.lock();
        loaded.retain(|(_, instance)| instance.strong_count() > 0);
        let known = loaded.iter().find(|(text, _)| **text == *image);
        known.and_then(|(_, instance)| instance.upgrade())
    };
    if let Some(instance) = known {
        return instantiate(context, instance.module());
    }
    let module = instantiate(context, &read(image)?)?;
    let instance = Arc::downgrade(&module.instance);
    LOADED.lock().push((image.into(), instance));
    Ok(module)
}

/// Reads, checks and decodes `image`. No context is needed for that.
pub(crate) fn read(image: &[u8]) -> Result<lanewise_sim::Module> {
    let texts = image::texts(image).map_err(Error::aloud)?;
    let texts: Vec<&str> = texts.iter().map(|text| &**text).collect();
    let module = lanewise_sim::Module::link(&texts).map_err(load_error)?;
    if let Some((major, minor)) = module.newer_than_known() {
        let (known, after) = lanewise_sim::ptx::NEWEST;
        crate::log::warn(&format!(
            "the text is PTX {major}.{minor}; {known}.{after} and before are known, and what is new in it is refused kernel by kernel"
        ));
    }
    Ok(module)
}

/// Loads code that was read into `context`. Its variables get their initial values.
pub(crate) fn instantiate(context: &Context, module: &lanewise_sim::Module) -> Result<Arc<Module>> {
    let instance = Arc::new(
        context
            .device
            .sim
            .instantiate(module)
            .map_err(instantiate_error)?,
    );
    Ok(MODULES.add(|handle| Module {
        handle,
        context: context.handle,
        panics: panics::Place::of(context.device, &instance),
        instance,
        functions: Mutex::default(),
    }))
}

/// Returns the names of the kernels of `module`, for a message.
pub(crate) fn kernel_names(module: &lanewise_sim::Module) -> String {
    let names: Vec<_> = module
        .kernels()
        .map(|kernel| format!("`{}`", kernel.name))
        .collect();
    if names.is_empty() {
        "none".into()
    } else {
        names.join(", ")
    }
}

/// Refuses a kernel that contains unsupported instructions when the program requests it, as a
/// driver with lazy loading does.
pub(crate) fn runs(kernel: &Kernel) -> Result<()> {
    match &kernel.refused {
        None => Ok(()),
        Some(error) => Err(Error::loud(
            CUresult::ERROR_NOT_SUPPORTED,
            format!(
                "kernel `{}` cannot run on the simulator: {}",
                kernel.name,
                with_causes(error)
            ),
        )),
    }
}

/// Converts the error of PTX that does not load to the code that a driver's own compiler gives. A
/// target newer than the device is no exception (rust-cuda issue 410: `InvalidPtx` for sm_75 on an
/// sm_61). `INVALID_PTX` means that a GPU's compiler would refuse the text. `NOT_SUPPORTED` means
/// that only the simulator does not support it. Few programs print the reason, so the driver does.
pub(crate) fn load_error(error: LoadError) -> Error {
    let code = match &error {
        LoadError::Unsupported { .. } => CUresult::ERROR_NOT_SUPPORTED,
        _ => CUresult::ERROR_INVALID_PTX,
    };
    Error::loud(code, with_causes(&error))
}

fn instantiate_error(error: InstantiateError) -> Error {
    let code = match &error {
        InstantiateError::Memory { .. } => CUresult::ERROR_OUT_OF_MEMORY,
        _ => CUresult::ERROR_INVALID_PTX,
    };
    Error::loud(code, with_causes(&error))
}

/// Returns the module that `handle` names.
pub(crate) fn get(handle: CUmodule) -> Result<Arc<Module>> {
    match MODULES.get(handle) {
        Some(module) => Ok(module),
        None => fail!(
            ERROR_INVALID_HANDLE,
            "{:#x} is not a live module: it was unloaded, or never was one",
            handle.0
        ),
    }
}

impl Module {
    /// Returns the function for the kernel called `name`.
    pub(crate) fn function(&self, name: &str) -> Result<CUfunction> {
        let module = self.instance.module();
        let Some(kernel) = module.kernel(name) else {
            fail!(
                ERROR_NOT_FOUND,
                "the module has no kernel `{name}`; it has {}",
                kernel_names(module)
            )
        };
        runs(kernel)?;
        let mut functions = self.functions.lock();
        if let Some(&handle) = functions.get(name) {
            return Ok(handle);
        }
        let function = FUNCTIONS.add(|handle| Function {
            handle,
            module: self.handle,
            context: self.context,
            instance: self.instance.clone(),
            panics: self.panics.clone(),
            kernel: kernel.clone(),
            // A PTX name contains no zero byte.
            c_name: CString::new(name).unwrap_or_default(),
            settings: Mutex::new(Settings {
                cluster: kernel.cluster.unwrap_or([0; 3]),
                ..Settings::default()
            }),
        });
        functions.insert(name.into(), function.handle);
        Ok(function.handle)
    }

    /// Returns the address and size of the variable called `name`.
    pub(crate) fn global(&self, name: &str) -> Result<(u64, u64)> {
        match self.instance.global(name) {
            Some(found) => Ok(found),
            None => fail!(
                ERROR_NOT_FOUND,
                "the module has no variable `{name}`; a Rust static needs #[unsafe(no_mangle)] and must be used by a kernel"
            ),
        }
    }
}

/// Removes a module and its functions. Its variables are freed when no launch uses them any more.
pub(crate) fn unload(module: &Module) {
    MODULES.remove(module.handle);
    FUNCTIONS.remove_where(|function| function.module == module.handle);
}

/// Removes all modules of a context.
pub(crate) fn unload_all(context: CUcontext) {
    MODULES.remove_where(|module| module.context == context);
    FUNCTIONS.remove_where(|function| function.context == context);
}

impl Function {
    /// Returns its context, which must be usable.
    pub(crate) fn context(&self) -> Result<Arc<Context>> {
        let context = crate::objects::context::get(self.context)?;
        context.check()?;
        Ok(context)
    }

    /// Returns the largest amount of dynamic shared memory that a launch may use now.
    pub(crate) fn dynamic_shared_limit(&self, model: &lanewise_sim::DeviceModel) -> u32 {
        let default = model
            .limits
            .shared_per_block
            .saturating_sub(self.kernel.static_shared);
        self.settings.lock().max_dynamic_shared.unwrap_or(default)
    }

    /// Returns the value of a `CUfunction_attribute`.
    pub(crate) fn attribute(&self, model: &lanewise_sim::DeviceModel, which: u32) -> Result<i32> {
        let settings = self.settings.lock().clone();
        let value = match which {
            attribute::MAX_THREADS_PER_BLOCK => i64::from(self.kernel.most_threads(model)),
            attribute::SHARED_SIZE_BYTES => i64::from(self.kernel.static_shared),
            attribute::CONST_SIZE_BYTES => 0,
            attribute::LOCAL_SIZE_BYTES => i64::from(self.kernel.local_bytes),
            attribute::NUM_REGS => i64::from(self.kernel.registers),
            // The PTX version is the text's target, the binary version is the device's own: the
            // driver compiles the one to the other.
            attribute::PTX_VERSION => i64::from(self.instance.module().target()),
            attribute::BINARY_VERSION => i64::from(model.sm()),
            attribute::CACHE_MODE_CA => 0,
            attribute::MAX_DYNAMIC_SHARED_SIZE_BYTES => i64::from(self.dynamic_shared_limit(model)),
            attribute::PREFERRED_SHARED_MEMORY_CARVEOUT => {
                i64::from(settings.carveout.unwrap_or(-1))
            }
            attribute::CLUSTER_SIZE_MUST_BE_SET => i64::from(settings.cluster_must_be_set),
            attribute::REQUIRED_CLUSTER_WIDTH => i64::from(settings.cluster[0]),
            attribute::REQUIRED_CLUSTER_HEIGHT => i64::from(settings.cluster[1]),
            attribute::REQUIRED_CLUSTER_DEPTH => i64::from(settings.cluster[2]),
            attribute::NON_PORTABLE_CLUSTER_SIZE_ALLOWED => {
                i64::from(settings.non_portable_cluster)
            }
            attribute::CLUSTER_SCHEDULING_POLICY_PREFERENCE => i64::from(settings.cluster_policy),
            _ => fail!(ERROR_INVALID_VALUE, "{which} is no CUfunction_attribute"),
        };
        Ok(i32::try_from(value).unwrap_or(i32::MAX))
    }
}
