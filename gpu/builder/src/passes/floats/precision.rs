//! Sets denormals, divisions and square roots of `f32` as nvcc's options of the same names do.
//!
//! | option | on (the default, but for ftz) | off |
//! | --- | --- | --- |
//! | ftz | denormal operands and results of `f32` are zero | they are kept |
//! | prec-div | `div.rn`, correctly rounded | `div.full`, within 2 units in the last place |
//! | prec-sqrt | `sqrt.rn`, correctly rounded | `sqrt.approx` |
//!
//! Fast math means ftz, neither precision, fused operations, approximations for mathematical
//! functions (see `math_library`), and `div.approx`, which gives zero for divisors above 2^126.
//!
//! A function may have settings of its own: `#[fast_math]` and `#[no_fma]` leave calls of
//! `__lanewise_fast_math()` and `__lanewise_no_fma()` in it. Flags and instructions keep their
//! meaning when the function is inlined. These settings do not include ftz, which is a property of
//! a whole function.
//!
//! Source: CUDA Compiler Driver documentation, "--use_fast_math" and its neighbours; PTX
//! ISA, `div`, `sqrt`.

use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::module::Module;
use inkwell::values::{AsValueRef, FunctionValue, InstructionOpcode, InstructionValue};

use crate::llvm;
use crate::passes::Options;

const FAST_MATH: &str = "__lanewise_fast_math";
const NO_FMA: &str = "__lanewise_no_fma";

/// Functions with settings of their own.
#[derive(Default)]
pub(crate) struct PrecisionRequests<'ctx> {
    fast: Vec<FunctionValue<'ctx>>,
    no_fma: Vec<FunctionValue<'ctx>>,
}

impl PrecisionRequests<'_> {
    /// Returns whether a function's operations may be fused.
    pub(crate) fn may_fuse(&self, function: FunctionValue<'_>, fmad: bool) -> bool {
        let is_in = |list: &[FunctionValue<'_>]| {
            list.iter()
                .any(|other| other.as_value_ref() == function.as_value_ref())
        };
        // libm, which has the gamma functions, splits numbers into parts by differences that must
        // be rounded exactly as written.
        let name = llvm::name(function);
        let is_libm = name.contains("4libm") || name.starts_with("__lanewise_math_");
        (fmad || is_in(&self.fast)) && !is_in(&self.no_fma) && !is_libm
    }
}

/// Finds the functions with settings of their own, and removes the marker calls.
pub(crate) fn take<'ctx>(module: &Module<'ctx>) -> PrecisionRequests<'ctx> {
    let callers = |marker: &str| -> Vec<FunctionValue<'ctx>> {
        let Some(marker) = module.get_function(marker) else {
            return Vec::new();
        };
        let noinline = Attribute::get_named_enum_kind_id("noinline");
        let mut callers = Vec::new();
        for call in llvm::calls_of(marker) {
            // SAFETY: a `CallSiteValue` from a module's list of calls is an instruction.
            let instruction = unsafe { InstructionValue::new(call.as_value_ref()) };
            let parent = instruction
                .get_parent()
                .and_then(|block| block.get_parent());
            if let Some(function) = parent {
                // Until now rustc had to keep the function separate.
                function.remove_enum_attribute(AttributeLoc::Function, noinline);
                for call in llvm::calls_of(function) {
                    call.remove_enum_attribute(AttributeLoc::Function, noinline);
                }
                callers.push(function);
            }
            instruction.erase_from_basic_block();
        }
        callers
    };
    let asked = PrecisionRequests {
        fast: callers(FAST_MATH),
        no_fma: callers(NO_FMA),
    };
    // This happens now because the approximations still exist. Functions without callers
    // are removed soon.
    for at in asked.fast.iter().copied().flat_map(llvm::instructions) {
        if let Some(twin) = fast_twin(module, at) {
            llvm::set_callee(at, twin);
        }
    }
    asked
}

/// Applies the options to the module, and the settings to the functions that have their own.
pub(crate) fn set(module: &Module<'_>, options: &Options, asked: &PrecisionRequests<'_>) {
    let floats = &options.floats;
    if floats.ftz {
        let context = module.get_context();
        let flush =
            context.create_string_attribute("denormal-fp-math-f32", "preserve-sign,preserve-sign");
        for function in module
            .get_functions()
            .filter(|function| function.get_intrinsic_id() == 0)
        {
            function.add_attribute(AttributeLoc::Function, flush);
        }
    }
    let ftz = if floats.ftz { ".ftz" } else { "" };
    let division = match (floats.prec_div, floats.fast_math) {
        (true, _) => None,
        (false, true) => Some(format!("llvm.nvvm.div.approx{ftz}.f")),
        (false, false) => Some(format!("llvm.nvvm.div.full{ftz}")),
    };
    let root = (!floats.prec_sqrt).then(|| format!("llvm.nvvm.sqrt.approx{ftz}.f"));
    for function in module.get_functions() {
        let is_fast = asked
            .fast
            .iter()
            .any(|other| other.as_value_ref() == function.as_value_ref());
        let fast = |name: &str| is_fast.then(|| format!("llvm.nvvm.{name}.approx{ftz}.f"));
        let division = fast("div").or(division.clone());
        let root = fast("sqrt").or(root.clone());
        for at in llvm::instructions(function).collect::<Vec<_>>() {
            if at.get_opcode() == InstructionOpcode::FDiv && llvm::is_f32(at) {
                if let Some(name) = &division {
                    llvm::replace_by_intrinsic(module, at, name, 2);
                }
            } else if llvm::callee_name(at).as_deref() == Some("llvm.sqrt.f32") {
                if let Some(name) = &root {
                    llvm::replace_by_intrinsic(module, at, name, 1);
                }
            } else if floats.ftz
                && let Some((name, arguments)) = flushing(at)
            {
                llvm::replace_by_intrinsic(module, at, &name, arguments);
            }
        }
    }
}

/// Returns the approximation of the function that an instruction calls, if there is one.
fn fast_twin<'ctx>(
    module: &Module<'ctx>,
    at: InstructionValue<'ctx>,
) -> Option<FunctionValue<'ctx>> {
    let callee = llvm::callee_name(at)?;
    let name = callee
        .strip_prefix("__lanewise_math_")
        .or(callee.strip_prefix("__nv_"))?;
    module.get_function(&format!("__lanewise_fast_{name}"))
}

/// Returns the intrinsic for the same operation that takes denormals as zero, and its
/// number of operands.
fn flushing(at: InstructionValue<'_>) -> Option<(String, u32)> {
    let name = llvm::callee_name(at)?;
    let (operation, ty) = name.strip_prefix("llvm.nvvm.")?.split_once(".approx.f")?;
    // Not `.approx.ftz.f32`, which is flushing already.
    if ty.starts_with("tz.") {
        return None;
    }
    let arguments = if operation == "div" { 2 } else { 1 };
    Some((format!("llvm.nvvm.{operation}.approx.ftz.f{ty}"), arguments))
}
