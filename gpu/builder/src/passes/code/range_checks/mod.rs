//! Moves checks of indices out of loops, so that a loop over slices is as fast as one over
//! pointers.
//!
//! A check in a loop costs more than its comparison: the loop has another way out, so LLVM does not
//! copy its body, and each load waits for the check before it. This pass computes before the loop
//! whether every check of an index holds in every iteration. If so, the loop runs without these
//! checks; otherwise, a copy of the loop runs that has all of them. So a panic is the same as
//! before, in the same iteration and after the same stores.
//!
//! A check is moved if its index is built from sums and products of values that are fixed and of
//! variables that grow by a fixed step ([`range`]). An index that was loaded is checked where it
//! is. All threads of a block choose the same copy of a loop with barriers or other calls that
//! synchronise: then the choice is computed from what all of them have, and from the largest index
//! of a thread.
//!
//! Source: Gupta, "Optimizing Array Bound Checks Using Flow Analysis"; LLVM, "Inductive Range Check
//! Elimination", which takes constant steps only.

mod counts;
mod defer;
mod duplicate;
mod guarded;
mod inclusive;
mod numbers;
mod range;
mod regions;
mod reload;
mod stepped;
mod steps;

use std::collections::{BTreeMap, BTreeSet, HashSet};

use inkwell::llvm_sys::LLVMIntPredicate;
use inkwell::llvm_sys::LLVMOpcode;
use inkwell::llvm_sys::core::{
    LLVMGetBasicBlockTerminator, LLVMGetCondition, LLVMGetICmpPredicate, LLVMGetInstructionOpcode,
    LLVMGetInstructionParent, LLVMGetNumSuccessors, LLVMGetOperand, LLVMIsAICmpInst,
    LLVMIsAInstruction,
};
use inkwell::llvm_sys::prelude::{LLVMBasicBlockRef, LLVMValueRef};
use inkwell::module::Module;
use inkwell::targets::TargetMachine;
use inkwell::values::{CallSiteValue, FunctionValue, InstructionValue};

use crate::error::CodegenError;
use crate::llvm::{self, Flow, Loop};
use crate::passes::{Options, by_name};
use range::Ranges;
use regions::Path;

/// Loops of more instructions are left alone: a copy of such a loop costs more than its checks.
const LARGEST: usize = 1500;

/// The lines, with their columns, of what synchronises in loops that are there twice. All threads
/// of a block choose the same of the two.
#[derive(Debug, Default)]
pub(crate) struct CopiedBarriers(BTreeMap<String, BTreeSet<(u32, u32)>>);

impl CopiedBarriers {
    /// The lines in a function.
    pub(crate) fn of(&self, function: &str) -> BTreeSet<(u32, u32)> {
        self.0.get(function).cloned().unwrap_or_default()
    }
}

/// Moves the checks of all loops. It must run after O3.
pub(crate) fn hoist(
    module: &Module<'_>,
    options: &Options,
    machine: &TargetMachine,
) -> Result<CopiedBarriers, CodegenError> {
    let form = "function(loop-simplify,lcssa)";
    by_name(module, form, "loops", options, machine)?;
    let mut copied = CopiedBarriers::default();
    for function in module.get_functions() {
        if function.count_basic_blocks() > 1 {
            let lines = hoist_in(module, function, options);
            copied.0.insert(llvm::name(function), lines);
        }
    }
    let cleanup = "function(instcombine<no-verify-fixpoint>,simplifycfg,adce)";
    by_name(module, cleanup, "checks of indices", options, machine)?;
    Ok(copied)
}

fn hoist_in(
    module: &Module<'_>,
    function: FunctionValue<'_>,
    options: &Options,
) -> BTreeSet<(u32, u32)> {
    let mut lines = BTreeSet::new();
    let mut copies = HashSet::new();
    let flow = Flow::of(function);
    let doomed = flow.is_doomed();
    for of in flow.innermost_loops() {
        let ranges = Ranges::new(module, function, &flow, &of, false);
        // SAFETY: the loop is one of the function's.
        unsafe { inclusive::one_end(&flow, &of, &ranges) };
    }
    // A copy adds blocks and leaves those of other loops as they are.
    for of in flow.innermost_loops() {
        if let Some(has_barriers) = may_be_copied(&flow, &of) {
            let ranges = Ranges::new(module, function, &flow, &of, has_barriers);
            let copy = hoist_of(function, &flow, &doomed, &of, ranges, has_barriers);
            if !copy.is_empty() && has_barriers {
                lines.extend(synchronising_lines(&flow, &of, options));
            }
            copies.extend(copy);
        }
    }
    regions::hoist(function, copies);
    lines
}

/// The lines of a loop's calls that synchronise.
fn synchronising_lines(flow: &Flow, of: &Loop, options: &Options) -> Vec<(u32, u32)> {
    let calls = flow
        .instructions(of)
        .filter(|at| has_one_thread(*at) == Some(false));
    let lines = calls.filter_map(|at| {
        // SAFETY: the value is an instruction of a block.
        let call = unsafe { InstructionValue::new(at) };
        llvm::place(call, |file| options.paths.is_library(file)).1
    });
    lines.collect()
}

/// A branch that leaves the loop for a panic if an index is wrong.
struct Check {
    block: usize,
    branch: LLVMValueRef,
    /// The condition's value if the index is right.
    right: bool,
}

impl Check {
    /// Takes the branch's other way away.
    fn succeeds(&self) {
        // SAFETY: the branch is a conditional one of a live function, and its block is another
        // predecessor of what it leads to than that of its copy.
        unsafe { duplicate::always(self.branch, self.right) }
    }
}

/// Moves the checks of a loop. Returns the blocks of its copy: none if no check can be moved.
fn hoist_of(
    function: FunctionValue<'_>,
    flow: &Flow,
    doomed: &[bool],
    of: &Loop,
    mut ranges: Ranges<'_>,
    has_barriers: bool,
) -> HashSet<LLVMBasicBlockRef> {
    let checks = checks(flow, doomed, of);
    if checks.is_empty() {
        return HashSet::new();
    }
    let (mut moved, mut left) = (Vec::new(), Vec::new());
    for check in checks {
        // SAFETY: the branch is conditional.
        let condition = unsafe { LLVMGetCondition(check.branch) };
        ranges.guard(guards(flow, check.block));
        let held = ranges.attempt(|ranges| holds(ranges, condition, check.right));
        let list = if held.is_some() {
            &mut moved
        } else {
            &mut left
        };
        list.push(check);
    }
    ranges.guard(Vec::new());
    let late = if left.is_empty() || has_barriers {
        None
    } else {
        let ways_out = moved.len() + left.len() + 1;
        ranges.attempt(|ranges| defer::all(flow, of, ranges, left, ways_out))
    };
    if late.is_none() && moved.iter().all(|it| is_rare(flow, of, it)) {
        return HashSet::new();
    }
    let count = counts::of(flow, doomed, &mut ranges, &moved);
    let copied = duplicate::beside(flow, of, ranges.all_hold());
    moved.iter().for_each(Check::succeeds);
    if let Some(late) = &late {
        defer::take_out(flow, of, late, &copied);
    }
    if let Some(count) = count {
        counts::set(flow, of, count);
    }
    if late.is_some() {
        reload::before(function, flow, of, copied.entry);
    }
    copied.blocks
}

/// The branches of a loop that leave it for a place from which the function does not return, but
/// for that of the latch, which is the loop's end.
fn checks(flow: &Flow, doomed: &[bool], of: &Loop) -> Vec<Check> {
    let blocks = of.blocks.iter().filter(|it| **it != of.latch);
    let exits = blocks.filter_map(|block| {
        let [taken, other] = flow.successors[*block][..] else {
            return None;
        };
        let leaves = |to: usize| doomed[to] && !of.blocks.contains(&to);
        // SAFETY: a block has a terminator, whose kind is looked at before it is used.
        let branch = unsafe { LLVMGetBasicBlockTerminator(flow.blocks[*block]) };
        // SAFETY: as above.
        let is_branch = unsafe { LLVMGetInstructionOpcode(branch) == LLVMOpcode::LLVMBr };
        match (leaves(taken), leaves(other)) {
            (true, false) if is_branch => Some(Check {
                block: *block,
                branch,
                right: false,
            }),
            (false, true) if is_branch => Some(Check {
                block: *block,
                branch,
                right: true,
            }),
            _ => None,
        }
    });
    exits.collect()
}

/// Returns whether a check is reached only where two numbers of the loop are equal, which is in few
/// iterations. A copy of the loop would cost more: cross_entropy_bf16, which treats one column
/// unlike the others, takes 0.69 ms in place of 0.63 on an H200 (driver 580.159.04, 2026-11-29).
fn is_rare(flow: &Flow, of: &Loop, check: &Check) -> bool {
    conditions_before(flow, check.block)
        .into_iter()
        .any(|(condition, value)| {
            // SAFETY: the value is checked to be a comparison of the loop.
            unsafe {
                let equal = if value {
                    LLVMIntPredicate::LLVMIntEQ
                } else {
                    LLVMIntPredicate::LLVMIntNE
                };
                !LLVMIsAICmpInst(condition).is_null()
                    && LLVMGetICmpPredicate(condition) == equal
                    && of
                        .blocks
                        .iter()
                        .any(|it| flow.blocks[*it] == LLVMGetInstructionParent(condition))
            }
        })
}

/// Adds to `ranges` what has to hold before the loop so that `condition` has this value in every
/// iteration. Returns `None` if that is not known.
fn holds(ranges: &mut Ranges<'_>, condition: LLVMValueRef, value: bool) -> Option<()> {
    use LLVMIntPredicate::*;
    // SAFETY: the value is checked to be an instruction, and operands are below their number.
    unsafe {
        if LLVMIsAInstruction(condition).is_null() {
            return None;
        }
        let operand = |index| LLVMGetOperand(condition, index);
        match LLVMGetInstructionOpcode(condition) {
            LLVMOpcode::LLVMICmp => {
                let (a, b) = (operand(0), operand(1));
                let predicate = LLVMGetICmpPredicate(condition);
                match (predicate, value) {
                    (LLVMIntULT, true) | (LLVMIntUGE, false) => ranges.less(a, b),
                    (LLVMIntUGT, true) | (LLVMIntULE, false) => ranges.less(b, a),
                    (LLVMIntULE, true) | (LLVMIntUGT, false) => ranges.at_most(a, b),
                    (LLVMIntUGE, true) | (LLVMIntULT, false) => ranges.at_most(b, a),
                    (LLVMIntNE, true) | (LLVMIntEQ, false) => ranges.less(a, b),
                    _ => None,
                }
            }
            LLVMOpcode::LLVMAnd if value => both(ranges, operand(0), operand(1), value),
            LLVMOpcode::LLVMOr if !value => both(ranges, operand(0), operand(1), value),
            // `a && b` is `select a, b, false`, and `a || b` is `select a, true, b`.
            LLVMOpcode::LLVMSelect => {
                let constant = operand(if value { 2 } else { 1 });
                let other = operand(if value { 1 } else { 2 });
                if llvm::integer(constant) != Some(u64::from(!value)) {
                    return None;
                }
                both(ranges, operand(0), other, value)
            }
            _ => None,
        }
    }
}

fn both(ranges: &mut Ranges<'_>, a: LLVMValueRef, b: LLVMValueRef, value: bool) -> Option<()> {
    holds(ranges, a, value)?;
    holds(ranges, b, value)
}

/// What is below what wherever a block is reached, as the branches before it have found.
pub(super) fn guards(flow: &Flow, block: usize) -> Vec<(LLVMValueRef, LLVMValueRef)> {
    let mut guards = Vec::new();
    for (condition, value) in conditions_before(flow, block) {
        facts(condition, value, &mut guards);
    }
    guards
}

/// The conditions of the branches that lead to a block, each with the value that it has then.
pub(super) fn conditions_before(flow: &Flow, block: usize) -> Path {
    let mut path = Path::new();
    let mut at = block;
    while let Some(above) = flow.dominator(at) {
        if let [taken, other] = flow.successors[above][..]
            && taken != other
            && let Some(condition) = condition(flow, above)
        {
            // An edge is known to be taken if it is the only way to what follows.
            let leads = |to: usize| flow.predecessors[to] == [above] && flow.dominates(to, block);
            if leads(taken) || leads(other) {
                path.push((condition, leads(taken)));
            }
        }
        at = above;
    }
    path
}

/// The condition of a block's branch.
fn condition(flow: &Flow, block: usize) -> Option<LLVMValueRef> {
    // SAFETY: the block has a terminator, which is checked to be a conditional branch.
    unsafe {
        let branch = LLVMGetBasicBlockTerminator(flow.blocks[block]);
        let is_branch = LLVMGetInstructionOpcode(branch) == LLVMOpcode::LLVMBr
            && LLVMGetNumSuccessors(branch) == 2;
        is_branch.then(|| LLVMGetCondition(branch))
    }
}

/// Adds what is below what if a condition has this value.
fn facts(condition: LLVMValueRef, value: bool, found: &mut Vec<(LLVMValueRef, LLVMValueRef)>) {
    use LLVMIntPredicate::*;
    // SAFETY: the value is checked to be an instruction, and operands are below their number.
    unsafe {
        if LLVMIsAInstruction(condition).is_null() {
            return;
        }
        let operand = |index| LLVMGetOperand(condition, index);
        match LLVMGetInstructionOpcode(condition) {
            LLVMOpcode::LLVMICmp => match (LLVMGetICmpPredicate(condition), value) {
                (LLVMIntULT, true) | (LLVMIntUGE, false) => found.push((operand(0), operand(1))),
                (LLVMIntUGT, true) | (LLVMIntULE, false) => found.push((operand(1), operand(0))),
                // What is not zero is above it.
                (LLVMIntEQ, false) | (LLVMIntNE, true) if llvm::integer(operand(1)) == Some(0) => {
                    found.push((operand(1), operand(0)));
                }
                _ => {}
            },
            LLVMOpcode::LLVMFreeze => facts(operand(0), value, found),
            LLVMOpcode::LLVMAnd if value => {
                facts(operand(0), true, found);
                facts(operand(1), true, found);
            }
            LLVMOpcode::LLVMOr if !value => {
                facts(operand(0), false, found);
                facts(operand(1), false, found);
            }
            LLVMOpcode::LLVMSelect if value && llvm::integer(operand(2)) == Some(0) => {
                facts(operand(0), true, found);
                facts(operand(1), true, found);
            }
            LLVMOpcode::LLVMSelect if !value && llvm::integer(operand(1)) == Some(1) => {
                facts(operand(0), false, found);
                facts(operand(2), false, found);
            }
            _ => {}
        }
    }
}

/// Returns whether a loop has calls that synchronise, or nothing if it is large or has what must
/// not be in two places.
fn may_be_copied(flow: &Flow, of: &Loop) -> Option<bool> {
    let mut has_barriers = false;
    for (count, at) in flow.instructions(of).enumerate() {
        if count >= LARGEST {
            return None;
        }
        has_barriers |= !has_one_thread(at)?;
    }
    for block in &of.blocks {
        // SAFETY: every block has a terminator.
        unsafe {
            let last = LLVMGetBasicBlockTerminator(flow.blocks[*block]);
            if LLVMGetInstructionOpcode(last) != LLVMOpcode::LLVMBr {
                return None;
            }
        }
    }
    Some(has_barriers)
}

/// Returns whether an instruction concerns its own thread alone: it is no call, or one of an
/// intrinsic or of assembly that does not synchronise. Of other calls nothing is known.
fn has_one_thread(instruction: LLVMValueRef) -> Option<bool> {
    // SAFETY: the value is an instruction of a block; a call is checked to be one.
    unsafe {
        if LLVMGetInstructionOpcode(instruction) != LLVMOpcode::LLVMCall {
            return Some(true);
        }
        let call = CallSiteValue::new(instruction);
        if llvm::is_pure_call(call) {
            return Some(true);
        }
        let callee = llvm::callee(call)?;
        (callee.get_intrinsic_id() != 0).then(|| llvm::is_local_intrinsic(callee))
    }
}
