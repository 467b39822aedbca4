//! The smallest and the largest value of an index in a loop, computed before the loop.
//!
//! A variable of the loop begins with a value and grows by a step. The loop's own condition gives
//! its end, or the number of its iterations. From the variables' ranges follow those of sums,
//! products and conversions, as unsigned numbers. Wherever a result could pass the largest number
//! of its type, that it does not is one more condition.

use std::collections::HashMap;

use inkwell::llvm_sys::LLVMIntPredicate::{self, *};
use inkwell::llvm_sys::LLVMOpcode;
use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::{LLVMBasicBlockRef, LLVMBuilderRef, LLVMTypeRef, LLVMValueRef};
use inkwell::module::Module;
use inkwell::values::{CallSiteValue, FunctionValue};

use super::stepped;
use crate::llvm::{self, Flow, Loop};

/// Bounds of a value in all iterations, both of them values before the loop.
#[derive(Clone, Copy)]
struct Range {
    low: LLVMValueRef,
    high: LLVMValueRef,
}

/// A value that begins with `start` and grows by `step` in each iteration.
#[derive(Clone, Copy)]
pub(super) struct Variable {
    pub(super) phi: LLVMValueRef,
    pub(super) next: LLVMValueRef,
    start: LLVMValueRef,
    step: LLVMValueRef,
}

/// What the loop's condition says of its end.
#[derive(Clone, Copy)]
enum End {
    /// In each iteration but the first, the variable is below `end`.
    Below {
        variable: Variable,
        end: LLVMValueRef,
    },
    /// The loop ends where a variable is equal to a value: after the first iteration, it has this
    /// many. If the loop counts down, `count` is the number of iterations.
    Further {
        variable: Variable,
        steps: LLVMValueRef,
        count: Option<LLVMValueRef>,
    },
}

/// The ranges of a loop's values, with the conditions under which they are right.
pub(super) struct Ranges<'a> {
    flow: &'a Flow,
    of: &'a Loop,
    module: inkwell::llvm_sys::prelude::LLVMModuleRef,
    builder: LLVMBuilderRef,
    end: Option<End>,
    known: HashMap<LLVMValueRef, Option<Range>>,
    conditions: Vec<LLVMValueRef>,
    /// Ends of ranges that have an element, by the last number before each.
    ends: HashMap<LLVMValueRef, LLVMValueRef>,
    /// The condition that the range over which the loop walks with a step has an element.
    has_element: Option<LLVMValueRef>,
    /// Whether all threads of a block have to get the same answer.
    is_uniform: bool,
    /// Whether the function's arguments are those of a launch.
    is_kernel: bool,
    /// What is below what wherever the check is reached.
    guards: Vec<(LLVMValueRef, LLVMValueRef)>,
}

impl Drop for Ranges<'_> {
    fn drop(&mut self) {
        // SAFETY: the builder was made by `new`, and nothing else has it.
        unsafe { LLVMDisposeBuilder(self.builder) };
    }
}

impl<'a> Ranges<'a> {
    /// Begins with what the loop's condition says. If the answer has to be `uniform`, it is
    /// computed from values alone that all threads of a block have, and from the bounds of their
    /// indices.
    pub(super) fn new(
        module: &Module<'_>,
        function: FunctionValue<'_>,
        flow: &'a Flow,
        of: &'a Loop,
        is_uniform: bool,
    ) -> Self {
        let preheader = flow.blocks[of.preheader];
        // SAFETY: the preheader is a block of a live function, and has a terminator.
        let builder = unsafe {
            let builder = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(
                LLVMBasicBlockAsValue(preheader),
            )));
            LLVMPositionBuilderBefore(builder, LLVMGetBasicBlockTerminator(preheader));
            builder
        };
        let mut ranges = Ranges {
            flow,
            of,
            module: module.as_mut_ptr(),
            builder,
            end: None,
            known: HashMap::new(),
            conditions: Vec::new(),
            ends: HashMap::new(),
            has_element: None,
            is_uniform,
            is_kernel: llvm::is_kernel(function),
            guards: Vec::new(),
        };
        ranges.end = ranges.find_end();
        ranges
    }

    /// Sets what holds wherever the next check is reached: each first value is below the second.
    pub(super) fn guard(&mut self, guards: Vec<(LLVMValueRef, LLVMValueRef)>) {
        self.guards = guards;
        self.known.clear();
    }

    /// Runs `work`, and forgets its conditions if it fails.
    pub(super) fn attempt<T>(&mut self, work: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        let before = self.conditions.len();
        let result = work(self);
        if result.is_none() {
            self.conditions.truncate(before);
            self.known.clear();
        }
        result
    }

    /// Requires that `a` is below `b` in every iteration.
    pub(super) fn less(&mut self, a: LLVMValueRef, b: LLVMValueRef) -> Option<()> {
        let (a, b) = (self.range(a)?, self.range(b)?);
        if self.ends.get(&a.high) != Some(&b.low) {
            self.require(LLVMIntULT, a.high, b.low);
        }
        Some(())
    }

    /// Requires that `a` is at most `b` in every iteration.
    pub(super) fn at_most(&mut self, a: LLVMValueRef, b: LLVMValueRef) -> Option<()> {
        let (a, b) = (self.range(a)?, self.range(b)?);
        self.require(LLVMIntULE, a.high, b.low);
        Some(())
    }

    /// Requires that the loop ends after a number of iterations that is fixed before it.
    pub(super) fn bounded(&mut self) -> Option<()> {
        if let End::Below { variable, end } = self.end?
            && llvm::integer(variable.step).is_none()
        {
            // The variable grows, and does not wrap around before it reaches the end.
            self.not_zero(variable.step);
            self.add(end, variable.step);
        }
        Some(())
    }

    /// The variable that ends the loop.
    pub(super) fn counter(&self) -> Option<Variable> {
        match self.end? {
            End::Below { variable, .. } | End::Further { variable, .. } => Some(variable),
        }
    }

    /// Returns whether an instruction is the comparison that ends the loop.
    pub(super) fn ends_with(&self, instruction: LLVMValueRef) -> bool {
        // SAFETY: the latch has a terminator, and a branch with two successors a condition.
        unsafe {
            let branch = LLVMGetBasicBlockTerminator(self.flow.blocks[self.of.latch]);
            LLVMGetNumSuccessors(branch) == 2 && LLVMGetCondition(branch) == instruction
        }
    }

    /// Requires that the counter's number of iterations has 32 bits, and returns it. It is `None`
    /// if the counter has no more bits, or a number of iterations that the compiler knows.
    pub(super) fn short_count(&mut self) -> Option<LLVMValueRef> {
        let steps = match self.end? {
            End::Further {
                count: Some(count), ..
            } => return self.short(count),
            End::Further { steps, .. } => steps,
            // The number is that of one thread.
            End::Below { .. } if self.is_uniform => return None,
            End::Below { variable, end } => {
                self.range(variable.phi)?;
                let distance = self.distance(variable, end)?;
                self.steps(variable, distance)?
            }
        };
        // SAFETY: the steps are an integer before the loop.
        unsafe {
            let short = LLVMInt32TypeInContext(LLVMGetBuilderContext(self.builder));
            let (from, most) = (LLVMTypeOf(steps), mask(short));
            if mask(from) <= most || llvm::integer(steps).is_some() {
                return None;
            }
            // One more than the steps fits, too.
            self.require(LLVMIntULT, steps, LLVMConstInt(from, most, 0));
            let steps = LLVMBuildTrunc(self.builder, steps, short, c"".as_ptr());
            let one = LLVMConstInt(short, 1, 0);
            Some(LLVMBuildNUWAdd(self.builder, steps, one, c"".as_ptr()))
        }
    }

    /// Requires that a number of iterations has 32 bits, if it is not known and its type has more.
    fn short(&mut self, count: LLVMValueRef) -> Option<LLVMValueRef> {
        // SAFETY: the number is an integer before the loop.
        unsafe {
            let short = LLVMInt32TypeInContext(LLVMGetBuilderContext(self.builder));
            let (from, most) = (LLVMTypeOf(count), mask(short));
            if mask(from) <= most || llvm::integer(count).is_some() {
                return None;
            }
            if !self
                .conditions
                .iter()
                .any(|it| Some(*it) == self.has_element)
            {
                self.not_zero(count);
            }
            self.require(LLVMIntULE, count, LLVMConstInt(from, most, 0));
            Some(LLVMBuildTrunc(self.builder, count, short, c"".as_ptr()))
        }
    }

    /// Requires that a fixed value is not zero.
    pub(super) fn not_zero(&mut self, value: LLVMValueRef) {
        let zero = self.constant(value, 0);
        self.require(LLVMIntNE, value, zero);
    }

    /// The value before the loop that says whether all conditions hold.
    pub(super) fn all_hold(&self) -> LLVMValueRef {
        // SAFETY: all conditions are values of one bit before the loop.
        unsafe {
            let bit = LLVMInt1TypeInContext(LLVMGetBuilderContext(self.builder));
            let mut all = LLVMConstInt(bit, 1, 0);
            for condition in &self.conditions {
                all = LLVMBuildAnd(self.builder, all, *condition, c"".as_ptr());
            }
            all
        }
    }

    fn require(&mut self, predicate: LLVMIntPredicate, a: LLVMValueRef, b: LLVMValueRef) {
        let condition = self.compare(predicate, a, b);
        self.conditions.push(condition);
    }

    fn range(&mut self, of: LLVMValueRef) -> Option<Range> {
        if let Some(known) = self.known.get(&of) {
            return *known;
        }
        self.known.insert(of, None); // for a value that depends on itself
        let range = self.find(of).map(|range| self.guarded(of, range));
        self.known.insert(of, range);
        range
    }

    /// The range where the check is reached, for a value that a branch has compared before.
    fn guarded(&mut self, of: LLVMValueRef, range: Range) -> Range {
        let ends = self.guards.iter().filter(|(small, _)| *small == of);
        let ends: Vec<_> = ends.map(|(_, large)| *large).collect();
        ends.into_iter().fold(range, |range, end| {
            if !self.is_known(end) {
                return range;
            }
            let last = self.subtract(end, self.constant(end, 1));
            Range {
                high: self.smaller(range.high, last),
                ..range
            }
        })
    }

    fn find(&mut self, of: LLVMValueRef) -> Option<Range> {
        if !is_integer(of) {
            return None;
        }
        if self.is_known(of) {
            return Some(Range { low: of, high: of });
        }
        if self.is_fixed(of) {
            if let Some(threads) = self.threads(of) {
                let low = self.constant(threads, 0);
                let high = self.subtract(threads, self.constant(threads, 1));
                return Some(Range { low, high });
            }
            // SAFETY: the value is checked to be an instruction.
            if unsafe { LLVMIsAInstruction(of).is_null() } {
                return None;
            }
        }
        // SAFETY: what is not fixed is an instruction of the loop; operands are below their number.
        unsafe {
            let operand = |index| LLVMGetOperand(of, index);
            match LLVMGetInstructionOpcode(of) {
                LLVMOpcode::LLVMPHI if !self.is_fixed(of) => {
                    let variable = self.variable(of).or_else(|| self.follower(of))?;
                    self.of_variable(variable)
                }
                LLVMOpcode::LLVMAdd => self.sum(operand(0), operand(1)),
                LLVMOpcode::LLVMOr if LLVMGetIsDisjoint(of) != 0 => {
                    self.sum(operand(0), operand(1))
                }
                LLVMOpcode::LLVMSub => {
                    let (a, b) = (self.range(operand(0))?, self.range(operand(1))?);
                    self.require(LLVMIntUGE, a.low, b.high);
                    Some(Range {
                        low: self.subtract(a.low, b.high),
                        high: self.subtract(a.high, b.low),
                    })
                }
                LLVMOpcode::LLVMMul => {
                    let (a, b) = (self.range(operand(0))?, self.range(operand(1))?);
                    let high = self.product(a.high, b.high);
                    let low = LLVMBuildMul(self.builder, a.low, b.low, c"".as_ptr());
                    Some(Range { low, high })
                }
                LLVMOpcode::LLVMShl => {
                    let (value, by) = (self.range(operand(0))?, llvm::integer(operand(1))?);
                    let ty = LLVMTypeOf(of);
                    let most = mask(ty).checked_shr(by.try_into().ok()?)?;
                    self.require(LLVMIntULE, value.high, LLVMConstInt(ty, most, 0));
                    self.each(value, |builder, it| {
                        LLVMBuildShl(builder, it, operand(1), c"".as_ptr())
                    })
                }
                LLVMOpcode::LLVMLShr if self.is_fixed(operand(1)) => {
                    let value = self.range(operand(0))?;
                    self.each(value, |builder, it| {
                        LLVMBuildLShr(builder, it, operand(1), c"".as_ptr())
                    })
                }
                LLVMOpcode::LLVMAnd => {
                    let (value, mask) = (self.range(operand(0))?, self.range(operand(1))?);
                    let low = self.constant(of, 0);
                    let high = self.smaller(value.high, mask.high);
                    Some(Range { low, high })
                }
                LLVMOpcode::LLVMZExt => {
                    let value = self.range(operand(0))?;
                    self.each(value, |builder, it| {
                        LLVMBuildZExt(builder, it, LLVMTypeOf(of), c"".as_ptr())
                    })
                }
                LLVMOpcode::LLVMSExt => {
                    let value = self.range(operand(0))?;
                    let ty = LLVMTypeOf(value.high);
                    self.require(LLVMIntULE, value.high, LLVMConstInt(ty, mask(ty) >> 1, 0));
                    self.each(value, |builder, it| {
                        LLVMBuildZExt(builder, it, LLVMTypeOf(of), c"".as_ptr())
                    })
                }
                _ => None,
            }
        }
    }

    /// The range of a sum. A negative constant is subtracted.
    fn sum(&mut self, a: LLVMValueRef, b: LLVMValueRef) -> Option<Range> {
        let (a, b) = (self.range(a)?, self.range(b)?);
        // SAFETY: all values are integers of one type before the loop.
        unsafe {
            let ty = LLVMTypeOf(a.high);
            if b.low == b.high
                && let Some(constant) = llvm::integer(b.low)
                && constant > mask(ty) >> 1
            {
                let minus = LLVMConstInt(ty, constant.wrapping_neg() & mask(ty), 0);
                self.require(LLVMIntUGE, a.low, minus);
                return self.each(a, |builder, it| {
                    LLVMBuildSub(builder, it, minus, c"".as_ptr())
                });
            }
            let low = LLVMBuildAdd(self.builder, a.low, b.low, c"".as_ptr());
            let high = self.add(a.high, b.high);
            Some(Range { low, high })
        }
    }

    fn of_variable(&mut self, variable: Variable) -> Option<Range> {
        let start = self.start(variable)?;
        match self.end? {
            End::Below {
                variable: ending,
                end,
            } => {
                let further = self.distance(ending, end)?;
                if ending.phi == variable.phi {
                    // It may wrap around, unless the distance has ruled that out.
                    let low = match llvm::integer(variable.step) {
                        Some(_) => start.low,
                        None => self.constant(variable.start, 0),
                    };
                    let high = self.add(start.high, further);
                    Some(Range { low, high })
                } else if ending.step == variable.step && same_type(ending.phi, variable.phi) {
                    let high = self.add(start.high, further);
                    Some(Range { high, ..start })
                } else {
                    let steps = self.steps(ending, further)?;
                    self.after(variable, steps)
                }
            }
            End::Further { steps, count, .. } => {
                let end = count.and_then(|count| self.end_of_steps(variable, count));
                end.or_else(|| self.after(variable, steps))
            }
        }
    }

    /// The range of a variable that walks with its step over a range of numbers, of which there
    /// are `count`.
    fn end_of_steps(&mut self, variable: Variable, count: LLVMValueRef) -> Option<Range> {
        // SAFETY: all values are integers of the loop's function.
        let end = unsafe { stepped::end(count, variable.start, variable.step)? };
        if !self.is_known(end) {
            return None;
        }
        let start = self.start(variable)?;
        self.require(LLVMIntULT, start.high, end);
        self.has_element = self.conditions.last().copied();
        let last = self.subtract(end, self.constant(end, 1));
        Some(Range {
            high: last,
            ..start
        })
    }

    /// The bounds of a variable's first value.
    fn start(&mut self, of: Variable) -> Option<Range> {
        if self.is_uniform && !self.is_same_for_all(of.step) {
            return None;
        }
        self.range(of.start)
    }

    /// The range of a variable that takes this many steps.
    fn after(&mut self, variable: Variable, steps: LLVMValueRef) -> Option<Range> {
        let steps = self.converted(steps, variable.start)?;
        let start = self.start(variable)?;
        // SAFETY: the step has an integer type.
        let most = unsafe { mask(LLVMTypeOf(variable.step)) };
        match llvm::integer(variable.step) {
            Some(step) if step > most >> 1 => {
                let step = self.constant(variable.start, step.wrapping_neg() & most);
                let way = self.product(steps, step);
                self.require(LLVMIntUGE, start.low, way);
                let low = self.subtract(start.low, way);
                Some(Range { low, ..start })
            }
            _ => {
                let way = self.product(steps, variable.step);
                let high = self.add(start.high, way);
                Some(Range { high, ..start })
            }
        }
    }

    /// How far the last value of a variable is from its first, if all but the first are below
    /// `end`: at most, for a step that is not a power of two.
    fn distance(&mut self, of: Variable, end: LLVMValueRef) -> Option<LLVMValueRef> {
        let one = self.constant(of.start, 1);
        let start = self.start(of)?.low;
        // SAFETY: all values are integers of one type before the loop.
        unsafe {
            // With a single iteration the first value is the last, whatever the end is.
            let after = LLVMBuildAdd(self.builder, start, one, c"".as_ptr());
            let is_after = self.compare(LLVMIntUGT, end, after);
            let end = LLVMBuildSelect(self.builder, is_after, end, after, c"".as_ptr());
            let last = self.subtract(end, one);
            let distance = self.subtract(last, start);
            match llvm::integer(of.step) {
                // Numbers with a clear top bit do not wrap around by a step.
                Some(step) if step.is_power_of_two() => {
                    let ty = LLVMTypeOf(end);
                    let half = LLVMConstInt(ty, mask(ty) >> 1, 0);
                    self.require(LLVMIntULE, end, half);
                    let whole = LLVMConstInt(ty, !(step - 1) & mask(ty), 0);
                    Some(LLVMBuildAnd(self.builder, distance, whole, c"".as_ptr()))
                }
                Some(_) => None,
                None => Some(distance),
            }
        }
    }

    /// The number of steps of a constant size in a distance.
    fn steps(&mut self, of: Variable, distance: LLVMValueRef) -> Option<LLVMValueRef> {
        let step = llvm::integer(of.step).filter(|step| step.is_power_of_two())?;
        let by = self.constant(distance, step.trailing_zeros().into());
        // SAFETY: both are integers of one type before the loop.
        Some(unsafe { LLVMBuildLShr(self.builder, distance, by, c"".as_ptr()) })
    }

    /// What the branch at the loop's end says: the loop goes on while a variable is below an end,
    /// or until it is equal to one.
    fn find_end(&mut self) -> Option<End> {
        let latch = self.flow.blocks[self.of.latch];
        // SAFETY: the latch has a terminator, which is checked to be a conditional branch; the
        // condition is checked to be a comparison.
        unsafe {
            let branch = LLVMGetBasicBlockTerminator(latch);
            if LLVMGetNumSuccessors(branch) != 2 {
                return None;
            }
            let header = self.flow.blocks[self.of.header];
            let goes_on = LLVMGetSuccessor(branch, 0) == header;
            let condition = LLVMGetCondition(branch);
            if LLVMIsAInstruction(condition).is_null()
                || LLVMGetInstructionOpcode(condition) != LLVMOpcode::LLVMICmp
            {
                return None;
            }
            let (a, b) = (LLVMGetOperand(condition, 0), LLVMGetOperand(condition, 1));
            match (LLVMGetICmpPredicate(condition), goes_on) {
                (LLVMIntULT, true) | (LLVMIntUGE, false) => self.below(a, b),
                (LLVMIntUGT, true) | (LLVMIntULE, false) => self.below(b, a),
                (LLVMIntULE, true) | (LLVMIntUGT, false) => self.up_to(a, b),
                (LLVMIntUGE, true) | (LLVMIntULT, false) => self.up_to(b, a),
                (LLVMIntNE, true) | (LLVMIntEQ, false) => {
                    self.until(a, b).or_else(|| self.until(b, a))
                }
                _ => None,
            }
        }
    }

    fn below(&self, next: LLVMValueRef, end: LLVMValueRef) -> Option<End> {
        let variable = self.variable_of_next(next)?;
        self.is_known(end).then_some(End::Below { variable, end })
    }

    fn up_to(&mut self, next: LLVMValueRef, last: LLVMValueRef) -> Option<End> {
        let variable = self.variable_of_next(next)?;
        if !self.is_known(last) {
            return None;
        }
        let end = self.add(last, self.constant(last, 1));
        Some(End::Below { variable, end })
    }

    fn until(&mut self, at: LLVMValueRef, end: LLVMValueRef) -> Option<End> {
        if !self.is_known(end) {
            return None;
        }
        let is_next = self.variable_of_next(at);
        let variable = is_next.or_else(|| self.variable(at))?;
        // SAFETY: the step has an integer type.
        let most = unsafe { mask(LLVMTypeOf(variable.step)) };
        let step = llvm::integer(variable.step)?;
        if !self.is_known(variable.start) {
            return None;
        }
        let (from, to) = match step {
            1 => (variable.start, end),
            _ if step == most => (end, variable.start),
            _ => return None,
        };
        let steps = self.subtract(to, from);
        // A test of the next value ends the loop one iteration sooner than one of the present
        // value.
        let one = self.constant(steps, 1);
        let further = if is_next.is_some() {
            self.subtract(steps, one)
        } else {
            steps
        };
        let counts_down = step == most && is_next.is_some() && llvm::integer(end) == Some(0);
        Some(End::Further {
            variable,
            steps: further,
            count: counts_down.then_some(variable.start),
        })
    }

    fn variable_of_next(&self, next: LLVMValueRef) -> Option<Variable> {
        // SAFETY: the value is checked to be an instruction, and the operand exists in a sum.
        unsafe {
            if LLVMIsAInstruction(next).is_null()
                || LLVMGetInstructionOpcode(next) != LLVMOpcode::LLVMAdd
            {
                return None;
            }
            let of = [0, 1].map(|index| self.variable(LLVMGetOperand(next, index)));
            of.into_iter().flatten().find(|it| it.next == next)
        }
    }

    /// The variable of a phi in the loop's header.
    fn variable(&self, phi: LLVMValueRef) -> Option<Variable> {
        let (start, next) = self.entries(phi)?;
        // SAFETY: the value is checked to be a sum, which has two operands.
        unsafe {
            if LLVMIsAInstruction(next).is_null()
                || LLVMGetInstructionOpcode(next) != LLVMOpcode::LLVMAdd
            {
                return None;
            }
            let (a, b) = (LLVMGetOperand(next, 0), LLVMGetOperand(next, 1));
            let step = match (a == phi, b == phi) {
                (true, false) => b,
                (false, true) => a,
                _ => return None,
            };
            self.is_fixed(step).then_some(Variable {
                phi,
                next,
                start,
                step,
            })
        }
    }

    /// The variable of a phi that has in each iteration what another had in the one before.
    /// Iterators with a step come out like this. It is one step behind, if it begins so.
    fn follower(&mut self, phi: LLVMValueRef) -> Option<Variable> {
        let (start, next) = self.entries(phi)?;
        let ahead = self.variable(next)?;
        if !self.is_known(start) || !self.is_known(ahead.start) {
            return None;
        }
        // SAFETY: all values are integers of one type before the loop.
        let second = unsafe { LLVMBuildAdd(self.builder, start, ahead.step, c"".as_ptr()) };
        self.require(LLVMIntEQ, second, ahead.start);
        Some(Variable {
            phi,
            next,
            start,
            step: ahead.step,
        })
    }

    /// What a phi of the header has in the first iteration, and in the others.
    pub(super) fn entries(&self, phi: LLVMValueRef) -> Option<(LLVMValueRef, LLVMValueRef)> {
        // SAFETY: the value is checked to be a phi of the header, which has two entries there.
        unsafe {
            if LLVMIsAPHINode(phi).is_null()
                || !is_integer(phi)
                || LLVMGetInstructionParent(phi) != self.flow.blocks[self.of.header]
                || LLVMCountIncoming(phi) != 2
            {
                return None;
            }
            let preheader = self.flow.blocks[self.of.preheader];
            let first = u32::from(LLVMGetIncomingBlock(phi, 0) != preheader);
            let next = LLVMGetIncomingValue(phi, 1 - first);
            Some((LLVMGetIncomingValue(phi, first), next))
        }
    }

    /// Returns whether a value is the same in all iterations, because it is computed outside.
    pub(super) fn is_fixed(&self, value: LLVMValueRef) -> bool {
        // SAFETY: an instruction has a block, which is one of the function's.
        unsafe {
            if LLVMIsAInstruction(value).is_null() {
                return true;
            }
            let block: LLVMBasicBlockRef = LLVMGetInstructionParent(value);
            !self
                .of
                .blocks
                .iter()
                .any(|it| self.flow.blocks[*it] == block)
        }
    }

    /// Returns whether a value may be used as it is before the loop.
    fn is_known(&self, value: LLVMValueRef) -> bool {
        self.is_fixed(value) && (!self.is_uniform || self.is_same_for_all(value))
    }

    /// Returns whether all threads of a block have the same value: it is computed from parameters,
    /// and from the block's place and the launch's shape.
    fn is_same_for_all(&self, value: LLVMValueRef) -> bool {
        use LLVMOpcode::*;
        // SAFETY: the value is checked to be an instruction; operands are below their number.
        unsafe {
            if !LLVMIsAArgument(value).is_null() {
                return self.is_kernel;
            }
            if LLVMIsAInstruction(value).is_null() {
                return true;
            }
            match LLVMGetInstructionOpcode(value) {
                LLVMCall => [".ctaid.", ".ntid.", ".nctaid."]
                    .iter()
                    .any(|name| special(value).is_some_and(|it| it.starts_with(name))),
                LLVMAdd | LLVMSub | LLVMMul | LLVMShl | LLVMLShr | LLVMAnd | LLVMOr | LLVMZExt
                | LLVMSExt | LLVMTrunc | LLVMICmp | LLVMSelect | LLVMUDiv | LLVMURem => (0
                    ..LLVMGetNumOperands(value).cast_unsigned())
                    .all(|index| self.is_same_for_all(LLVMGetOperand(value, index))),
                _ => false,
            }
        }
    }

    /// The number of threads along an axis, for a thread's index on it.
    fn threads(&mut self, index: LLVMValueRef) -> Option<LLVMValueRef> {
        let axis = special(index)?.strip_prefix(".tid.")?.to_owned();
        let name = format!("llvm.nvvm.read.ptx.sreg.ntid.{axis}");
        // SAFETY: the intrinsic has no parameters, and returns an integer of 32 bits.
        unsafe {
            let id = LLVMLookupIntrinsicID(name.as_ptr().cast(), name.len());
            let context = LLVMGetBuilderContext(self.builder);
            let none = std::ptr::null_mut();
            let function = LLVMGetIntrinsicDeclaration(self.module, id, none, 0);
            let signature = LLVMIntrinsicGetType(context, id, none, 0);
            let builder = self.builder;
            Some(LLVMBuildCall2(
                builder,
                signature,
                function,
                none.cast(),
                0,
                c"".as_ptr(),
            ))
        }
    }

    fn smaller(&self, a: LLVMValueRef, b: LLVMValueRef) -> LLVMValueRef {
        let is_smaller = self.compare(LLVMIntULT, a, b);
        // SAFETY: both are integers of one type before the loop.
        unsafe { LLVMBuildSelect(self.builder, is_smaller, a, b, c"".as_ptr()) }
    }

    fn constant(&self, like: LLVMValueRef, value: u64) -> LLVMValueRef {
        // SAFETY: the value is an integer.
        unsafe { LLVMConstInt(LLVMTypeOf(like), value, 0) }
    }

    fn compare(
        &self,
        predicate: LLVMIntPredicate,
        a: LLVMValueRef,
        b: LLVMValueRef,
    ) -> LLVMValueRef {
        // SAFETY: both are integers of one type before the loop.
        unsafe { LLVMBuildICmp(self.builder, predicate, a, b, c"".as_ptr()) }
    }

    fn subtract(&self, a: LLVMValueRef, b: LLVMValueRef) -> LLVMValueRef {
        // SAFETY: both are integers of one type before the loop.
        unsafe { LLVMBuildSub(self.builder, a, b, c"".as_ptr()) }
    }

    /// A sum that must not wrap around.
    fn add(&mut self, a: LLVMValueRef, b: LLVMValueRef) -> LLVMValueRef {
        // SAFETY: both are integers of one type before the loop.
        let sum = unsafe { LLVMBuildAdd(self.builder, a, b, c"".as_ptr()) };
        self.require(LLVMIntUGE, sum, a);
        sum
    }

    /// A product that must not wrap around.
    fn product(&mut self, a: LLVMValueRef, b: LLVMValueRef) -> LLVMValueRef {
        if [a, b].iter().any(|it| llvm::integer(*it) == Some(1)) {
            return if llvm::integer(a) == Some(1) { b } else { a };
        }
        const NAME: &str = "llvm.umul.with.overflow";
        // SAFETY: both are integers of one type before the loop. The intrinsic takes two of them,
        // and returns the product, and whether it has wrapped around.
        unsafe {
            let mut ty = LLVMTypeOf(a);
            let id = LLVMLookupIntrinsicID(NAME.as_ptr().cast(), NAME.len());
            let context = LLVMGetBuilderContext(self.builder);
            let function = LLVMGetIntrinsicDeclaration(self.module, id, &mut ty, 1);
            let signature = LLVMIntrinsicGetType(context, id, &mut ty, 1);
            let mut arguments = [a, b];
            let both = LLVMBuildCall2(
                self.builder,
                signature,
                function,
                arguments.as_mut_ptr(),
                2,
                c"".as_ptr(),
            );
            let wrapped = LLVMBuildExtractValue(self.builder, both, 1, c"".as_ptr());
            let is_exact = LLVMBuildNot(self.builder, wrapped, c"".as_ptr());
            self.conditions.push(is_exact);
            LLVMBuildExtractValue(self.builder, both, 0, c"".as_ptr())
        }
    }

    /// A number as an integer of another value's type, in which it must have room.
    fn converted(&mut self, value: LLVMValueRef, like: LLVMValueRef) -> Option<LLVMValueRef> {
        // SAFETY: both are integers.
        unsafe {
            let (from, to) = (LLVMTypeOf(value), LLVMTypeOf(like));
            let (narrow, wide) = (LLVMGetIntTypeWidth(from), LLVMGetIntTypeWidth(to));
            if narrow > wide {
                self.require(LLVMIntULE, value, LLVMConstInt(from, mask(to), 0));
                Some(LLVMBuildTrunc(self.builder, value, to, c"".as_ptr()))
            } else {
                Some(LLVMBuildZExt(self.builder, value, to, c"".as_ptr()))
            }
        }
    }

    fn each(
        &self,
        of: Range,
        make: impl Fn(LLVMBuilderRef, LLVMValueRef) -> LLVMValueRef,
    ) -> Option<Range> {
        Some(Range {
            low: make(self.builder, of.low),
            high: make(self.builder, of.high),
        })
    }
}

/// The name of the special register that a call reads, as `.tid.x`.
fn special(value: LLVMValueRef) -> Option<String> {
    // SAFETY: the value is checked to be a call.
    let call = unsafe {
        if LLVMIsACallInst(value).is_null() {
            return None;
        }
        CallSiteValue::new(value)
    };
    let name = llvm::name(llvm::callee(call)?);
    Some(name.strip_prefix("llvm.nvvm.read.ptx.sreg")?.to_owned())
}

/// Returns whether a value is an integer of at most 64 bits.
pub(super) fn is_integer(value: LLVMValueRef) -> bool {
    // SAFETY: every value has a type, and an integer type a width.
    unsafe {
        let ty = LLVMTypeOf(value);
        LLVMGetTypeKind(ty) == inkwell::llvm_sys::LLVMTypeKind::LLVMIntegerTypeKind
            && LLVMGetIntTypeWidth(ty) <= 64
    }
}

fn same_type(a: LLVMValueRef, b: LLVMValueRef) -> bool {
    // SAFETY: every value has a type.
    unsafe { LLVMTypeOf(a) == LLVMTypeOf(b) }
}

/// The largest number of an integer type.
///
/// # Safety
/// The type is an integer type of at most 64 bits.
unsafe fn mask(ty: LLVMTypeRef) -> u64 {
    // SAFETY: the caller's type has a width.
    u64::MAX >> (64 - unsafe { LLVMGetIntTypeWidth(ty) })
}
