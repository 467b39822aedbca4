//! Reads what `#[kernel]` records about each kernel and `#[device]` about each static, and removes
//! it from the module.
//!
//! Each kernel has a static `__lanewise_kernel.PATH` with JSON text (see [`Description`]). Each
//! static has another one called `__lanewise_static.PATH` with 16 digits (`layout` in
//! [`Static`](crate::manifest::Static)). Only the builder reads them, and they must not reach the
//! PTX. `llvm.used` and `llvm.compiler.used`, which keep such statics alive, are removed too. On
//! the device only a name makes a static useful, and named statics are kept anyway.

use std::collections::BTreeMap;

use inkwell::module::Module;

use crate::cargo::source_paths::SourcePaths;
use crate::error::CodegenError;
use crate::llvm;
use crate::manifest::Description;

/// The prefix of a description's name. The kernel's path follows it, or the kernel's name if it was
/// exported by hand.
pub(crate) const PREFIX: &str = "__lanewise_kernel.";

/// The prefix of the name of a static that describes another static. The path of the described
/// static follows it.
pub(crate) const STATIC_PREFIX: &str = "__lanewise_static.";

/// The descriptions that the module contains.
pub(crate) struct Descriptions {
    /// The kernels of the module.
    pub(crate) kernels: Vec<Described>,
    /// The digits that identify the type of each static, by the static's path.
    pub(crate) statics: BTreeMap<String, String>,
}

/// A description and the kernel that it belongs to.
pub(crate) struct Described {
    /// The kernel's symbol before it gets its final name.
    pub(crate) path: String,
    /// The description of the kernel.
    pub(crate) text: Description,
}

/// Returns the descriptions and removes them from the module.
pub(crate) fn take(module: &Module<'_>, paths: &SourcePaths) -> Result<Descriptions, CodegenError> {
    for list in ["llvm.used", "llvm.compiler.used"] {
        if let Some(global) = module.get_global(list) {
            // SAFETY: nothing can refer to these two lists.
            unsafe { global.delete() };
        }
    }
    let (mut kernels, mut statics) = (Vec::new(), BTreeMap::new());
    for global in module.get_globals().collect::<Vec<_>>() {
        let symbol = llvm::text(global.get_name());
        if let Some(path) = symbol.strip_prefix(STATIC_PREFIX) {
            if let Some(digits) = llvm::bytes_of(global) {
                statics.insert(
                    path.to_owned(),
                    String::from_utf8_lossy(&digits).into_owned(),
                );
            }
            global.set_linkage(inkwell::module::Linkage::Internal);
        }
        let Some(kernel) = symbol.strip_prefix(PREFIX) else {
            continue;
        };
        let fail = |reason: String| CodegenError::Description {
            kernel: kernel.to_owned(),
            reason,
        };
        let bytes = llvm::bytes_of(global).ok_or_else(|| fail("it is not a byte string".into()))?;
        let mut description: Description =
            serde_json::from_slice(&bytes).map_err(|error| fail(error.to_string()))?;
        description.file = paths.short(&description.file);
        if kernel.rsplit("::").next() != Some(&description.name) {
            return Err(fail(format!("it describes `{}`", description.name)));
        }
        kernels.push(Described {
            path: kernel.to_owned(),
            text: description,
        });
        // It is internal and unused, so the next removal of dead code removes it.
        global.set_linkage(inkwell::module::Linkage::Internal);
    }
    Ok(Descriptions { kernels, statics })
}
