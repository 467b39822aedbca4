//! Instructions to test: every instance of every row, and instances with one change.

use std::collections::BTreeSet;

use lanewise_sim::isa::pattern::{self, Group, Pattern};
use lanewise_sim::isa::sample::{Sample, every_sample, instance, samples};
use lanewise_sim::ptx::ast::Modifier;

/// The oldest PTX and GPU that current assemblers know.
const LEAST: ((u32, u32), u32) = ((6, 3), 75);

/// An instruction in a module of its own, in the pieces that a batch needs.
#[derive(Clone)]
pub(crate) struct Candidate {
    pub(crate) head: String,
    pub(crate) declarations: String,
    pub(crate) instruction: String,
}

/// Instances that are valid alone, but not where the sample module puts them.
fn out_of_place(instruction: &str) -> bool {
    // A parameter by its name has no generic address.
    let (name, operands) = instruction.split_once(' ').unwrap_or((instruction, ""));
    let by_name = operands.contains("[argument]") || operands.contains("[parameter]");
    // 32-bit generic addresses in a module of 64-bit addresses; an argument slot
    // that nothing wrote.
    name.starts_with("cvta") && name.contains(".u32")
        || name.starts_with("ld.param::func")
        || by_name && !name.contains(".param")
}

fn candidate(sample: &Sample) -> Candidate {
    let registers = sample.registers.iter().enumerate();
    let declarations = registers
        .map(|(number, register)| format!(".reg .{} %x{number}; ", register.declared.name()))
        .collect();
    let lines = sample.module.lines().take(3);
    Candidate {
        head: lines.map(|line| format!("{line}\n")).collect(),
        declarations,
        instruction: sample.instruction.clone(),
    }
}

/// Every instance of the table that an assembler of this version may support.
pub(crate) fn of_the_table(newest: (u32, u32)) -> impl Iterator<Item = Candidate> {
    rows(newest)
        .flat_map(|row| every_sample(row, LEAST.0, LEAST.1))
        .filter(|sample| !out_of_place(&sample.instruction))
        .map(|sample| candidate(&sample))
}

fn rows(newest: (u32, u32)) -> impl Iterator<Item = &'static Pattern> {
    let patterns = pattern::patterns().iter();
    // What is refused by name has no operands in the table.
    patterns.filter(move |pattern| pattern.slots.is_some() && pattern.row.since <= newest)
}

/// An instance of each alternative of each row, for one target, such as `sm_100a`.
pub(crate) fn for_target(newest: (u32, u32), target: &str) -> Vec<Candidate> {
    let head = format!(
        ".version {}.{}\n.target {target}\n.address_size 64\n",
        newest.0, newest.1
    );
    let samples = rows(newest).flat_map(|row| samples(row, LEAST.0, LEAST.1));
    samples
        .filter(|sample| !out_of_place(&sample.instruction))
        .map(|sample| Candidate {
            head: head.clone(),
            ..candidate(&sample)
        })
        .collect()
}

/// Instances with one change: a word moved to another place, a word left out, or a word of
/// another row inserted.
pub(crate) fn changed(newest: (u32, u32)) -> Vec<Candidate> {
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for row in rows(newest) {
        let vocabulary: Vec<Modifier> = {
            let rows = pattern::of(row.row.opcode).iter();
            let words: BTreeSet<Modifier> = rows.flat_map(|row| vocabulary_of(row)).collect();
            words.into_iter().collect()
        };
        for sample in samples(row, LEAST.0, LEAST.1) {
            for words in changes(&sample.words, &vocabulary) {
                let changed = instance(row, &words, sample.version, sample.target.sm);
                let candidate = with_operands_of(&sample, &changed);
                let instruction = &candidate.instruction;
                if !out_of_place(instruction) && seen.insert((instruction.clone(), sample.version))
                {
                    found.push(candidate);
                }
            }
        }
    }
    found
}

/// The changed instruction's name with the operands of the unchanged one: only the
/// words are tested.
fn with_operands_of(sample: &Sample, changed: &Sample) -> Candidate {
    let name = changed.instruction.split([' ', ';']).next();
    let operands = sample.instruction.find([' ', ';']).unwrap_or(0);
    Candidate {
        instruction: format!(
            "{}{}",
            name.unwrap_or_default(),
            &sample.instruction[operands..]
        ),
        ..candidate(sample)
    }
}

/// The words that a row accepts.
fn vocabulary_of(row: &Pattern) -> impl Iterator<Item = Modifier> {
    let groups = row.groups.iter().filter_map(|group| match group {
        Group::One { words, .. } => Some(words),
        Group::Rest => None,
    });
    groups.flatten().flatten().copied()
}

fn changes(words: &[Modifier], vocabulary: &[Modifier]) -> Vec<Vec<Modifier>> {
    let mut found = Vec::new();
    for from in 0..words.len() {
        let mut without = words.to_vec();
        let word = without.remove(from);
        for to in (0..=without.len()).filter(|&to| to != from) {
            let mut moved = without.clone();
            moved.insert(to, word);
            found.push(moved);
        }
        found.push(without);
    }
    for &word in vocabulary {
        let mut longer = words.to_vec();
        longer.push(word);
        found.push(longer);
    }
    found
}
