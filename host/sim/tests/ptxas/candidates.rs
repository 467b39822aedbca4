//! Instructions to ask about: every instance of every row, and instances changed in one way.

use std::collections::BTreeSet;

use lanewise_sim::isa::pattern::{self, Group, Pattern};
use lanewise_sim::isa::sample::{Sample, every_sample, instance, samples};
use lanewise_sim::ptx::ast::Modifier;

use crate::random::Random;

/// The oldest PTX and GPU that current assemblers know.
const LEAST: ((u32, u32), u32) = ((6, 3), 75);

/// An instruction in a module of its own, in the pieces that a batch needs.
#[derive(Clone)]
pub(crate) struct Candidate {
    pub(crate) head: String,
    pub(crate) declarations: String,
    pub(crate) instruction: String,
}

/// Instances that are right in themselves and wrong where the sample module puts them.
fn out_of_place(instruction: &str) -> bool {
    // A parameter by its name has no generic address.
    let (name, operands) = instruction.split_once(' ').unwrap_or((instruction, ""));
    let by_name = operands.contains("[argument]") || operands.contains("[parameter]");
    // 32-bit generic addresses in a module of 64-bit addresses; an argument slot that nothing wrote.
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

/// Every instance of the table that an assembler of this version may know.
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

/// So many instances with two changes, drawn by a seed from all words that there are.
pub(crate) fn drawn(newest: (u32, u32), seed: u64, many: usize) -> Vec<Candidate> {
    let rows: Vec<&Pattern> = rows(newest).collect();
    let mut random = Random(seed);
    let mut found = Vec::new();
    while found.len() < many {
        let row = rows[random.below(rows.len())];
        let samples = samples(row, LEAST.0, LEAST.1);
        let sample = &samples[random.below(samples.len())];
        let mut words = sample.words.clone();
        for _ in 0..2 {
            change(&mut words, &rows, &mut random);
        }
        let changed = instance(row, &words, sample.version, sample.target.sm);
        let candidate = with_operands_of(sample, &changed);
        if !out_of_place(&candidate.instruction) {
            found.push(candidate);
        }
    }
    found
}

/// What stands where a register stood: of each kind that there is, some.
const OTHERS: [&str; 7] = ["5", "-1", "0f3F800000", "1.5", "_", "%tid.x", "%clock64"];

/// Types to declare a register with, one of each size and kind.
const DECLARED: [&str; 8] = ["pred", "b16", "b32", "b64", "b128", "f32", "f64", "u32"];

/// Some instances of each row, with a register of another type, or something else in its place.
pub(crate) fn with_other_operands(newest: (u32, u32)) -> Vec<Candidate> {
    let samples = rows(newest).flat_map(|row| {
        let samples = samples(row, LEAST.0, LEAST.1);
        let step = samples.len() / 4 + 1;
        samples.into_iter().step_by(step)
    });
    let mut found = Vec::new();
    for sample in samples.filter(|sample| !out_of_place(&sample.instruction)) {
        for register in 0..sample.registers.len() {
            let right = candidate(&sample);
            for ty in DECLARED {
                let declared = sample.registers.iter().enumerate();
                let declarations = declared.map(|(number, other)| {
                    let own = other.declared.name();
                    let ty = if number == register { ty } else { own };
                    format!(".reg .{ty} %x{number}; ")
                });
                found.push(Candidate {
                    declarations: declarations.collect(),
                    ..right.clone()
                });
            }
            for other in OTHERS {
                found.push(Candidate {
                    instruction: replaced(&right.instruction, register, other),
                    ..right.clone()
                });
            }
        }
    }
    found
}

/// The instruction with something else in the place of its register of this number.
fn replaced(instruction: &str, register: usize, other: &str) -> String {
    let name = format!("%x{register}");
    let at = instruction.match_indices(&name).map(|(at, _)| at);
    // `%x1` is no part of `%x12`.
    let whole = |at: &usize| {
        let after = instruction[at + name.len()..].chars().next();
        !after.is_some_and(|next| next.is_ascii_digit())
    };
    match at.into_iter().find(whole) {
        Some(at) => format!(
            "{}{other}{}",
            &instruction[..at],
            &instruction[at + name.len()..]
        ),
        None => instruction.to_owned(),
    }
}

/// A word elsewhere, one left out, one in the place of another, one more: of any row of any instruction.
fn change(words: &mut Vec<Modifier>, rows: &[&Pattern], random: &mut Random) {
    let from = random.below(words.len());
    let to = random.below(words.len() + 1);
    let other: Vec<Modifier> = vocabulary_of(rows[random.below(rows.len())]).collect();
    let other = other.get(random.below(other.len())).copied();
    match (random.below(4), other) {
        (0, _) if !words.is_empty() => {
            let word = words.remove(from);
            words.insert(to.min(words.len()), word);
        }
        (1, _) if !words.is_empty() => drop(words.remove(from)),
        (2, Some(other)) if !words.is_empty() => words[from] = other,
        (_, Some(other)) => words.insert(to, other),
        _ => (),
    }
}

/// Instances with one change: a word in each other place, a word left out, a word of another row put in.
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

/// The changed instruction's name with the operands of the unchanged one: only the words are in question.
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

/// The words that a row takes.
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
