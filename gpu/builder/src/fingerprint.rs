//! Whether a target's files are still valid: a hash over everything that they depend on, and over
//! the files themselves.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use crate::arch::Arch;
use crate::manifest::{Floats, Panics};
use crate::output::Emit;

/// What a target's files depend on besides the bitcode.
#[derive(Hash)]
pub(crate) struct Inputs<'a> {
    /// The target that was built for, such as `sm_90`.
    pub(crate) arch: &'a Arch,
    /// How floats are computed.
    pub(crate) floats: Floats,
    /// How a panic is reported.
    pub(crate) panics: Panics,
    /// Whether it is for a debugger.
    pub(crate) debug: bool,
    /// NVIDIA's library of mathematical functions.
    pub(crate) libdevice: Option<&'a Path>,
    /// What is written besides PTX.
    pub(crate) emit: &'a [Emit],
    /// NVIDIA's library of code generation, if it is the backend.
    pub(crate) nvvm: Option<&'a Path>,
    /// The assembler and its version.
    pub(crate) assembler: &'a Option<(PathBuf, Option<String>)>,
    /// rustc's version and that of its LLVM.
    pub(crate) toolchain: &'a str,
}

/// Returns the hash of a target's inputs. This crate's own source is one of them.
pub(crate) fn inputs(bitcode: &[u8], inputs: &Inputs<'_>) -> String {
    of(&(env!("PTX_BUILDER_SOURCE"), inputs, bitcode))
}

/// Returns a hash as text. It only detects changes and gives no protection against an attacker.
pub(crate) fn of(value: &impl Hash) -> String {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}
