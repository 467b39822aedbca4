//! Reads the visible part of a module of bitcode, and what that part refers to.
//!
//! The module that rustc merges contains all of `core` and lanewise-std. These are more than a
//! thousand functions, which rustc made internal, and a kernel reaches only a few of them. LLVM can
//! leave the bodies in the file until they are needed, and its linker reads only the bodies that it
//! takes. So the module is opened that way, and linked into an empty one.

use std::mem;
use std::ptr;

use inkwell::context::Context;
use inkwell::llvm_sys::bit_reader::LLVMGetBitcodeModuleInContext2;
use inkwell::llvm_sys::linker::LLVMLinkModules2;
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::Module;

/// The error of a refused module. The context's [`Diagnostics`](super::Diagnostics)
/// have the details.
#[derive(Debug, thiserror::Error)]
#[error("LLVM refused the module")]
pub(crate) struct Refused;

/// Returns the bitcode as a module, without those internal functions and variables that
/// nothing visible reaches.
pub(crate) fn read<'ctx>(context: &'ctx Context, bytes: &[u8]) -> Result<Module<'ctx>, Refused> {
    let buffer = MemoryBuffer::create_from_memory_range_copy(bytes, "bitcode");
    let mut whole = ptr::null_mut();
    // SAFETY: context and buffer are live, and the module belongs to the context. It owns the
    // buffer from now on, unless reading failed.
    let whole = unsafe {
        if LLVMGetBitcodeModuleInContext2(context.raw(), buffer.as_mut_ptr(), &mut whole) != 0 {
            return Err(Refused);
        }
        mem::forget(buffer);
        Module::new(whole)
    };
    let module = context.create_module("kernels");
    module.set_triple(&whole.get_triple());
    module.set_data_layout(&whole.get_data_layout());
    link_modules(&module, whole)?;
    Ok(module)
}

/// Links into the module what is visible in `other`, what that refers to, and what the module
/// lacks. Errors go to the context's diagnostics. Inkwell's function for this would redirect all
/// later errors to a place of its own, which no longer exists when the function returns.
pub(crate) fn link_modules<'ctx>(
    module: &Module<'ctx>,
    other: Module<'ctx>,
) -> Result<(), Refused> {
    let (into, from) = (module.as_mut_ptr(), other.as_mut_ptr());
    // The linker takes ownership, even if it fails.
    mem::forget(other);
    // SAFETY: both modules belong to one context, and the second one is not used any more.
    match unsafe { LLVMLinkModules2(into, from) } {
        0 => Ok(()),
        _ => Err(Refused),
    }
}
