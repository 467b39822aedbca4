//! Bounds of indices that follow from the conditions on the way to them.
//!
//! `if x < width && y < height { image[y * width + x] }` needs no check once it is known that
//! `(height - 1) * width + (width - 1)` is below the length, whatever `x` and `y` are. This test is
//! the same for all accesses of the image, and for all threads. A bound is a number of 64 bits that
//! the value, as an unsigned number, never exceeds where the conditions hold.

use std::collections::{HashMap, HashSet};

use inkwell::llvm_sys::LLVMIntPredicate::{self, *};
use inkwell::llvm_sys::LLVMOpcode;
use inkwell::llvm_sys::LLVMTypeKind;
use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::{LLVMBuilderRef, LLVMTypeRef, LLVMValueRef};
use inkwell::values::{CallSiteValue, IntValue};

use super::super::remainders;
use crate::llvm;

/// What conditions say of numbers.
#[derive(Default)]
struct Facts {
    not_negative: HashSet<LLVMValueRef>,
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
}

impl<'a> Bounds<'a> {
    pub(super) fn new(builder: LLVMBuilderRef, inside: &'a HashSet<LLVMValueRef>) -> Self {
        Bounds {
            builder,
            inside,
            facts: Facts::default(),
            made: HashMap::new(),
            conditions: Vec::new(),
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
        if !self.inside.contains(&of) {
            return is_same_for_all(of).then(|| self.itself(of)).flatten();
        }
        // SAFETY: what is inside is an instruction; operands are below their number.
        unsafe {
            let operand = |index| LLVMGetOperand(of, index);
            let opcode = LLVMGetInstructionOpcode(of);
            match opcode {
                LLVMOpcode::LLVMZExt | LLVMOpcode::LLVMFreeze => self.bound(operand(0)),
                LLVMOpcode::LLVMSExt => {
                    let bound = self.bound(operand(0))?;
                    Some(self.at_most(bound, (1 << (width(operand(0))? - 1)) - 1))
                }
                LLVMOpcode::LLVMAdd | LLVMOpcode::LLVMMul => {
                    let (mut a, mut b) = (self.bound(operand(0))?, self.bound(operand(1))?);
                    // Neither the value nor its bound wraps around.
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
        let end = short(end).unwrap_or(end);
        // SAFETY: the constant has the type of the number that it is subtracted from.
        let one = unsafe { LLVMConstInt(LLVMTypeOf(end), 1, 0) };
        let last = self.combined(LLVMOpcode::LLVMSub, end, one);
        self.itself(last)
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

/// What a number of 64 bits was extended from, if it has 32.
fn short(wide: LLVMValueRef) -> Option<LLVMValueRef> {
    // SAFETY: the value is checked to be an extension, which has an operand.
    unsafe {
        let is_extended = !LLVMIsAInstruction(wide).is_null()
            && LLVMGetInstructionOpcode(wide) == LLVMOpcode::LLVMZExt;
        let number = is_extended.then(|| LLVMGetOperand(wide, 0))?;
        (width(number)? == 32).then_some(number)
    }
}

/// The bits of a number, if they are 32 or 64.
fn width(number: LLVMValueRef) -> Option<u32> {
    // SAFETY: every value has a type; only a type of integers is asked for its width.
    unsafe {
        let ty = LLVMTypeOf(number);
        let is_integer = LLVMGetTypeKind(ty) == LLVMTypeKind::LLVMIntegerTypeKind;
        let bits = is_integer.then(|| LLVMGetIntTypeWidth(ty))?;
        matches!(bits, 32 | 64).then_some(bits)
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

/// Returns whether a number is not negative, and all threads of a block are known to have it.
pub(super) fn is_same_for_all(number: LLVMValueRef) -> bool {
    use LLVMOpcode::*;
    // SAFETY: the value is checked to be an instruction; operands are below their number.
    unsafe {
        if let Some(constant) = llvm::integer(number) {
            return constant <= i32::MAX as u64;
        }
        if LLVMIsAInstruction(number).is_null() {
            return !LLVMIsAArgument(number).is_null();
        }
        match LLVMGetInstructionOpcode(number) {
            // The low half of a number.
            LLVMAnd if llvm::integer(LLVMGetOperand(number, 1)) == Some(u32::MAX.into()) => {
                is_same_for_all(LLVMGetOperand(number, 0))
            }
            LLVMAdd | LLVMMul | LLVMAnd | LLVMLShr | LLVMTrunc | LLVMZExt | LLVMSExt
            | LLVMFreeze => (0..LLVMGetNumOperands(number).cast_unsigned())
                .all(|it| is_same_for_all(LLVMGetOperand(number, it))),
            LLVMCall => is_read(number, &["ntid", "ctaid", "nctaid"]),
            _ => false,
        }
    }
}

/// Returns whether a call reads one of these special registers.
fn is_read(call: LLVMValueRef, registers: &[&str]) -> bool {
    // SAFETY: the caller's value is a call.
    let callee = llvm::callee(unsafe { CallSiteValue::new(call) });
    let name = callee.map(llvm::name).unwrap_or_default();
    let register = name.strip_prefix("llvm.nvvm.read.ptx.sreg.");
    register
        .and_then(|it| it.split('.').next())
        .is_some_and(|it| registers.contains(&it))
}
