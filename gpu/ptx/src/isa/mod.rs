//! The instruction set: one table of all instructions.
//!
//! A row is one syntax line of PTX ISA chapter 9.7: an opcode, the modifiers that it takes in
//! order, its operands, the PTX version and the GPUs that have it, and the part of the decoder that
//! handles it. The checker finds the row of every instruction of a module. The decoder uses that
//! row. The coverage page of the book lists all rows.
//!
//! Rows are written in a small notation, which [`pattern`] reads once. For modifiers,
//! `FRND? ftz? f32` is an optional rounding, then an optional `.ftz`, then `.f32`. `|` separates
//! alternatives, names in capitals stand for sets of modifiers, `a.b` is two words, and `*` accepts
//! anything. For operands, see [`pattern::Shape`].

pub mod check;
mod decoder;
mod error;
mod operands;
mod order;
pub mod pattern;
pub mod sample;
mod table;
mod target;
#[cfg(test)]
mod tests;

use crate::ast::{Modifier, Opcode};
pub use check::{Refusal, check, version_needed};
pub use decoder::{Decoder, Successors};
pub use error::IsaError;
pub use target::{Architecture, Suffix, Target};

/// A section of PTX ISA 9.7.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Section {
    /// Arithmetic of integers, of 16 to 64 bits.
    Integer,
    /// Extended-precision integer arithmetic.
    ExtendedPrecision,
    /// Arithmetic of `.f32` and `.f64`.
    Float,
    /// Half precision floating point.
    Half,
    /// Mixed precision floating point.
    MixedPrecision,
    /// Comparison and selection.
    Comparison,
    /// Half precision comparison.
    HalfComparison,
    /// Logic and shift.
    Logic,
    /// Data movement and conversion.
    DataMovement,
    /// Texture fetches and queries.
    Texture,
    /// Loads and stores through surfaces.
    Surface,
    /// Branches, calls and ends.
    ControlFlow,
    /// Parallel synchronization and communication.
    Synchronization,
    /// Warp-level matrix multiply-accumulate.
    WarpMatrix,
    /// Asynchronous warpgroup-level matrix multiply-accumulate.
    WarpgroupMatrix,
    /// TensorCore, 5th generation.
    TensorCore5,
    /// Memory on the thread's stack.
    Stack,
    /// Arithmetic of bytes and halves within registers.
    Video,
    /// Instructions of no other section.
    Miscellaneous,
}

impl Section {
    /// Returns the number and title in PTX ISA 8.6 and later.
    pub const fn title(self) -> &'static str {
        match self {
            Section::Integer => "9.7.1 Integer Arithmetic Instructions",
            Section::ExtendedPrecision => {
                "9.7.2 Extended-Precision Integer Arithmetic Instructions"
            }
            Section::Float => "9.7.3 Floating-Point Instructions",
            Section::Half => "9.7.4 Half Precision Floating-Point Instructions",
            Section::MixedPrecision => "9.7.5 Mixed Precision Floating-Point Instructions",
            Section::Comparison => "9.7.6 Comparison and Selection Instructions",
            Section::HalfComparison => "9.7.7 Half Precision Comparison Instructions",
            Section::Logic => "9.7.8 Logic and Shift Instructions",
            Section::DataMovement => "9.7.9 Data Movement and Conversion Instructions",
            Section::Texture => "9.7.10 Texture Instructions",
            Section::Surface => "9.7.11 Surface Instructions",
            Section::ControlFlow => "9.7.12 Control Flow Instructions",
            Section::Synchronization => {
                "9.7.13 Parallel Synchronization and Communication Instructions"
            }
            Section::WarpMatrix => "9.7.14 Warp Level Matrix Multiply-Accumulate Instructions",
            Section::WarpgroupMatrix => {
                "9.7.15 Asynchronous Warpgroup Level Matrix Multiply-Accumulate Instructions"
            }
            Section::TensorCore5 => "9.7.16 TensorCore 5th Generation Family Instructions",
            Section::Stack => "9.7.17 Stack Manipulation Instructions",
            Section::Video => "9.7.18 Video Instructions",
            Section::Miscellaneous => "9.7.19 Miscellaneous Instructions",
        }
    }
}

/// One syntax line of the ISA.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Row {
    /// The opcode, the word before the first dot.
    pub opcode: Opcode,
    /// Modifiers, in this module's notation.
    pub modifiers: &'static str,
    /// Operands, in this module's notation.
    pub operands: &'static str,
    /// The PTX version that introduced it.
    pub since: (u32, u32),
    /// The GPUs that have it.
    pub target: Target,
    /// The PTX version and the compute capability from which the instruction does not
    /// exist any more.
    pub gone: Option<((u32, u32), u32)>,
    /// The section of the ISA that describes it.
    pub section: Section,
    /// The part of the decoder that handles it; `None` if the machine refuses it.
    pub decoder: Option<Decoder>,
    /// The reason why this machine refuses it, if it does.
    pub refused: Option<&'static str>,
}

impl Row {
    const fn new(
        section: Section,
        opcode: Opcode,
        modifiers: &'static str,
        operands: &'static str,
    ) -> Row {
        let target = Target::from(0);
        Row {
            opcode,
            modifiers,
            operands,
            since: (1, 0),
            target,
            gone: None,
            section,
            decoder: None,
            refused: None,
        }
    }

    const fn since(mut self, major: u32, minor: u32) -> Row {
        self.since = (major, minor);
        self
    }

    const fn on(mut self, sm: u32) -> Row {
        self.target.sm = sm;
        self
    }

    /// Requires a target of this GPU's own family, such as `sm_90a`.
    const fn only(mut self, sm: u32) -> Row {
        self.target = Target {
            specific: true,
            ..Target::from(sm)
        };
        self
    }

    /// Requires a specific target of one of these families.
    const fn families(mut self, families: &'static [u32]) -> Row {
        self.target = Target {
            specific: true,
            families,
            ..Target::from(families[0])
        };
        self
    }

    /// Requires a target with an `a`. A family's `f` is not enough.
    const fn exact(mut self) -> Row {
        self.target.in_family = false;
        self
    }

    /// Removes the instruction from modules of this version and later for these GPUs and later.
    const fn gone(mut self, major: u32, minor: u32, sm: u32) -> Row {
        self.gone = Some(((major, minor), sm));
        self
    }

    const fn by(mut self, decoder: Decoder) -> Row {
        self.decoder = Some(decoder);
        self
    }

    const fn refused(mut self, why: &'static str) -> Row {
        self.decoder = None;
        self.refused = Some(why);
        self
    }
}

/// The version and target that some modifiers require on any instruction. These values and those in
/// [`needs`] are the ones of ptxas 12.8 (from sm_50 on) and 13.5. Every sample of the table was
/// assembled for its lowest target and version, and for lower ones.
const MODIFIER_NEEDS: &[(Modifier, (u32, u32), u32)] = &[
    (Modifier::Weak, (6, 0), 70),
    (Modifier::Relaxed, (6, 0), 70),
    (Modifier::Acquire, (6, 0), 70),
    (Modifier::Release, (6, 0), 70),
    (Modifier::AcqRel, (6, 0), 70),
    (Modifier::ArraySize, (4, 1), 0),
    (Modifier::NumMipmapLevels, (4, 1), 0),
    (Modifier::NumSamples, (4, 1), 0),
    (Modifier::MemoryLayout, (4, 2), 0),
    (Modifier::SharedCta, (7, 8), 30),
    (Modifier::SharedCluster, (7, 8), 90),
    (Modifier::Cluster, (7, 8), 90),
    (Modifier::ParamEntry, (8, 3), 0),
    (Modifier::ParamFunc, (8, 3), 0),
    (Modifier::L1EvictNormal, (7, 4), 70),
    (Modifier::L1EvictUnchanged, (7, 4), 70),
    (Modifier::L1EvictFirst, (7, 4), 70),
    (Modifier::L1EvictLast, (7, 4), 70),
    (Modifier::L1NoAllocate, (7, 4), 70),
    (Modifier::L2CacheHint, (7, 4), 80),
    (Modifier::L2Fetch64, (7, 4), 75),
    (Modifier::L2Fetch128, (7, 4), 75),
    (Modifier::L2Fetch256, (7, 4), 80),
    (Modifier::SpOrderedMetadata, (8, 5), 80),
];

/// Returns the PTX version and target that an instance of a row requires.
pub(crate) fn needs(row: &Row, modifiers: &[Modifier]) -> ((u32, u32), Target) {
    let (mut since, mut target) = (row.since, row.target);
    for (_, version, sm) in MODIFIER_NEEDS
        .iter()
        .filter(|(word, ..)| modifiers.contains(word))
    {
        since = since.max(*version);
        target.sm = target.sm.max(*sm);
    }
    use Modifier::{A2d, Acube, Async, Cta, Cube, F16, Global, Gpu, Sys};
    let has = |words: &[Modifier]| words.iter().any(|word| modifiers.contains(word));
    let (version, sm) = match row.opcode {
        Opcode::St | Opcode::Red if has(&[Async]) && has(&[Global]) => (since, 100),
        Opcode::Atom | Opcode::Red if has(&[Cta, Gpu, Sys]) => ((5, 0), 60),
        Opcode::Tex if has(&[F16]) => ((4, 2), 53),
        Opcode::Tld4 if has(&[A2d, Cube, Acube]) => ((4, 3), 0),
        _ => (since, target.sm),
    };
    since = since.max(version);
    target.sm = target.sm.max(sm);
    (since, target)
}

/// Returns every row, section by section.
pub fn table() -> impl Iterator<Item = &'static Row> {
    table::PARTS.iter().flat_map(|part| part.iter())
}
