//! Reads what `#[kernel]` says about each kernel and `#[device]` about each static, and takes it
//! out of the module.
//!
//! Beside a kernel stands a static `__lanewise_kernel.PATH` with JSON text (see [`Description`]),
//! beside a static one called `__lanewise_static.PATH` with 16 digits (`layout` in
//! [`Static`](crate::manifest::Static)). They are for us and must not reach the PTX. `llvm.used`
//! and `llvm.compiler.used`, which hold on to such statics, go too: on the device only a name can
//! make a static useful, and named statics are kept anyway.

use std::collections::BTreeMap;

use inkwell::module::Module;

use crate::cargo::source_paths::SourcePaths;
use crate::error::CodegenError;
use crate::llvm;
use crate::manifest::Description;

/// What a description's name begins with; the kernel's path, or its name if it was exported by
/// hand, comes behind.
pub(crate) const PREFIX: &str = "__lanewise_kernel.";

/// What the name of a static begins with that says of another one what it holds; that one's path
/// comes behind.
pub(crate) const STATIC_PREFIX: &str = "__lanewise_static.";

/// What the module says of itself.
pub(crate) struct Descriptions {
    /// The kernels of the module.
    pub(crate) kernels: Vec<Described>,
    /// Of each static, by its path, the digits that stand for what it holds.
    pub(crate) statics: BTreeMap<String, String>,
}

/// A description and the kernel that it is of.
pub(crate) struct Described {
    /// The kernel's symbol so far.
    pub(crate) path: String,
    /// What is said of it.
    pub(crate) text: Description,
}

/// The descriptions; the module no longer has them.
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
        // Internal and unused: the next removal of dead code takes it.
        global.set_linkage(inkwell::module::Linkage::Internal);
    }
    Ok(Descriptions { kernels, statics })
}
