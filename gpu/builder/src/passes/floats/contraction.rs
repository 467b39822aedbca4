//! Allows `a * b + c` to become one fused multiply-add, as nvcc does unless told `-fmad=false`.
//!
//! Every floating-point operation gets LLVM's flag `contract`. The fused result is rounded once
//! instead of twice, and nothing else may change. The backend has the option `-nvptx-fma-level` for
//! this, but options are global to the process. Flags belong to one operation, so two builds with
//! different settings can run side by side.
//!
//! Source: LLVM Language Reference, "Fast-Math Flags"; CUDA programming
//! guide, "Floating-Point Standard".

use inkwell::module::Module;
use inkwell::values::{FastMathFlags, FunctionValue, InstructionOpcode};

use crate::llvm;

/// Sets the flag on every operation of the functions that `may_fuse` accepts.
pub(crate) fn allow(module: &Module<'_>, may_fuse: impl Fn(FunctionValue<'_>) -> bool) {
    let functions = module
        .get_functions()
        .filter(|function| may_fuse(*function));
    for instruction in functions.flat_map(llvm::instructions) {
        let is_arithmetic = matches!(
            instruction.get_opcode(),
            InstructionOpcode::FAdd
                | InstructionOpcode::FSub
                | InstructionOpcode::FMul
                | InstructionOpcode::FNeg
        );
        if is_arithmetic && let Ok(flags) = instruction.get_fast_math_flags() {
            // It is an arithmetic operation on floats, so it takes flags.
            let _ = instruction.set_fast_math_flags(flags | FastMathFlags::AllowContract);
        }
    }
}
