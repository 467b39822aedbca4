//! Moves checks of indices before the code that they are in, where this code is no loop.
//!
//! Each check of straight-line code ends a block, so a load after it waits for it, and a branch
//! with a check in it stays a branch. This pass takes a region: what follows a place in a block
//! without an edge back and without what synchronises. It computes all checks of the region at its
//! start, each with the conditions of the path that leads to it. If one of them fails, a copy of
//! the region runs that has all checks, and otherwise the region itself, which has none of them.
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
use inkwell::llvm_sys::LLVMIntPredicate::{LLVMIntUGE, LLVMIntUGT, LLVMIntULT};
use inkwell::llvm_sys::LLVMOpcode;
use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::{LLVMBasicBlockRef, LLVMBuilderRef, LLVMValueRef};
use inkwell::values::{CallSiteValue, FunctionValue, IntValue};

use super::duplicate::{self, Ends};
use super::guarded::{self, Bounds};
use super::numbers::is_same_for_all;
use super::{LARGEST, condition, conditions_before, facts, guards, has_one_thread};
use crate::llvm::{self, Flow};
use crate::passes::code::divisions;

/// Most checks of a region, and most of its other branches: their conditions are alive from its
/// start on, and a thread has seven predicates. transpose_padded on an H100 (driver 580.159.04,
/// 2026-11-27): 0.50 ms with up to one check and its branch, 0.48 with two, 0.41 with four.
/// matmul_128, which has no branches: 6.59, 5.90, 5.15, and 5.02 with eight, 5.05 with sixteen.
#[derive(Clone, Copy)]
struct Most {
    checks: usize,
    branches: usize,
}

const MOST: Most = Most {
    checks: 8,
    branches: 4,
};

const ALL: Most = Most {
    checks: usize::MAX,
    branches: usize::MAX,
};

/// The conditions of a path, in their order, each with the value that it has on the path.
pub(in crate::passes::code) type Path = Vec<(LLVMValueRef, bool)>;

/// What follows a place in a block without an edge back.
struct Region {
    /// The block in which the region starts.
    start: usize,
    /// The first instruction of the region.
    first: LLVMValueRef,
    /// The instructions of the region.
    inside: HashSet<LLVMValueRef>,
    /// The other blocks, each after those that lead to it.
    blocks: Vec<usize>,
    /// The path to each block, unless it is not one conjunction of conditions.
    paths: HashMap<usize, Option<Path>>,
    /// Whether more checks follow that could have been in the region.
    is_full: bool,
    /// The number of branches that are no checks.
    branches: usize,
}

/// A check that can be computed at the region's start.
struct Check {
    branch: LLVMValueRef,
    /// The condition's value if the index is right.
    right: bool,
    path: Path,
    tests: Tests,
    /// The distances from one number to the indices that are tested with it, if there are any.
    around: Option<Around>,
}

/// Indices around a number, each at a distance that all threads have.
struct Around {
    middle: LLVMValueRef,
    below: Vec<LLVMValueRef>,
    above: Vec<LLVMValueRef>,
}

/// What has to be computed for a check.
#[derive(Clone, Copy, PartialEq)]
enum Tests {
    /// Nothing, because of what is computed for a check before it.
    None,
    /// This check, and those whose index is larger by a number between these two. If one of them
    /// fails, the first one to do so on its path does not depend on what would be undefined after
    /// it, and neither does the index of the first check.
    Offsets(i64, i64),
}

/// What was found to do next.
enum Found {
    /// The checks of this region can be computed at its start.
    Computed(Region, Vec<Check>),
    /// A region has been divided, and these blocks are the copy.
    Guarded(HashSet<LLVMBasicBlockRef>),
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
            let late = Region::at(&flow, &doomed, start, MOST)?;
            let of_late = late.checks(&flow, &doomed);
            if !late.is_full
                && of_late.len() > 2
                && let Some(copies) = late.guard(&flow, &doomed, of_late.len())
            {
                return Some(Found::Guarded(copies));
            }
            if late.is_full
                && let Some(whole) = Region::at(&flow, &doomed, start, ALL)
            {
                if let Some(copies) = whole.guard(&flow, &doomed, MOST.branches + 1) {
                    return Some(Found::Guarded(copies));
                }
                let checks = whole.checks(&flow, &doomed);
                let computed = checks.iter().filter(|it| it.tests != Tests::None).count();
                let is_cheap = computed <= MOST.checks && whole.branches <= MOST.branches;
                if is_cheap && checks.len() > of_late.len() && is_worth_it(&checks, 2) {
                    return Some(Found::Computed(whole, checks));
                }
            }
            // The checks come before the accesses of the block too, if none is lost by that.
            if let Some(early) = late.with_accesses(&flow) {
                let checks = early.checks(&flow, &doomed);
                if checks.len() == of_late.len() && is_worth_it(&checks, 1) {
                    return Some(Found::Computed(early, checks));
                }
            }
            let is_before = of_late.len() == 1 && late.is_before_meeting(&flow, &doomed);
            (is_before || is_worth_it(&of_late, 2)).then_some(Found::Computed(late, of_late))
        });
        let (region, checks) = match found {
            Some(Found::Computed(region, checks)) => (region, checks),
            Some(Found::Guarded(copies)) => {
                skipped.extend(copies);
                continue;
            }
            None => return,
        };
        skipped.extend(region.split(&flow, &doomed, &checks));
        if region.is_full {
            // The next region starts after this one.
            skipped.extend(region.blocks.iter().map(|it| flow.blocks[*it]));
        }
    }
}

/// Returns whether there are so many checks, and they have no condition in common: otherwise they
/// belong to a place further on.
fn is_worth_it(checks: &[Check], least: usize) -> bool {
    let first = checks.first().and_then(|it| it.path.first());
    let has_common = first.is_some() && checks.iter().all(|it| it.path.first() == first);
    checks.len() >= least && !has_common
}

impl Check {
    /// Returns whether the check is one that a number is not zero.
    fn is_of_divisor(&self) -> bool {
        let mut found = Vec::new();
        // SAFETY: the branch is conditional.
        facts(
            unsafe { LLVMGetCondition(self.branch) },
            self.right,
            &mut found,
        );
        found
            .iter()
            .any(|(small, _)| llvm::integer(*small) == Some(0))
    }

    /// The index and the length that it compares.
    fn compared(&self) -> Option<(LLVMValueRef, LLVMValueRef)> {
        // SAFETY: the branch is conditional.
        guarded::compared(unsafe { LLVMGetCondition(self.branch) }, self.right)
    }
}

impl Region {
    /// The largest region after a block with at most so many checks, unless it is too large to be
    /// there twice.
    fn at(flow: &Flow, doomed: &[bool], start: usize, most: Most) -> Option<Region> {
        // SAFETY: every block has a terminator.
        let end = unsafe { LLVMGetBasicBlockTerminator(flow.blocks[start]) };
        let mut region = Region {
            start,
            first: end,
            inside: HashSet::from([end]),
            blocks: Vec::new(),
            paths: HashMap::from([(start, Some(Path::new()))]),
            is_full: false,
            branches: 0,
        };
        if !ends_in_branch(flow, start) {
            return None;
        }
        // A block adds one check, or one branch.
        let adds = |at: usize| {
            let known = || condition(flow, at).is_none_or(|it| llvm::integer(it).is_some());
            let panics = flow.successors[at].iter().filter(|it| doomed[**it]);
            match panics.count() {
                0 => (0, usize::from(!known())),
                1 => (usize::from(!known()), 0),
                _ => (0, 0),
            }
        };
        let (mut checks, mut branches) = adds(start);
        let mut todo = flow.successors[start].clone();
        while let Some(at) = todo.pop() {
            let is_next = !doomed[at]
                && !region.paths.contains_key(&at)
                && flow.predecessors[at]
                    .iter()
                    .all(|it| region.paths.contains_key(it));
            let more = adds(at);
            if is_next && (checks + more.0 > most.checks || branches + more.1 > most.branches) {
                region.is_full = true;
            } else if is_next && may_be_copied(flow, at) {
                checks += more.0;
                branches += more.1;
                let path = region.path(flow, doomed, at);
                region.paths.insert(at, path);
                region.blocks.push(at);
                region.inside.extend(flow.instructions_of(at));
                todo.extend(&flow.successors[at]);
            }
        }
        region.branches = branches;
        let copied = region.copied(flow, doomed)?;
        let size = copied.iter().map(|it| flow.instructions_of(*it).count());
        (size.sum::<usize>() < LARGEST).then_some(region)
    }

    /// The region with what its first block has after its phis and after what synchronises, if it
    /// has an access to memory there.
    fn with_accesses(&self, flow: &Flow) -> Option<Region> {
        let all: Vec<_> = flow.instructions_of(self.start).collect();
        // SAFETY: the values are instructions.
        let opcode = |it: &LLVMValueRef| unsafe { LLVMGetInstructionOpcode(*it) };
        // A variable of the thread is made where the function begins.
        let stays = |it: &LLVMValueRef| {
            matches!(opcode(it), LLVMOpcode::LLVMPHI | LLVMOpcode::LLVMAlloca)
                || has_one_thread(*it) != Some(true)
        };
        let before = all.iter().rposition(stays).map_or(0, |it| it + 1);
        let own = &all[before..];
        let is_access = |it| matches!(opcode(it), LLVMOpcode::LLVMLoad | LLVMOpcode::LLVMStore);
        let mut inside = self.inside.clone();
        inside.extend(own);
        own.iter().any(is_access).then(|| Region {
            start: self.start,
            first: own[0],
            inside,
            blocks: self.blocks.clone(),
            paths: self.paths.clone(),
            is_full: self.is_full,
            branches: self.branches,
        })
    }

    /// Returns whether all threads of a warp meet after the region, at a barrier for example. ptxas
    /// has them wait for each other at the end of a branch only if no edge leads out of the branch.
    /// If a check does, they meet at the barrier, which then takes longer: stream_compact needs
    /// 0.61 ms in place of 0.56 on an H200 (driver 580.159.04, 2026-11-28). In a loop, it is the
    /// computing of the check that costs more.
    fn is_before_meeting(&self, flow: &Flow, doomed: &[bool]) -> bool {
        let (mut todo, mut seen) = (flow.successors[self.start].clone(), HashSet::new());
        while let Some(at) = todo.pop() {
            if at == self.start {
                return false;
            }
            if seen.insert(at) {
                todo.extend(&flow.successors[at]);
            }
        }
        let all = std::iter::once(&self.start).chain(&self.blocks);
        let mut exits = all
            .flat_map(|it| &flow.successors[*it])
            .filter(|it| !doomed[**it] && **it != self.start && !self.blocks.contains(it));
        exits.any(|it| {
            let synchronises = |at| has_one_thread(at) == Some(false);
            flow.instructions_of(*it).any(synchronises)
        })
    }

    /// The blocks of the region after its start, and those of its panics, if they may be copied.
    fn copied(&self, flow: &Flow, doomed: &[bool]) -> Option<Vec<usize>> {
        let mut copied = self.blocks.clone();
        let mut todo = self.blocks.clone();
        todo.push(self.start);
        let mut seen: HashSet<_> = todo.iter().copied().collect();
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
        let before = guards(flow, self.start);
        let mut known = self.late_divisions(flow).map(|it| (it, false)).collect();
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
                    .all(|it| is_movable(it, &self.inside, &before, &mut known));
            // SAFETY: the block has a terminator.
            let branch = unsafe { LLVMGetBasicBlockTerminator(flow.blocks[block]) };
            is_computed.then_some(Check {
                branch,
                right: !doomed[taken],
                path,
                tests: Tests::Offsets(0, 0),
                around: None,
            })
        });
        let mut checks: Vec<_> = checks.collect();
        // The test of a middle may fail where no check does, and the copy then goes on.
        let copied = self.copied(flow, doomed);
        if copied.is_some_and(|copied| !self.is_used_outside(flow, &copied)) {
            join_around(&mut checks);
        }
        join(&mut checks);
        checks
    }

    /// The divisions after the region's first load, unless a load is under way before it. That load
    /// is under way while they are computed, which takes some twenty instructions: `embed_forward`
    /// divides by the length of a sequence after it has begun to load a token.
    fn late_divisions(&self, flow: &Flow) -> impl Iterator<Item = LLVMValueRef> {
        // SAFETY: the values are instructions.
        let opcode = |it: LLVMValueRef| unsafe { LLVMGetInstructionOpcode(it) };
        let is_load = move |it| opcode(it) == LLVMOpcode::LLVMLoad;
        let mut before = flow.instructions_of(self.start);
        let is_begun = before.any(|it| is_load(it) && !self.inside.contains(&it));
        std::iter::once(&self.start)
            .chain(&self.blocks)
            .flat_map(|it| flow.instructions_of(*it))
            .filter(|it| self.inside.contains(it))
            .skip_while(move |it| is_begun || !is_load(*it))
            .filter(move |it| matches!(opcode(*it), LLVMOpcode::LLVMUDiv | LLVMOpcode::LLVMURem))
    }

    /// Takes out the checks that follow from the conditions on the way to them, if there are at
    /// least so many. Returns the blocks of the copy.
    fn guard(
        &self,
        flow: &Flow,
        doomed: &[bool],
        least: usize,
    ) -> Option<HashSet<LLVMBasicBlockRef>> {
        let copied = self.copied(flow, doomed)?;
        if self.is_used_outside(flow, &copied) {
            return None;
        }
        let mut checks = Vec::new();
        let before = conditions_before(flow, self.start);
        // SAFETY: as for `split`. The conditions are those of values before the region.
        unsafe {
            let builder = self.builder(flow);
            let mut bounds = Bounds::new(builder, &self.inside);
            for block in std::iter::once(&self.start).chain(&self.blocks) {
                if let [taken, other] = flow.successors[*block][..]
                    && doomed[taken] != doomed[other]
                    && let Some(path) = &self.paths[block]
                    && let Some(condition) = condition(flow, *block)
                    && bounds
                        .require(&[&before[..], path].concat(), condition, !doomed[taken])
                        .is_some()
                {
                    checks.push((
                        LLVMGetBasicBlockTerminator(flow.blocks[*block]),
                        !doomed[taken],
                    ));
                }
            }
            let copies = (checks.len() >= least).then(|| {
                let fails = LLVMBuildNot(builder, bounds.all_hold(), c"fails".as_ptr());
                self.divide(flow, builder, &copied, fails, Ends::AsRegion, &checks)
                    .0
            });
            LLVMDisposeBuilder(builder);
            copies
        }
    }

    /// Returns whether what follows the region uses values of it, other than in phis.
    fn is_used_outside(&self, flow: &Flow, copied: &[usize]) -> bool {
        let blocks: HashSet<_> = copied.iter().map(|it| flow.blocks[*it]).collect();
        // SAFETY: users of an instruction are instructions, which have a block.
        let is_outside = |user: LLVMValueRef| unsafe {
            LLVMIsAPHINode(user).is_null() && !blocks.contains(&LLVMGetInstructionParent(user))
        };
        let instructions = copied.iter().flat_map(|it| flow.instructions_of(*it));
        instructions
            .flat_map(llvm::users)
            .any(|user| user != self.first && is_outside(user))
    }

    /// A builder where the region begins.
    ///
    /// # Safety
    /// The region is one of the function as it is.
    unsafe fn builder(&self, flow: &Flow) -> LLVMBuilderRef {
        // SAFETY: the caller guarantees it.
        unsafe {
            let start = LLVMBasicBlockAsValue(flow.blocks[self.start]);
            let builder = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(start)));
            LLVMPositionBuilderBefore(builder, self.first);
            LLVMSetCurrentDebugLocation2(builder, std::ptr::null_mut());
            builder
        }
    }

    /// Puts the copy beside the region, and takes these checks out of the region. Returns what
    /// [`duplicate::of_region`] does.
    ///
    /// # Safety
    /// `fails` is known where the builder is, before the region.
    unsafe fn divide(
        &self,
        flow: &Flow,
        builder: LLVMBuilderRef,
        copied: &[usize],
        fails: LLVMValueRef,
        ends: Ends,
        checks: &[(LLVMValueRef, bool)],
    ) -> (HashSet<LLVMBasicBlockRef>, LLVMBasicBlockRef) {
        // SAFETY: the constant has the type of the condition that it takes the place of.
        unsafe {
            let bit = LLVMTypeOf(fails);
            let mark = LLVMBuildFreeze(builder, LLVMConstInt(bit, 0, 0), c"".as_ptr());
            let copied: Vec<_> = copied.iter().map(|it| flow.blocks[*it]).collect();
            let made = duplicate::of_region(mark, &copied, fails, ends);
            for (branch, right) in checks {
                LLVMSetCondition(*branch, LLVMConstInt(bit, (*right).into(), 0));
            }
            made
        }
    }

    /// Computes the checks at the start, and puts the copy beside the region. Returns the blocks of
    /// the copy.
    fn split(&self, flow: &Flow, doomed: &[bool], checks: &[Check]) -> HashSet<LLVMBasicBlockRef> {
        let Some(copied) = self.copied(flow, doomed) else {
            return HashSet::new();
        };
        // SAFETY: the block is live and has a terminator. What is moved to its end is computed from
        // what dominates that place, by the checks of `is_movable`, and still dominates its uses.
        unsafe {
            let builder = self.builder(flow);
            let bit = LLVMInt1TypeInContext(LLVMGetBuilderContext(builder));
            // What is moved is before the first instruction, which changes if it is moved itself.
            let place = LLVMBuildFreeze(builder, LLVMConstInt(bit, 0, 0), c"".as_ptr());
            LLVMPositionBuilderBefore(builder, place);
            LLVMSetCurrentDebugLocation2(builder, std::ptr::null_mut());
            let mut conditions = Conditions {
                builder,
                inside: self.inside.clone(),
                frozen: HashMap::new(),
            };
            let mut fails = LLVMConstInt(bit, 0, 0);
            for check in checks.iter().filter(|it| it.tests != Tests::None) {
                let wrong = conditions.wrong(check);
                let path = check.path.iter().copied();
                let before = path.map(|(condition, value)| conditions.at_start(condition, value));
                // Without a path it is the check alone, so that what it shows is found later.
                let before: Vec<_> = before.collect();
                let reached = before.into_iter().chain([wrong]);
                let reached = reached.reduce(|a, b| LLVMBuildAnd(builder, a, b, c"".as_ptr()));
                fails = LLVMBuildOr(builder, fails, reached.unwrap_or(wrong), c"fails".as_ptr());
            }
            let goes_on = checks.iter().any(|it| it.around.is_some());
            let ends = if goes_on {
                Ends::AsRegion
            } else {
                Ends::InPanic
            };
            // Then, divisions by it can be moved, and with them what they are checked by.
            let shows_divisor = checks.iter().any(Check::is_of_divisor);
            let checks: Vec<_> = checks.iter().map(|it| (it.branch, it.right)).collect();
            let (mut made, region) = self.divide(flow, builder, &copied, fails, ends, &checks);
            if !shows_divisor {
                made.insert(region);
            }
            LLVMDisposeBuilder(builder);
            made
        }
    }
}

/// Finds the checks that differ by a constant, as those of an unrolled loop do, and has the first
/// of them tested for all.
fn join(checks: &mut [Check]) {
    let mut groups: HashMap<_, Vec<(usize, u64)>> = HashMap::new();
    for (at, check) in checks.iter().enumerate() {
        if check.tests != Tests::None
            && check.around.is_none()
            && let Some((index, length)) = check.compared()
            && let Some((terms, constant)) = sum(index)
        {
            let key = (check.path.clone(), length, terms);
            groups.entry(key).or_default().push((at, constant));
        }
    }
    for ((_, _, terms), group) in &groups {
        let (first, start) = group[0];
        // A test of two ends has two comparisons, unless no sum can wrap around.
        let is_upwards =
            matches!(terms[..], [only] if is_short(only)) && group.iter().all(|it| it.1 >= start);
        if group.len() < if is_upwards { 2 } else { 3 } {
            continue;
        }
        for (at, constant) in &group[1..] {
            let offset = i64::from_ne_bytes(constant.wrapping_sub(start).to_ne_bytes());
            if offset.unsigned_abs() <= u32::MAX.into() {
                checks[*at].tests = Tests::None;
                if let Tests::Offsets(least, most) = &mut checks[first].tests {
                    (*least, *most) = (offset.min(*least), offset.max(*most));
                }
            }
        }
    }
}

/// Finds the checks of indices around one number, as in a stencil, and has the first of them tested
/// for all: the number must be as large as the largest distance below it, and so must be the room
/// above it.
fn join_around(checks: &mut [Check]) {
    type Distances = (Vec<usize>, Vec<LLVMValueRef>, Vec<LLVMValueRef>);
    let mut groups: HashMap<_, Distances> = HashMap::new();
    for (at, check) in checks.iter().enumerate() {
        if let Some((index, length)) = check.compared() {
            let (middle, distance, is_above) = distance(index);
            let key = (check.path.clone(), length, middle);
            let (members, below, above) = groups.entry(key).or_default();
            members.push(at);
            if let Some(distance) = distance {
                if is_above { above } else { below }.push(distance);
            }
        }
    }
    for ((_, _, middle), (members, below, above)) in groups {
        let is_variable = |it: &LLVMValueRef| llvm::integer(*it).is_none();
        // The test of the ends of what is around has three comparisons, two of which are the same
        // for all threads.
        if members.len() > 3 && below.iter().chain(&above).any(is_variable) {
            for at in &members[1..] {
                checks[*at].tests = Tests::None;
            }
            checks[members[0]].around = Some(Around {
                middle,
                below,
                above,
            });
        }
    }
}

/// The number that an index is next to, how far, and whether the index is above it.
fn distance(index: LLVMValueRef) -> (LLVMValueRef, Option<LLVMValueRef>, bool) {
    // SAFETY: the value is checked to be a sum or a difference, which has two operands.
    unsafe {
        let opcode = (!LLVMIsAInstruction(index).is_null())
            .then(|| LLVMGetInstructionOpcode(index))
            .filter(|it| matches!(it, LLVMOpcode::LLVMAdd | LLVMOpcode::LLVMSub));
        let Some(opcode) = opcode else {
            return (index, None, true);
        };
        let (a, b) = (LLVMGetOperand(index, 0), LLVMGetOperand(index, 1));
        let is_sum = opcode == LLVMOpcode::LLVMAdd;
        if let Some(number) = llvm::integer(b)
            && is_sum
        {
            let is_below = number > u64::MAX >> 1;
            let by = i64::from_ne_bytes(number.to_ne_bytes()).unsigned_abs();
            return (a, Some(LLVMConstInt(LLVMTypeOf(b), by, 0)), !is_below);
        }
        if is_same_for_all(b) {
            return (a, Some(b), is_sum);
        }
        if is_sum && is_same_for_all(a) {
            return (b, Some(a), true);
        }
        (index, None, true)
    }
}

/// Returns whether two values are one number, perhaps with different widths.
fn is_same(a: LLVMValueRef, b: LLVMValueRef) -> bool {
    // SAFETY: the callers' values are numbers.
    let [a, b] = [a, b].map(|it| divisions::plain(unsafe { IntValue::new(it) }));
    a == b
}

/// Returns whether a number of 64 bits is known to have no more than 32.
fn is_short(number: LLVMValueRef) -> bool {
    // SAFETY: the caller's value is a number.
    divisions::is_short(unsafe { IntValue::new(number) }, 6)
}

/// What an index is the sum of: its terms in order, and a constant.
fn sum(index: LLVMValueRef) -> Option<(Vec<LLVMValueRef>, u64)> {
    let (mut terms, mut constant, mut todo) = (Vec::new(), 0u64, vec![index]);
    // SAFETY: every value has a type, and a sum two operands.
    unsafe {
        if LLVMTypeOf(index) != LLVMInt64TypeInContext(LLVMGetTypeContext(LLVMTypeOf(index))) {
            return None;
        }
        while let Some(at) = todo.pop() {
            let opcode = (!LLVMIsAInstruction(at).is_null()).then(|| LLVMGetInstructionOpcode(at));
            let is_sum = match opcode {
                Some(LLVMOpcode::LLVMAdd) => true,
                Some(LLVMOpcode::LLVMOr) => LLVMGetIsDisjoint(at) != 0,
                _ => false,
            };
            if is_sum {
                todo.extend([0, 1].map(|it| LLVMGetOperand(at, it)));
            } else if let Some(number) = llvm::integer(at) {
                constant = constant.wrapping_add(number);
            } else {
                terms.push(at);
            }
        }
    }
    terms.sort_unstable();
    Some((terms, constant))
}

/// Moves conditions to the region's start.
struct Conditions {
    builder: LLVMBuilderRef,
    inside: HashSet<LLVMValueRef>,
    /// The frozen values of conditions.
    frozen: HashMap<LLVMValueRef, LLVMValueRef>,
}

impl Conditions {
    /// Whether the check fails, or one that is tested with it, as a value at the start.
    ///
    /// # Safety
    /// As for [`Conditions::at_start`].
    unsafe fn wrong(&mut self, check: &Check) -> LLVMValueRef {
        // SAFETY: the caller guarantees it. A check that is tested with others compares an index.
        unsafe {
            if let (Some(around), Some((_, length))) = (&check.around, check.compared()) {
                return self.wrong_around(around, length);
            }
            let condition = LLVMGetCondition(check.branch);
            let own = self.at_start(condition, !check.right);
            let Some((index, length)) = check.compared() else {
                return own;
            };
            let Tests::Offsets(least, most) = check.tests else {
                return own;
            };
            if (least, most) == (0, 0) {
                return own;
            }
            if least == 0 && is_short(index) {
                let most = LLVMConstInt(LLVMTypeOf(index), most.cast_unsigned(), 0);
                let high = LLVMBuildAdd(self.builder, index, most, c"".as_ptr());
                let fails = LLVMBuildICmp(self.builder, LLVMIntUGE, high, length, c"".as_ptr());
                return LLVMBuildFreeze(self.builder, fails, c"".as_ptr());
            }
            // Those between the ends are less than the length if the sum does not wrap around.
            let (builder, ty) = (self.builder, LLVMTypeOf(index));
            let index = LLVMBuildFreeze(builder, index, c"".as_ptr());
            let [low, high] = [least, most].map(|offset| {
                let offset = LLVMConstInt(ty, u64::from_ne_bytes(offset.to_ne_bytes()), 0);
                LLVMBuildAdd(builder, index, offset, c"".as_ptr())
            });
            let wraps = LLVMBuildICmp(builder, LLVMIntUGT, low, high, c"".as_ptr());
            let ends = LLVMBuildICmp(builder, LLVMIntUGE, high, length, c"".as_ptr());
            let ends = LLVMBuildFreeze(builder, ends, c"".as_ptr());
            LLVMBuildOr(builder, wraps, ends, c"".as_ptr())
        }
    }

    /// Whether one of the indices around a number may be wrong, as a value at the start.
    ///
    /// # Safety
    /// As for [`Conditions::at_start`].
    unsafe fn wrong_around(&mut self, around: &Around, length: LLVMValueRef) -> LLVMValueRef {
        // SAFETY: the caller guarantees it. All are numbers of the index's type.
        unsafe {
            let builder = self.builder;
            let mut at_start = |value| {
                self.move_up(value);
                LLVMBuildFreeze(builder, value, c"".as_ptr())
            };
            let (middle, length) = (at_start(around.middle), at_start(length));
            let mut largest = |of: &[LLVMValueRef]| {
                let numbers: Vec<_> = of.iter().map(|it| at_start(*it)).collect();
                let zero = LLVMConstInt(LLVMTypeOf(middle), 0, 0);
                numbers.into_iter().fold(zero, |a, b| {
                    let is_larger = LLVMBuildICmp(builder, LLVMIntUGT, b, a, c"".as_ptr());
                    LLVMBuildSelect(builder, is_larger, b, a, c"".as_ptr())
                })
            };
            let (below, above) = (largest(&around.below), largest(&around.above));
            let compare = |predicate, a, b| LLVMBuildICmp(builder, predicate, a, b, c"".as_ptr());
            let room = LLVMBuildSub(builder, length, middle, c"".as_ptr());
            let fails = [
                compare(LLVMIntULT, middle, below),
                compare(LLVMIntUGE, middle, length),
                compare(LLVMIntUGE, above, room),
            ];
            fails
                .into_iter()
                .reduce(|a, b| LLVMBuildOr(builder, a, b, c"".as_ptr()))
                .unwrap_or(middle)
        }
    }

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
        // SAFETY: the value is one of the region's instructions; operands are below their number. A
        // result that is not defined is no fault where it is not used.
        unsafe {
            if !self.inside.remove(&value) {
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

/// Returns whether a value does not change if it is computed at the region's start, and computing
/// it there is no fault. `before` is what is below what there.
fn is_movable(
    value: LLVMValueRef,
    inside: &HashSet<LLVMValueRef>,
    before: &[(LLVMValueRef, LLVMValueRef)],
    known: &mut HashMap<LLVMValueRef, bool>,
) -> bool {
    use LLVMOpcode::*;
    // SAFETY: the value is checked to be one of the region's; operands are below their number.
    unsafe {
        if !inside.contains(&value) {
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
            LLVMUDiv | LLVMURem => {
                let divisor = LLVMGetOperand(value, 1);
                llvm::integer(divisor).is_some_and(|it| it > 0)
                    || before.iter().any(|(_, large)| is_same(*large, divisor))
            }
            LLVMCall => llvm::callee(CallSiteValue::new(value)).is_some_and(|callee| {
                let is_arithmetic = llvm::is_pure_intrinsic(callee);
                is_arithmetic && llvm::name(callee) != "llvm.assume"
            }),
            _ => false,
        };
        let is_movable = is_pure
            && operands
                .into_iter()
                .all(|index| is_movable(LLVMGetOperand(value, index), inside, before, known));
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
