//! What the optimised module says of its barriers, for the lint to hold the PTX against.
//!
//! PTX shows one source line for each instruction; two `sync_threads()` inlined from one line look alike there. Here the
//! whole chain of inlined calls is known. For each function: how many block barriers it has, and which lines stand for
//! several barriers of the source without any of them having been copied into branches that exclude each other.

use std::collections::{BTreeMap, BTreeSet};

use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::basic_block::BasicBlock;
use inkwell::module::Module;
use inkwell::values::{CallSiteValue, FunctionValue};

use crate::flow::Flow;
use crate::lint::Expected;
use crate::llvm::{self, Place};

/// What each function has.
pub(super) fn expected(module: &Module<'_>) -> BTreeMap<String, Expected> {
    let functions = module
        .get_functions()
        .filter(|function| function.count_basic_blocks() > 0);
    functions
        .map(|function| (llvm::name(function), expected_of(function)))
        .collect()
}

fn expected_of(function: FunctionValue<'_>) -> Expected {
    let blocks = function.get_basic_blocks();
    let sites = convergent_calls(&blocks);
    let barriers = sites.iter().map(|(_, call, _)| block_barriers(*call)).sum();

    let mut places: BTreeMap<(u32, u32), BTreeSet<&Place>> = BTreeMap::new();
    for (_, _, place) in &sites {
        if let Some(line) = place.line() {
            places.entry(line).or_default().insert(place);
        }
    }
    let flow = flow(&blocks);
    let is_copied = |line: (u32, u32)| {
        let here: Vec<_> = sites
            .iter()
            .filter(|(_, _, place)| place.line() == Some(line))
            .collect();
        here.iter().enumerate().any(|(index, (a, _, place))| {
            here[..index]
                .iter()
                .any(|(b, _, other)| place == other && flow.are_alternatives(*a, *b))
        })
    };
    let several = places
        .into_iter()
        .filter(|(line, places)| places.len() > 1 && !is_copied(*line));
    Expected {
        barriers,
        shared_lines: several.map(|(line, _)| line).collect(),
    }
}

/// Every call that involves other threads, with its block and place.
fn convergent_calls<'ctx>(blocks: &[BasicBlock<'ctx>]) -> Vec<(usize, CallSiteValue<'ctx>, Place)> {
    let mut found = Vec::new();
    for (number, block) in blocks.iter().enumerate() {
        for instruction in block.get_instructions() {
            if let Ok(call) = CallSiteValue::try_from(instruction)
                && is_convergent(call)
            {
                found.push((number, call, llvm::place(instruction)));
            }
        }
    }
    found
}

/// Whether the mark is still there after O3, at the call or at the function called.
fn is_convergent(call: CallSiteValue<'_>) -> bool {
    let kind = Attribute::get_named_enum_kind_id("convergent");
    call.get_enum_attribute(AttributeLoc::Function, kind)
        .is_some()
        || llvm::callee(call)
            .is_some_and(|f| f.get_enum_attribute(AttributeLoc::Function, kind).is_some())
}

/// How many instructions of the PTX will be block barriers because of this call itself.
fn block_barriers(call: CallSiteValue<'_>) -> usize {
    if let Some(text) = llvm::assembly(call) {
        return crate::lint::count_block_barriers(&text);
    }
    let name = llvm::callee(call).map(llvm::name).unwrap_or_default();
    let is_barrier = name.strip_prefix("llvm.nvvm.bar").is_some_and(|rest| {
        !rest.starts_with(".warp")
            && !rest.starts_with("rier.cluster")
            && !rest.starts_with("rier.sync.warp")
    });
    usize::from(is_barrier)
}

fn flow(blocks: &[BasicBlock<'_>]) -> Flow {
    let numbers: BTreeMap<_, _> = blocks
        .iter()
        .enumerate()
        .map(|(number, block)| (block.as_mut_ptr(), number))
        .collect();
    let successors = blocks.iter().map(|block| {
        let last = block
            .get_terminator()
            .map(llvm::successors)
            .unwrap_or_default();
        last.iter()
            .filter_map(|block| numbers.get(block).copied())
            .collect()
    });
    Flow::new(successors.collect())
}
