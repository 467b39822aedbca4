//! The LLVM library that rustc uses, opened at run time.
//!
//! `aya-rustc-llvm-proxy` replaces LLVM's C interface: each of its functions finds its counterpart
//! in a shared library when it is called. The first call chooses the library from the folders of
//! `LD_LIBRARY_PATH` and `PATH`, and panics if there is none. [`load`] makes that first call safe.
//! It opens the right file itself, and gives the proxy one folder that contains nothing else.

mod constants;
mod crash;
mod errors;
mod flow;
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

pub(crate) use constants::{bytes_of, constant_bytes, pointer_and_bytes};
pub(crate) use crash::at_stage;
pub(crate) use errors::{Diagnostics, Fatal, Pending, remember_places, spawn};
pub(crate) use flow::{Flow, Loop, users};
pub(crate) use ir::*;
pub(crate) use reading::{link_modules, read};
pub(crate) use source::{LinesOutside, SourceIdentity, function_place, place, shown_place};

// Its symbols are LLVM's. Rust code names none of them.
extern crate aya_rustc_llvm_proxy as _;

/// LLVM's own settings, which apply to the whole process. The first one takes the place of a
/// program's name. Loops of a known number of iterations are unrolled up to 800 instructions, as
/// nvcc does; more need too many registers. Others are copied up to 160, so that a body of 40 is
/// there four times, as with nvcc. `passes/loops.rs` explains the next two, and
/// `passes/threading.rs` the last: the number of instructions that it may copy.
const OPTIONS: [&CStr; 6] = [
    c"lanewise-builder",
    c"-unroll-threshold=800",
    c"-unroll-partial-threshold=160",
    c"-unroll-runtime=false",
    c"-disable-lsr",
    c"-jump-threading-threshold=2",
];

/// Opens `library`, once per process, and registers the NVPTX target.
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

/// Passes [`OPTIONS`] to LLVM.
fn set_options() {
    let options = OPTIONS.map(CStr::as_ptr);
    // SAFETY: the count is the number of C strings, and LLVM only reads them. It supports all of
    // these options, because the toolchain has the LLVM of `toolchain::LLVM`.
    unsafe {
        LLVMParseCommandLineOptions(options.len() as i32, options.as_ptr(), std::ptr::null());
    }
}

/// Runs `first_call` while `folder` is the proxy's whole search path.
fn with_library_path(folder: &Path, first_call: impl FnOnce()) {
    /// The variables that the proxy reads, in its order. It stops at the first folder
    /// with a library.
    const NAME: &str = if cfg!(target_os = "macos") {
        "DYLD_FALLBACK_LIBRARY_PATH"
    } else {
        "LD_LIBRARY_PATH"
    };
    let set = |value: Option<OsString>| {
        // SAFETY: Rust's own readers and writers of the environment exclude each other. A foreign
        // thread could read it without this lock. But the change lasts for one call, once per
        // process, and there is no other way to pass the path to the proxy.
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
