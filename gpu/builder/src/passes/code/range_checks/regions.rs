//! Moves checks of indices before the code that they are in, where this code is no loop.
//!
//! Each check of straight-line code ends a block, so a load after it waits for it, and a branch
//! with a check in it stays a branch. This pass takes a region: what follows a block without an
//! edge back and without what synchronises. It computes all checks of the region at its start, each
//! with the conditions of the path that leads to it. If one of them fails, a copy of the region
//! runs that has all checks, and otherwise the region itself, which has none of them.
//!
//! The copy panics: the first check that fails on its path is one of those that were computed. So
//! no edge leaves it, and no value has to be joined. What the copy does before it panics is what
//! the region would have done.
//!
//! A check is moved if its condition, and those of its path, are computed without memory. A path's
//! condition may have no value (poison) where the path is not taken, so it is frozen, and counts
//! only with those before it.
//!
//! Source: Gupta, "Optimizing Array Bound Checks Using Flow Analysis"; LLVM Language Reference,
//! "freeze".

use std::collections::{HashMap, HashSet};

use inkwell::attributes::Attribute;
use inkwell::llvm_sys::LLVMOpcode;
use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::{LLVMBasicBlockRef, LLVMBuilderRef, LLVMValueRef};
use inkwell::values::{CallSiteValue, FunctionValue};

use super::{LARGEST, duplicate, has_one_thread};
use crate::llvm::{self, Flow};

/// Most checks that are computed at one place. Each of them is a value there.
const MOST: usize = 64;

/// The conditions of a path, in their order, each with the value that it has on the path.
type Path = Vec<(LLVMValueRef, bool)>;

/// What follows a block without an edge back.
struct Region {
    /// The block at whose end the region starts.
    start: usize,
    /// The other blocks, each after those that lead to it.
    blocks: Vec<usize>,
    /// The path to each block, unless it is not one conjunction of conditions.
    paths: HashMap<usize, Option<Path>>,
}

/// A check that can be computed at the region's start.
struct Check {
    branch: LLVMValueRef,
    /// The condition's value if the index is right.
    right: bool,
    path: Path,
}

/// Moves the checks of a function, but for those in blocks that are in `skipped`: copies that
/// hardly ever run.
pub(super) fn hoist(function: FunctionValue<'_>, mut skipped: HashSet<LLVMBasicBlockRef>) {
    loop {
        let flow = Flow::of(function);
        let doomed = flow.is_doomed();
        let found = flow.reverse_postorder().into_iter().find_map(|start| {
            let block = flow.blocks[start];
            if doomed[start] || !skipped.insert(block) {
                return None;
            }
            let region = Region::at(&flow, &doomed, start)?;
            let checks = region.checks(&flow, &doomed);
            is_worth_it(&checks).then_some((region, checks))
        });
        let Some((region, checks)) = found else {
            return;
        };
        skipped.extend(region.split(&flow, &doomed, &checks));
    }
}

/// Returns whether there is more than one check, and a condition that all have in common is that of
/// a place further on.
fn is_worth_it(checks: &[Check]) -> bool {
    let first = checks.first().and_then(|it| it.path.first());
    let has_common = first.is_some() && checks.iter().all(|it| it.path.first() == first);
    (2..=MOST).contains(&checks.len()) && !has_common
}

impl Region {
    /// The largest region after a block, unless it is too large to be there twice.
    fn at(flow: &Flow, doomed: &[bool], start: usize) -> Option<Region> {
        let mut region = Region {
            start,
            blocks: Vec::new(),
            paths: HashMap::from([(start, Some(Path::new()))]),
        };
        if !ends_in_branch(flow, start) {
            return None;
        }
        let mut todo = flow.successors[start].clone();
        while let Some(at) = todo.pop() {
            let is_next = !doomed[at]
                && !region.paths.contains_key(&at)
                && flow.predecessors[at]
                    .iter()
                    .all(|it| region.paths.contains_key(it));
            if is_next && may_be_copied(flow, at) {
                let path = region.path(flow, doomed, at);
                region.paths.insert(at, path);
                region.blocks.push(at);
                todo.extend(&flow.successors[at]);
            }
        }
        let copied = region.copied(flow, doomed)?;
        let size = copied.iter().map(|it| flow.instructions_of(*it).count());
        (size.sum::<usize>() < LARGEST).then_some(region)
    }

    /// The blocks of the region after its start, and those of its panics, if they may be copied.
    fn copied(&self, flow: &Flow, doomed: &[bool]) -> Option<Vec<usize>> {
        let mut copied = self.blocks.clone();
        let mut seen: HashSet<_> = self.paths.keys().copied().collect();
        let mut todo: Vec<_> = seen.iter().copied().collect();
        while let Some(at) = todo.pop() {
            for next in &flow.successors[at] {
                if doomed[*next] && seen.insert(*next) {
                    let synchronises = |it| has_one_thread(it) == Some(false);
                    if flow.instructions_of(*next).any(synchronises) || !ends_in_branch(flow, *next)
                    {
                        return None;
                    }
                    copied.push(*next);
                    todo.push(*next);
                }
            }
        }
        Some(copied)
    }

    /// The path to a block from those before it.
    fn path(&self, flow: &Flow, doomed: &[bool], to: usize) -> Option<Path> {
        let mut paths = Vec::new();
        for from in &flow.predecessors[to] {
            let mut path = self.paths[from].clone()?;
            if let [taken, other] = flow.successors[*from][..]
                && taken != other
                && !doomed[taken]
                && !doomed[other]
            {
                let condition = condition(flow, *from)?;
                let value = taken == to;
                match llvm::integer(condition) {
                    Some(known) if (known != 0) != value => continue,
                    Some(_) => {}
                    None => path.push((condition, value)),
                }
            }
            paths.push(path);
        }
        joined(paths)
    }

    /// The checks that can be computed at the start.
    fn checks(&self, flow: &Flow, doomed: &[bool]) -> Vec<Check> {
        let inside: HashSet<_> = self.blocks.iter().map(|it| flow.blocks[*it]).collect();
        let mut known = HashMap::new();
        let blocks = std::iter::once(self.start).chain(self.blocks.iter().copied());
        let checks = blocks.filter_map(|block| {
            let [taken, other] = flow.successors[block][..] else {
                return None;
            };
            if doomed[taken] == doomed[other] {
                return None;
            }
            let path = self.paths[&block].clone()?;
            let condition = condition(flow, block)?;
            let conditions = path.iter().map(|it| it.0).chain([condition]);
            let is_computed = llvm::integer(condition).is_none()
                && conditions
                    .into_iter()
                    .all(|it| is_movable(it, &inside, &mut known));
            // SAFETY: the block has a terminator.
            let branch = unsafe { LLVMGetBasicBlockTerminator(flow.blocks[block]) };
            is_computed.then_some(Check {
                branch,
                right: !doomed[taken],
                path,
            })
        });
        checks.collect()
    }

    /// Computes the checks at the start, and puts the copy beside the region. Returns the blocks of
    /// the copy.
    fn split(&self, flow: &Flow, doomed: &[bool], checks: &[Check]) -> HashSet<LLVMBasicBlockRef> {
        let Some(copied) = self.copied(flow, doomed) else {
            return HashSet::new();
        };
        let start = flow.blocks[self.start];
        let inside = self.blocks.iter().map(|it| flow.blocks[*it]).collect();
        // SAFETY: the block is live and has a terminator. What is moved to its end is computed from
        // what dominates that place, by the checks of `is_movable`, and still dominates its uses.
        // The constant has the type of the condition that it takes the place of.
        unsafe {
            let context = LLVMGetTypeContext(LLVMTypeOf(LLVMBasicBlockAsValue(start)));
            let builder = LLVMCreateBuilderInContext(context);
            LLVMPositionBuilderBefore(builder, LLVMGetBasicBlockTerminator(start));
            LLVMSetCurrentDebugLocation2(builder, std::ptr::null_mut());
            let mut conditions = Conditions {
                builder,
                inside,
                frozen: HashMap::new(),
            };
            let bit = LLVMInt1TypeInContext(context);
            let mut fails = LLVMConstInt(bit, 0, 0);
            for check in checks {
                let wrong = (LLVMGetCondition(check.branch), !check.right);
                let mut reached = LLVMConstInt(bit, 1, 0);
                for (condition, value) in check.path.iter().copied().chain([wrong]) {
                    let holds = conditions.at_start(condition, value);
                    reached = LLVMBuildAnd(builder, reached, holds, c"".as_ptr());
                }
                fails = LLVMBuildOr(builder, fails, reached, c"fails".as_ptr());
            }
            let copied: Vec<_> = copied.iter().map(|it| flow.blocks[*it]).collect();
            let made = duplicate::that_panics(start, &copied, fails);
            for check in checks {
                let right = LLVMConstInt(bit, check.right.into(), 0);
                LLVMSetCondition(check.branch, right);
            }
            LLVMDisposeBuilder(builder);
            made
        }
    }
}

/// Moves conditions to the region's start.
struct Conditions {
    builder: LLVMBuilderRef,
    inside: HashSet<LLVMBasicBlockRef>,
    /// The frozen values of conditions.
    frozen: HashMap<LLVMValueRef, LLVMValueRef>,
}

impl Conditions {
    /// Whether a condition has this value, as a value at the start.
    ///
    /// # Safety
    /// The condition is movable, and the builder is at the start.
    unsafe fn at_start(&mut self, condition: LLVMValueRef, value: bool) -> LLVMValueRef {
        // SAFETY: the caller guarantees it.
        unsafe {
            self.move_up(condition);
            let builder = self.builder;
            let frozen = *self
                .frozen
                .entry(condition)
                .or_insert_with(|| LLVMBuildFreeze(builder, condition, c"".as_ptr()));
            if value {
                frozen
            } else {
                LLVMBuildNot(builder, frozen, c"".as_ptr())
            }
        }
    }

    /// Moves an instruction of the region, and what it is computed from, to the start.
    ///
    /// # Safety
    /// As for [`Conditions::at_start`].
    unsafe fn move_up(&mut self, value: LLVMValueRef) {
        // SAFETY: the value is checked to be an instruction; operands are below their number. A
        // result that is not defined is no fault where it is not used.
        unsafe {
            if LLVMIsAInstruction(value).is_null()
                || !self.inside.contains(&LLVMGetInstructionParent(value))
            {
                return;
            }
            for index in 0..LLVMGetNumOperands(value).cast_unsigned() {
                self.move_up(LLVMGetOperand(value, index));
            }
            LLVMInstructionRemoveFromParent(value);
            LLVMInsertIntoBuilder(self.builder, value);
            if !LLVMIsACallInst(value).is_null() {
                let noundef = Attribute::get_named_enum_kind_id("noundef");
                LLVMRemoveCallSiteEnumAttribute(value, 0, noundef);
            }
        }
    }
}

/// One path for several that meet, if each condition in which two differ has both values there.
fn joined(mut paths: Vec<Path>) -> Option<Path> {
    loop {
        let mut pairs = (0..paths.len()).flat_map(|a| (0..a).map(move |b| (a, b)));
        let found = pairs.find_map(|(a, b)| {
            let (first, second) = (&paths[a], &paths[b]);
            let shorter = first.len().min(second.len());
            if first[..shorter] == second[..shorter] {
                return Some((a, b, shorter));
            }
            let (last, before) = first.split_last()?;
            let (other, rest) = second.split_last()?;
            (before == rest && last.0 == other.0).then_some((a, b, before.len()))
        });
        let Some((a, b, length)) = found else {
            break;
        };
        let mut path = paths.swap_remove(a);
        path.truncate(length);
        paths[b] = path;
    }
    match &mut paths[..] {
        [only] => Some(std::mem::take(only)),
        _ => None,
    }
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

/// Returns whether a value does not change if it is computed at the region's start, and computing
/// it there is no fault.
fn is_movable(
    value: LLVMValueRef,
    inside: &HashSet<LLVMBasicBlockRef>,
    known: &mut HashMap<LLVMValueRef, bool>,
) -> bool {
    use LLVMOpcode::*;
    // SAFETY: the value is checked to be an instruction; operands are below their number.
    unsafe {
        if LLVMIsAInstruction(value).is_null() || !inside.contains(&LLVMGetInstructionParent(value))
        {
            return true;
        }
        if let Some(known) = known.get(&value) {
            return *known;
        }
        let operands = 0..LLVMGetNumOperands(value).cast_unsigned();
        let is_pure = match LLVMGetInstructionOpcode(value) {
            LLVMAdd | LLVMSub | LLVMMul | LLVMShl | LLVMLShr | LLVMAShr | LLVMAnd | LLVMOr
            | LLVMXor | LLVMICmp | LLVMFCmp | LLVMSelect | LLVMZExt | LLVMSExt | LLVMTrunc
            | LLVMFreeze | LLVMExtractValue => true,
            // A division by zero is a fault.
            LLVMUDiv | LLVMURem => llvm::integer(LLVMGetOperand(value, 1)).is_some_and(|it| it > 0),
            LLVMCall => llvm::callee(CallSiteValue::new(value)).is_some_and(|callee| {
                let is_arithmetic = llvm::is_pure_intrinsic(callee);
                is_arithmetic && llvm::name(callee) != "llvm.assume"
            }),
            _ => false,
        };
        let is_movable = is_pure
            && operands
                .into_iter()
                .all(|index| is_movable(LLVMGetOperand(value, index), inside, known));
        known.insert(value, is_movable);
        is_movable
    }
}

/// Returns whether a block only has what may be in two places.
fn may_be_copied(flow: &Flow, block: usize) -> bool {
    flow.instructions_of(block)
        .all(|it| has_one_thread(it) == Some(true))
        && ends_in_branch(flow, block)
}

/// Returns whether a block's end is a branch, a return, or unreachable.
fn ends_in_branch(flow: &Flow, block: usize) -> bool {
    // SAFETY: every block has a terminator.
    unsafe {
        let last = LLVMGetBasicBlockTerminator(flow.blocks[block]);
        matches!(
            LLVMGetInstructionOpcode(last),
            LLVMOpcode::LLVMBr | LLVMOpcode::LLVMRet | LLVMOpcode::LLVMUnreachable
        )
    }
}
