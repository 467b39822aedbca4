//! Loads again what only the copy of a loop needs.
//!
//! After a check that was put off to the loop's end ([`super::defer`]), the copy begins with what
//! was loaded before the loop, such as the bounds of its range. In registers all through the loop,
//! which hardly ever needs the copy, these values leave fewer for the loads under way:
//! spmv_csr_scalar has ten where 19 fit. So the copy loads them itself, from memory that nothing
//! writes while the kernel runs.

use std::collections::{HashMap, HashSet};

use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::{LLVMBasicBlockRef, LLVMBuilderRef, LLVMValueRef};
use inkwell::llvm_sys::{LLVMAtomicOrdering, LLVMOpcode};
use inkwell::values::{CallSiteValue, FunctionValue};

use super::duplicate::hidden;
use super::range::is_integer;
use crate::llvm::{self, Flow, Loop};
use crate::passes::code::early_loads::{Arguments, argument};

/// The number of operations from a value back to the load that it is made of.
const DEPTH: u32 = 8;

/// Loads what the copy behind `entry` needs at its beginning, if neither the loop nor what comes
/// after it does.
pub(super) fn before(
    function: FunctionValue<'_>,
    flow: &Flow,
    of: &Loop,
    entry: LLVMBasicBlockRef,
) {
    let header = flow.blocks[of.header];
    // The loop's graph is older than the copy.
    let flow = Flow::of(function);
    let number = |of| flow.blocks.iter().position(|it| *it == of);
    let (Some(entry), Some(header)) = (number(entry), number(header)) else {
        return;
    };
    let copied = &flow.reached(entry, &[]) - &flow.reached(0, &[entry]);
    let copied: HashSet<_> = copied.iter().map(|it| flow.blocks[*it]).collect();
    let mut again = Again {
        flow: &flow,
        arguments: Arguments::of(function),
        loops: [header, entry],
        kept: HashMap::new(),
        made: HashMap::new(),
    };
    // SAFETY: the entry dominates the blocks that only it leads to, so it dominates the uses in
    // them. What it computes has the type of what it takes the place of.
    unsafe {
        let end = LLVMGetBasicBlockTerminator(flow.blocks[entry]);
        let context = LLVMGetTypeContext(LLVMTypeOf(LLVMBasicBlockAsValue(flow.blocks[entry])));
        let builder = LLVMCreateBuilderInContext(context);
        LLVMPositionBuilderBefore(builder, end);
        let before = flow
            .blocks
            .iter()
            .enumerate()
            .filter(|it| !copied.contains(it.1));
        let values: Vec<_> = before.flat_map(|it| flow.instructions_of(it.0)).collect();
        for value in values {
            let mut users = users(value)
                .filter(|it| copied.contains(&it.block))
                .peekable();
            if users.peek().is_some() && again.is_loaded(value, DEPTH) == Some(true) {
                let made = again.make(builder, value);
                for Use { user, index, .. } in users.collect::<Vec<_>>() {
                    LLVMSetOperand(user, index, made);
                }
            }
        }
        LLVMDisposeBuilder(builder);
    }
}

/// An operand, and the block at whose place it is used: of a phi, the one that it comes from.
struct Use {
    user: LLVMValueRef,
    index: u32,
    block: LLVMBasicBlockRef,
}

/// The uses of an instruction's value.
fn users(value: LLVMValueRef) -> impl Iterator<Item = Use> {
    let mut users = llvm::users(value);
    users.sort_unstable();
    users.dedup();
    users.into_iter().flat_map(move |user| {
        // SAFETY: users of an instruction are instructions, and operands are below their number.
        unsafe {
            let is_phi = !LLVMIsAPHINode(user).is_null();
            let operands = 0..LLVMGetNumOperands(user).cast_unsigned();
            operands
                .filter(move |index| LLVMGetOperand(user, *index) == value)
                .map(move |index| Use {
                    user,
                    index,
                    block: if is_phi {
                        LLVMGetIncomingBlock(user, index)
                    } else {
                        LLVMGetInstructionParent(user)
                    },
                })
        }
    })
}

/// What is computed again.
struct Again<'a> {
    flow: &'a Flow,
    arguments: Arguments,
    /// The first block of the loop, and the one that leads to the copy.
    loops: [usize; 2],
    /// Whether a value is in a register in or after the loop, whatever the copy needs.
    kept: HashMap<LLVMValueRef, bool>,
    made: HashMap<LLVMValueRef, LLVMValueRef>,
}

/// What an instruction is, once it is to be computed again.
enum Kind {
    /// What the computation begins with: a value that is kept, or a special register.
    First,
    /// A load from memory that nothing writes.
    Load,
    /// A sum or another number or address.
    Sum,
    /// It may have another result later, or is not looked into.
    Other,
}

impl Again<'_> {
    /// Returns whether a value is used in the loop or after it. What comes after the instruction
    /// itself, in a loop around both, uses its next value.
    fn is_kept(&mut self, value: LLVMValueRef) -> bool {
        let [header, entry] = self.loops;
        *self.kept.entry(value).or_insert_with(|| {
            // SAFETY: the value is an instruction, which has a block.
            let own = unsafe { LLVMGetInstructionParent(value) };
            let own = self.flow.blocks.iter().position(|it| *it == own);
            let after = self.flow.reached(header, &[entry, own.unwrap_or(entry)]);
            users(value).any(|it| after.iter().any(|at| self.flow.blocks[*at] == it.block))
        })
    }

    /// Returns whether a value is made of one that was loaded and is not kept, or nothing if it may
    /// not be made again.
    fn is_loaded(&mut self, value: LLVMValueRef, depth: u32) -> Option<bool> {
        let is_load = match self.kind(value) {
            Kind::First => return Some(false),
            Kind::Load => true,
            Kind::Sum => false,
            Kind::Other => return None,
        };
        if depth == 0 {
            return None;
        }
        // SAFETY: the value is an instruction; operands are below their number.
        let operands = unsafe { 0..LLVMGetNumOperands(value).cast_unsigned() };
        operands.into_iter().try_fold(is_load, |found, index| {
            // SAFETY: as above.
            let operand = unsafe { LLVMGetOperand(value, index) };
            Some(found | self.is_loaded(operand, depth - 1)?)
        })
    }

    /// Computes a value again where the builder is. LLVM would take what was computed before, so
    /// the loads are volatile, and the numbers that they begin with are hidden.
    ///
    /// # Safety
    /// The value is known where the builder is, and [`Again::is_loaded`] knows it.
    unsafe fn make(&mut self, builder: LLVMBuilderRef, value: LLVMValueRef) -> LLVMValueRef {
        // SAFETY: the caller guarantees it. The operands are known where their result is.
        unsafe {
            if LLVMIsConstant(value) != 0 {
                return value;
            }
            if let Some(made) = self.made.get(&value) {
                return *made;
            }
            let made = if self.is_first(value) {
                hidden(builder, value).unwrap_or(value)
            } else {
                let made = LLVMInstructionClone(value);
                for index in 0..LLVMGetNumOperands(value).cast_unsigned() {
                    let operand = self.make(builder, LLVMGetOperand(value, index));
                    LLVMSetOperand(made, index, operand);
                }
                if LLVMGetInstructionOpcode(made) == LLVMOpcode::LLVMLoad {
                    LLVMSetVolatile(made, 1);
                }
                LLVMInsertIntoBuilder(builder, made);
                made
            };
            self.made.insert(value, made);
            made
        }
    }

    /// Returns whether a value is taken as it is. So is a number that no load is behind, if it is
    /// made of more than one, such as the index of a thread.
    fn is_first(&mut self, value: LLVMValueRef) -> bool {
        if matches!(self.kind(value), Kind::First) {
            return true;
        }
        // SAFETY: the value is an instruction; operands are below their number.
        let numbers = unsafe {
            let operands = 0..LLVMGetNumOperands(value).cast_unsigned();
            operands.filter(|it| LLVMIsConstant(LLVMGetOperand(value, *it)) == 0)
        };
        numbers.count() > 1 && is_integer(value) && self.is_loaded(value, DEPTH) == Some(false)
    }

    fn kind(&mut self, value: LLVMValueRef) -> Kind {
        use LLVMOpcode::*;
        // SAFETY: the value is checked to be an instruction, and what is asked of it fits its kind.
        unsafe {
            if LLVMIsAInstruction(value).is_null() || self.is_kept(value) {
                return Kind::First;
            }
            match LLVMGetInstructionOpcode(value) {
                LLVMLoad => {
                    let is_plain = LLVMGetVolatile(value) == 0
                        && LLVMGetOrdering(value)
                            == LLVMAtomicOrdering::LLVMAtomicOrderingNotAtomic;
                    match argument(LLVMGetOperand(value, 0)) {
                        Some(it) if is_plain && self.arguments.read_only.contains(&it) => {
                            Kind::Load
                        }
                        _ => Kind::Other,
                    }
                }
                LLVMCall if llvm::is_pure_call(CallSiteValue::new(value)) => Kind::First,
                LLVMAdd | LLVMSub | LLVMMul | LLVMShl | LLVMLShr | LLVMAnd | LLVMOr | LLVMXor
                | LLVMSExt | LLVMZExt | LLVMTrunc | LLVMGetElementPtr | LLVMAddrSpaceCast => {
                    Kind::Sum
                }
                _ => Kind::Other,
            }
        }
    }
}
