//! Refuses operations that the GPU has no instruction for, and reports their source line.
//!
//! LLVM would report them too, in the terms of its code generator and mostly without a place. This
//! pass runs after O3, so code that no kernel reaches does not count.
//!
//! Code generation itself finds instructions that only this target lacks, and stops without a
//! place. So this pass stores the places of NVPTX's own intrinsics for its message.
//!
//! Source: LLVM, "User Guide for NVPTX Back-end"; PTX ISA, "Fundamental Types", "atom".

use std::collections::BTreeMap;

use inkwell::llvm_sys::LLVMTypeKind;
use inkwell::module::Module;
use inkwell::values::{CallSiteValue, InstructionOpcode, InstructionValue};

use crate::cargo::source_paths::SourcePaths;
use crate::error::CodegenError;
use crate::llvm;

/// Intrinsics of `core` that are instructions on some CPUs and functions of the C
/// library on others.
const FUNCTIONS: [&str; 16] = [
    "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "exp", "exp10",
    "log", "log10", "pow", "powi",
];
/// Further such intrinsics, which lack an instruction for `f64` but not for `f32`.
const FUNCTIONS_F64: [&str; 2] = ["exp2", "log2"];

/// Returns where each intrinsic of NVPTX is called first, as `file:line`.
pub(crate) fn places(module: &Module<'_>, paths: &SourcePaths) -> BTreeMap<String, String> {
    let mut places = BTreeMap::new();
    for instruction in module.get_functions().flat_map(llvm::instructions) {
        if let Some(name) = llvm::callee_name(instruction)
            && name.starts_with("llvm.nvvm.")
            && !places.contains_key(&name)
            && let Some(place) = llvm::shown_place(instruction, |file| paths.is_library(file))
        {
            places.insert(name, paths.short(&place));
        }
    }
    places
}

/// Refuses the first instruction that no target has.
pub(crate) fn check(module: &Module<'_>, paths: &SourcePaths) -> Result<(), CodegenError> {
    for function in module.get_functions() {
        for instruction in llvm::instructions(function) {
            if let Some((what, help)) = reason(instruction) {
                let place = llvm::shown_place(instruction, |file| paths.is_library(file));
                return Err(CodegenError::Unsupported {
                    function: llvm::path(function),
                    place: place.map_or_else(|| "no line".to_owned(), |place| paths.short(&place)),
                    what,
                    help,
                });
            }
        }
    }
    Ok(())
}

/// Returns what is wrong with an instruction, and what to do.
fn reason(instruction: InstructionValue<'_>) -> Option<(String, String)> {
    use InstructionOpcode::{AtomicCmpXchg, AtomicRMW};
    use LLVMTypeKind::{LLVMFP128TypeKind, LLVMIntegerTypeKind};
    if matches!(instruction.get_opcode(), AtomicRMW | AtomicCmpXchg)
        && llvm::has_type(instruction, LLVMIntegerTypeKind, |bits| bits > 64)
    {
        return Some((
            "an atomic operation on more than 64 bits".into(),
            "use two 64-bit atomics, or a lock".into(),
        ));
    }
    if llvm::has_type(instruction, LLVMFP128TypeKind, |_| true) {
        return Some((
            "arithmetic on `f128`".into(),
            "the widest float of a GPU is `f64`; two of them hold a sum and its error".into(),
        ));
    }
    let call = CallSiteValue::try_from(instruction).ok()?;
    let name = llvm::callee(call).map(llvm::name)?;
    let (function, ty) = name.strip_prefix("llvm.")?.split_once('.')?;
    let ty = ty.split('.').next().unwrap_or_default();
    let is_missing =
        FUNCTIONS.contains(&function) || (ty == "f64" && FUNCTIONS_F64.contains(&function));
    is_missing.then(|| {
        (
            format!("`{function}` of {ty}"),
            format!("import `lanewise_std::math::Float`, whose `{function}` is a function, or use `lanewise_std::fast`"),
        )
    })
}
