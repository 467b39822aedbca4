//! Supplies the functions of a compiler's run-time library.
//!
//! On other targets LLVM and rustc leave some operations to functions of a separate library.
//! NVPTX has no such library. Slices whose length is not known at compile time are compared
//! by a call of `memcmp`, which nothing defines. At `x as f64` for a 128-bit `x`, LLVM's
//! backend stops ("unsupported library call operation"). And it computes `x % y` of floats
//! as `x - trunc(x / y) * y`. All digits of this are wrong if the quotient has more digits
//! than a float.
//!
//! The functions are in `runtime_library.ll`. Missing functions are linked in, and each such
//! operation becomes a call, which may be inlined like any other call.
//!
//! Source: the Rust reference, "Numeric cast" (rounding, saturation); LLVM Language Reference,
//! "llvm.fptoui.sat"; `core`, module documentation, "How to use the core library" (what it expects
//! of the platform).

use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::{Linkage, Module};
use inkwell::values::{FunctionValue, InstructionOpcode, InstructionValue};

use crate::error::CodegenError;
use crate::llvm;
use crate::passes::Options;

/// The functions as LLVM text.
const LIBRARY: &[u8] = include_bytes!("runtime_library.ll");

/// Links the missing functions, and calls them where an operation needs them.
pub(crate) fn link(module: &Module<'_>, options: &Options) -> Result<(), CodegenError> {
    let failed = |error: String| options.failed("linking of the run-time library", error);
    let text = MemoryBuffer::create_from_memory_range_copy(LIBRARY, "runtime_library.ll");
    let library = module
        .get_context()
        .create_module_from_ir(text)
        .map_err(|error| failed(error.to_string()))?;
    library.set_triple(&module.get_triple());
    library.set_data_layout(&module.get_data_layout());
    let functions: Vec<_> = library
        .get_functions()
        .filter(|function| is_defined(*function))
        .map(|function| (llvm::name(function), function.get_type()))
        .collect();

    // LLVM's linker takes from the library only what is declared and not defined.
    let operations: Vec<_> = module
        .get_functions()
        .flat_map(llvm::instructions)
        .filter_map(|instruction| Some((instruction, operation(instruction)?)))
        .collect();
    for (name, ty) in &functions {
        let is_wanted = operations.iter().any(|(_, wanted)| wanted == name);
        if is_wanted && module.get_function(name).is_none() {
            module.add_function(name, *ty, None);
        }
    }
    let missing: Vec<_> = functions
        .iter()
        .filter_map(|(name, _)| module.get_function(name))
        .filter(|function| !is_defined(*function))
        .map(llvm::name)
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    llvm::link_modules(module, library).map_err(|error| failed(error.to_string()))?;
    for (name, _) in &functions {
        if let Some(function) = module.get_function(name).filter(|of| is_defined(*of)) {
            function.set_linkage(Linkage::Internal);
        }
    }
    for (instruction, name) in operations {
        let function = module
            .get_function(&name)
            .ok_or_else(|| failed(format!("there is no `{name}`")))?;
        llvm::replace_by_call(module, instruction, function);
    }
    Ok(())
}

fn is_defined(function: FunctionValue<'_>) -> bool {
    function.count_basic_blocks() > 0
}

/// Returns the library function for an instruction, if it needs one.
fn operation(instruction: InstructionValue<'_>) -> Option<String> {
    use InstructionOpcode::{Call, FPToSI, FPToUI, FRem, SIToFP, UIToFP};
    let (is_signed, is_to_float) = match instruction.get_opcode() {
        FRem => {
            let float = llvm::float_name(instruction)?;
            return Some(format!("__lanewise_rem_{float}"));
        }
        SIToFP => (true, true),
        UIToFP => (false, true),
        FPToSI => (true, false),
        FPToUI => (false, false),
        Call => {
            let name = llvm::callee_name(instruction)?;
            if name.starts_with("llvm.fptosi.sat.i128.") {
                (true, false)
            } else if name.starts_with("llvm.fptoui.sat.i128.") {
                (false, false)
            } else {
                return None;
            }
        }
        _ => return None,
    };
    if !llvm::has_int(instruction, 128) {
        return None;
    }
    let integer = if is_signed { "i128" } else { "u128" };
    let float = llvm::float_name(instruction)?;
    Some(if is_to_float {
        format!("__lanewise_{integer}_to_{float}")
    } else {
        format!("__lanewise_{float}_to_{integer}")
    })
}
