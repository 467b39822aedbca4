//! Bounds of indices that follow from the conditions on the way to them.
//!
//! `if x < width && y < height { image[y * width + x] }` needs no check once it is known that
//! `(height - 1) * width + (width - 1)` is below the length, whatever `x` and `y` are. This test is
//! the same for all accesses of the image, and for all threads. A bound is a number of 64 bits that
//! the value, as an unsigned number, never exceeds where the conditions hold.

use std::collections::{HashMap, HashSet};

use inkwell::llvm_sys::LLVMIntPredicate::{self, *};
use inkwell::llvm_sys::LLVMOpcode;
use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::{LLVMBuilderRef, LLVMTypeRef, LLVMValueRef};
use inkwell::values::IntValue;

use super::super::{divisions, remainders};
use super::numbers::{is_read, is_same_for_all, short, width};
use super::steps::{self, By, Step};
use crate::llvm;

/// What conditions say of numbers.
#[derive(Default)]
struct Facts {
    not_negative: HashSet<LLVMValueRef>,
    not_zero: HashSet<LLVMValueRef>,
    less: Vec<Less>,
}

/// A number is below another, or at most as large.
struct Less {
    small: LLVMValueRef,
    large: LLVMValueRef,
    is_signed: bool,
    may_equal: bool,
}

/// What a value does not exceed: a number of 64 bits, and a constant that this does not exceed.
#[derive(Clone, Copy)]
struct Bound {
    value: LLVMValueRef,
    most: u64,
}

/// Computes bounds where the builder is.
pub(super) struct Bounds<'a> {
    builder: LLVMBuilderRef,
    /// What is computed later.
    inside: &'a HashSet<LLVMValueRef>,
    facts: Facts,
    made: HashMap<(u32, LLVMValueRef, LLVMValueRef), LLVMValueRef>,
    conditions: Vec<(LLVMIntPredicate, LLVMValueRef, LLVMValueRef)>,
    /// Whether the index is that of a neighbour: then its parts are not tried as such.
    is_next: bool,
}

impl<'a> Bounds<'a> {
    pub(super) fn new(builder: LLVMBuilderRef, inside: &'a HashSet<LLVMValueRef>) -> Self {
        Bounds {
            builder,
            inside,
            facts: Facts::default(),
            made: HashMap::new(),
            conditions: Vec::new(),
            is_next: false,
        }
    }

    /// Requires that a check at the end of a path holds. Returns `None` if nothing follows from the
    /// path.
    pub(super) fn require(
        &mut self,
        path: &[(LLVMValueRef, bool)],
        check: LLVMValueRef,
        right: bool,
    ) -> Option<()> {
        self.facts = Facts::default();
        for (condition, value) in path {
            self.facts.add(*condition, *value);
        }
        let (index, length) = compared(check, right)?;
        if self.inside.contains(&length) {
            return None;
        }
        let before = self.conditions.len();
        let bound = self.bound(index);
        match bound {
            Some(bound) => {
                let length = self.wide(length)?;
                self.condition(LLVMIntULT, bound.value, length);
            }
            None => self.conditions.truncate(before),
        }
        bound.map(|_| ())
    }

    /// Whether all conditions hold, as a value where the builder is.
    pub(super) fn all_hold(&self) -> LLVMValueRef {
        // SAFETY: the conditions compare numbers of 64 bits that are known where the builder is.
        unsafe {
            let bit = LLVMInt1TypeInContext(LLVMGetBuilderContext(self.builder));
            let mut all = LLVMConstInt(bit, 1, 0);
            for (predicate, a, b) in &self.conditions {
                let holds = LLVMBuildICmp(self.builder, *predicate, *a, *b, c"".as_ptr());
                all = LLVMBuildAnd(self.builder, all, holds, c"".as_ptr());
            }
            // A condition may have no value where no path needs it.
            LLVMBuildFreeze(self.builder, all, c"".as_ptr())
        }
    }

    fn condition(&mut self, predicate: LLVMIntPredicate, a: LLVMValueRef, b: LLVMValueRef) {
        if !self.conditions.contains(&(predicate, a, b)) {
            self.conditions.push((predicate, a, b));
        }
    }

    fn bound(&mut self, of: LLVMValueRef) -> Option<Bound> {
        let bits = width(of)?;
        if let Some(end) = self.facts.end(of, self.inside) {
            return self.before(end);
        }
        if !self.inside.contains(&of) && is_same_for_all(of) {
            return self.itself(of);
        }
        if let Some(bound) = self.next(of) {
            return Some(bound);
        }
        // SAFETY: the value is checked to be an instruction; operands are below their number.
        unsafe {
            if LLVMIsAInstruction(of).is_null() {
                return None;
            }
            let operand = |index| LLVMGetOperand(of, index);
            let opcode = LLVMGetInstructionOpcode(of);
            match opcode {
                LLVMOpcode::LLVMZExt | LLVMOpcode::LLVMFreeze => self.bound(operand(0)),
                LLVMOpcode::LLVMSExt => {
                    let bound = self.bound(operand(0))?;
                    Some(self.at_most(bound, (1 << (width(operand(0))? - 1)) - 1))
                }
                LLVMOpcode::LLVMAdd | LLVMOpcode::LLVMMul => {
                    let (a, b) = (self.bound(operand(0))?, self.bound(operand(1))?);
                    self.of_two(opcode, bits, a, b)
                }
                LLVMOpcode::LLVMSelect => self.neighbour(IntValue::new(of)),
                // A size of 32 bits, out of a number that has two.
                LLVMOpcode::LLVMAnd | LLVMOpcode::LLVMLShr if bits == 64 => {
                    let (of, constant) = (operand(0), llvm::integer(operand(1))?);
                    let most = match opcode {
                        LLVMOpcode::LLVMAnd => constant,
                        _ => u64::MAX.checked_shr(constant.try_into().ok()?)?,
                    };
                    let is_known = !self.inside.contains(&of) && is_same_for_all(of);
                    is_known.then(|| Bound {
                        value: self.combined(opcode, of, operand(1)),
                        most,
                    })
                }
                _ => None,
            }
        }
    }

    /// The bound of a sum or a product of two values with these bounds. Neither wraps around.
    fn of_two(
        &mut self,
        opcode: LLVMOpcode,
        bits: u32,
        mut a: Bound,
        mut b: Bound,
    ) -> Option<Bound> {
        let (combine, most): (fn(u64, u64) -> Option<u64>, _) = match opcode {
            LLVMOpcode::LLVMMul => (u64::checked_mul, u64::from(u32::MAX)),
            _ => (u64::checked_add, u64::MAX >> 1),
        };
        if combine(a.most, b.most).is_none() {
            (a, b) = (self.at_most(a, most), self.at_most(b, most));
        }
        let result = Bound {
            value: self.combined(opcode, a.value, b.value),
            most: combine(a.most, b.most)?,
        };
        let all = if bits == 32 {
            u32::MAX.into()
        } else {
            u64::MAX
        };
        Some(self.at_most(result, all))
    }

    /// The bound of the index of a point next to another one in a volume, which is that of all its
    /// points: `i + 1`, `i - nx` or `i + nx * ny` with `i = (z * ny + y) * nx + x`, where a branch
    /// has shown that `x < nx - 1`, `y > 0` or `z < nz - 1`.
    fn next(&mut self, of: LLVMValueRef) -> Option<Bound> {
        if width(of)? != 64 || self.is_next {
            return None;
        }
        let step = steps::step(of)?;
        self.is_next = true;
        let bound = match step {
            Step::Up(point, by) => self.above(point, by),
            Step::Down(point, by) if self.facts.is_at_least(point, by, self.inside) => {
                self.bound(point)
            }
            Step::Down(..) => None,
        };
        self.is_next = false;
        bound
    }

    /// The bound of a number and so much more.
    fn above(&mut self, point: LLVMValueRef, by: By) -> Option<Bound> {
        if let By::One = by {
            let end = self.facts.end_after(point);
            if let Some(end) = end.filter(|it| !self.inside.contains(it)) {
                return self.before(end);
            }
        }
        let (opcode, [a, b]) = steps::operands(point)?;
        for (a, b) in [(a, b), (b, a)] {
            let before = self.conditions.len();
            let (first, second) = match opcode {
                LLVMOpcode::LLVMZExt => return self.above(a, by),
                LLVMOpcode::LLVMAdd => (self.above(a, by), self.bound(b)),
                _ => match by.divided(b) {
                    Some(by) => (self.above(a, by), self.bound(b)),
                    None => continue,
                },
            };
            if let (Some(first), Some(second)) = (first, second) {
                return self.of_two(opcode, width(point)?, first, second);
            }
            self.conditions.truncate(before);
        }
        None
    }

    /// The bound of a neighbour on a torus.
    fn neighbour(&mut self, of: IntValue<'_>) -> Option<Bound> {
        let [x, n] = remainders::neighbour(of)?;
        let is_it = |less: &&Less| {
            // SAFETY: what is compared are integers.
            let [small, large] = [less.small, less.large].map(|it| unsafe { IntValue::new(it) });
            let is_less = !less.is_signed && !less.may_equal && !self.inside.contains(&less.large);
            is_less && remainders::is_same(small, x) && remainders::is_same(large, n)
        };
        let end = self.facts.less.iter().find(is_it)?.large;
        self.before(end)
    }

    /// The largest number below `end`. Where `end` is 0, no path is taken that is said to be below
    /// it.
    fn before(&mut self, end: LLVMValueRef) -> Option<Bound> {
        let end = self.narrow(end);
        // SAFETY: the constant has the type of the number that it is subtracted from.
        let one = unsafe { LLVMConstInt(LLVMTypeOf(end), 1, 0) };
        let last = self.combined(LLVMOpcode::LLVMSub, end, one);
        self.itself(last)
    }

    /// The number with 32 bits, if it has no more.
    fn narrow(&mut self, number: LLVMValueRef) -> LLVMValueRef {
        if let Some(short) = short(number) {
            return short;
        }
        // SAFETY: the value is an integer that is known where the builder is.
        let is_short = || divisions::is_short(unsafe { IntValue::new(number) }, 1);
        if width(number) != Some(64) || !is_short() {
            return number;
        }
        let builder = self.builder;
        let key = (LLVMOpcode::LLVMTrunc as u32, number, number);
        // SAFETY: as above; the number has 64 bits.
        let low = || unsafe {
            let ty = LLVMInt32TypeInContext(LLVMGetBuilderContext(builder));
            LLVMBuildTrunc(builder, number, ty, c"".as_ptr())
        };
        *self.made.entry(key).or_insert_with(low)
    }

    /// A number as its own bound.
    fn itself(&mut self, number: LLVMValueRef) -> Option<Bound> {
        let is_short = width(number)? == 32 || short(number).is_some();
        let most = llvm::integer(number).unwrap_or(match is_short {
            true => u32::MAX.into(),
            false => u64::MAX,
        });
        let value = self.wide(number)?;
        Some(Bound { value, most })
    }

    /// Requires that a bound is at most this, unless it always is.
    fn at_most(&mut self, bound: Bound, most: u64) -> Bound {
        if bound.most <= most {
            return bound;
        }
        let limit = self.number(most);
        self.condition(LLVMIntULE, bound.value, limit);
        Bound { most, ..bound }
    }

    fn number(&self, value: u64) -> LLVMValueRef {
        // SAFETY: the type is one of integers.
        unsafe { LLVMConstInt(self.ty(), value, 0) }
    }

    fn ty(&self) -> LLVMTypeRef {
        // SAFETY: the builder has a context.
        unsafe { LLVMInt64TypeInContext(LLVMGetBuilderContext(self.builder)) }
    }

    /// The same number with 64 bits.
    fn wide(&mut self, number: LLVMValueRef) -> Option<LLVMValueRef> {
        if width(number)? == 64 {
            return Some(number);
        }
        let (builder, ty) = (self.builder, self.ty());
        let key = (LLVMOpcode::LLVMZExt as u32, number, number);
        // SAFETY: the number has fewer bits, and is known where the builder is.
        let wide = || unsafe { LLVMBuildZExt(builder, number, ty, c"".as_ptr()) };
        Some(*self.made.entry(key).or_insert_with(wide))
    }

    fn combined(&mut self, opcode: LLVMOpcode, a: LLVMValueRef, b: LLVMValueRef) -> LLVMValueRef {
        let builder = self.builder;
        let is_either = matches!(opcode, LLVMOpcode::LLVMAdd | LLVMOpcode::LLVMMul);
        if let Some(made) = self.made.get(&(opcode as u32, b, a)).filter(|_| is_either) {
            return *made;
        }
        // SAFETY: both are numbers of one type that are known where the builder is.
        let result = || unsafe { LLVMBuildBinOp(builder, opcode, a, b, c"".as_ptr()) };
        *self
            .made
            .entry((opcode as u32, a, b))
            .or_insert_with(result)
    }
}

impl Facts {
    /// Adds that a condition has this value.
    fn add(&mut self, condition: LLVMValueRef, value: bool) {
        use LLVMOpcode::*;
        // SAFETY: the value is checked to be an instruction; operands are below their number.
        unsafe {
            if LLVMIsAInstruction(condition).is_null() {
                return;
            }
            let operand = |index| LLVMGetOperand(condition, index);
            let constant = |index| llvm::integer(operand(index));
            match LLVMGetInstructionOpcode(condition) {
                LLVMFreeze => self.add(operand(0), value),
                LLVMAnd if value => self.both(operand(0), operand(1), true),
                LLVMOr if !value => self.both(operand(0), operand(1), false),
                LLVMSelect if value && constant(2) == Some(0) => {
                    self.both(operand(0), operand(1), true);
                }
                LLVMSelect if !value && constant(1) == Some(1) => {
                    self.both(operand(0), operand(2), false);
                }
                LLVMICmp => {
                    let predicate = LLVMGetICmpPredicate(condition);
                    let is_not_zero = value == (predicate == LLVMIntNE) && constant(1) == Some(0);
                    if matches!(predicate, LLVMIntEQ | LLVMIntNE) && is_not_zero {
                        self.not_zero.insert(operand(0));
                    }
                    let is_signed = match predicate {
                        LLVMIntSLT | LLVMIntSGE | LLVMIntSGT | LLVMIntSLE => true,
                        LLVMIntULT | LLVMIntUGE | LLVMIntUGT | LLVMIntULE => false,
                        _ => return,
                    };
                    let is_less =
                        matches!(predicate, LLVMIntSLT | LLVMIntSLE | LLVMIntULT | LLVMIntULE);
                    let has_equal =
                        matches!(predicate, LLVMIntSLE | LLVMIntSGE | LLVMIntULE | LLVMIntUGE);
                    let order = if is_less == value { [0, 1] } else { [1, 0] };
                    self.less(Less {
                        small: operand(order[0]),
                        large: operand(order[1]),
                        is_signed,
                        may_equal: has_equal == value,
                    });
                }
                _ => {}
            }
        }
    }

    fn both(&mut self, a: LLVMValueRef, b: LLVMValueRef, value: bool) {
        self.add(a, value);
        self.add(b, value);
    }

    fn less(&mut self, less: Less) {
        // SAFETY: the value is checked to be a constant integer.
        let least = unsafe {
            let is_constant =
                width(less.small).is_some() && !LLVMIsAConstantInt(less.small).is_null();
            is_constant.then(|| LLVMConstIntGetSExtValue(less.small))
        };
        if less.is_signed && least.is_some_and(|it| it >= -i64::from(!less.may_equal)) {
            self.not_negative(less.large);
        }
        self.less.push(less);
    }

    /// Adds that a number is not negative. A union of bits is not if both are not.
    fn not_negative(&mut self, number: LLVMValueRef) {
        self.not_negative.insert(number);
        // SAFETY: the value is checked to be an instruction; operands are below their number.
        unsafe {
            let is_union = !LLVMIsAInstruction(number).is_null()
                && LLVMGetInstructionOpcode(number) == LLVMOpcode::LLVMOr;
            if is_union {
                self.not_negative(LLVMGetOperand(number, 0));
                self.not_negative(LLVMGetOperand(number, 1));
            }
        }
    }

    /// What the number after this one is below, as unsigned numbers: where `of < end - 1`, and
    /// `end` is not 0.
    fn end_after(&self, of: LLVMValueRef) -> Option<LLVMValueRef> {
        let is_below = |less: &&Less| !less.is_signed && !less.may_equal && less.small == of;
        let mut ends = self.less.iter().filter(is_below);
        ends.find_map(|less| match steps::step(less.large)? {
            Step::Down(end, By::One) => self.is_positive(end).then_some(end),
            _ => None,
        })
    }

    /// Returns whether a number that has a bound is at least so much.
    fn is_at_least(&self, number: LLVMValueRef, by: By, inside: &HashSet<LLVMValueRef>) -> bool {
        let is_itself = |it| by.is(it) || matches!(by, By::One) && self.is_positive(it);
        if is_itself(number) || short(number).is_some_and(is_itself) {
            return true;
        }
        // Parts may wrap around where the bound is not made of theirs.
        let is_whole = self.end(number, inside).is_some()
            || !inside.contains(&number) && is_same_for_all(number)
            || matches!(steps::step(number), Some(Step::Down(..)));
        let Some((opcode, [a, b])) = steps::operands(number).filter(|_| !is_whole) else {
            return false;
        };
        [(a, b), (b, a)].into_iter().any(|(a, b)| match opcode {
            LLVMOpcode::LLVMMul => match by {
                By::One => [a, b].iter().all(|it| self.is_at_least(*it, by, inside)),
                By::Number(_) => by
                    .divided(b)
                    .is_some_and(|by| self.is_at_least(a, by, inside)),
            },
            _ => self.is_at_least(a, by, inside),
        })
    }

    /// Returns whether a number is not 0, or something is below it.
    fn is_positive(&self, number: LLVMValueRef) -> bool {
        self.not_zero.contains(&number)
            || self
                .less
                .iter()
                .any(|it| !it.is_signed && !it.may_equal && steps::is_same(it.large, number))
    }

    /// What a number is below, as an unsigned number, of what is not inside.
    fn end(&self, of: LLVMValueRef, inside: &HashSet<LLVMValueRef>) -> Option<LLVMValueRef> {
        let is_not_negative = self.not_negative.contains(&of) || is_never_negative(of);
        // `x - 1 < end` has become `x <= end`.
        let above = is_not_negative.then(|| larger(of)).flatten();
        let is_below = |less: &&Less| {
            !inside.contains(&less.large)
                && if less.is_signed {
                    is_not_negative && !less.may_equal && less.small == of
                        || above == Some(less.small)
                } else {
                    !less.may_equal && less.small == of
                }
        };
        self.less.iter().find(is_below).map(|less| less.large)
    }
}

/// The signed number that this one is less than by a constant.
fn larger(than: LLVMValueRef) -> Option<LLVMValueRef> {
    // SAFETY: the value is checked to be a sum, which has two operands.
    unsafe {
        let is_sum = !LLVMIsAInstruction(than).is_null()
            && LLVMGetInstructionOpcode(than) == LLVMOpcode::LLVMAdd
            && LLVMGetNSW(than) != 0;
        let (number, constant) =
            is_sum.then(|| (LLVMGetOperand(than, 0), LLVMGetOperand(than, 1)))?;
        let is_constant = !LLVMIsAConstantInt(constant).is_null();
        (is_constant && LLVMConstIntGetSExtValue(constant) < 0).then_some(number)
    }
}

/// The index and the length of a check.
pub(super) fn compared(check: LLVMValueRef, right: bool) -> Option<(LLVMValueRef, LLVMValueRef)> {
    // SAFETY: the value is checked to be a comparison, which has two operands.
    unsafe {
        let is_comparison = !LLVMIsAInstruction(check).is_null()
            && LLVMGetInstructionOpcode(check) == LLVMOpcode::LLVMICmp;
        if !is_comparison {
            return None;
        }
        let (a, b) = (LLVMGetOperand(check, 0), LLVMGetOperand(check, 1));
        match (LLVMGetICmpPredicate(check), right) {
            (LLVMIntULT, true) | (LLVMIntUGE, false) => Some((a, b)),
            (LLVMIntUGT, true) | (LLVMIntULE, false) => Some((b, a)),
            _ => None,
        }
    }
}

/// Returns whether a number is not negative by what computes it.
fn is_never_negative(number: LLVMValueRef) -> bool {
    use LLVMOpcode::*;
    // SAFETY: the value is checked to be an instruction; operands are below their number.
    unsafe {
        if let Some(constant) = llvm::integer(number) {
            return constant <= i32::MAX as u64;
        }
        if LLVMIsAInstruction(number).is_null() {
            return false;
        }
        let both = || {
            [0, 1]
                .into_iter()
                .all(|it| is_never_negative(LLVMGetOperand(number, it)))
        };
        match LLVMGetInstructionOpcode(number) {
            LLVMZExt => true,
            LLVMAdd | LLVMMul => LLVMGetNSW(number) != 0 && both(),
            LLVMAnd => is_never_negative(LLVMGetOperand(number, 1)),
            // No block has more threads, and no grid more blocks, than fit.
            LLVMCall => is_read(number, &["tid", "ntid", "ctaid", "nctaid"]),
            _ => false,
        }
    }
}
