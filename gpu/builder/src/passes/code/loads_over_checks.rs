//! Puts a load before a check of another load's result, where the load's own index is known to be
//! right.
//!
//! In `a[index[i]] + b[i]`, the check of `index[i]` comes before the load of `b[i]`, and waits for
//! the load of `index[i]`: the two loads take twice as long as together. ptxas moves no load over a
//! branch that may end the thread. Here, the load comes first if a branch further up has compared
//! its index with the length of its slice, and nothing writes the slice while the kernel runs.
//!
//! ptxas moves such a load back, if only the code after the check needs it. So the place that
//! panics needs it too: it waits for as many nanoseconds as one bit of the loaded value says.
//!
//! The slice's elements are as large as their alignment at least. So an index below the length is
//! that of memory of the slice, if the elements that it counts are no larger than that.

use std::collections::HashSet;

use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::basic_block::BasicBlock;
use inkwell::builder::BuilderError;
use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::{LLVMBasicBlockRef, LLVMValueRef};
use inkwell::llvm_sys::target::LLVMABISizeOfType;
use inkwell::llvm_sys::{LLVMAtomicOrdering, LLVMOpcode};
use inkwell::module::Module;
use inkwell::targets::{TargetData, TargetMachine};
use inkwell::values::{AsValueRef, BasicValueEnum, FunctionValue, InstructionOpcode};

use super::early_loads::{Arguments, argument};
use super::panics::sites;
use super::range_checks::guards;
use crate::error::CodegenError;
use crate::llvm::{self, Flow};
use crate::passes::Options;

/// The number of operations that are looked through from a check to a load.
const DEPTH: u32 = 8;

/// Moves the loads of all kernels. It must run after the checks that need no load have been moved,
/// and after LLVM's passes, which put a value into the block that needs it.
pub(crate) fn run(
    module: &Module<'_>,
    options: &Options,
    machine: &TargetMachine,
) -> Result<(), CodegenError> {
    let layout = machine.get_target_data();
    for function in llvm::kernels(module) {
        if function.count_basic_blocks() > 1 {
            let slices = Slices::of(function, &layout);
            // SAFETY: the kernel is live, and its blocks and their order stay as they are.
            let moved = unsafe { run_in(function, &slices) };
            for (load, panic) in moved {
                need(module, load, panic)
                    .map_err(|error| options.failed("loads before checks", error))?;
            }
        }
    }
    Ok(())
}

/// Makes the place of a panic need a loaded value.
fn need(
    module: &Module<'_>,
    load: LLVMValueRef,
    panic: LLVMBasicBlockRef,
) -> Result<(), BuilderError> {
    // SAFETY: the block is one of a live function of the module, and comes after the load alone.
    let (value, block) = unsafe { (BasicValueEnum::new(load), BasicBlock::new(panic)) };
    let (Some(block), context) = (block, module.get_context()) else {
        return Ok(());
    };
    let first = block
        .get_instructions()
        .find(|it| it.get_opcode() != InstructionOpcode::Phi);
    let builder = context.create_builder();
    first.inspect(|it| builder.position_before(it));
    let value = match value {
        BasicValueEnum::VectorValue(all) => {
            let first = context.i32_type().const_zero();
            builder.build_extract_element(all, first, "")?
        }
        value => value,
    };
    let word = context.i32_type();
    let bits = match value {
        BasicValueEnum::IntValue(number) => number,
        BasicValueEnum::FloatValue(number) => {
            let ty = match number.get_type().get_bit_width() {
                16 => context.i16_type(),
                32 => word,
                _ => context.i64_type(),
            };
            builder.build_bit_cast(number, ty, "")?.into_int_value()
        }
        _ => return Ok(()),
    };
    let bits = builder.build_int_cast_sign_flag(bits, word, false, "")?;
    let bit = builder.build_and(bits, word.const_int(1, false), "")?;
    builder.build_call(sites::stay(module), &[bit.into()], "")?;
    Ok(())
}

/// Returns the loads that were moved, each with the block that panics.
///
/// # Safety
/// The function is live.
unsafe fn run_in(
    function: FunctionValue<'_>,
    slices: &Slices<'_>,
) -> Vec<(LLVMValueRef, LLVMBasicBlockRef)> {
    let mut moved = Vec::new();
    let flow = Flow::of(function);
    let doomed = flow.is_doomed();
    // A load moves over several checks, from the last one on.
    for above in flow.reverse_postorder().into_iter().rev() {
        let [taken, other] = flow.successors[above][..] else {
            continue;
        };
        let [panic, below] = if doomed[taken] {
            [taken, other]
        } else {
            [other, taken]
        };
        if doomed[taken] == doomed[other] || flow.predecessors[below] != [above] {
            continue;
        }
        // SAFETY: the block has a terminator, which has two successors.
        unsafe {
            let branch = LLVMGetBasicBlockTerminator(flow.blocks[above]);
            let is_check = LLVMGetInstructionOpcode(branch) == LLVMOpcode::LLVMBr;
            if !is_check || !waits(LLVMGetCondition(branch), flow.blocks[above], DEPTH) {
                continue;
            }
            let known = guards(&flow, above);
            let all: Vec<_> = flow.instructions_of(below).collect();
            let mut inside: HashSet<_> = all.iter().copied().collect();
            for load in all {
                let mut first = Vec::new();
                if slices.has(load, &known)
                    && is_computed(LLVMGetOperand(load, 0), &inside, &mut first)
                {
                    first.push(load);
                    let builder = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(load)));
                    LLVMPositionBuilderBefore(builder, branch);
                    for at in first {
                        inside.remove(&at);
                        LLVMInstructionRemoveFromParent(at);
                        LLVMInsertIntoBuilder(builder, at);
                    }
                    LLVMDisposeBuilder(builder);
                    if flow.predecessors[panic] == [above] {
                        moved.push((load, flow.blocks[panic]));
                    }
                }
            }
        }
    }
    moved
}

/// Returns whether a value of a block is computed from what the block loads.
///
/// # Safety
/// The value is one of a live function.
unsafe fn waits(value: LLVMValueRef, block: LLVMBasicBlockRef, depth: u32) -> bool {
    // SAFETY: the caller guarantees it; operands are below their number.
    unsafe {
        if LLVMIsAInstruction(value).is_null()
            || LLVMGetInstructionParent(value) != block
            || depth == 0
            || is(value, LLVMOpcode::LLVMPHI)
        {
            return false;
        }
        let operands = 0..LLVMGetNumOperands(value).cast_unsigned();
        is(value, LLVMOpcode::LLVMLoad)
            || operands
                .into_iter()
                .any(|index| waits(LLVMGetOperand(value, index), block, depth - 1))
    }
}

/// Collects the instructions of a block that a value is computed from, and returns whether they are
/// arithmetic alone.
///
/// # Safety
/// The value is one of a live function.
unsafe fn is_computed(
    value: LLVMValueRef,
    inside: &HashSet<LLVMValueRef>,
    found: &mut Vec<LLVMValueRef>,
) -> bool {
    use LLVMOpcode::*;
    // SAFETY: the caller guarantees it; operands are below their number.
    unsafe {
        if !inside.contains(&value) || found.contains(&value) {
            return true;
        }
        let is_arithmetic = matches!(
            LLVMGetInstructionOpcode(value),
            LLVMAdd
                | LLVMSub
                | LLVMMul
                | LLVMShl
                | LLVMLShr
                | LLVMAnd
                | LLVMOr
                | LLVMZExt
                | LLVMSExt
                | LLVMTrunc
                | LLVMGetElementPtr
        );
        let mut operands = 0..LLVMGetNumOperands(value).cast_unsigned();
        let is_computed = is_arithmetic
            && operands.all(|index| is_computed(LLVMGetOperand(value, index), inside, found));
        found.push(value);
        is_computed
    }
}

/// Returns whether a value is an instruction of this kind.
///
/// # Safety
/// The value is one of a live function.
unsafe fn is(value: LLVMValueRef, opcode: LLVMOpcode) -> bool {
    // SAFETY: the caller guarantees it.
    unsafe { !LLVMIsAInstruction(value).is_null() && LLVMGetInstructionOpcode(value) == opcode }
}

/// The slices of a kernel that nothing writes.
struct Slices<'a> {
    function: FunctionValue<'a>,
    arguments: Arguments,
    layout: &'a TargetData,
}

impl<'a> Slices<'a> {
    fn of(function: FunctionValue<'a>, layout: &'a TargetData) -> Self {
        let arguments = Arguments::of(function);
        Slices {
            function,
            arguments,
            layout,
        }
    }

    /// Returns whether an instruction loads an element of a slice whose index is known to be below
    /// the slice's length.
    ///
    /// # Safety
    /// The value is an instruction of the function.
    unsafe fn has(&self, load: LLVMValueRef, known: &[(LLVMValueRef, LLVMValueRef)]) -> bool {
        // SAFETY: the caller guarantees it. The address is checked to be computed by one index.
        unsafe {
            if !is(load, LLVMOpcode::LLVMLoad)
                || LLVMGetVolatile(load) != 0
                || LLVMGetOrdering(load) != LLVMAtomicOrdering::LLVMAtomicOrderingNotAtomic
            {
                return false;
            }
            let address = LLVMGetOperand(load, 0);
            let is_element = is(address, LLVMOpcode::LLVMGetElementPtr)
                && LLVMGetNumOperands(address) == 2
                && argument(address) == Some(LLVMGetOperand(address, 0));
            if !is_element {
                return false;
            }
            let (slice, index) = (LLVMGetOperand(address, 0), LLVMGetOperand(address, 1));
            let size = |ty| LLVMABISizeOfType(self.layout.as_mut_ptr(), ty);
            let element = size(LLVMGetGEPSourceElementType(address));
            let is_read_only = self.arguments.read_only.contains(&slice);
            is_read_only
                && self.length(slice, element).is_some_and(|length| {
                    size(LLVMTypeOf(load)) <= element && known.contains(&(index, length))
                })
        }
    }

    /// The length of a slice whose elements have so many bytes at least.
    fn length(&self, slice: LLVMValueRef, element: u64) -> Option<LLVMValueRef> {
        let name = |it: LLVMValueRef| {
            // SAFETY: the value is an argument, and its name is valid until it changes.
            let name = unsafe {
                let mut length = 0;
                let name = LLVMGetValueName2(it, &mut length);
                std::slice::from_raw_parts(name.cast::<u8>(), length)
            };
            String::from_utf8_lossy(name).into_owned()
        };
        let params = self.function.get_params();
        let at = params.iter().position(|it| it.as_value_ref() == slice)?;
        let align = Attribute::get_named_enum_kind_id("align");
        let align = self
            .function
            .get_enum_attribute(AttributeLoc::Param(at.try_into().ok()?), align)?;
        let length = params.get(at + 1)?.as_value_ref();
        let of_slice = name(slice).strip_suffix("_passed")?.to_owned() + "_length";
        (name(length) == of_slice && element <= align.get_enum_value()).then_some(length)
    }
}
