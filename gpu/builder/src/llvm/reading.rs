//! Reads bitcode, and of it what is visible and what that refers to.
//!
//! The module that rustc merges holds `core` and lanewise-std whole: more than a thousand
//! functions, which rustc made internal, where a kernel reaches a few. LLVM can leave the bodies in
//! the file until they are asked for, and its linker asks for what it takes: so the module is
//! opened that way, and linked into an empty one.

use std::mem;
use std::ptr;

use inkwell::context::Context;
use inkwell::llvm_sys::bit_reader::LLVMGetBitcodeModuleInContext2;
use inkwell::llvm_sys::linker::LLVMLinkModules2;
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::Module;

/// What the context's [`Diagnostics`](super::Diagnostics) say more of.
#[derive(Debug, thiserror::Error)]
#[error("LLVM refused the module")]
pub(crate) struct Refused;

/// The bitcode as a module, without functions and variables that are internal and that nothing
/// visible reaches.
pub(crate) fn read<'ctx>(context: &'ctx Context, bytes: &[u8]) -> Result<Module<'ctx>, Refused> {
    let buffer = MemoryBuffer::create_from_memory_range_copy(bytes, "bitcode");
    let mut whole = ptr::null_mut();
    // SAFETY: context and buffer are live, and the module is the context's. It owns the buffer from
    // now on, unless there is none.
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

/// Takes what is visible in `other`, what that refers to, and what the module lacks into the
/// module. Errors go to the context's diagnostics: inkwell's function of this kind has them go to a
/// place of its own from then on, which is gone when it returns.
pub(crate) fn link_modules<'ctx>(
    module: &Module<'ctx>,
    other: Module<'ctx>,
) -> Result<(), Refused> {
    let (into, from) = (module.as_mut_ptr(), other.as_mut_ptr());
    // The linker takes it, whatever comes of that.
    mem::forget(other);
    // SAFETY: two modules of one context, of which nobody uses the second any more.
    match unsafe { LLVMLinkModules2(into, from) } {
        0 => Ok(()),
        _ => Err(Refused),
    }
}
