//! Puts the loads of a block of code first, so that they are under way together.
//!
//! A GPU goes on past a load until its result is needed, so loads that come one after the other
//! overlap. LLVM leaves them where the source has them, or where the copies of a loop's body put
//! them: a load, what needs it, the next load. ptxas may not move a load over a store unless it
//! knows that they are apart, which the PTX does not say; here, the kernel's parameters say it. A
//! slice that is only read has no store, and no other parameter reaches the memory of a slice that
//! is written.
//!
//! Loads of the same depth come together: first those whose addresses need no other load of the
//! block, then those that need one, and so on.
//!
//! Source: CUDA C++ Best Practices Guide, "Instruction-level parallelism"; LLVM Language Reference,
//! "noalias".

use std::collections::{HashMap, HashSet};

use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::LLVMValueRef;
use inkwell::llvm_sys::{LLVMAtomicOrdering, LLVMOpcode, LLVMTypeKind};
use inkwell::module::Module;
use inkwell::values::{AsValueRef, CallSiteValue, FunctionValue};

use crate::llvm;

/// Loads of more registers than this, of 32 bits each, are left where they are.
const MOST: u64 = 24;

/// Moves the loads of all kernels.
pub(crate) fn first(module: &Module<'_>) {
    for function in llvm::kernels(module) {
        let arguments = Arguments::of(function);
        for block in function.get_basic_blocks() {
            // SAFETY: the block is live, and its list of instructions is not changed meanwhile.
            let instructions = unsafe { list(LLVMGetFirstInstruction(block.as_mut_ptr())) };
            for part in parts(&instructions, &arguments) {
                reorder(&part);
            }
        }
    }
}

/// What the attributes of a kernel's pointers say.
pub(super) struct Arguments {
    /// Nothing else reaches the memory.
    apart: HashSet<LLVMValueRef>,
    /// Nothing writes the memory either.
    pub(super) read_only: HashSet<LLVMValueRef>,
}

impl Arguments {
    pub(super) fn of(function: FunctionValue<'_>) -> Self {
        let has = |name: &str, index: u32| {
            let kind = Attribute::get_named_enum_kind_id(name);
            let place = AttributeLoc::Param(index);
            function.get_enum_attribute(place, kind).is_some()
        };
        let (mut apart, mut read_only) = (HashSet::new(), HashSet::new());
        for (param, index) in function.get_param_iter().zip(0..) {
            if param.is_pointer_value() && has("noalias", index) {
                apart.insert(param.as_value_ref());
                if has("readonly", index) {
                    read_only.insert(param.as_value_ref());
                }
            }
        }
        Arguments { apart, read_only }
    }

    /// Returns whether a load may come before a write to `written`, an address or unknown.
    fn may_pass(&self, load: LLVMValueRef, written: Option<LLVMValueRef>) -> bool {
        // SAFETY: the load's first operand is its address.
        let Some(read) = argument(unsafe { LLVMGetOperand(load, 0) }) else {
            return false;
        };
        if self.read_only.contains(&read) {
            return true;
        }
        let other = written.and_then(argument);
        other.is_some_and(|other| other != read)
            && (self.apart.contains(&read) || other.is_some_and(|it| self.apart.contains(&it)))
    }
}

/// The instructions from the first to the end of its block.
///
/// # Safety
/// The block is live, and is not changed during the call.
unsafe fn list(first: LLVMValueRef) -> Vec<LLVMValueRef> {
    let next = |at: &LLVMValueRef| {
        // SAFETY: the caller's block is live.
        let next = unsafe { LLVMGetNextInstruction(*at) };
        (!next.is_null()).then_some(next)
    };
    std::iter::successors(Some(first).filter(|it| !it.is_null()), next).collect()
}

/// The function's argument that an address is computed from, if it is one alone.
pub(super) fn argument(address: LLVMValueRef) -> Option<LLVMValueRef> {
    let (mut found, mut seen, mut todo) = (None, HashSet::new(), vec![address]);
    while let Some(at) = todo.pop() {
        if !seen.insert(at) {
            continue;
        }
        // SAFETY: the value is checked to be an instruction of a kind whose operands these are.
        unsafe {
            if !LLVMIsAArgument(at).is_null() {
                if found.is_some_and(|found| found != at) {
                    return None;
                }
                found = Some(at);
            } else if LLVMIsAInstruction(at).is_null() {
                return None;
            } else {
                match LLVMGetInstructionOpcode(at) {
                    LLVMOpcode::LLVMGetElementPtr
                    | LLVMOpcode::LLVMAddrSpaceCast
                    | LLVMOpcode::LLVMFreeze => todo.push(LLVMGetOperand(at, 0)),
                    LLVMOpcode::LLVMPHI => {
                        todo.extend(
                            (0..LLVMCountIncoming(at)).map(|it| LLVMGetIncomingValue(at, it)),
                        );
                    }
                    LLVMOpcode::LLVMSelect => todo.extend([1, 2].map(|it| LLVMGetOperand(at, it))),
                    _ => return None,
                }
            }
        }
    }
    found
}

/// A run of instructions in which loads may be moved to the front.
struct Part {
    /// What the first load comes before.
    start: LLVMValueRef,
    /// All instructions in order, from `start`.
    all: Vec<LLVMValueRef>,
    loads: Vec<LLVMValueRef>,
}

/// Divides a block where no load may pass.
fn parts(instructions: &[LLVMValueRef], arguments: &Arguments) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut part: Option<Part> = None;
    let mut writes: Vec<Option<LLVMValueRef>> = Vec::new();
    for at in instructions {
        // SAFETY: the value is an instruction, and what is asked of it fits its kind.
        let (opcode, is_plain) = unsafe {
            let opcode = LLVMGetInstructionOpcode(*at);
            let is_access = matches!(opcode, LLVMOpcode::LLVMLoad | LLVMOpcode::LLVMStore);
            // Other memory than the parameters' is near, and its loads need not come early.
            let is_far =
                opcode != LLVMOpcode::LLVMLoad || argument(LLVMGetOperand(*at, 0)).is_some();
            let is_plain = is_access
                && is_far
                && LLVMGetVolatile(*at) == 0
                && LLVMGetOrdering(*at) == LLVMAtomicOrdering::LLVMAtomicOrderingNotAtomic;
            (opcode, is_plain)
        };
        if opcode == LLVMOpcode::LLVMPHI {
            continue;
        }
        let may_pass = || writes.iter().all(|it| arguments.may_pass(*at, *it));
        match opcode {
            LLVMOpcode::LLVMLoad if is_plain && may_pass() => {
                let part = part.get_or_insert_with(|| Part::starting(*at));
                part.all.push(*at);
                part.loads.push(*at);
                continue;
            }
            // A load that has to stay behind a write begins the next part.
            LLVMOpcode::LLVMLoad if is_plain => {
                parts.extend(part.take());
                writes.clear();
                let mut next = Part::starting(*at);
                next.all.push(*at);
                next.loads.push(*at);
                part = Some(next);
                continue;
            }
            LLVMOpcode::LLVMStore if is_plain => {
                // SAFETY: a store's second operand is its address.
                writes.push(Some(unsafe { LLVMGetOperand(*at, 1) }));
            }
            _ if is_pure(*at) => {}
            _ => {
                parts.extend(part.take());
                writes.clear();
                continue;
            }
        }
        part.get_or_insert_with(|| Part::starting(*at))
            .all
            .push(*at);
    }
    parts.extend(part);
    parts
}

impl Part {
    fn starting(start: LLVMValueRef) -> Self {
        Part {
            start,
            all: Vec::new(),
            loads: Vec::new(),
        }
    }
}

/// Puts the loads of a part, with what their addresses need, before all else.
fn reorder(part: &Part) {
    let registers: u64 = part.loads.iter().map(|load| registers(*load)).sum();
    if part.loads.len() < 2 || registers > MOST {
        return;
    }
    let inside: HashSet<_> = part.all.iter().copied().collect();
    let mut depths = HashMap::new();
    for at in &part.all {
        // SAFETY: the value is an instruction, and operands are below their number.
        let depth = unsafe {
            let operands = 0..LLVMGetNumOperands(*at).cast_unsigned();
            let depth = |it| depths.get(&LLVMGetOperand(*at, it)).copied().unwrap_or(0);
            let deepest: usize = operands.map(depth).max().unwrap_or(0);
            deepest + usize::from(LLVMGetInstructionOpcode(*at) == LLVMOpcode::LLVMLoad)
        };
        depths.insert(*at, depth);
    }
    let deepest = part.loads.iter().map(|it| depths[it]).max().unwrap_or(0);
    let mut order = Vec::new();
    let mut is_placed = HashSet::new();
    for depth in 1..=deepest {
        for load in part.loads.iter().filter(|it| depths[*it] == depth) {
            place(*load, &inside, &mut is_placed, &mut order);
        }
    }
    let rest = part.all.iter().filter(|it| !is_placed.contains(*it));
    order.extend(rest.copied().collect::<Vec<_>>());
    if order == part.all {
        return;
    }
    // SAFETY: the instructions are those of one block, and each comes after those that it uses. The
    // one that follows the part stays where it is.
    unsafe {
        let block = LLVMGetInstructionParent(part.start);
        let context = LLVMGetTypeContext(LLVMTypeOf(LLVMBasicBlockAsValue(block)));
        let builder = LLVMCreateBuilderInContext(context);
        let after = part.all.last().map(|it| LLVMGetNextInstruction(*it));
        for at in &order {
            LLVMInstructionRemoveFromParent(*at);
        }
        match after {
            Some(after) if !after.is_null() => LLVMPositionBuilderBefore(builder, after),
            _ => LLVMPositionBuilderAtEnd(builder, block),
        }
        // Otherwise all of them would be given the line of what follows.
        LLVMSetCurrentDebugLocation2(builder, std::ptr::null_mut());
        for at in &order {
            LLVMInsertIntoBuilder(builder, *at);
        }
        LLVMDisposeBuilder(builder);
    }
}

/// The number of registers that a load needs for its result: too many if that is not known.
fn registers(load: LLVMValueRef) -> u64 {
    // SAFETY: every value has a type. A type's size is looked up only if it is a number's.
    unsafe {
        let ty = LLVMTypeOf(load);
        match LLVMGetTypeKind(ty) {
            LLVMTypeKind::LLVMIntegerTypeKind => u64::from(LLVMGetIntTypeWidth(ty)).div_ceil(32),
            LLVMTypeKind::LLVMHalfTypeKind
            | LLVMTypeKind::LLVMBFloatTypeKind
            | LLVMTypeKind::LLVMFloatTypeKind => 1,
            LLVMTypeKind::LLVMDoubleTypeKind | LLVMTypeKind::LLVMPointerTypeKind => 2,
            LLVMTypeKind::LLVMVectorTypeKind => 4,
            _ => MOST + 1,
        }
    }
}

/// Appends an instruction after those of the part that it uses.
fn place(
    at: LLVMValueRef,
    inside: &HashSet<LLVMValueRef>,
    is_placed: &mut HashSet<LLVMValueRef>,
    order: &mut Vec<LLVMValueRef>,
) {
    if !inside.contains(&at) || !is_placed.insert(at) {
        return;
    }
    // SAFETY: the value is an instruction, and operands are below their number.
    unsafe {
        for index in 0..LLVMGetNumOperands(at).cast_unsigned() {
            place(LLVMGetOperand(at, index), inside, is_placed, order);
        }
    }
    order.push(at);
}

/// Returns whether an instruction only computes.
fn is_pure(instruction: LLVMValueRef) -> bool {
    use LLVMOpcode::*;
    // SAFETY: the value is an instruction; a call is checked to be one.
    unsafe {
        match LLVMGetInstructionOpcode(instruction) {
            LLVMCall => llvm::is_pure_call(CallSiteValue::new(instruction)),
            LLVMLoad | LLVMStore | LLVMAtomicRMW | LLVMAtomicCmpXchg | LLVMFence | LLVMAlloca
            | LLVMVAArg | LLVMInvoke | LLVMCallBr | LLVMBr | LLVMSwitch | LLVMRet
            | LLVMUnreachable | LLVMIndirectBr => false,
            _ => true,
        }
    }
}
