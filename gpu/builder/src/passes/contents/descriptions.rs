//! Reads what `#[kernel]` says about each kernel, and takes it out of the module.
//!
//! Beside a kernel stands a static `__lanewise_kernel.PATH` with JSON text (see [`Description`]). It is for us and must not reach
//! the PTX. `llvm.used` and `llvm.compiler.used`, which hold on to such statics, go too: on the device
//! only a name can make a static useful, and named statics are kept anyway.

use inkwell::module::Module;

use crate::cargo::source_paths::SourcePaths;
use crate::error::CodegenError;
use crate::llvm;
use crate::manifest::Description;

/// What a description's name begins with; the kernel's path, or its name if it was exported by hand, comes behind.
pub(crate) const PREFIX: &str = "__lanewise_kernel.";

/// A description and the kernel that it is of.
pub(crate) struct Described {
    /// The kernel's symbol so far.
    pub(crate) path: String,
    /// What is said of it.
    pub(crate) text: Description,
}

/// The descriptions; the module no longer has them.
pub(crate) fn take(
    module: &Module<'_>,
    paths: &SourcePaths,
) -> Result<Vec<Described>, CodegenError> {
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
        let mut description: Description =
            serde_json::from_slice(&bytes).map_err(|error| fail(error.to_string()))?;
        description.file = paths.short(&description.file);
        if kernel.rsplit("::").next() != Some(&description.name) {
            return Err(fail(format!("it describes `{}`", description.name)));
        }
        descriptions.push(Described {
            path: kernel.to_owned(),
            text: description,
        });
        // Internal and unused: the next removal of dead code takes it.
        global.set_linkage(inkwell::module::Linkage::Internal);
    }
    Ok(descriptions)
}
