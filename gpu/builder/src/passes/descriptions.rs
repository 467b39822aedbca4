//! Reads what `#[kernel]` says about each kernel, and takes it out of the module.
//!
//! Beside a kernel `NAME` stands a static `__lanewise_kernel.NAME` with JSON text (see [`Description`]). It is for us and
//! must not reach the PTX. `llvm.used` and `llvm.compiler.used`, which hold on to such statics, go too: on the device
//! only a name can make a static useful, and named statics are kept anyway.

use inkwell::module::Module;

use crate::error::CodegenError;
use crate::llvm;
use crate::manifest::Description;

const PREFIX: &str = "__lanewise_kernel.";

/// The descriptions by name; the module no longer has them.
pub(super) fn take(module: &Module<'_>) -> Result<Vec<Description>, CodegenError> {
    for list in ["llvm.used", "llvm.compiler.used"] {
        if let Some(global) = module.get_global(list) {
            // SAFETY: nothing can refer to these two lists.
            unsafe { global.delete() };
        }
    }
    let mut descriptions = Vec::new();
    for global in module.get_globals().collect::<Vec<_>>() {
        let symbol = llvm::text(global.get_name());
        let Some(kernel) = symbol.strip_prefix(PREFIX) else {
            continue;
        };
        let fail = |reason: String| CodegenError::Description {
            kernel: kernel.to_owned(),
            reason,
        };
        let bytes = llvm::bytes_of(global).ok_or_else(|| fail("it is not a byte string".into()))?;
        let description: Description =
            serde_json::from_slice(&bytes).map_err(|error| fail(error.to_string()))?;
        if description.name != kernel {
            return Err(fail(format!("it describes `{}`", description.name)));
        }
        descriptions.push(description);
        // Internal and unused: the next removal of dead code takes it.
        global.set_linkage(inkwell::module::Linkage::Internal);
    }
    descriptions.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(descriptions)
}
