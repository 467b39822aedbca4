//! The LLVM library that rustc uses, opened at run time.
//!
//! [`load`] opens the file and finds LLVM's C interface in it ([`functions`]), in a process that
//! does nothing else (`process`).

mod answer;
mod constants;
mod errors;
mod flow;
mod functions;
mod ir;
mod reading;
mod source;

use std::ffi::CStr;
use std::path::Path;

use inkwell::llvm_sys::support::LLVMParseCommandLineOptions;
use inkwell::targets::{InitializationConfig, Target};

pub(crate) use answer::{Fatal, Message, at_stage, end, has_kernels, say};
pub(crate) use constants::{bytes_of, constant_bytes, pointer_and_bytes};
pub(crate) use errors::{Diagnostics, remember_places};
pub(crate) use flow::{Flow, Loop, users};
pub(crate) use ir::*;
pub(crate) use reading::{link_modules, read};
pub(crate) use source::{LinesOutside, SourceIdentity, function_place, place, shown_place};

/// LLVM's own settings, which apply to the whole process. The first one takes the place of a
/// program's name. Loops of a known number of iterations are unrolled up to 800 instructions, as
/// nvcc does; more need too many registers. Others are copied up to 160, so that a body of 40 is
/// there four times, as with nvcc. What is left of the iterations comes first: spmv_csr_scalar,
/// whose rows are short, takes 0.89 ms in place of 0.93 on an H200 (driver 580.159.04,
/// 2026-11-28). `passes/loops.rs` explains the options around that, and `passes/threading.rs` the
/// last: the number of instructions that it may copy.
const OPTIONS: [&CStr; 7] = [
    c"lanewise-builder",
    c"-unroll-threshold=800",
    c"-unroll-partial-threshold=160",
    c"-unroll-runtime=false",
    c"-unroll-runtime-epilog=false",
    c"-disable-lsr",
    c"-jump-threading-threshold=2",
];

/// Opens `library` and registers the NVPTX target, once in this process. The error is the dynamic
/// linker's reason.
pub(crate) fn load(library: &Path) -> Result<(), String> {
    // SAFETY: LLVM's initialisers only set up its own globals. The handle is never closed, so they
    // never run twice.
    let opened = unsafe { libloading::Library::new(library) }.map_err(|error| error.to_string())?;
    functions::find(&opened)?;
    std::mem::forget(opened);
    Target::initialize_nvptx(&InitializationConfig::default());
    errors::install();
    set_options();
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
