//! Libraries and their kernels: code that belongs to no context (CUDA 12).
//!
//! Source: CUDA driver API reference, "Library Management". A library is read once. In each
//! context it becomes a module when the program first uses a part of it there. The module is
//! removed with the context.

use super::module::{self, MODULES, Module};
use super::texture_reference;
use crate::abi::{CUcontext, CUdevice, CUfunction, CUkernel, CUlibrary, CUmodule, Handle};
use crate::error::{Result, fail};
use crate::objects::context::primary;
use crate::objects::context::{self, Context};
use crate::objects::handle::ledger::ObjectKind;
use crate::objects::handle::origin;
use crate::objects::handle::registry::Registry;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::ffi::CString;
use std::sync::Arc;

pub(crate) static LIBRARIES: Registry<CUlibrary, Library> =
    Registry::to_give_back(ObjectKind::Library);
pub(crate) static KERNELS: Registry<CUkernel, LibraryKernel> = Registry::new();

/// Code that was loaded and belongs to no context.
#[derive(Debug)]
pub(crate) struct Library {
    pub(crate) handle: CUlibrary,
    pub(crate) code: lanewise_sim::Module,
    /// The module that it is in each context.
    modules: Mutex<HashMap<CUcontext, CUmodule>>,
    /// The kernels that were requested, so that each name has one handle.
    kernels: Mutex<HashMap<String, CUkernel>>,
}

/// A kernel of a library.
#[derive(Debug)]
pub(crate) struct LibraryKernel {
    handle: CUkernel,
    pub(crate) library: CUlibrary,
    pub(crate) kernel: lanewise_sim::Kernel,
    /// The kernel's name as a C string, for `cuKernelGetName`.
    pub(crate) c_name: CString,
}

/// Makes a library from `image`.
pub(crate) fn load(image: &[u8]) -> Result<Arc<Library>> {
    let code = module::read(image)?;
    Ok(LIBRARIES.add(|handle| Library {
        handle,
        code,
        modules: Mutex::default(),
        kernels: Mutex::default(),
    }))
}

/// Returns the library that `handle` names.
pub(crate) fn get(handle: CUlibrary) -> Result<Arc<Library>> {
    match LIBRARIES.get(handle) {
        Some(library) => Ok(library),
        None => fail!(
            ERROR_INVALID_HANDLE,
            "{:#x} is not a live library: it was unloaded, or never was one",
            handle.0
        ),
    }
}

/// Returns the kernel that `handle` names.
pub(crate) fn kernel(handle: CUkernel) -> Result<Arc<LibraryKernel>> {
    match KERNELS.get(handle) {
        Some(kernel) => Ok(kernel),
        None => fail!(
            ERROR_INVALID_HANDLE,
            "{:#x} is not a live kernel of a library: its library was unloaded, or it never was one",
            handle.0
        ),
    }
}

/// Returns whether a function's handle is really a kernel's, cast as the reference permits.
pub(crate) fn is_kernel(handle: CUfunction) -> bool {
    KERNELS.get(CUkernel::from_bits(handle.0)).is_some()
}

/// Returns the function in the current context of a kernel that is given as a function's handle.
pub(crate) fn function_here(handle: CUfunction) -> Result<CUfunction> {
    kernel(CUkernel::from_bits(handle.0))?.function(&*context::current()?)
}

impl Library {
    /// Returns the module that it is in `context`, and loads it at first use.
    pub(crate) fn module(&self, context: &Context) -> Result<Arc<Module>> {
        let mut modules = self.modules.lock();
        if let Some(module) = modules
            .get(&context.handle)
            .and_then(|&handle| MODULES.get(handle))
        {
            return Ok(module);
        }
        let module = origin::aside(|| module::instantiate(context, &self.code))?;
        modules.insert(context.handle, module.handle);
        Ok(module)
    }

    /// Returns the kernel called `name`.
    pub(crate) fn kernel(&self, name: &str) -> Result<CUkernel> {
        let Some(kernel) = self.code.kernel(name) else {
            fail!(
                ERROR_NOT_FOUND,
                "the library has no kernel `{name}`; it has {}",
                module::kernel_names(&self.code)
            )
        };
        module::runs(kernel)?;
        let mut kernels = self.kernels.lock();
        if let Some(&handle) = kernels.get(name) {
            return Ok(handle);
        }
        let kernel = KERNELS.add(|handle| LibraryKernel {
            handle,
            library: self.handle,
            kernel: kernel.clone(),
            // A PTX name contains no zero byte.
            c_name: CString::new(name).unwrap_or_default(),
        });
        kernels.insert(name.into(), kernel.handle);
        Ok(kernel.handle)
    }

    /// Removes the library, its kernels, and its modules in all contexts. Waits for the work
    /// of those contexts.
    pub(crate) fn unload(&self) {
        LIBRARIES.remove(self.handle);
        KERNELS.remove_where(|kernel| kernel.library == self.handle);
        for (context, module) in self.modules.lock().drain() {
            if let (Ok(context), Some(module)) = (context::get(context), MODULES.get(module)) {
                context.wait();
                module::unload(&module);
                texture_reference::forget(module.handle);
            }
        }
    }
}

impl LibraryKernel {
    /// Returns its function in `context`.
    pub(crate) fn function(&self, context: &Context) -> Result<CUfunction> {
        get(self.library)?
            .module(context)?
            .function(&self.kernel.name)
    }

    /// Returns its function on `device`: in the current context if that is on the device, else in
    /// the device's primary context.
    pub(crate) fn function_on(&self, device: CUdevice) -> Result<CUfunction> {
        let device = crate::objects::device::get(device)?;
        if let Ok(context) = context::current()
            && context.device.ordinal == device.ordinal
        {
            return self.function(&context);
        }
        let primary = primary::of(device).context.clone();
        match primary {
            Some(context) => self.function(&context),
            None => fail!(
                ERROR_INVALID_CONTEXT,
                "device {} has neither the current context nor an active primary one; make one current first",
                device.ordinal
            ),
        }
    }
}

/// Returns the function that `handle` names. Since CUDA 12, a library's kernel may be passed in
/// place of its function in the current context.
pub(crate) fn function(handle: CUfunction) -> Result<Arc<module::Function>> {
    match module::FUNCTIONS.get(handle) {
        Some(function) => Ok(function),
        None if is_kernel(handle) => function(function_here(handle)?),
        None => fail!(
            ERROR_INVALID_HANDLE,
            "{:#x} is not a live function: its module was unloaded, or it never was one",
            handle.0
        ),
    }
}
