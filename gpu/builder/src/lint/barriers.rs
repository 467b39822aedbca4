//! Barriers: none may be copied into both arms of a branch, and code generation may neither lose
//! nor add one.

use std::collections::{BTreeMap, BTreeSet};

use super::ptx::{Function, Instruction, Module};
use super::{Expected, Finding, Rule};

pub(super) fn check(
    module: &Module,
    expected: Option<&BTreeMap<String, Expected>>,
) -> Vec<Finding> {
    let all: Vec<Vec<Candidate<'_>>> = module.functions.iter().map(candidates).collect();
    let synchronising = synchronising_functions(module, &all);
    let mut findings = Vec::new();
    for (function, candidates) in module.functions.iter().zip(&all) {
        let barriers: Vec<&Instruction> = candidates
            .iter()
            .filter(|it| it.synchronises(&synchronising))
            .map(|it| it.at)
            .collect();
        let expected = expected.map(|all| all.get(&function.name).cloned().unwrap_or_default());
        if let Some(expected) = &expected {
            findings.extend(count(module, function, &barriers, expected));
        }
        findings.extend(duplicates(module, function, &barriers, expected.as_ref()));
    }
    findings
}

/// An instruction that involves other threads, or a call that may involve them.
struct Candidate<'a> {
    at: &'a Instruction,
    /// The function that it calls, or `None` if the instruction itself is convergent.
    callee: Option<&'a str>,
}

impl Candidate<'_> {
    /// Returns whether it involves other threads, given the functions that do.
    fn synchronises(&self, functions: &BTreeSet<&str>) -> bool {
        self.callee.is_none_or(|name| functions.contains(name))
    }
}

fn candidates(function: &Function) -> Vec<Candidate<'_>> {
    let candidate = |at| match Instruction::is_convergent(at) {
        true => Some(Candidate { at, callee: None }),
        false => at.callee().map(|name| Candidate {
            at,
            callee: Some(name),
        }),
    };
    function.instructions.iter().filter_map(candidate).collect()
}

/// Returns the functions that contain a barrier, or call a function that contains one.
fn synchronising_functions<'a>(
    module: &'a Module,
    candidates: &[Vec<Candidate<'_>>],
) -> BTreeSet<&'a str> {
    let mut found = BTreeSet::new();
    loop {
        let before = found.len();
        for (function, candidates) in module.functions.iter().zip(candidates) {
            if candidates.iter().any(|it| it.synchronises(&found)) {
                found.insert(function.name.as_str());
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

/// Reports functions whose number of block barriers was changed by code generation.
fn count(
    module: &Module,
    function: &Function,
    barriers: &[&Instruction],
    expected: &Expected,
) -> Option<Finding> {
    let barriers: Vec<_> = barriers.iter().filter(|at| is_block_barrier(at)).collect();
    if barriers.len() == expected.barriers {
        return None;
    }
    let last = barriers
        .last()
        .map(|at| **at)
        .or(function.instructions.first());
    Some(Finding {
        rule: Rule::BarrierCount,
        function: function.name.clone(),
        line: last.map_or(0, |at| at.line),
        source: module.place(last.and_then(|at| at.loc)),
        message: format!(
            "{} barriers in the PTX where the optimised module has {}; this is a fault of the code generator, please report it",
            barriers.len(),
            expected.barriers
        ),
    })
}

/// Returns whether this is a barrier of the whole block, as `sync_threads` makes.
pub(super) fn is_block_barrier(at: &Instruction) -> bool {
    let mut words = at.opcode().split('.');
    matches!(words.next(), Some("bar" | "barrier"))
        && !words.any(|word| word == "warp" || word == "cluster")
}

/// Returns whether both come from one place in the source. Without `.loc`, two block barriers
/// are assumed to.
fn are_one_in_source(first: &Instruction, second: &Instruction) -> bool {
    let same_place = match (first.loc, second.loc) {
        (Some(a), Some(b)) => a == b,
        (None, None) => !first.is_convergent() || is_block_barrier(first),
        _ => false,
    };
    same_place && first.opcode() == second.opcode() && first.callee() == second.callee()
}

/// Reports pairs of barriers that are alternatives of each other and come from one place
/// in the source.
fn duplicates(
    module: &Module,
    function: &Function,
    barriers: &[&Instruction],
    expected: Option<&Expected>,
) -> Vec<Finding> {
    let flow = function.flow();
    let mut findings = Vec::new();
    for (index, second) in barriers.iter().enumerate() {
        let known_apart = |at: &Instruction| {
            let line = at.loc.map(|(_, line, column)| (line, column));
            line.is_some_and(|line| {
                expected.is_some_and(|expected| expected.shared_lines.contains(&line))
            })
        };
        let first = barriers[..index].iter().find(|first| {
            are_one_in_source(first, second)
                && !known_apart(first)
                && flow.are_alternatives(first.block, second.block)
        });
        if let Some(first) = first {
            findings.push(Finding {
                rule: Rule::DuplicatedBarrier,
                function: function.name.clone(),
                line: second.line,
                source: module.place(second.loc),
                message: format!(
                    "`{}` stands here and on line {}, in branches that exclude each other: threads of one block would wait \
                     at different barriers. The optimiser copied it; compile with lanewise-builder, not with plain rustc -O",
                    second.text, first.line
                ),
            });
        }
    }
    findings
}
