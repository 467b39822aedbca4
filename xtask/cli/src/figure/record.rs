//! What the simulated driver writes for `LANEWISE_RECORD`: what warps executed.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

/// The kernels that a program launched.
#[derive(Debug, Default, Deserialize)]
pub struct Record {
    kernels: Vec<Kernel>,
}

/// The first launch of a kernel.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Kernel {
    #[serde(rename = "kernel")]
    pub(crate) name: String,
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) sector: u64,
    pub(crate) bank_width: u64,
    pub(crate) instructions: Vec<Instruction>,
    pub(crate) steps: Vec<Step>,
}

/// An instruction of the PTX.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Instruction {
    pub(crate) name: String,
    pub(crate) line: Option<u32>,
    /// The Rust lines around it, the kernel's own first.
    #[serde(default)]
    pub(crate) stack: Vec<String>,
}

/// An instruction that one warp executed.
#[derive(Debug, Clone, Default, Deserialize)]
pub(crate) struct Step {
    pub(crate) block: u64,
    pub(crate) warp: u32,
    pub(crate) instruction: usize,
    pub(crate) active: u32,
    pub(crate) lanes: u32,
    #[serde(default)]
    pub(crate) accesses: Vec<Access>,
    pub(crate) sources: Option<[u32; 32]>,
}

/// An access of a warp to one memory.
#[derive(Debug, Clone, Default, Deserialize)]
pub(crate) struct Access {
    pub(crate) kind: String,
    /// The array in global memory; `None` for shared memory.
    pub(crate) array: Option<usize>,
    pub(crate) bytes: u64,
    pub(crate) lanes: u32,
    /// Sectors or wavefronts, as the simulator's counters have them.
    pub(crate) passes: u64,
    pub(crate) offsets: [u64; 32],
}

impl Record {
    /// Returns the kernels, each with its first launch.
    pub(crate) fn kernels(&self) -> &[Kernel] {
        &self.kernels
    }

    /// Reads the file.
    ///
    /// # Errors
    /// An error if there is no such file, or if the program did not end well enough to write it.
    pub fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).with_context(|| {
            format!(
                "`{}` was not written: the program made no CUDA call",
                path.display()
            )
        })?;
        ensure!(
            !text.is_empty(),
            "the program ended without its exit handlers"
        );
        serde_json::from_str(&text).with_context(|| format!("`{}` is no record", path.display()))
    }

    /// Returns the kernel of this name, or the only one whose name contains it.
    ///
    /// # Errors
    /// An error that lists the kernels that ran.
    pub(crate) fn kernel(&self, name: &str) -> Result<&Kernel> {
        let exact = self.kernels.iter().find(|kernel| kernel.name == name);
        let mut like = self
            .kernels
            .iter()
            .filter(|kernel| kernel.name.contains(name));
        let like = like.next().filter(|_| like.next().is_none());
        exact.or(like).with_context(|| {
            let names: Vec<&str> = self.kernels.iter().map(|kernel| &*kernel.name).collect();
            format!(
                "`{name}` names no kernel, or several; these ran: {}",
                names.join(", ")
            )
        })
    }
}

impl Kernel {
    /// Returns the instruction of a step.
    pub(crate) fn instruction(&self, step: &Step) -> &Instruction {
        &self.instructions[step.instruction]
    }

    /// Returns the name of a step's instruction and its line of the source.
    pub(crate) fn place(&self, step: &Step) -> String {
        let Instruction { name, line, .. } = self.instruction(step);
        match line {
            Some(line) => format!("{name}, line {line}"),
            None => name.clone(),
        }
    }

    /// Returns the steps of a warp.
    pub(crate) fn of_warp(&self, block: u64, warp: u32) -> impl Iterator<Item = &Step> {
        self.steps
            .iter()
            .filter(move |step| step.block == block && step.warp == warp)
    }

    /// Returns the number of threads of a block.
    pub(crate) fn threads(&self) -> u32 {
        self.block.iter().product()
    }
}

/// Returns the lanes of a mask.
pub(crate) fn lanes(mask: u32) -> impl Iterator<Item = usize> {
    (0..32).filter(move |lane| mask >> lane & 1 != 0)
}
