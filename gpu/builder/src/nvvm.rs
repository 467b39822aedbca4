//! The second backend: NVIDIA's own compiler from LLVM bitcode to PTX, `libnvvm.so` of
//! a CUDA toolkit.
//!
//! The library is opened at run time and is always optional. For compute_100 (Blackwell) and later
//! it reads bitcode of a recent LLVM, which has to be rustc's version or a later one ([`check`]).
//! For older targets it reads bitcode of LLVM 7, which nothing here writes.
//! Source: NVIDIA, "libNVVM API" and "NVVM IR Specification" ("Data Layout", "nvvmir.version").

use std::ffi::{CString, c_char, c_int, c_void};
use std::path::Path;
use std::ptr;

use inkwell::llvm_sys::core::{
    LLVMGetOperand, LLVMInstructionEraseFromParent, LLVMReplaceAllUsesWith, LLVMSetMetadata,
};
use inkwell::module::Module;
use inkwell::targets::TargetData;
use inkwell::values::{AsValueRef, FunctionValue};
use libloading::{Library, Symbol};

use crate::arch::Arch;
use crate::cargo::toolchain::LLVM;
use crate::error::OptionError;
use crate::llvm::{calls_of, instructions};
use crate::manifest::Floats;

/// The lowest compute capability (times ten) for which libNVVM reads the bitcode of this LLVM.
pub(crate) const FIRST: u32 = 100;

/// The data layout of types in NVVM. LLVM's own layout for the target means the same
/// and is shorter.
const LAYOUT: &str = "e-p:64:64:64-p6:32:32:32-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-i128:128:128-f32:32:32-f64:64:64-\
f128:128:128-v16:16:16-v32:32:32-v64:64:64-v128:128:128-n16:32:64-a:8:8";
/// The version of NVVM IR that the module declares, and the version of its debug information.
const VERSION: [u64; 4] = [2, 0, 3, 2];

/// The first CUDA toolkit, and the first Python package `nvidia-nvvm`, whose libNVVM reads the
/// bitcode of this rustc.
const FIRST_TOOLKIT: &str = "13.5";

/// Checks whether this libNVVM reads the bitcode of rustc's LLVM, for the targets from sm_100 on.
///
/// # Errors
/// [`OptionError::NvvmTooOld`] if it only reads the bitcode of an older LLVM,
/// [`OptionError::NvvmLibrary`] if it cannot be opened.
pub fn check(library: &Path) -> Result<(), OptionError> {
    // SAFETY: libNVVM's initialisers only set up its own globals.
    let opened = unsafe { Library::new(library) }.map_err(|error| OptionError::NvvmLibrary {
        library: library.to_owned(),
        reason: error.to_string(),
    })?;
    let reads = llvm_read_by(&opened);
    match reads {
        Some(version) if version >= LLVM => Ok(()),
        _ => Err(OptionError::NvvmTooOld {
            library: library.to_owned(),
            reads: reads.map_or_else(
                || "a release that it does not tell (CUDA 13.0 and earlier)".to_owned(),
                |version| format!("LLVM {version}"),
            ),
            written: LLVM,
            toolkit: FIRST_TOOLKIT,
        }),
    }
}

/// Returns the LLVM version whose bitcode the library reads for its newest targets. The library of
/// CUDA 13.0, which reads that of LLVM 20, has no function to return it.
fn llvm_read_by(library: &Library) -> Option<u32> {
    type Version = unsafe extern "C" fn(*const c_char, *mut c_int) -> c_int;
    let mut version = 0;
    let newest = CString::new(format!("compute_{FIRST}")).ok()?;
    call::<Version>(library, "nvvmLLVMVersion", |ask| {
        // SAFETY: the name ends in a zero, and the pointer is valid for writing a number.
        unsafe { ask(newest.as_ptr(), &mut version) }
    })
    .ok()?;
    u32::try_from(version).ok()
}

type Program = *mut c_void;

/// A program of libNVVM, which is destroyed when dropped.
struct Compilation<'lib> {
    library: &'lib Library,
    program: Program,
}

/// Returns the PTX of a module, which is converted to NVVM's form first. The error
/// is libNVVM's message.
pub(crate) fn ptx(
    library: &Path,
    module: &Module<'_>,
    arch: &Arch,
    floats: &Floats,
) -> Result<String, String> {
    module.set_data_layout(&TargetData::create(LAYOUT).get_data_layout());
    let context = module.get_context();
    let version = VERSION.map(|part| context.i32_type().const_int(part, false).into());
    module
        .add_global_metadata("nvvmir.version", &context.metadata_node(&version))
        .map_err(|error| error.to_string())?;
    remove_branch_weights(module);
    let bitcode = module.write_bitcode_to_memory();

    // SAFETY: libNVVM's initialisers only set up its own globals.
    let library = unsafe { Library::new(library) }.map_err(|error| error.to_string())?;
    let mut program = ptr::null_mut();
    call::<unsafe extern "C" fn(*mut Program) -> c_int>(&library, "nvvmCreateProgram", |create| {
        // SAFETY: the pointer is valid for writing a program.
        unsafe { create(&mut program) }
    })?;
    let compilation = Compilation {
        library: &library,
        program,
    };
    compilation.add(bitcode.as_slice())?;
    compilation.compile(&options(arch, floats))?;
    compilation.text("nvvmGetCompiledResultSize", "nvvmGetCompiledResult")
}

/// Removes what says how probable the ways of a branch are. With a weight at a check within a loop
/// whose number of turns is bounded, libNVVM 13.5 reads a null pointer and ends the process: the
/// last loop of `block_radix_rank` was such a one.
fn remove_branch_weights(module: &Module<'_>) {
    let is_hint = |function: &FunctionValue<'_>| {
        let name = function.get_name().to_bytes();
        name.starts_with(b"llvm.expect.")
    };
    for call in module.get_functions().filter(is_hint).flat_map(calls_of) {
        // SAFETY: the intrinsic returns its first argument, whose type it has.
        unsafe {
            let call = call.as_value_ref();
            LLVMReplaceAllUsesWith(call, LLVMGetOperand(call, 0));
            LLVMInstructionEraseFromParent(call);
        }
    }
    let kind = module.get_context().get_kind_id("prof");
    for instruction in module.get_functions().flat_map(instructions) {
        // SAFETY: a null pointer removes the metadata of an instruction.
        unsafe { LLVMSetMetadata(instruction.as_value_ref(), kind, ptr::null_mut()) };
    }
}

fn options(arch: &Arch, floats: &Floats) -> Vec<String> {
    let switch = |name: &str, on: bool| format!("-{name}={}", u32::from(on));
    vec![
        format!("-arch={}", arch.to_string().replace("sm_", "compute_")),
        "-opt=3".to_owned(),
        switch("ftz", floats.ftz),
        switch("prec-div", floats.prec_div),
        switch("prec-sqrt", floats.prec_sqrt),
        switch("fma", floats.fmad),
    ]
}

impl Compilation<'_> {
    fn add(&self, bitcode: &[u8]) -> Result<(), String> {
        type Add = unsafe extern "C" fn(Program, *const c_char, usize, *const c_char) -> c_int;
        call::<Add>(self.library, "nvvmAddModuleToProgram", |add| {
            // SAFETY: the program lives. The bytes are given with their length, and
            // libNVVM copies them.
            unsafe {
                add(
                    self.program,
                    bitcode.as_ptr().cast(),
                    bitcode.len(),
                    c"kernels".as_ptr(),
                )
            }
        })
    }

    fn compile(&self, options: &[String]) -> Result<(), String> {
        type Compile = unsafe extern "C" fn(Program, c_int, *const *const c_char) -> c_int;
        let options: Vec<CString> = options
            .iter()
            .filter_map(|text| CString::new(text.as_str()).ok())
            .collect();
        let pointers: Vec<_> = options.iter().map(|text| text.as_ptr()).collect();
        let count = c_int::try_from(pointers.len()).unwrap_or(0);
        call::<Compile>(self.library, "nvvmCompileProgram", |compile| {
            // SAFETY: the program lives, and so do the strings. Their number is `count`.
            unsafe { compile(self.program, count, pointers.as_ptr()) }
        })
        .map_err(|error| {
            let log = self.text("nvvmGetProgramLogSize", "nvvmGetProgramLog");
            format!("{error}\n{}", log.unwrap_or_default().trim())
        })
    }

    /// Returns a text that libNVVM gives by its size and then its bytes, with a zero at the end.
    fn text(&self, size: &str, get: &str) -> Result<String, String> {
        let mut length = 0;
        call::<unsafe extern "C" fn(Program, *mut usize) -> c_int>(self.library, size, |size| {
            // SAFETY: the program lives, and the pointer is valid for writing a number.
            unsafe { size(self.program, &mut length) }
        })?;
        let mut bytes = vec![0u8; length];
        call::<unsafe extern "C" fn(Program, *mut c_char) -> c_int>(self.library, get, |get| {
            // SAFETY: the program lives, and the buffer has the length that the function requires.
            unsafe { get(self.program, bytes.as_mut_ptr().cast()) }
        })?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        Ok(text.trim_end_matches('\0').to_owned())
    }
}

impl Drop for Compilation<'_> {
    fn drop(&mut self) {
        type Destroy = unsafe extern "C" fn(*mut Program) -> c_int;
        // A program that cannot be destroyed only uses memory.
        let _ = call::<Destroy>(self.library, "nvvmDestroyProgram", |destroy| {
            // SAFETY: the program lives and is not used again.
            unsafe { destroy(&mut self.program) }
        });
    }
}

/// Calls a function of libNVVM by name. The function's result is an error code.
fn call<F>(
    library: &Library,
    name: &str,
    run: impl FnOnce(Symbol<'_, F>) -> c_int,
) -> Result<(), String> {
    // SAFETY: the callers use the types that NVIDIA documents for these functions.
    let function =
        unsafe { library.get::<F>(name.as_bytes()) }.map_err(|error| error.to_string())?;
    match run(function) {
        0 => Ok(()),
        code => Err(format!("{name} failed with code {code}")),
    }
}
