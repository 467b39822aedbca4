//! Chooses the implementation of each mathematical function.
//!
//! lanewise-std calls the sine of an `f32` through the symbol `__lanewise_math_sinf`, and defines
//! it by a function of its own. This pass replaces it by another function if the
//! build's options require one. With fast math this is the approximation `__lanewise_fast_sinf`,
//! which is also in lanewise-std. With libdevice it is NVIDIA's `__nv_sinf`, from the bitcode that
//! comes with a CUDA toolkit. The chosen function may be inlined. This pass runs first, while
//! everything is still visible by name.
//!
//! libdevice calls `__nvvm_reflect(name)` to find out how it is compiled. The results are
//! constants, which come from the options. Source: NVIDIA, "Libdevice User's Guide"; LLVM, "User
//! Guide for NVPTX Back-end: Reflection Parameters".

use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::{Linkage, Module};
use inkwell::values::FunctionValue;

use crate::error::CodegenError;
use crate::llvm;
use crate::passes::Options;

const OURS: &str = "__lanewise_math_";
const FAST: &str = "__lanewise_fast_";
const LIBDEVICE: &str = "__nv_";
const REFLECT: &str = "__nvvm_reflect";

/// Replaces each mathematical function by the chosen one.
pub(crate) fn choose(module: &Module<'_>, options: &Options) -> Result<(), CodegenError> {
    let noinline = Attribute::get_named_enum_kind_id("noinline");
    let functions: Vec<_> = module.get_functions().collect();
    for function in functions {
        let symbol = llvm::name(function);
        let Some(name) = symbol.strip_prefix(OURS) else {
            continue;
        };
        for call in llvm::calls_of(function) {
            call.remove_enum_attribute(AttributeLoc::Function, noinline);
        }
        let fast = module.get_function(&format!("{FAST}{name}"));
        if let Some(fast) = fast.filter(|_| options.floats.fast_math) {
            llvm::replace_function(function, fast);
        } else if options.libdevice.is_some() {
            let theirs = format!("{LIBDEVICE}{name}");
            let theirs = module
                .get_function(&theirs)
                .unwrap_or_else(|| module.add_function(&theirs, function.get_type(), None));
            llvm::replace_function(function, theirs);
        } else {
            function.remove_enum_attribute(AttributeLoc::Function, noinline);
        }
    }
    match &options.libdevice {
        Some(path) => link_libdevice(module, path, options),
        None => Ok(()),
    }
}

fn link_libdevice(
    module: &Module<'_>,
    path: &std::path::Path,
    options: &Options,
) -> Result<(), CodegenError> {
    let unreadable = |reason: String| CodegenError::Bitcode {
        path: path.to_owned(),
        reason,
    };
    let buffer =
        MemoryBuffer::create_from_file(path).map_err(|error| unreadable(error.to_string()))?;
    let library = Module::parse_bitcode_from_buffer(&buffer, module.get_context())
        .map_err(|error| unreadable(error.to_string()))?;
    // libdevice is written for every data layout of its time, so the linker would warn
    // of a difference.
    library.set_triple(&module.get_triple());
    library.set_data_layout(&module.get_data_layout());
    llvm::link_modules(module, library)
        .map_err(|error| options.failed("linking of libdevice", error))?;
    for function in module.get_functions() {
        if llvm::name(function).starts_with(LIBDEVICE) && function.count_basic_blocks() > 0 {
            function.set_linkage(Linkage::Internal);
        }
    }
    if let Some(reflect) = module.get_function(REFLECT) {
        answer(reflect, options);
    }
    Ok(())
}

/// Replaces each call of `__nvvm_reflect` by its result.
fn answer(reflect: FunctionValue<'_>, options: &Options) {
    let floats = &options.floats;
    for call in llvm::calls_of(reflect) {
        let question = llvm::string_argument(call, 0).unwrap_or_default();
        let answer = match question.as_str() {
            "__CUDA_FTZ" => floats.ftz.into(),
            "__CUDA_PREC_DIV" => floats.prec_div.into(),
            "__CUDA_PREC_SQRT" => floats.prec_sqrt.into(),
            "__CUDA_ARCH" => u64::from(options.arch.capability()) * 10,
            _ => 0,
        };
        llvm::replace_call_by_number(call, answer);
    }
}
