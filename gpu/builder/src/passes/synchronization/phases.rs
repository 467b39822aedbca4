//! Gives each phase of shared memory the barrier before its writes, or removes the barrier where
//! nothing was read before.
//!
//! `lanewise_std::phased` writes shared memory between two barriers of number 15:
//! `__lanewise_phase_begin(15)` is the first one, and the second one is in the library. In each
//! thread they alternate, and the proof that no two threads race needs nothing but that. The first
//! barrier of a kernel's first phase has no read before it in any thread, so it can be left out, if
//! it is left out in *all* threads: else the barriers of one thread would be counted from 0 and
//! those of another one from 1.
//!
//! So all barriers stay unless each call of the marker is either the first one on every path from
//! the kernel's entry, or on none. The former calls are removed. A call in a loop is both: the
//! first one, and one after itself. The cost is one barrier before the loop's first round. The
//! calls also stay in a function that was not inlined, and in a kernel that calls such a function.
//!
//! Number 15 is what the library says, and numbers 11 to 14 are those of other types. ptxas
//! reserves all barriers up to the highest number, and a multiprocessor has few, so this pass takes
//! the lowest numbers that nothing else of the kernel uses: 0 for a kernel that has no barriers but
//! those of phases.
//!
//! This pass runs after O3, in which the marker is a call that LLVM knows nothing about: it neither
//! moves accesses of memory across it, nor copies it.

use std::collections::BTreeSet;

use inkwell::module::Module;
use inkwell::values::{AsValueRef, CallSiteValue, FunctionValue, InstructionValue};

use super::barriers::block_barriers;
use crate::llvm::{self, Flow};

const MARKER: &str = "__lanewise_phase_begin";
const INTRINSIC: &str = "llvm.nvvm.barrier.cta.sync.all";

/// The numbers of the barriers of phases, steps and the like: `PHASES` to `CLOSING` in
/// `lanewise_std::thread`.
const OWN: [u64; 5] = [15, 14, 13, 12, 11];

/// A call of the marker, or of the barrier that ends a phase.
struct Mark<'ctx> {
    call: InstructionValue<'ctx>,
    /// The number of its block.
    block: usize,
}

/// Replaces every call of the marker. `imports` are the functions of other modules.
pub(crate) fn set_barriers(module: &Module<'_>, imports: &[String]) {
    let phases: Vec<_> = module
        .get_functions()
        .map(|function| {
            (
                function,
                marks(function, MARKER),
                marks(function, INTRINSIC),
            )
        })
        .filter(|(_, begins, ends)| !begins.is_empty() || ends.iter().any(|it| is_own(it.call)))
        .collect();
    let context = module.get_context();
    let number = context.i32_type();
    let ty = context.void_type().fn_type(&[number.into()], false);
    let barrier = || {
        module
            .get_function(INTRINSIC)
            .unwrap_or_else(|| module.add_function(INTRINSIC, ty, None))
    };
    for (function, begins, _) in &phases {
        let others = phases.iter().map(|(function, ..)| *function);
        let others = others.filter(|other| other != function).collect::<Vec<_>>();
        let called = Called::by(*function, &others, imports);
        let first = match called.may_have_phases {
            false => first_phases(*function, begins),
            true => None,
        };
        for (index, begin) in begins.iter().enumerate() {
            if first.as_ref().is_some_and(|first| first[index]) {
                begin.call.erase_from_basic_block();
            } else {
                llvm::replace_by_call(module, begin.call, barrier());
            }
        }
        if let Some(used) = called.barriers {
            let own = marks(*function, INTRINSIC);
            let own: Vec<_> = own
                .iter()
                .map(|it| (it.call, own_number(it.call)))
                .collect();
            let mut free = (0..).filter(|number| !used.contains(number));
            for of in OWN {
                if own.iter().any(|(_, it)| *it == Some(of))
                    && let Some(free) = free.next()
                {
                    for (call, _) in own.iter().filter(|(_, it)| *it == Some(of)) {
                        call.set_operand(0, number.const_int(free, false));
                    }
                }
            }
        }
    }
}

/// What a kernel has beside its own phases, itself and in the functions that it calls.
struct Called {
    /// Whether there may be phases in another function than the kernel, or the function is no
    /// kernel.
    may_have_phases: bool,
    /// The numbers of the barriers that are not of phases, if all are known, and no phase is in
    /// another function.
    barriers: Option<BTreeSet<u64>>,
}

impl Called {
    fn by<'ctx>(
        kernel: FunctionValue<'ctx>,
        with_phases: &[FunctionValue<'ctx>],
        imports: &[String],
    ) -> Called {
        let mut called = Called {
            may_have_phases: !llvm::is_kernel(kernel),
            barriers: Some(BTreeSet::new()),
        };
        let mut seen = vec![kernel];
        let mut next = 0;
        while let Some(function) = seen.get(next).copied() {
            next += 1;
            called.may_have_phases |= with_phases.contains(&function);
            for at in llvm::instructions(function) {
                if let Ok(call) = CallSiteValue::try_from(at) {
                    called.add(call, imports);
                    // A call through a pointer may be of any function.
                    match (llvm::callee(call), llvm::assembly(call)) {
                        (Some(callee), _) if !seen.contains(&callee) => seen.push(callee),
                        (None, None) => called.may_have_phases = true,
                        _ => {}
                    }
                }
            }
        }
        if called.may_have_phases {
            called.barriers = None;
        }
        called
    }

    /// Notes the barriers of one call.
    fn add(&mut self, call: CallSiteValue<'_>, imports: &[String]) {
        let is_import = llvm::callee(call).is_some_and(|it| imports.contains(&llvm::name(it)));
        self.may_have_phases |= is_import;
        // SAFETY: a `CallSiteValue` of a function's instruction is an instruction.
        let instruction = unsafe { InstructionValue::new(call.as_value_ref()) };
        let number = match block_barriers(call) {
            0 if !is_import => return,
            _ if is_own(instruction) => return,
            _ if llvm::assembly(call).is_some() => None,
            _ => llvm::constant_argument(call, 0).filter(|_| !is_import),
        };
        match (number, &mut self.barriers) {
            (Some(number), Some(barriers)) => {
                barriers.insert(number);
            }
            _ => self.barriers = None,
        }
    }
}

/// Returns the calls of a function by its name, in the order of the text.
fn marks<'ctx>(function: FunctionValue<'ctx>, name: &str) -> Vec<Mark<'ctx>> {
    let mut marks = Vec::new();
    for (block, code) in function.get_basic_block_iter().enumerate() {
        let calls = code
            .get_instructions()
            .filter(|at| llvm::callee_name(*at).is_some_and(|callee| callee == name));
        marks.extend(calls.map(|call| Mark { call, block }));
    }
    marks
}

/// Returns the number of a barrier of phases or of steps, and `None` for any other instruction.
fn own_number(call: InstructionValue<'_>) -> Option<u64> {
    llvm::callee_name(call).filter(|name| name == INTRINSIC)?;
    let call = CallSiteValue::try_from(call).ok()?;
    llvm::constant_argument(call, 0).filter(|number| OWN.contains(number))
}

/// Returns whether a call is a barrier of phases or of steps.
fn is_own(call: InstructionValue<'_>) -> bool {
    own_number(call).is_some()
}

/// Returns for each phase whether it is the first one on every path that leads to it, or `None` if
/// some phase is the first one on one path and a later one on another.
fn first_phases(function: FunctionValue<'_>, begins: &[Mark<'_>]) -> Option<Vec<bool>> {
    let flow = Flow::of(function);
    let has_phase = |block: &usize| begins.iter().any(|begin| begin.block == *block);
    // What may be before a block: no phase at all, if it is reached from the entry past blocks
    // without one; and a phase, if it is reached from a block with one.
    let nothing_before = reached(&flow, vec![0], |block| !has_phase(block));
    let after_phase = begins
        .iter()
        .flat_map(|begin| flow.successors[begin.block].iter().copied());
    let phase_before = reached(&flow, after_phase.collect(), |_| true);
    let mut is_first = Vec::new();
    for (index, begin) in begins.iter().enumerate() {
        let leads_block = index == 0 || begins[index - 1].block != begin.block;
        let first = leads_block && nothing_before[begin.block];
        let later = !leads_block || phase_before[begin.block];
        if first && later {
            return None;
        }
        is_first.push(first);
    }
    Some(is_first)
}

/// Returns which blocks are reached from `todo`, if the way goes on past a block of `continues`.
fn reached(flow: &Flow, mut todo: Vec<usize>, continues: impl Fn(&usize) -> bool) -> Vec<bool> {
    let mut reached = vec![false; flow.successors.len()];
    while let Some(block) = todo.pop() {
        if !std::mem::replace(&mut reached[block], true) && continues(&block) {
            todo.extend(&flow.successors[block]);
        }
    }
    reached
}
