//! Safe functions for those parts of LLVM's C interface that inkwell lacks.

use std::ffi::CStr;

use super::constants;
use inkwell::AddressSpace;
use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::context::ContextRef;
use inkwell::llvm_sys::LLVMTypeKind;
use inkwell::llvm_sys::core::LLVMSetOperand;
use inkwell::llvm_sys::core::{
    LLVMBuildCall2, LLVMConstInt, LLVMConstIntGetZExtValue, LLVMGetBasicBlockParent,
    LLVMGetCalledValue, LLVMGetFirstUse, LLVMGetInlineAsmAsmString, LLVMGetInstructionParent,
    LLVMGetIntTypeWidth, LLVMGetNextUse, LLVMGetNumOperands, LLVMGetNumSuccessors, LLVMGetOperand,
    LLVMGetSuccessor, LLVMGetTypeKind, LLVMGetUser, LLVMGlobalClearMetadata, LLVMIsACallInst,
    LLVMIsAConstantExpr, LLVMIsAConstantInt, LLVMIsAFunction, LLVMIsAGlobalVariable,
    LLVMIsAInlineAsm, LLVMIsAInstruction, LLVMIsAUser, LLVMReplaceAllUsesWith, LLVMTypeOf,
};
use inkwell::llvm_sys::debuginfo::LLVMInstructionSetDebugLoc;
use inkwell::llvm_sys::prelude::{LLVMBasicBlockRef, LLVMValueRef};
use inkwell::module::Module;
use inkwell::types::AsTypeRef;
use inkwell::values::{
    AsValueRef, BasicValueEnum, CallSiteValue, FunctionValue, GlobalValue, InstructionValue,
    PointerValue,
};

/// LLVM's number of the calling convention `ptx_kernel`.
pub(crate) const PTX_KERNEL: u32 = 71;

/// Address spaces of NVPTX.
pub(crate) mod space {
    /// Memory of the device.
    pub(crate) const GLOBAL: u16 = 1;
    /// Memory that the threads of a block share.
    pub(crate) const SHARED: u16 = 3;
    /// Memory that no thread writes while a kernel runs, read through the constant cache.
    pub(crate) const CONSTANT: u16 = 4;
}

/// Returns a name as text. The names of this crate and of rustc are ASCII.
pub(crate) fn text(name: &CStr) -> String {
    name.to_string_lossy().into_owned()
}

/// A function's name.
pub(crate) fn name(function: FunctionValue<'_>) -> String {
    text(function.get_name())
}

/// A function's path in Rust, without the hash.
pub(crate) fn path(function: FunctionValue<'_>) -> String {
    format!("{:#}", rustc_demangle::demangle(&name(function)))
}

/// Returns whether this is an entry point.
pub(crate) fn is_kernel(function: FunctionValue<'_>) -> bool {
    function.get_call_conventions() == PTX_KERNEL && function.count_basic_blocks() > 0
}

/// The module's entry points.
pub(crate) fn kernels<'ctx>(module: &Module<'ctx>) -> Vec<FunctionValue<'ctx>> {
    module
        .get_functions()
        .filter(|function| is_kernel(*function))
        .collect()
}

/// Every instruction of a function.
pub(crate) fn instructions<'ctx>(
    function: FunctionValue<'ctx>,
) -> impl Iterator<Item = InstructionValue<'ctx>> {
    function
        .get_basic_block_iter()
        .flat_map(|block| block.get_instructions())
}

/// Returns every call in the module, including inline assembly.
pub(crate) fn calls<'ctx>(module: &Module<'ctx>) -> Vec<CallSiteValue<'ctx>> {
    module
        .get_functions()
        .flat_map(instructions)
        .filter_map(|at| CallSiteValue::try_from(at).ok())
        .collect()
}

/// Returns the function that a call names, if it names one.
pub(crate) fn callee<'ctx>(call: CallSiteValue<'ctx>) -> Option<FunctionValue<'ctx>> {
    // SAFETY: every call has a callee, which is checked to be a function.
    unsafe {
        let callee = LLVMGetCalledValue(call.as_value_ref());
        if LLVMIsAFunction(callee).is_null() {
            None
        } else {
            FunctionValue::new(callee)
        }
    }
}

/// Returns the text of a call that is inline assembly.
pub(crate) fn assembly(call: CallSiteValue<'_>) -> Option<String> {
    // SAFETY: every call has a callee, which is checked to be inline assembly. LLVM returns its
    // text with the length.
    unsafe {
        let callee = LLVMGetCalledValue(call.as_value_ref());
        if LLVMIsAInlineAsm(callee).is_null() {
            return None;
        }
        let mut length = 0;
        let start = LLVMGetInlineAsmAsmString(callee, &mut length);
        Some(String::from_utf8_lossy(std::slice::from_raw_parts(start.cast(), length)).into_owned())
    }
}

/// Returns the blocks that may follow a block's last instruction.
pub(crate) fn successors(terminator: InstructionValue<'_>) -> Vec<LLVMBasicBlockRef> {
    // SAFETY: the instruction is a terminator, and the indices are below the number
    // of its successors.
    unsafe {
        let last = terminator.as_value_ref();
        (0..LLVMGetNumSuccessors(last))
            .map(|index| LLVMGetSuccessor(last, index))
            .collect()
    }
}

/// Returns the calls of a function. Other uses, for example of its address, are not included.
pub(crate) fn calls_of<'ctx>(function: FunctionValue<'ctx>) -> Vec<CallSiteValue<'ctx>> {
    let mut calls = Vec::new();
    let target = function.as_value_ref();
    // SAFETY: the list of uses does not change during the walk, and each user is checked to be a
    // call of `function` before it becomes a `CallSiteValue`.
    unsafe {
        let mut at = LLVMGetFirstUse(target);
        while !at.is_null() {
            let user = LLVMGetUser(at);
            if !LLVMIsACallInst(user).is_null() && LLVMGetCalledValue(user) == target {
                calls.push(CallSiteValue::new(user));
            }
            at = LLVMGetNextUse(at);
        }
    }
    calls
}

/// Returns the functions with an instruction that uses this one, as callee or by its address.
pub(crate) fn callers<'ctx>(function: FunctionValue<'ctx>) -> Vec<FunctionValue<'ctx>> {
    let mut callers = Vec::new();
    // SAFETY: the list of uses does not change during the walk. Each user is checked to be an
    // instruction, which has a block and a function.
    unsafe {
        let mut at = LLVMGetFirstUse(function.as_value_ref());
        while !at.is_null() {
            let user = LLVMGetUser(at);
            if !LLVMIsAInstruction(user).is_null() {
                let parent = LLVMGetBasicBlockParent(LLVMGetInstructionParent(user));
                callers.extend(FunctionValue::new(parent));
            }
            at = LLVMGetNextUse(at);
        }
    }
    callers
}

/// Returns the value of a constant integer of at most 64 bits.
pub(crate) fn integer(value: LLVMValueRef) -> Option<u64> {
    // SAFETY: the value is checked to be a constant integer before its number is read.
    unsafe {
        let is_narrow = || LLVMGetIntTypeWidth(LLVMTypeOf(value)) <= 64;
        (!LLVMIsAConstantInt(value).is_null() && is_narrow())
            .then(|| LLVMConstIntGetZExtValue(value))
    }
}

/// Returns whether a function is an intrinsic of LLVM that concerns its own thread alone: it is not
/// `convergent`.
pub(crate) fn is_local_intrinsic(function: FunctionValue<'_>) -> bool {
    let convergent = Attribute::get_named_enum_kind_id("convergent");
    let attribute = function.get_enum_attribute(AttributeLoc::Function, convergent);
    function.get_intrinsic_id() != 0 && attribute.is_none()
}

/// Returns whether a function is an intrinsic of LLVM that neither reads nor writes memory.
pub(crate) fn is_pure_intrinsic(function: FunctionValue<'_>) -> bool {
    let memory = Attribute::get_named_enum_kind_id("memory");
    let attribute = function.get_enum_attribute(AttributeLoc::Function, memory);
    is_local_intrinsic(function) && attribute.is_some_and(|it| it.get_enum_value() == 0)
}

/// Returns whether a call is inline assembly that Rust calls `pure` and `nomem`: its results depend
/// on its operands alone.
pub(crate) fn is_pure_assembly(call: CallSiteValue<'_>) -> bool {
    let memory = Attribute::get_named_enum_kind_id("memory");
    let attribute = call.get_enum_attribute(AttributeLoc::Function, memory);
    assembly(call).is_some() && attribute.is_some_and(|it| it.get_enum_value() == 0)
}

/// Returns whether a call only computes, each thread for itself: of an intrinsic of LLVM, or of
/// inline assembly that is not `convergent`.
pub(crate) fn is_pure_call(call: CallSiteValue<'_>) -> bool {
    let convergent = Attribute::get_named_enum_kind_id("convergent");
    let mark = call.get_enum_attribute(AttributeLoc::Function, convergent);
    callee(call).map_or_else(
        || is_pure_assembly(call) && mark.is_none(),
        is_pure_intrinsic,
    )
}

/// Returns whether anything refers to this variable.
pub(crate) fn is_used(global: GlobalValue<'_>) -> bool {
    // SAFETY: the value belongs to the module, and only its list of uses is read.
    unsafe { !LLVMGetFirstUse(global.as_value_ref()).is_null() }
}

/// Returns the value of an argument, if it is a constant.
pub(crate) fn constant_argument(call: CallSiteValue<'_>, index: u32) -> Option<u64> {
    // SAFETY: a `CallSiteValue` from a module's list of calls is an instruction.
    let instruction = unsafe { InstructionValue::new(call.as_value_ref()) };
    match instruction.get_operand(index)?.value()? {
        BasicValueEnum::IntValue(value) => value.get_zero_extended_constant(),
        _ => None,
    }
}

/// Replaces the address that `call` returned by the generic address of `global`, and
/// removes the call.
pub(crate) fn replace_call_by_address(
    call: CallSiteValue<'_>,
    global: GlobalValue<'_>,
    context: &ContextRef<'_>,
) {
    let generic = global
        .as_pointer_value()
        .const_address_space_cast(context.ptr_type(AddressSpace::default()));
    // SAFETY: the results of the call and of the cast are both generic pointers. The call is erased
    // when nothing uses it any more.
    unsafe {
        LLVMReplaceAllUsesWith(call.as_value_ref(), generic.as_value_ref());
        InstructionValue::new(call.as_value_ref()).erase_from_basic_block();
    }
}

/// Replaces every use of `old` by `new`, as generic addresses, and removes `old`.
pub(crate) fn replace_global(old: GlobalValue<'_>, new: PointerValue<'_>) {
    // SAFETY: both are generic pointers of one context. `old` is deleted when nothing uses
    // it any more.
    unsafe {
        LLVMReplaceAllUsesWith(old.as_value_ref(), new.as_value_ref());
        old.delete();
    }
}

/// Returns the name of the function that an instruction calls, if it calls one.
pub(crate) fn callee_name(instruction: InstructionValue<'_>) -> Option<String> {
    callee(CallSiteValue::try_from(instruction).ok()?).map(name)
}

/// Returns whether an instruction's result is one `f32`.
pub(crate) fn is_f32(instruction: InstructionValue<'_>) -> bool {
    // SAFETY: every value has a type.
    unsafe {
        LLVMGetTypeKind(LLVMTypeOf(instruction.as_value_ref())) == LLVMTypeKind::LLVMFloatTypeKind
    }
}

/// Replaces every use of `old` by `new`, which has the same type.
pub(crate) fn replace_function(old: FunctionValue<'_>, new: FunctionValue<'_>) {
    // SAFETY: both are functions of one context, and both are generic pointers as values.
    unsafe { LLVMReplaceAllUsesWith(old.as_value_ref(), new.as_value_ref()) };
}

/// Removes the positions of a function and of its instructions. Where it is inlined, they then have
/// none.
pub(crate) fn remove_debug_information(function: FunctionValue<'_>) {
    // SAFETY: a function and its instructions may be without positions, which are metadata.
    unsafe {
        LLVMGlobalClearMetadata(function.as_value_ref());
        for instruction in instructions(function) {
            LLVMInstructionSetDebugLoc(instruction.as_value_ref(), std::ptr::null_mut());
        }
    }
}

/// Makes a call go to another function of the same type.
pub(crate) fn set_callee(call: InstructionValue<'_>, function: FunctionValue<'_>) {
    // SAFETY: the callee is a call's last operand.
    unsafe {
        let last = LLVMGetNumOperands(call.as_value_ref()).cast_unsigned() - 1;
        LLVMSetOperand(call.as_value_ref(), last, function.as_value_ref());
    }
}

/// Replaces a call's integer result by a number, and removes the call.
pub(crate) fn replace_call_by_number(call: CallSiteValue<'_>, number: u64) {
    // SAFETY: the number is a constant of the call's own type. The call is erased when nothing uses
    // it any more.
    unsafe {
        let value = LLVMConstInt(LLVMTypeOf(call.as_value_ref()), number, 0);
        LLVMReplaceAllUsesWith(call.as_value_ref(), value);
        InstructionValue::new(call.as_value_ref()).erase_from_basic_block();
    }
}

/// Returns the text of an argument that is the address of a constant string ending in zero.
pub(crate) fn string_argument(call: CallSiteValue<'_>, index: u32) -> Option<String> {
    // SAFETY: the index is checked. The first operand of a constant expression is the value that it
    // is made from. That value is checked to be a variable before it is used as one.
    let bytes = unsafe {
        let user = call.as_value_ref();
        if index >= LLVMGetNumOperands(user).cast_unsigned() {
            return None;
        }
        let mut value = LLVMGetOperand(user, index);
        while !LLVMIsAConstantExpr(value).is_null() {
            value = LLVMGetOperand(value, 0);
        }
        if LLVMIsAGlobalVariable(value).is_null() {
            return None;
        }
        constants::bytes_of(GlobalValue::new(value))?
    };
    let text = String::from_utf8_lossy(&bytes).into_owned();
    Some(text.trim_end_matches('\0').to_owned())
}

/// Replaces an `f32` instruction by a call of the intrinsic `name` with the
/// instruction's first operands.
pub(crate) fn replace_by_intrinsic(
    module: &Module<'_>,
    instruction: InstructionValue<'_>,
    name: &str,
    arguments: u32,
) {
    let context = module.get_context();
    let f32_type = context.f32_type();
    let parameters = vec![f32_type.into(); arguments as usize];
    let ty = f32_type.fn_type(&parameters, false);
    let function = module
        .get_function(name)
        .unwrap_or_else(|| module.add_function(name, ty, None));
    let builder = context.create_builder();
    builder.position_before(&instruction);
    // SAFETY: the instruction has at least this many operands, all `f32`, as the intrinsic
    // requires. The instruction is erased when nothing uses it any more. The builder takes its
    // place and line from the instruction.
    unsafe {
        let user = instruction.as_value_ref();
        let mut operands: Vec<_> = (0..arguments)
            .map(|index| LLVMGetOperand(user, index))
            .collect();
        let call = LLVMBuildCall2(
            builder.as_mut_ptr(),
            ty.as_type_ref(),
            function.as_value_ref(),
            operands.as_mut_ptr(),
            arguments,
            c"".as_ptr(),
        );
        LLVMReplaceAllUsesWith(user, call);
    }
    instruction.erase_from_basic_block();
}

/// Replaces an instruction by a value of the same type.
pub(crate) fn replace_by_value(instruction: InstructionValue<'_>, value: BasicValueEnum<'_>) {
    // SAFETY: the caller's value has the instruction's type. The instruction is erased when nothing
    // uses it any more.
    unsafe { LLVMReplaceAllUsesWith(instruction.as_value_ref(), value.as_value_ref()) };
    instruction.erase_from_basic_block();
}

/// Replaces an instruction by a call of `function` with the instruction's first operands.
pub(crate) fn replace_by_call(
    module: &Module<'_>,
    instruction: InstructionValue<'_>,
    function: FunctionValue<'_>,
) {
    let count = function.count_params();
    let builder = module.get_context().create_builder();
    builder.position_before(&instruction);
    // SAFETY: the function takes the types of the first operands and returns the instruction's
    // type. The instruction is erased when nothing uses it any more.
    unsafe {
        let user = instruction.as_value_ref();
        let mut operands: Vec<_> = (0..count)
            .map(|index| LLVMGetOperand(user, index))
            .collect();
        let call = LLVMBuildCall2(
            builder.as_mut_ptr(),
            function.get_type().as_type_ref(),
            function.as_value_ref(),
            operands.as_mut_ptr(),
            count,
            c"".as_ptr(),
        );
        LLVMReplaceAllUsesWith(user, call);
    }
    instruction.erase_from_basic_block();
}

/// Returns whether an operand or the result of an instruction is an integer of this many bits.
pub(crate) fn has_int(instruction: InstructionValue<'_>, bits: u32) -> bool {
    has_type(instruction, LLVMTypeKind::LLVMIntegerTypeKind, |width| {
        width == bits
    })
}

/// Returns Rust's name of the float type of an operand or the result: `f32` or `f64`.
pub(crate) fn float_name(instruction: InstructionValue<'_>) -> Option<&'static str> {
    if has_type(instruction, LLVMTypeKind::LLVMFloatTypeKind, |_| true) {
        Some("f32")
    } else if has_type(instruction, LLVMTypeKind::LLVMDoubleTypeKind, |_| true) {
        Some("f64")
    } else {
        None
    }
}

/// Returns whether an operand or the result of an instruction has a type of this `kind`, with a
/// width that `is_width` accepts.
pub(crate) fn has_type(
    instruction: InstructionValue<'_>,
    kind: LLVMTypeKind,
    is_width: impl Fn(u32) -> bool,
) -> bool {
    // This does not use inkwell's operands, because inkwell cannot represent metadata, which some
    // calls have as an operand. SAFETY: the instruction is a user, the indices are in range, every
    // value has a type, and only the width of an integer is read.
    unsafe {
        let is_it = |value: LLVMValueRef| {
            let ty = LLVMTypeOf(value);
            LLVMGetTypeKind(ty) == kind
                && (kind != LLVMTypeKind::LLVMIntegerTypeKind || is_width(LLVMGetIntTypeWidth(ty)))
        };
        let user = instruction.as_value_ref();
        let count = LLVMGetNumOperands(user).cast_unsigned();
        is_it(user) || (0..count).any(|index| is_it(LLVMGetOperand(user, index)))
    }
}

/// A function or a global variable that an instruction or constant refers to.
pub(crate) enum Referred<'ctx> {
    /// A function: called, or its address taken.
    Function(FunctionValue<'ctx>),
    /// A global variable.
    Global(GlobalValue<'ctx>),
}

/// Returns everything that `instruction` refers to, also through constant expressions.
pub(crate) fn referred<'ctx>(instruction: InstructionValue<'ctx>) -> Vec<Referred<'ctx>> {
    let mut found = Vec::new();
    operands(instruction.as_value_ref(), &mut |value| {
        // SAFETY: each value is checked to be of the kind that it is converted to.
        unsafe {
            if !LLVMIsAFunction(value).is_null() {
                found.extend(FunctionValue::new(value).map(Referred::Function));
            } else if !LLVMIsAGlobalVariable(value).is_null() {
                found.push(Referred::Global(GlobalValue::new(value)));
            }
        }
    });
    found
}

/// Visits the operands of a user, and the operands of constant expressions among them.
fn operands(user: LLVMValueRef, visit: &mut impl FnMut(LLVMValueRef)) {
    // SAFETY: `user` is an instruction or a constant expression, which are both users, and the
    // indices are in range.
    unsafe {
        for index in 0..LLVMGetNumOperands(user) {
            let value = LLVMGetOperand(user, index.cast_unsigned());
            if value.is_null() {
                continue;
            }
            visit(value);
            if !LLVMIsAConstantExpr(value).is_null() && !LLVMIsAUser(value).is_null() {
                operands(value, visit);
            }
        }
    }
}
