//! Every instruction that works on registers alone, against a reference written another way.
//!
//! For every instance of such a row of the instruction table, the test makes a kernel that loads
//! operands, runs the one instruction and stores its results. The kernel runs on the simulator with
//! edge values and random ones, all 2^16 values of a single 16-bit operand, and a grid of pairs.
//! The reference works on wide integers, on `rustc_apfloat`'s softfloats, bit by bit, or, for
//! approximations, in f64 with the error that the PTX ISA allows. It shares no code with the
//! machine. Each kernel runs twice: with all lanes, and, on some of the operands, with a guard that
//! disables every other lane. The registers of disabled lanes must not change. Instances in which
//! several modifiers differ from their first alternative run on fewer operands than the others. So
//! do variants in which a destination is also an operand or the guard.

#![allow(unreachable_pub, reason = "modules of a test binary")]

mod inputs;
mod kernel;
mod reference;

use std::sync::atomic::{AtomicUsize, Ordering};

use kernel::Case;
use lanewise_sim::isa::Section;
use lanewise_sim::isa::pattern::{Pattern, patterns};
use lanewise_sim::isa::sample::{every_sample, samples};
use lanewise_sim::ptx::ast::Opcode;
use rayon::prelude::*;

/// Returns whether a row's instructions read and write registers and nothing else.
fn on_registers(pattern: &Pattern) -> bool {
    use Section::*;
    let row = pattern.row;
    match row.section {
        Integer | ExtendedPrecision | Float | Half | MixedPrecision | Comparison
        | HalfComparison | Logic | Video => true,
        DataMovement => matches!(row.opcode, Opcode::Mov | Opcode::Cvt | Opcode::Prmt),
        _ => false,
    }
}

/// Runs all samples of the rows of some sections and some opcodes. Returns how many there were.
fn check(takes: impl Fn(&Pattern) -> bool) -> usize {
    let rows: Vec<&Pattern> = patterns()
        .iter()
        .filter(|pattern| on_registers(pattern) && pattern.row.refused.is_none() && takes(pattern))
        .collect();
    let mut cases: Vec<Case> = Vec::new();
    for pattern in rows {
        let plain = samples(pattern, (1, 0), 20);
        for sample in &plain {
            let case = Case::new(sample, 3000);
            cases.extend(case.variants(200));
            cases.push(case);
        }
        let every = every_sample(pattern, (1, 0), 20);
        let others = every.iter().filter(|sample| !plain.contains(sample));
        cases.extend(others.map(|sample| Case::new(sample, 200)));
    }
    let wrong = AtomicUsize::new(0);
    let reports: Vec<String> = cases
        .par_iter()
        .filter_map(|case| case.differences(&wrong))
        .collect();
    assert!(
        reports.is_empty(),
        "{} of {} instructions, {} results differ:\n{}",
        reports.len(),
        cases.len(),
        wrong.load(Ordering::Relaxed),
        reports.join("\n")
    );
    cases.len()
}

fn section(section: Section) -> usize {
    check(|pattern| pattern.row.section == section)
}

fn opcodes(opcodes: &[Opcode]) -> usize {
    check(|pattern| {
        pattern.row.section == Section::DataMovement && opcodes.contains(&pattern.row.opcode)
    })
}

#[test]
fn integer_arithmetic_agrees_with_wide_integers() {
    assert!(section(Section::Integer) >= 250);
}

#[test]
fn extended_precision_carries_as_wide_integers_do() {
    assert!(section(Section::ExtendedPrecision) >= 77);
}

#[test]
fn floats_agree_with_softfloats_and_approximations_are_within_bounds() {
    assert!(section(Section::Float) >= 429);
}

#[test]
fn halves_and_their_pairs_agree_with_softfloats() {
    assert!(section(Section::Half) >= 224);
}

#[test]
fn mixed_precision_agrees_with_softfloats() {
    assert!(section(Section::MixedPrecision) >= 76);
}

#[test]
fn comparisons_and_selections_agree_with_the_order_of_values() {
    assert!(section(Section::Comparison) >= 2029);
}

#[test]
fn comparisons_of_halves_agree_with_the_order_of_values() {
    assert!(section(Section::HalfComparison) >= 2800);
}

#[test]
fn logic_and_shifts_agree_bit_by_bit() {
    assert!(section(Section::Logic) >= 79);
}

#[test]
fn video_instructions_agree_with_wide_integers() {
    assert!(section(Section::Video) >= 900);
}

#[test]
fn conversions_agree_with_softfloats_and_wide_integers() {
    assert!(opcodes(&[Opcode::Cvt]) >= 850);
}

#[test]
fn moves_pack_and_permute_bytes() {
    assert!(opcodes(&[Opcode::Mov, Opcode::Prmt]) >= 47);
}
