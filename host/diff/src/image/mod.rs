//! Textures and surfaces: which objects an instruction is judged with, and where its coordinates
//! lead.
//!
//! PTX ISA 9.7.10 and 9.7.11. Each block of a launch has one of up to eight objects, by its number,
//! so that one kernel meets several formats, filters and address modes. What a kernel wrote into
//! surfaces is compared behind the threads' results.
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

/// Whether a row's instructions work on a texture or surface.
pub fn works_on(row: &Row) -> bool {
    matches!(row.section, Section::Texture | Section::Surface)
}

/// Instances of a row beyond its samples: of textures and surfaces every combination counts, since
/// geometry, types and clamping work together; not of cache operators, which change no result.
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

/// Every row that works on textures or surfaces.
pub fn rows() -> impl Iterator<Item = &'static Row> {
    let rows = patterns().iter().map(|pattern| pattern.row);
    rows.filter(|row| works_on(row))
}

/// Whether a register holds the object's handle.
pub fn is_handle(case: &Case, register: Register) -> bool {
    match case.row.opcode {
        Opcode::Txq | Opcode::Suq => register.usage == Usage::Address,
        Opcode::Istypep => register.usage == Usage::Read,
        _ => register.usage == Usage::Texture && register.declared == Type::U64,
    }
}

/// The object that a thread's block has, of this many.
pub fn of_thread(thread: usize, objects: usize) -> usize {
    thread / BLOCK % objects.max(1)
}
