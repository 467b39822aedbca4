//! Counts the barriers of the optimised module, for the lint to compare the PTX with.
//!
//! PTX has one source line for each instruction, so two `sync_threads()` inlined from one line
//! look alike there. In LLVM's IR the whole chain of inlined calls is known. This file returns
//! two things for each function: its number of block barriers, and the lines that stand for
//! several barriers of the source. None of the latter may have been copied into branches that
//! exclude each other.

use std::collections::{BTreeMap, BTreeSet};

use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::basic_block::BasicBlock;
use inkwell::module::Module;
use inkwell::values::{CallSiteValue, FunctionValue};

use crate::cargo::source_paths::SourcePaths;
use crate::flow::Flow;
use crate::lint::Expected;
use crate::llvm::{self, SourceIdentity};
use crate::passes::code::range_checks::CopiedBarriers;

/// A call that involves other threads.
struct Site<'ctx> {
    call: CallSiteValue<'ctx>,
    /// The number of its block.
    block: usize,
    place: SourceIdentity,
    /// The line and column that `.loc` will have.
    line: Option<(u32, u32)>,
}

/// Returns the expected barriers of each function. Those of `copied` may be alternatives.
pub(crate) fn expected(
    module: &Module<'_>,
    paths: &SourcePaths,
    copied: &CopiedBarriers,
) -> BTreeMap<String, Expected> {
    let functions = module
        .get_functions()
        .filter(|function| function.count_basic_blocks() > 0);
    functions
        .map(|function| {
            let name = llvm::name(function);
            let mut expected = expected_of(function, paths);
            expected.shared_lines.extend(copied.of(&name));
            (name, expected)
        })
        .collect()
}

fn expected_of(function: FunctionValue<'_>, paths: &SourcePaths) -> Expected {
    let blocks = function.get_basic_blocks();
    let sites = sites(&blocks, paths);
    let barriers = sites.iter().map(|site| block_barriers(site.call)).sum();

    let mut by_line: BTreeMap<(u32, u32), Vec<&Site<'_>>> = BTreeMap::new();
    for site in &sites {
        if let Some(line) = site.line {
            by_line.entry(line).or_default().push(site);
        }
    }
    let flow = flow(&blocks);
    let are_apart = |sites: &[&Site<'_>]| {
        let places: BTreeSet<_> = sites.iter().map(|site| &site.place).collect();
        let is_copy = |a: &Site<'_>, b: &Site<'_>| {
            a.place == b.place && flow.are_alternatives(a.block, b.block)
        };
        places.len() > 1
            && !sites
                .iter()
                .enumerate()
                .any(|(index, a)| sites[..index].iter().any(|b| is_copy(a, b)))
    };
    let shared_lines = by_line
        .into_iter()
        .filter(|(_, sites)| are_apart(sites))
        .map(|(line, _)| line)
        .collect();
    Expected {
        barriers,
        shared_lines,
    }
}

/// Returns every call that involves other threads.
fn sites<'ctx>(blocks: &[BasicBlock<'ctx>], paths: &SourcePaths) -> Vec<Site<'ctx>> {
    let mut found = Vec::new();
    for (block, instructions) in blocks
        .iter()
        .map(|block| block.get_instructions())
        .enumerate()
    {
        for instruction in instructions {
            if let Ok(call) = CallSiteValue::try_from(instruction)
                && is_convergent(call)
            {
                let (place, line) = llvm::place(instruction, |file| paths.is_library(file));
                found.push(Site {
                    call,
                    block,
                    place,
                    line,
                });
            }
        }
    }
    found
}

/// Returns whether the call or the called function is still marked `convergent` after O3.
fn is_convergent(call: CallSiteValue<'_>) -> bool {
    let kind = Attribute::get_named_enum_kind_id("convergent");
    call.get_enum_attribute(AttributeLoc::Function, kind)
        .is_some()
        || llvm::callee(call)
            .is_some_and(|f| f.get_enum_attribute(AttributeLoc::Function, kind).is_some())
}

/// Returns how many instructions of the PTX will be block barriers because of this call itself.
pub(super) fn block_barriers(call: CallSiteValue<'_>) -> usize {
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
