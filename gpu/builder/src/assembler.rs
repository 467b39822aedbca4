//! NVIDIA's assembler, ptxas, as a check of the PTX: what it refuses, which registers each kernel
//! needs, and what it spills.
//!
//! Source: CUDA Compiler Driver documentation, "ptxas Options" (`--verbose`). Its output is read as
//! versions 12 and 13 print it.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::{Deserialize, Serialize};

/// The resources of a multiprocessor that a kernel needs once it is assembled. Memory is in bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resources {
    /// The number of 32-bit registers of a thread.
    pub registers: u32,
    /// The stack of one thread: local arrays that are indexed at run time.
    pub stack: u32,
    /// Bytes that are written to local memory because there are too few registers.
    pub spill_stores: u32,
    /// Bytes that are read back from spilled values.
    pub spill_loads: u32,
    /// Static shared memory of one block, including what the system reserves.
    pub shared: u32,
    /// Constant memory: the parameters, and the constants of ptxas itself.
    pub constant: u32,
    /// How many of the block's 16 barriers the kernel uses.
    pub barriers: u32,
}

impl Resources {
    /// Returns whether the kernel keeps values in local memory because it has too few registers.
    pub fn spills(&self) -> bool {
        self.spill_stores + self.spill_loads > 0
    }
}

/// Why ptxas produced no machine code.
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
    /// ptxas does not accept the PTX.
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

/// Returns the version that `ptxas --version` prints, such as `13.0.88`.
pub fn version(ptxas: &Path) -> Option<String> {
    let output = Command::new(ptxas).arg("--version").output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let (_, version) = text
        .lines()
        .find(|line| line.contains("release"))?
        .rsplit_once(", V")?;
    Some(version.trim().to_owned())
}

/// The options of a run of ptxas.
#[derive(Clone, Copy, Debug, Default)]
pub struct Assembly<'a> {
    /// Where the machine code is written. Without a path it is not kept.
    pub cubin: Option<&'a Path>,
    /// Whether the code is not optimised and has the debug information that cuda-gdb reads.
    pub debug: bool,
    /// Whether the code will be linked. Then it may call functions that are not in the module, as
    /// kernels that launch kernels do.
    pub relocatable: bool,
}

/// What ptxas reports about a module that it has assembled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Assembled {
    /// What each kernel needs, by its name in the PTX.
    pub kernels: BTreeMap<String, Resources>,
    /// What ptxas accepted but did not do as written, in its own words. Examples are `wgmma`
    /// products that run one after another because of a call, and an ignored `setmaxnreg`.
    pub losses: Vec<String>,
}

/// Assembles `ptx` for `arch` and returns what each kernel needs.
///
/// # Errors
/// The error has ptxas's own messages if it refuses the file.
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
/// An entry point has three lines: `Compiling entry function 'NAME' for 'ARCH'`, the bytes of stack
/// and spills, and `Used N registers, ...`. A function that was not inlined has lines of its own,
/// which count for the entry point above. Functions that print a panic's message do not count: they
/// run once, before the thread ends. What ptxas did not do as written is printed once for each
/// kernel, without the kernel's name.
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

/// Returns whether a function exists only to print a panic's message. Kernels format text for
/// nothing else, because `gpu_printf!` leaves it to the driver. The formatting counts the
/// characters of padded text.
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

/// Returns the number that ends where `unit` begins, or 0 if `line` does not contain the unit.
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
