//! NVIDIA's assembler as a judge of PTX: what it refuses, what each kernel costs in registers, what
//! it spills.
//!
//! CUDA Compiler Driver documentation, "ptxas Options" (`--verbose`); what it prints is read as of
//! versions 12 and 13.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::{Deserialize, Serialize};

/// What a kernel needs of a multiprocessor once assembled. Memory is in bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resources {
    /// Registers of 32 bits that a thread has.
    pub registers: u32,
    /// Stack a thread: local arrays that are indexed at run time.
    pub stack: u32,
    /// Bytes that are written to local memory for want of registers.
    pub spill_stores: u32,
    /// Bytes that are read back from where they were spilled.
    pub spill_loads: u32,
    /// Static shared memory a block, with what the system reserves.
    pub shared: u32,
    /// Constant memory: the parameters, and what ptxas itself puts there.
    pub constant: u32,
    /// How many of the block's 16 barriers the kernel uses.
    pub barriers: u32,
}

impl Resources {
    /// Whether the kernel keeps values in local memory because its registers do not suffice.
    pub fn spills(&self) -> bool {
        self.spill_stores + self.spill_loads > 0
    }
}

/// Why ptxas gave no machine code.
#[derive(Debug, thiserror::Error)]
pub enum AssembleError {
    /// The assembler could not be started.
    #[error("`{}` could not be started", .ptxas.display())]
    CannotRun {
        /// The program that could not be started.
        ptxas: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// It does not take the PTX.
    #[error("ptxas refuses `{}` for {arch}:\n{messages}", .ptx.display())]
    Refused {
        /// The file with the PTX.
        ptx: PathBuf,
        /// The target that was built for, such as `sm_90`.
        arch: String,
        /// ptxas's own messages.
        messages: String,
    },
}

/// The version that `ptxas --version` tells: `13.0.88`.
pub fn version(ptxas: &Path) -> Option<String> {
    let output = Command::new(ptxas).arg("--version").output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let (_, version) = text
        .lines()
        .find(|line| line.contains("release"))?
        .rsplit_once(", V")?;
    Some(version.trim().to_owned())
}

/// How to assemble, and what for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Assembly<'a> {
    /// Where the machine code goes; nowhere unless this is given.
    pub cubin: Option<&'a Path>,
    /// Not optimised, with what cuda-gdb reads.
    pub debug: bool,
    /// To be linked: calls may go to functions that are not there, as those of kernels that launch
    /// kernels do.
    pub relocatable: bool,
}

/// What ptxas makes of a module, and says of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Assembled {
    /// What each kernel needs, by its name in the PTX.
    pub kernels: BTreeMap<String, Resources>,
    /// What it has taken and not done as it was written, in its own words: products of `wgmma` one
    /// after another because of a call, `setmaxnreg` ignored.
    pub losses: Vec<String>,
}

/// Assembles `ptx` for `arch` and says what each kernel needs.
///
/// # Errors
/// With ptxas's own messages when it refuses the file.
pub fn assemble(
    ptxas: &Path,
    ptx: &Path,
    arch: &str,
    assembly: Assembly<'_>,
) -> Result<Assembled, AssembleError> {
    let output = Command::new(ptxas)
        .args(["--verbose", "--gpu-name", arch])
        .args(assembly.relocatable.then_some("--compile-only"))
        .args(if assembly.debug {
            &["--device-debug"][..]
        } else {
            &["--generate-line-info"]
        })
        .arg("--output-file")
        .args([assembly.cubin.unwrap_or(Path::new("/dev/null")), ptx])
        .output()
        .map_err(|source| AssembleError::CannotRun {
            ptxas: ptxas.to_owned(),
            source,
        })?;
    let messages = [output.stdout, output.stderr]
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        .concat();
    if !output.status.success() {
        return Err(AssembleError::Refused {
            ptx: ptx.to_owned(),
            arch: arch.to_owned(),
            messages: messages.trim_end().to_owned(),
        });
    }
    Ok(read(&messages))
}

/// Reads what `ptxas --verbose` prints.
///
/// An entry point is three lines: `Compiling entry function 'NAME' for 'ARCH'`, the bytes of stack
/// and spills, and `Used N registers, ...`. Functions that were not inlined have lines of their
/// own, which count for the entry above; but not those that print what a panic says, which run
/// once, before the thread ends. What it did not do as it was written is said once for each kernel,
/// without its name.
fn read(messages: &str) -> Assembled {
    let mut losses = BTreeSet::new();
    let mut kernels = BTreeMap::new();
    let mut current = String::new();
    let mut counts = true;
    for line in messages.lines() {
        if line.contains("Potential Performance Loss") {
            losses.insert(
                line.split_once(" : ")
                    .map_or(line, |(_, loss)| loss)
                    .to_owned(),
            );
        }
        if let Some((_, rest)) = line.split_once("Compiling entry function '") {
            current = rest.split('\'').next().unwrap_or_default().to_owned();
            kernels.insert(current.clone(), Resources::default());
        }
        let Some(kernel) = kernels.get_mut(&current) else {
            continue;
        };
        if let Some((_, function)) = line.split_once("Function properties for ") {
            counts = !is_of_panics(function.trim());
        }
        if counts && line.contains("bytes spill stores") {
            kernel.stack = kernel.stack.max(number_before(line, " bytes stack frame"));
            kernel.spill_stores += number_before(line, " bytes spill stores");
            kernel.spill_loads += number_before(line, " bytes spill loads");
        }
        if line.contains(": Used ") {
            kernel.registers = number_before(line, " registers");
            kernel.barriers = number_before(line, " barriers");
            kernel.shared = number_before(line, " bytes smem");
            let banks = line
                .split(", ")
                .filter(|part| part.contains(" bytes cmem["));
            kernel.constant = banks.map(|part| number_before(part, " bytes cmem[")).sum();
        }
    }
    let losses = losses.into_iter().collect();
    Assembled { kernels, losses }
}

/// Whether a function is there to say what a panic says: formatting is nothing else in a kernel
/// (`gpu_printf!` leaves it to the driver). It counts the characters of what it pads.
fn is_of_panics(symbol: &str) -> bool {
    let path = format!("{:#}", rustc_demangle::demangle(symbol));
    [
        "core::panicking::",
        "core::fmt::",
        "core::str::iter::Chars",
        "lanewise_std::panic::",
    ]
    .iter()
    .any(|part| path.contains(part))
}

/// The number that ends where `unit` begins; 0 when `line` does not have the unit.
fn number_before(line: &str, unit: &str) -> u32 {
    let Some((before, _)) = line.split_once(unit) else {
        return 0;
    };
    before
        .rsplit(' ')
        .next()
        .and_then(|number| number.parse().ok())
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MESSAGES: &str = "\
ptxas info    : (C7504) Potential Performance Loss: 'setmaxnreg' ignored to maintain compatibility across compilation units.
ptxas info    : (C7504) Potential Performance Loss: 'setmaxnreg' ignored to maintain compatibility across compilation units.
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'vec_add' for 'sm_90'
ptxas info    : Function properties for vec_add
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 12 registers, used 0 barriers
ptxas info    : Compile time = 1.312 ms
ptxas info    : Compiling entry function 'panics' for 'sm_90'
ptxas info    : Function properties for panics
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Function properties for _RNvNtCs3Md5TvKWJZt_4core9panicking18panic_bounds_check
    48 bytes stack frame, 120 bytes spill stores, 120 bytes spill loads
ptxas info    : Function properties for _RNvXNtNtCs3Md5TvKWJZt_4core3str4iterNtB2_5CharsNtNtNtNtB6_4iter6traits8iterator8Iterator5count
    120 bytes stack frame, 116 bytes spill stores, 116 bytes spill loads
ptxas info    : Used 12 registers, used 0 barriers
ptxas info    : Compiling entry function 'busy' for 'sm_90'
ptxas info    : Function properties for busy
    64 bytes stack frame, 24 bytes spill stores, 32 bytes spill loads
ptxas info    : Used 255 registers, used 1 barriers, 64 bytes cumulative stack size, 4224 bytes smem, 400 bytes cmem[0], 8 bytes cmem[2]
";

    #[test]
    fn each_entry_gets_its_own_figures() {
        let clean = Resources {
            registers: 12,
            ..Resources::default()
        };
        let busy = Resources {
            registers: 255,
            stack: 64,
            spill_stores: 24,
            spill_loads: 32,
            shared: 4224,
            constant: 408,
            barriers: 1,
        };
        assert!(busy.spills() && !clean.spills());
        assert_eq!(
            read(MESSAGES).losses,
            [
                "(C7504) Potential Performance Loss: 'setmaxnreg' ignored to maintain compatibility across compilation units."
            ]
        );
        assert_eq!(
            read(MESSAGES).kernels,
            BTreeMap::from([
                ("vec_add".into(), clean.clone()),
                ("panics".into(), clean),
                ("busy".into(), busy)
            ])
        );
    }
}
