//! The reports of launches that fail.
//!
//! A [`Fault`] ends a launch. A driver maps its variant to an error code. Its text is the whole
//! report: what happened, where in the PTX and in the Rust source, in which thread, to which
//! allocation, and what to do.

mod launch_error;

use std::fmt;

pub use launch_error::LaunchError;

/// A place in a kernel, with the block and the thread.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Place {
    /// The kernel that was launched.
    pub kernel: String,
    /// The block's index, if the report is about one block.
    pub block: Option<[u32; 3]>,
    /// The thread's index in its block, if the report is about one thread.
    pub thread: Option<[u32; 3]>,
    /// The line of the PTX text, from 1; 0 if the report is not about an instruction.
    pub line: u32,
    /// The text of the instruction, as in the PTX.
    pub text: String,
    /// The source line from the PTX's `.loc`, if there is one. For inlined library code, it is the
    /// line of the call.
    pub source: Option<SourcePlace>,
    /// The source line, followed by the lines where it was inlined, innermost first.
    pub stack: Vec<SourcePlace>,
}

/// A place in the source that the PTX was compiled from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourcePlace {
    /// The file name from `.file`.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1; 0 if it is unknown.
    pub column: u32,
}

/// Prints file and line in the form that editors open. If the compiler merged several lines into
/// one instruction, no line is known.
impl fmt::Display for SourcePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}, lines that the compiler merged", self.file),
            line => write!(f, "{}:{line}", self.file),
        }
    }
}

/// One report, as the user reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FaultReport {
    /// What happened, in one line.
    pub what: String,
    /// Where it happened, and in which thread.
    pub place: Place,
    /// The access before, of a race: where it happened, and in which thread.
    pub before: Option<Box<Place>>,
    /// The seed of the launch. The same seed finds the same fault.
    pub seed: u64,
    /// Further facts: the address, the allocation, which threads wait for which.
    pub notes: Vec<String>,
    /// What to do about it.
    pub help: Option<String>,
    /// The steps of the schedule up to this point, one line each, if it was not the plain one.
    pub steps: Vec<String>,
}

impl FaultReport {
    /// Returns a report about an error of the host program. `source` is the line of the program, if
    /// it is known. Such a report names no kernel.
    pub fn of_host(
        what: String,
        source: Option<SourcePlace>,
        notes: Vec<String>,
        help: Option<String>,
    ) -> Self {
        Self {
            what,
            place: Place {
                source,
                ..Place::default()
            },
            before: None,
            seed: 0,
            notes,
            help,
            steps: Vec::new(),
        }
    }
}

impl fmt::Display for FaultReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.what)?;
        let place = &self.place;
        let ptx = (place.line > 0).then(|| format!("ptx line {}, `{}`", place.line, place.text));
        match (&place.source, ptx) {
            (Some(source), Some(ptx)) => write!(f, "\n  --> {source} ({ptx})")?,
            (None, Some(ptx)) => write!(f, "\n  --> {ptx}")?,
            (Some(source), None) if place.kernel.is_empty() => write!(f, "\n  --> {source}")?,
            _ => {}
        }
        for (i, at) in place.stack.iter().enumerate() {
            if Some(at) != place.source.as_ref() {
                let how = if i == 0 { "in" } else { "inlined at" };
                write!(f, "\n   = {how} {at}")?;
            }
        }
        if !place.kernel.is_empty() {
            write!(f, "\n   = kernel `{}`", place.kernel)?;
            if let Some([x, y, z]) = place.block {
                write!(f, ", block ({x},{y},{z})")?;
            }
            if let Some([x, y, z]) = place.thread {
                write!(f, ", thread ({x},{y},{z})")?;
            }
            write!(f, ", seed {}", self.seed)?;
        }
        for note in &self.notes {
            write!(f, "\n   = {note}")?;
        }
        if let Some(help) = &self.help {
            write!(f, "\n   = help: {help}")?;
        }
        if !self.steps.is_empty() {
            f.write_str("\n   = the schedule:")?;
        }
        let mut steps = self.steps.iter();
        steps.try_for_each(|step| write!(f, "\n     {step}"))
    }
}

/// The reason why a launch did not run to its end. `Display` prints the whole report.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// The launch itself was wrong, and nothing ran.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// An access to memory that is not live, not writable or does not exist (CUDA error 700).
    #[error("{0}")]
    IllegalAddress(Box<FaultReport>),
    /// An access whose address is not aligned (716).
    #[error("{0}")]
    Misaligned(Box<FaultReport>),
    /// A call or jump to something that is not a function or a target (718).
    #[error("{0}")]
    InvalidPc(Box<FaultReport>),
    /// An instruction whose operands have no meaning: a lane absent from its own mask, a barrier
    /// number above 15 (715).
    #[error("{0}")]
    IllegalInstruction(Box<FaultReport>),
    /// A texture or surface instruction with an invalid handle, an object whose memory was freed,
    /// or coordinates out of range where `.trap` forbids that (719).
    #[error("{0}")]
    Image(Box<FaultReport>),
    /// Calls nested too deeply, or too much local memory (714).
    #[error("{0}")]
    HardwareStack(Box<FaultReport>),
    /// The launch's budget is used up, or every warp waits (702).
    #[error("{0}")]
    Timeout(Box<FaultReport>),
    /// `__assertfail`, a device assertion (710).
    #[error("{0}")]
    Assert(Box<FaultReport>),
    /// The instruction `trap`, for example from a panic of the kernel (719).
    #[error("{0}")]
    Trap(Box<FaultReport>),
}

impl Fault {
    /// Returns CUDA's error code for a kernel that ends with this fault; 0 if no kernel ran.
    pub fn code(&self) -> u32 {
        match self {
            Self::Launch(_) => 0,
            Self::IllegalAddress(_) => 700,
            Self::Timeout(_) => 702,
            Self::Assert(_) => 710,
            Self::HardwareStack(_) => 714,
            Self::IllegalInstruction(_) => 715,
            Self::Misaligned(_) => 716,
            Self::InvalidPc(_) => 718,
            Self::Image(_) | Self::Trap(_) => 719,
        }
    }

    /// Returns the report, if a kernel ran.
    pub fn report(&self) -> Option<&FaultReport> {
        match self {
            Self::Launch(_) => None,
            Self::IllegalAddress(report)
            | Self::Misaligned(report)
            | Self::InvalidPc(report)
            | Self::IllegalInstruction(report)
            | Self::Image(report)
            | Self::HardwareStack(report)
            | Self::Timeout(report)
            | Self::Assert(report)
            | Self::Trap(report) => Some(report),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_has_the_shape_of_a_compilers() {
        let report = FaultReport {
            what: "4-byte read past the end of an allocation".into(),
            place: Place {
                kernel: "read_offset".into(),
                block: Some([3, 0, 0]),
                thread: Some([17, 0, 0]),
                line: 88,
                text: "ld.global.u32".into(),
                source: Some(SourcePlace {
                    file: "gpu/src/memory/offset.rs".into(),
                    line: 21,
                    column: 5,
                }),
                stack: vec![],
            },
            before: None,
            seed: 1,
            notes: vec![
                "address is 4 bytes past allocation #2: 4096 bytes, made at tests/memory.rs:40"
                    .into(),
            ],
            help: Some("compare the index with the slice's length first".into()),
            steps: vec![],
        };
        assert_eq!(
            Fault::IllegalAddress(Box::new(report)).to_string(),
            "4-byte read past the end of an allocation\n\
             \x20 --> gpu/src/memory/offset.rs:21 (ptx line 88, `ld.global.u32`)\n\
             \x20  = kernel `read_offset`, block (3,0,0), thread (17,0,0), seed 1\n\
             \x20  = address is 4 bytes past allocation #2: 4096 bytes, made at tests/memory.rs:40\n\
             \x20  = help: compare the index with the slice's length first"
        );
    }
}
