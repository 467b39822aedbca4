//! Barriers: none may be copied into both arms of a branch, and code generation may neither lose
//! nor add one.

use std::collections::{BTreeMap, BTreeSet};

use lanewise_ptx::ast::{Modifier, Opcode};

use super::ptx::{Function, Instruction, Module, is_convergent};
use super::{Expected, Finding, Rule};

pub(super) fn check(
    module: &Module<'_>,
    expected: Option<&BTreeMap<String, Expected>>,
) -> Vec<Finding> {
    let all: Vec<Vec<Candidate<'_>>> = module.functions.iter().map(candidates).collect();
    let synchronising = synchronising_functions(module, &all);
    let mut findings = Vec::new();
    for (function, candidates) in module.functions.iter().zip(&all) {
        let barriers: Vec<Instruction<'_>> = candidates
            .iter()
            .filter(|it| it.synchronises(&synchronising))
            .map(|it| it.at)
            .collect();
        let expected = expected.map(|all| all.get(function.name()).cloned().unwrap_or_default());
        if let Some(expected) = &expected {
            findings.extend(count(module, function, &barriers, expected));
        }
        findings.extend(duplicates(module, function, &barriers, expected.as_ref()));
    }
    findings
}

/// An instruction that involves other threads, or a call that may involve them.
struct Candidate<'a> {
    at: Instruction<'a>,
    /// The function that it calls, or `None` if the instruction itself is convergent.
    callee: Option<&'a str>,
}

impl Candidate<'_> {
    /// Returns whether it involves other threads, given the functions that do.
    fn synchronises(&self, functions: &BTreeSet<&str>) -> bool {
        self.callee.is_none_or(|name| functions.contains(name))
    }
}

fn candidates<'a>(function: &'a Function<'_>) -> Vec<Candidate<'a>> {
    let candidate = |at: Instruction<'a>| {
        let callee = at.callee();
        (callee.is_some() || at.is_convergent()).then_some(Candidate { at, callee })
    };
    function.instructions().filter_map(candidate).collect()
}

/// Returns the functions that contain a barrier, or call a function that contains one.
fn synchronising_functions<'a>(
    module: &'a Module<'_>,
    candidates: &[Vec<Candidate<'_>>],
) -> BTreeSet<&'a str> {
    let mut found = BTreeSet::new();
    loop {
        let before = found.len();
        for (function, candidates) in module.functions.iter().zip(candidates) {
            if candidates.iter().any(|it| it.synchronises(&found)) {
                found.insert(function.name());
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

/// Reports functions whose number of block barriers was changed by code generation.
fn count(
    module: &Module<'_>,
    function: &Function<'_>,
    barriers: &[Instruction<'_>],
    expected: &Expected,
) -> Option<Finding> {
    let barriers: Vec<_> = (barriers.iter().copied())
        .filter(|at| is_block_barrier(&at.syntax.spelling()))
        .collect();
    if barriers.len() == expected.barriers {
        return None;
    }
    let last = barriers.last().copied().or(function.instructions().next());
    Some(Finding {
        rule: Rule::BarrierCount,
        function: function.name().to_owned(),
        line: last.map_or(0, Instruction::line),
        source: module.place(last.and_then(Instruction::loc)),
        message: format!(
            "{} barriers in the PTX where the optimised module has {}; this is a fault of the code generator, please report it",
            barriers.len(),
            expected.barriers
        ),
    })
}

/// Returns how many barriers of the whole block a text of PTX statements contains.
pub(crate) fn count_block_barriers(statements: &str) -> usize {
    opcodes(statements)
        .filter(|opcode| is_block_barrier(opcode))
        .count()
}

/// Returns whether a text of PTX statements has an instruction that involves other threads, or a
/// call, which may.
pub(crate) fn may_synchronise(statements: &str) -> bool {
    opcodes(statements).any(|spelling| {
        let mut words = spelling.split('.');
        let opcode = words.next().and_then(Opcode::of);
        let words: Vec<_> = words.filter_map(Modifier::of).collect();
        opcode
            .is_some_and(|it| it == Opcode::Call || is_convergent(it, |word| words.contains(&word)))
    })
}

/// The opcodes in a text of PTX statements. It may have placeholders, as inline assembly in LLVM's
/// IR does.
fn opcodes(statements: &str) -> impl Iterator<Item = &str> {
    let statements = statements.split(['\n', ';', '{', '}', ':']);
    let without_guard = statements.map(|text| match text.trim().split_once(char::is_whitespace) {
        Some((guard, rest)) if guard.starts_with('@') => rest.trim_start(),
        _ => text.trim(),
    });
    without_guard.filter_map(|text| text.split_whitespace().next())
}

/// Returns whether this is the opcode of a barrier of the whole block, as `sync_threads` makes.
fn is_block_barrier(opcode: &str) -> bool {
    let mut words = opcode.split('.');
    matches!(words.next(), Some("bar" | "barrier"))
        && !words.any(|word| word == "warp" || word == "cluster")
}

/// Returns whether both come from one place in the source. Without `.loc`, two block barriers
/// are assumed to.
fn are_one_in_source(first: Instruction<'_>, second: Instruction<'_>) -> bool {
    let opcode = first.syntax.spelling();
    let same_place = match (first.loc(), second.loc()) {
        (Some(a), Some(b)) => a == b,
        (None, None) => !first.is_convergent() || is_block_barrier(&opcode),
        _ => false,
    };
    same_place && opcode == second.syntax.spelling() && first.callee() == second.callee()
}

/// Reports pairs of barriers that are alternatives of each other and come from one place
/// in the source.
fn duplicates(
    module: &Module<'_>,
    function: &Function<'_>,
    barriers: &[Instruction<'_>],
    expected: Option<&Expected>,
) -> Vec<Finding> {
    let flow = function.flow();
    let mut findings = Vec::new();
    for (index, second) in barriers.iter().enumerate() {
        let known_apart = |at: Instruction<'_>| {
            let line = at.loc().map(|(_, line, column)| (line, column));
            line.is_some_and(|line| {
                expected.is_some_and(|expected| expected.shared_lines.contains(&line))
            })
        };
        let first = barriers[..index].iter().find(|first| {
            are_one_in_source(**first, *second)
                && !known_apart(**first)
                && flow.are_alternatives(first.block, second.block)
        });
        if let Some(first) = first {
            findings.push(Finding {
                rule: Rule::DuplicatedBarrier,
                function: function.name().to_owned(),
                line: second.line(),
                source: module.place(second.loc()),
                message: format!(
                    "`{}` stands here and on line {}, in branches that exclude each other: threads of one block would wait \
                     at different barriers. The optimiser copied it; compile with lanewise-builder, not with plain rustc -O",
                    second.text(),
                    first.line()
                ),
            });
        }
    }
    findings
}
