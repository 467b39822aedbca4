//! `wmma`: the device determines which lane has which element of a fragment, so a single
//! instruction is judged in a chain.
//!
//! The chain loads three matrices, multiplies and adds, and stores: PTX ISA 9.7.14, "wmma". The
//! instruction under test is one of the five. The others are samples of the table that fit it.
//! Elements are small integers, so that sums are exact in any order.

use std::sync::OnceLock;

use lanewise_sim::isa::pattern;
use lanewise_sim::isa::sample::{Sample, samples};
use lanewise_sim::ptx::ast::{Modifier, Opcode, Type};

use crate::case::LEAST;
use crate::values::{self, Random};

/// The size in bytes of each warp's matrices, one after the other. The result is in
/// the second half.
pub const REGION: usize = 4096;
/// The offsets of the matrices A, B and C in a region.
pub const STARTS: [usize; 3] = [0, 1024, 2048];
/// The size of a warp's results in bytes.
pub const RESULTS: usize = 2048;

/// One of the five instructions of the chain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// Loads of the first matrix, `wmma.load.a`.
    A,
    /// Loads of the second matrix, `wmma.load.b`.
    B,
    /// Loads of the addend, `wmma.load.c`.
    C,
    /// Products by `wmma.mma`.
    Multiply,
    /// Stores of the result, `wmma.store.d`.
    Store,
}

/// The properties of a sample.
struct Form<'a> {
    part: Part,
    shape: &'static str,
    layouts: Vec<Modifier>,
    /// The type of the matrix; for a multiplication those of D, A, B and C.
    types: Vec<Type>,
    sample: &'a Sample,
}

/// The five instructions, in the order of [`Part`].
#[derive(Debug)]
pub struct Chain {
    /// The five instructions, in the order in which they run.
    pub parts: [(Part, Sample); 5],
    /// The types of A, B, C and D.
    pub types: [Type; 4],
}

fn form(sample: &Sample) -> Option<Form<'_>> {
    let has = |word| sample.words.contains(&word);
    let part = match sample.words.first()? {
        Modifier::Load if has(Modifier::A) => Part::A,
        Modifier::Load if has(Modifier::B) => Part::B,
        Modifier::Load => Part::C,
        Modifier::Store => Part::Store,
        _ => Part::Multiply,
    };
    let mut names = sample.words.iter().map(|word| word.name());
    let digit = |name: &str| name.as_bytes().get(1).is_some_and(u8::is_ascii_digit);
    let shape = names.find(|name| name.starts_with('m') && digit(name))?;
    let is_layout = |word: &&Modifier| matches!(word, Modifier::Row | Modifier::Col);
    let types: Vec<Type> = sample
        .words
        .iter()
        .filter_map(|&word| Type::of(word))
        .collect();
    Some(Form {
        part,
        shape,
        layouts: sample.words.iter().filter(is_layout).copied().collect(),
        types: match types[..] {
            [d, c] => vec![d, Type::F16, Type::F16, c],
            _ => types,
        },
        sample,
    })
}

/// Returns every sample of `wmma` that names no space. Generic addresses can point to any space.
fn generic() -> &'static [Sample] {
    static SAMPLES: OnceLock<Vec<Sample>> = OnceLock::new();
    SAMPLES.get_or_init(|| {
        let rows = pattern::of(Opcode::Wmma).iter();
        let all = rows.flat_map(|row| samples(row, LEAST.0, LEAST.1));
        all.filter(|sample| !in_shared(sample)).collect()
    })
}

/// Returns whether an instruction works on shared memory.
pub fn in_shared(sample: &Sample) -> bool {
    let shared = [Modifier::Shared, Modifier::SharedCta];
    shared.iter().any(|word| sample.words.contains(word))
}

/// Returns the chain around a sample, if the table has instructions that fit.
pub fn chain(sample: &Sample) -> Option<Chain> {
    let this = form(sample)?;
    let others = || generic().iter().filter_map(form);
    let multiplies = |form: &Form<'_>| {
        let [d, a, b, c] = form.types[..] else {
            return false;
        };
        let (layouts, layout) = (&form.layouts, this.layouts.first());
        form.part == Part::Multiply
            && form.shape == this.shape
            && match this.part {
                Part::A => a == this.types[0] && layouts.first() == layout,
                Part::B => b == this.types[0] && layouts.get(1) == layout,
                Part::C => c == this.types[0],
                Part::Store => d == this.types[0],
                Part::Multiply => form.sample == this.sample,
            }
    };
    let multiply = others().find(multiplies)?;
    let [d, a, b, c] = multiply.types[..] else {
        return None;
    };
    let find = |part: Part, ty: Type, layout: Option<&Modifier>| {
        if this.part == part {
            return Some(sample.clone());
        }
        let fits = |form: &Form<'_>| {
            form.part == part && form.shape == this.shape && form.types[..] == [ty]
        };
        let found = others().find(fits)?;
        // The samples do not contain every combination of layout and type.
        let mut sample = found.sample.clone();
        if let (Some(layout), Some(has)) = (layout, found.layouts.first()) {
            let dotted = |word: &Modifier| format!(".{}.", word.name());
            sample.instruction = sample
                .instruction
                .replacen(&dotted(has), &dotted(layout), 1);
        }
        Some(sample)
    };
    Some(Chain {
        parts: [
            (Part::A, find(Part::A, a, multiply.layouts.first())?),
            (Part::B, find(Part::B, b, multiply.layouts.get(1))?),
            (Part::C, find(Part::C, c, None)?),
            (Part::Multiply, multiply.sample.clone()),
            (Part::Store, find(Part::Store, d, None)?),
        ],
        types: [a, b, c, d],
    })
}

/// Fills a thread's part of its warp's matrices.
pub fn fill(chain: &Chain, thread: usize, record: &mut [u8], random: &mut Random) {
    let start = thread % 32 * record.len();
    let which = STARTS.iter().rposition(|&at| at <= start).unwrap_or(0);
    let ty = chain.types[which];
    for element in record.chunks_exact_mut(ty.size() as usize) {
        let bytes = values::small(ty, random).to_le_bytes();
        element.copy_from_slice(&bytes[..element.len()]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_instruction_has_a_chain() {
        for row in pattern::of(Opcode::Wmma) {
            for sample in samples(row, LEAST.0, LEAST.1) {
                assert!(chain(&sample).is_some(), "{}", sample.instruction);
            }
        }
    }
}
