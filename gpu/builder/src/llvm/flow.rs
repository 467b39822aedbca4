//! The control flow of a function: its blocks, their dominators, and its natural loops.
//!
//! LLVM's C interface has passes and instructions, but none of the analyses, so the few that our
//! own passes need are here. Dominators: Cooper, Harvey and Kennedy, "A Simple, Fast Dominance
//! Algorithm".

use std::collections::{HashMap, HashSet};

use inkwell::llvm_sys::LLVMOpcode;
use inkwell::llvm_sys::core::{
    LLVMGetBasicBlockTerminator, LLVMGetFirstBasicBlock, LLVMGetFirstInstruction, LLVMGetFirstUse,
    LLVMGetInstructionOpcode, LLVMGetNextBasicBlock, LLVMGetNextInstruction, LLVMGetNextUse,
    LLVMGetNumSuccessors, LLVMGetSuccessor, LLVMGetUser,
};
use inkwell::llvm_sys::prelude::{LLVMBasicBlockRef, LLVMValueRef};
use inkwell::values::{AsValueRef, FunctionValue};

/// The blocks of a function as a graph. Blocks are numbered in the order of their text.
pub(crate) struct Flow {
    /// The blocks, as LLVM has them.
    pub(crate) blocks: Vec<LLVMBasicBlockRef>,
    /// The blocks that may follow each block.
    pub(crate) successors: Vec<Vec<usize>>,
    /// The blocks that each block may follow.
    pub(crate) predecessors: Vec<Vec<usize>>,
    /// The nearest dominator of each block that can be reached; the entry is its own.
    dominators: Vec<Option<usize>>,
    returns: Vec<bool>,
}

/// An innermost loop with one way in and one edge back.
pub(crate) struct Loop {
    /// The block before the loop, which leads to the header alone.
    pub(crate) preheader: usize,
    /// The block that every iteration begins with.
    pub(crate) header: usize,
    /// The block that ends every iteration but the last.
    pub(crate) latch: usize,
    /// All blocks of the loop, the header first.
    pub(crate) blocks: Vec<usize>,
}

impl Flow {
    /// Reads the graph of a function with a body.
    pub(crate) fn of(function: FunctionValue<'_>) -> Flow {
        let mut blocks = Vec::new();
        // SAFETY: the function and its blocks are live, and are not changed during the walk.
        unsafe {
            let mut at = LLVMGetFirstBasicBlock(function.as_value_ref());
            while !at.is_null() {
                blocks.push(at);
                at = LLVMGetNextBasicBlock(at);
            }
        }
        let numbers: HashMap<_, _> = blocks.iter().copied().zip(0..).collect();
        let mut successors = vec![Vec::new(); blocks.len()];
        let mut predecessors = vec![Vec::new(); blocks.len()];
        let mut returns = vec![false; blocks.len()];
        for (number, block) in blocks.iter().enumerate() {
            // SAFETY: a block of a verified module has a terminator, and the indices are below the
            // number of its successors.
            unsafe {
                let last = LLVMGetBasicBlockTerminator(*block);
                returns[number] = LLVMGetInstructionOpcode(last) == LLVMOpcode::LLVMRet;
                for index in 0..LLVMGetNumSuccessors(last) {
                    let next = numbers[&LLVMGetSuccessor(last, index)];
                    successors[number].push(next);
                    predecessors[next].push(number);
                }
            }
        }
        let mut flow = Flow {
            blocks,
            successors,
            predecessors,
            dominators: Vec::new(),
            returns,
        };
        flow.dominators = flow.find_dominators();
        flow
    }

    /// The instructions of a loop.
    pub(crate) fn instructions(&self, of: &Loop) -> impl Iterator<Item = LLVMValueRef> {
        of.blocks.iter().flat_map(|it| self.instructions_of(*it))
    }

    /// The instructions of a block.
    pub(crate) fn instructions_of(&self, block: usize) -> impl Iterator<Item = LLVMValueRef> {
        // SAFETY: the blocks are not changed while the iterator lives.
        let first = unsafe { LLVMGetFirstInstruction(self.blocks[block]) };
        std::iter::successors(Some(first), |at| {
            // SAFETY: as above.
            let next = unsafe { LLVMGetNextInstruction(*at) };
            (!next.is_null()).then_some(next)
        })
    }

    /// Returns for each block whether the function can't return from it: it ends in a trap, or
    /// never.
    pub(crate) fn is_doomed(&self) -> Vec<bool> {
        let mut doomed = vec![true; self.blocks.len()];
        let mut todo: Vec<_> = (0..self.blocks.len())
            .filter(|it| self.returns[*it])
            .collect();
        while let Some(at) = todo.pop() {
            if std::mem::replace(&mut doomed[at], false) {
                todo.extend(&self.predecessors[at]);
            }
        }
        doomed
    }

    /// The innermost loops in the form that LLVM's `loop-simplify` gives them.
    pub(crate) fn innermost_loops(&self) -> Vec<Loop> {
        let mut latches = vec![Vec::new(); self.blocks.len()];
        for (at, successors) in self.successors.iter().enumerate() {
            for next in successors.iter().filter(|next| self.dominates(**next, at)) {
                latches[*next].push(at);
            }
        }
        let headers: Vec<_> = (0..self.blocks.len())
            .filter(|it| !latches[*it].is_empty())
            .collect();
        let loops = headers.iter().filter_map(|header| {
            let [latch] = latches[*header][..] else {
                return None;
            };
            let blocks = self.body(*header, latch);
            let is_innermost = !blocks[1..].iter().any(|it| headers.contains(it));
            let mut outside = self.predecessors[*header]
                .iter()
                .filter(|it| !blocks.contains(it));
            let preheader = *outside.next()?;
            let has_preheader = outside.next().is_none() && self.successors[preheader].len() == 1;
            (is_innermost && has_preheader).then_some(Loop {
                preheader,
                header: *header,
                latch,
                blocks,
            })
        });
        loops.collect()
    }

    /// The blocks from which the latch can be reached without the header, and the header.
    fn body(&self, header: usize, latch: usize) -> Vec<usize> {
        let mut body = vec![header];
        let mut todo = vec![latch];
        while let Some(at) = todo.pop() {
            if !body.contains(&at) {
                body.push(at);
                todo.extend(&self.predecessors[at]);
            }
        }
        body
    }

    /// Returns whether every way to a block leads through the one above.
    pub(crate) fn dominates(&self, above: usize, mut at: usize) -> bool {
        loop {
            if at == above {
                return true;
            }
            match self.dominators[at] {
                Some(next) if next != at => at = next,
                _ => return false,
            }
        }
    }

    /// The nearest block through which every way to a block leads.
    pub(crate) fn dominator(&self, of: usize) -> Option<usize> {
        self.dominators[of].filter(|it| *it != of)
    }

    /// The blocks that can be reached from one, and not through some others.
    pub(crate) fn reached(&self, from: usize, without: &[usize]) -> HashSet<usize> {
        let (mut seen, mut todo) = (HashSet::new(), vec![from]);
        while let Some(at) = todo.pop() {
            if !without.contains(&at) && seen.insert(at) {
                todo.extend(&self.successors[at]);
            }
        }
        seen
    }

    fn find_dominators(&self) -> Vec<Option<usize>> {
        let order = self.reverse_postorder();
        let mut place = vec![usize::MAX; self.blocks.len()];
        for (index, block) in order.iter().enumerate() {
            place[*block] = index;
        }
        let mut dominators = vec![None; self.blocks.len()];
        let Some(entry) = order.first() else {
            return dominators;
        };
        dominators[*entry] = Some(*entry);
        let meet = |dominators: &[Option<usize>], mut a: usize, mut b: usize| {
            while a != b {
                let higher = if place[a] > place[b] { &mut a } else { &mut b };
                *higher = dominators[*higher].unwrap_or(*entry);
            }
            a
        };
        let mut is_changed = true;
        while std::mem::take(&mut is_changed) {
            for block in &order[1..] {
                let known = self.predecessors[*block]
                    .iter()
                    .copied()
                    .filter(|it| dominators[*it].is_some());
                let nearest = known.reduce(|a, b| meet(&dominators, a, b));
                is_changed |= dominators[*block] != nearest;
                dominators[*block] = nearest;
            }
        }
        dominators
    }

    /// The blocks that can be reached, each before those that follow it but for edges back.
    pub(crate) fn reverse_postorder(&self) -> Vec<usize> {
        let mut is_seen = vec![false; self.blocks.len()];
        let mut order = Vec::new();
        let mut stack = Vec::new();
        if !self.blocks.is_empty() {
            is_seen[0] = true;
            stack.push((0, 0));
        }
        while let Some((block, index)) = stack.pop() {
            match self.successors[block].get(index) {
                Some(next) => {
                    stack.push((block, index + 1));
                    if !std::mem::replace(&mut is_seen[*next], true) {
                        stack.push((*next, 0));
                    }
                }
                None => order.push(block),
            }
        }
        order.reverse();
        order
    }
}

/// The instructions that use an instruction's value.
pub(crate) fn users(of: LLVMValueRef) -> Vec<LLVMValueRef> {
    let mut users = Vec::new();
    // SAFETY: the list of uses does not change during the walk, and users of an instruction are
    // instructions.
    unsafe {
        let mut at = LLVMGetFirstUse(of);
        while !at.is_null() {
            users.push(LLVMGetUser(at));
            at = LLVMGetNextUse(at);
        }
    }
    users
}
