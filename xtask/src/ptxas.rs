//! NVIDIA's assembler as a judge of PTX: what it refuses, what each kernel costs in registers, what it spills.
//!
//! CUDA Compiler Driver documentation, "ptxas Options" (`--verbose`); what it prints is read as of versions 12 and 13.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde::Serialize;

/// What a kernel needs of a multiprocessor once assembled.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Usage {
    /// The entry point.
    pub(crate) kernel: String,
    /// Registers a thread.
    pub(crate) registers: u32,
    /// Bytes of stack a thread: local arrays that are indexed at run time.
    pub(crate) stack: u32,
    /// Bytes written to local memory for want of registers.
    pub(crate) spill_stores: u32,
    /// Bytes read back.
    pub(crate) spill_loads: u32,
    /// Bytes of static shared memory a block, with what the system reserves.
    pub(crate) shared: u32,
}

impl Usage {
    /// Whether registers did not suffice.
    pub(crate) fn spills(&self) -> bool {
        self.spill_stores + self.spill_loads > 0
    }
}

/// The version that `ptxas --version` tells: `13.0.88`.
pub(crate) fn version(ptxas: &Path) -> Option<String> {
    let output = Command::new(ptxas).arg("--version").output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let (_, version) = text
        .lines()
        .find(|line| line.contains("release"))?
        .rsplit_once(", V")?;
    Some(version.trim().to_owned())
}

/// Assembles `ptx` for `arch` and throws the machine code away.
///
/// Fails with ptxas's own messages when it refuses the file.
pub(crate) fn assemble(ptxas: &Path, ptx: &Path, arch: &str) -> Result<Vec<Usage>> {
    let null: PathBuf = "/dev/null".into();
    let output = Command::new(ptxas)
        .args(["--verbose", "--gpu-name", arch, "--output-file"])
        .args([&null, ptx])
        .output()
        .with_context(|| format!("`{}` could not be started", ptxas.display()))?;
    let messages = [output.stdout, output.stderr]
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        .concat();
    if !output.status.success() {
        bail!(
            "ptxas refuses `{}` for {arch}:\n{}",
            ptx.display(),
            messages.trim_end()
        );
    }
    Ok(read(&messages))
}

/// Reads what `ptxas --verbose` prints.
///
/// An entry point is three lines: `Compiling entry function 'NAME' for 'ARCH'`, the bytes of stack and spills, and
/// `Used N registers, ...`. Functions that were not inlined have lines of their own, which count for the entry above.
fn read(messages: &str) -> Vec<Usage> {
    let mut kernels: Vec<Usage> = Vec::new();
    for line in messages.lines() {
        if let Some((_, rest)) = line.split_once("Compiling entry function '") {
            let kernel = rest.split('\'').next().unwrap_or_default().to_owned();
            kernels.push(Usage {
                kernel,
                ..Usage::default()
            });
        }
        let Some(kernel) = kernels.last_mut() else {
            continue;
        };
        if line.contains("bytes spill stores") {
            kernel.stack = kernel.stack.max(number_before(line, " bytes stack frame"));
            kernel.spill_stores += number_before(line, " bytes spill stores");
            kernel.spill_loads += number_before(line, " bytes spill loads");
        }
        if line.contains(": Used ") {
            kernel.registers = number_before(line, " registers");
            kernel.shared = number_before(line, " bytes smem");
        }
    }
    kernels
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
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'vec_add' for 'sm_90'
ptxas info    : Function properties for vec_add
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 12 registers, used 0 barriers
ptxas info    : Compile time = 1.312 ms
ptxas info    : Compiling entry function 'busy' for 'sm_90'
ptxas info    : Function properties for busy
    64 bytes stack frame, 24 bytes spill stores, 32 bytes spill loads
ptxas info    : Used 255 registers, used 1 barriers, 64 bytes cumulative stack size, 4224 bytes smem
";

    #[test]
    fn each_entry_gets_its_own_figures() {
        let clean = Usage {
            kernel: "vec_add".into(),
            registers: 12,
            ..Usage::default()
        };
        let busy = Usage {
            kernel: "busy".into(),
            registers: 255,
            stack: 64,
            spill_stores: 24,
            spill_loads: 32,
            shared: 4224,
        };
        assert!(busy.spills() && !clean.spills());
        assert_eq!(read(MESSAGES), [clean, busy]);
    }
}
