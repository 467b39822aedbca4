//! Textures and surfaces: the objects that an instruction is judged with, and the coordinates
//! that it uses.
//!
//! PTX ISA 9.7.10 and 9.7.11. Each block of a launch has one of up to eight objects, selected by
//! the block's number. So one kernel tests several formats, filters and address modes. The contents
//! of surfaces that a kernel wrote are compared after the threads' results.
//!
//! | module | what it is |
//! | --- | --- |
//! | [`setup`] | an object, as data |
//! | [`choice`] | the objects of an instruction |
//! | [`operands`] | its coordinates, levels and gradients |

pub mod choice;
pub mod operands;
pub mod setup;

pub use setup::Setup;

use lanewise_sim::isa::pattern::{Pattern, patterns};
use lanewise_sim::isa::sample::{Register, Sample, Usage, every_sample};
use lanewise_sim::isa::{Row, Section};
use lanewise_sim::ptx::ast::{Modifier, Opcode, Type};

use crate::case::{BLOCK, Case, LEAST};

/// Returns whether a row's instructions work on a texture or surface.
pub fn works_on(row: &Row) -> bool {
    matches!(row.section, Section::Texture | Section::Surface)
}

/// Returns instances of a row in addition to its samples. For textures and surfaces every
/// combination counts, since geometry, types and clamping interact. Cache operators are not
/// combined, because they change no result.
pub fn combinations(pattern: &Pattern) -> Vec<Sample> {
    use Modifier::*;
    if !matches!(
        pattern.row.opcode,
        Opcode::Tex | Opcode::Tld4 | Opcode::Suld | Opcode::Sust | Opcode::Sured
    ) {
        return Vec::new();
    }
    let cached = |word: &Modifier| matches!(word, Ca | Cg | Cs | Cv | Wb | Wt);
    let mut all = every_sample(pattern, LEAST.0, LEAST.1);
    all.retain(|sample| !sample.words.iter().any(cached));
    all
}

/// Returns every row that works on textures or surfaces.
pub fn rows() -> impl Iterator<Item = &'static Row> {
    let rows = patterns().iter().map(|pattern| pattern.row);
    rows.filter(|row| works_on(row))
}

/// Returns whether a register contains the object's handle.
pub fn is_handle(case: &Case, register: Register) -> bool {
    match case.row.opcode {
        Opcode::Txq | Opcode::Suq => register.usage == Usage::Address,
        Opcode::Istypep => register.usage == Usage::Read,
        _ => register.usage == Usage::Texture && register.declared == Type::U64,
    }
}

/// Returns the index of the object of a thread's block, for this many objects.
pub fn of_thread(thread: usize, objects: usize) -> usize {
    thread / BLOCK % objects.max(1)
}
