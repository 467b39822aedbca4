//! The rules that every module of PTX keeps, checked on its text.
//!
//! | rule | what it finds | why it matters |
//! | --- | --- | --- |
//! | [`Rule::DuplicatedBarrier`] | one barrier of the source, twice, in branches that exclude each other | threads of one block wait at different barriers: undefined behaviour |
//! | [`Rule::BarrierCount`] | a function with more or fewer barriers than its IR had | code generation copied or lost one |
//! | [`Rule::GenericShared`] | a generic load, store or atomic whose address is a shared variable's | slower, and shared memory was promised to be native |
//! | [`Rule::UnknownInstruction`] | text that is no PTX, or an instruction that the version or the target lacks | the module cannot be loaded |
//! | [`Rule::UnresolvedSymbol`] | an external function that no driver supplies and that is not imported | the module cannot be loaded |
//!
//! "Barrier" means every instruction that involves other threads (see
//! [`ptx::Instruction::is_convergent`]), and every call of a function that contains one. Two
//! barriers are one barrier of the source if they have the same `.loc`. Calls that were inlined
//! from one place share a `.loc`, so the module's IR ([`Expected`]) decides where it is known.
//! Without any `.loc`, every pair of alternatives is suspected.
//!
//! The lint does not find a barrier that was moved whole into one branch, nor generic accesses
//! through memory or through a function's parameter.

mod barriers;
mod generic_shared;
mod instructions;
pub mod ptx;
mod symbols;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use lanewise_ptx::isa;

/// A rule that the PTX has to keep.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
#[non_exhaustive]
pub enum Rule {
    /// A barrier of the source occurs once on each path.
    DuplicatedBarrier,
    /// Code generation keeps every barrier.
    BarrierCount,
    /// Shared variables are accessed with `ld.shared`, `st.shared` and similar instructions.
    GenericShared,
    /// External functions are those that the driver supplies, or those that are
    /// imported on purpose.
    UnresolvedSymbol,
    /// Every instruction exists in the module's version and for its target.
    UnknownInstruction,
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Rule::DuplicatedBarrier => "duplicated-barrier",
            Rule::BarrierCount => "barrier-count",
            Rule::GenericShared => "generic-shared",
            Rule::UnresolvedSymbol => "unresolved-symbol",
            Rule::UnknownInstruction => "unknown-instruction",
        })
    }
}

/// A place where a module breaks a rule.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Finding {
    /// The rule that is broken.
    pub rule: Rule,
    /// The kernel or device function.
    pub function: String,
    /// The line of the PTX, from 1.
    pub line: usize,
    /// The Rust file and line, if `.loc` contains them.
    pub source: Option<String>,
    /// What is wrong and what to do.
    pub message: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`, PTX line {}", self.function, self.line)?;
        if let Some(source) = &self.source {
            write!(f, " ({source})")?;
        }
        write!(f, ": {} [{}]", self.message, self.rule)
    }
}

/// The error of a module that breaks rules.
#[derive(Debug, thiserror::Error)]
#[error("the PTX for {arch} must not be used:{}", list(.findings))]
pub struct LintError {
    /// The target that was built for, such as `sm_90`.
    pub arch: String,
    /// What was found; at least one.
    pub findings: Vec<Finding>,
}

fn list(findings: &[Finding]) -> String {
    findings
        .iter()
        .map(|finding| format!("\n  {finding}"))
        .collect()
}

/// The properties of a function in the optimised IR, which its PTX is compared with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expected {
    /// The number of its barriers.
    pub barriers: usize,
    /// The `(line, column)` of each place from which several barriers of the source were inlined.
    pub shared_lines: BTreeSet<(u32, u32)>,
}

/// Checks a module. `expected` contains the properties of each function in the IR. Without it the
/// check finds less. `imports` are the functions that another module defines, with which this one
/// will be linked. Of a text that is no PTX, the first error is all that is found.
pub fn check(
    text: &str,
    expected: Option<&BTreeMap<String, Expected>>,
    imports: &[String],
) -> Vec<Finding> {
    let mut syntax = match lanewise_ptx::parse_leniently(text) {
        Ok(syntax) => syntax,
        Err(error) => return vec![instructions::no_ptx(&error)],
    };
    let refused = isa::check(&mut syntax).err();
    let module = ptx::Module::of(syntax);
    let mut findings = instructions::check(&module, refused.as_ref());
    findings.extend(barriers::check(&module, expected));
    findings.extend(generic_shared::check(&module));
    findings.extend(symbols::check(&module, imports));
    findings.sort_by_key(|finding| finding.line);
    findings
}

pub(crate) use barriers::{count_block_barriers, may_synchronise};
