//! The LLVM library that rustc uses, opened at run time.
//!
//! `aya-rustc-llvm-proxy` stands in for LLVM's C interface: every function of it looks itself up in
//! a shared library when it is called. Which library, it decides at the first call, by the folders
//! of `LD_LIBRARY_PATH` and `PATH`, and panics when it finds none. [`load`] makes that first call
//! safe: it opens the right file itself, and shows the proxy one folder that holds nothing else.

mod crash;
mod errors;
mod ir;
mod reading;
mod source;

use std::env;
use std::ffi::{CStr, OsString};
use std::path::Path;
use std::sync::Mutex;

use inkwell::llvm_sys::support::LLVMParseCommandLineOptions;
use inkwell::targets::{InitializationConfig, Target};

use crate::error::ToolchainError;

pub(crate) use crash::at_stage;
pub(crate) use errors::{Diagnostics, Fatal, Pending, remember_places, spawn};
pub(crate) use ir::*;
pub(crate) use reading::{link_modules, read};
pub(crate) use source::{LinesOutside, SourceIdentity, function_place, place, shown_place};

// Its symbols are LLVM's; nothing of it is named in Rust.
extern crate aya_rustc_llvm_proxy as _;

/// LLVM's own settings, which hold for the whole process; `passes/loops.rs` says why. The first
/// stands where a program's name would.
const OPTIONS: [&CStr; 3] = [
    c"lanewise-builder",
    c"-unroll-runtime=false",
    c"-disable-lsr",
];

/// Opens `library` (once a process) and makes the NVPTX target known.
pub(crate) fn load(library: &Path) -> Result<(), ToolchainError> {
    static LOADED: Mutex<bool> = Mutex::new(false);
    let mut loaded = LOADED
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner());
    if *loaded {
        return Ok(());
    }
    let fail = |reason: String| ToolchainError::LoadLlvm {
        path: library.to_owned(),
        reason,
    };

    // SAFETY: LLVM's initialisers only set up its own globals. The handle is never closed, so they
    // never run twice.
    let opened =
        unsafe { libloading::Library::new(library) }.map_err(|error| fail(error.to_string()))?;
    std::mem::forget(opened);

    let folder = tempfile::tempdir().map_err(|error| fail(error.to_string()))?;
    link(library, &folder.path().join("libLLVM.so")).map_err(|error| fail(error.to_string()))?;
    with_library_path(folder.path(), || {
        Target::initialize_nvptx(&InitializationConfig::default());
        errors::install();
        crash::install();
        set_options();
    });
    *loaded = true;
    Ok(())
}

/// Hands [`OPTIONS`] to LLVM.
fn set_options() {
    let options = OPTIONS.map(CStr::as_ptr);
    // SAFETY: as many C strings as it says, which LLVM only reads. It knows all of them: the
    // toolchain has the LLVM of `toolchain::LLVM`.
    unsafe {
        LLVMParseCommandLineOptions(options.len() as i32, options.as_ptr(), std::ptr::null());
    }
}

/// Runs `first_call` while the proxy's search path is `folder` alone.
fn with_library_path(folder: &Path, first_call: impl FnOnce()) {
    /// The variables that the proxy reads, in its order; the first folder with a library ends its
    /// search.
    const NAME: &str = if cfg!(target_os = "macos") {
        "DYLD_FALLBACK_LIBRARY_PATH"
    } else {
        "LD_LIBRARY_PATH"
    };
    let set = |value: Option<OsString>| {
        // SAFETY: Rust's own readers and writers of the environment exclude each other. A foreign
        // thread could read it without; the change lasts for one call, once in the life of the
        // process, and no other way exists to tell the proxy.
        unsafe {
            match value {
                Some(value) => env::set_var(NAME, value),
                None => env::remove_var(NAME),
            }
        }
    };
    let before = env::var_os(NAME);
    set(Some(folder.into()));
    first_call();
    set(before);
}

#[cfg(unix)]
fn link(library: &Path, name: &Path) -> std::io::Result<()> {
    std::os::unix::fs::symlink(library, name)
}

#[cfg(not(unix))]
fn link(library: &Path, name: &Path) -> std::io::Result<()> {
    std::fs::copy(library, name).map(drop)
}
