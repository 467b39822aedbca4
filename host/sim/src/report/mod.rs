//! The reports of launches that fail.
//!
//! A [`Fault`] ends a launch. A driver maps its variant to an error code, and its text is the whole
//! report: what happened, where in the PTX and in the Rust source, in which thread, to which
//! allocation, and what to do.

mod launch_error;

use std::fmt;

pub use launch_error::LaunchError;

/// Where in a kernel, and by whom.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Place {
    /// The kernel that was launched.
    pub kernel: String,
    /// The block's index, where one block is meant.
    pub block: Option<[u32; 3]>,
    /// The thread's index in its block, where one thread is meant.
    pub thread: Option<[u32; 3]>,
    /// The line of the PTX text, from 1; 0 where no instruction is meant.
    pub line: u32,
    /// The text of the instruction, as in the PTX.
    pub text: String,
    /// The source line that the PTX names with `.loc`, where it does: of inlined library code, the
    /// line that called it.
    pub source: Option<SourcePlace>,
    /// That line with those that it was inlined at, innermost first.
    pub stack: Vec<SourcePlace>,
}

/// A place in the source that the PTX was compiled from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourcePlace {
    /// The file, as `.file` has it.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1; 0 where it is not known.
    pub column: u32,
}

/// File and line, as an editor opens it. A compiler that makes one instruction of several lines
/// tells none of them.
impl fmt::Display for SourcePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}, lines that the compiler merged", self.file),
            line => write!(f, "{}:{line}", self.file),
        }
    }
}

/// One report: what a user reads.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FaultReport {
    /// What happened, in one line.
    pub what: String,
    /// Where and by whom.
    pub place: Place,
    /// The launch's seed: the same seed finds the same fault.
    pub seed: u64,
    /// What else is known: the address, the allocation, who waits for whom.
    pub notes: Vec<String>,
    /// What to do about it.
    pub help: Option<String>,
    /// Where the schedule was not the plain one, its steps up to here, a line each.
    pub steps: Vec<String>,
}

impl FaultReport {
    /// A report of what the host did, at this line of its program where that is known: no kernel is
    /// to blame.
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

/// Why a launch did not run to its end. `Display` gives the whole report.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// Nothing ran: the launch itself was wrong.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// An access to memory that is not live, not writable or not there (CUDA error 700).
    #[error("{0}")]
    IllegalAddress(Box<FaultReport>),
    /// An access that its address is not aligned for (716).
    #[error("{0}")]
    Misaligned(Box<FaultReport>),
    /// A call or jump to what is no function or target (718).
    #[error("{0}")]
    InvalidPc(Box<FaultReport>),
    /// An instruction whose operands have no meaning: a lane absent from its own mask, a barrier
    /// number above 15 (715).
    #[error("{0}")]
    IllegalInstruction(Box<FaultReport>),
    /// A texture or surface instruction with a handle that names none, an object over memory that
    /// is gone, or coordinates outside where `.trap` forbids them (719).
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
    /// The instruction `trap`, a panic of the kernel among others (719).
    #[error("{0}")]
    Trap(Box<FaultReport>),
}

impl Fault {
    /// CUDA's number for the error that a kernel leaves behind when it ends so; 0 where none ran.
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

    /// The report, where a kernel ran.
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
