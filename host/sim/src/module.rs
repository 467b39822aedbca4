//! A loaded module: PTX that was read, checked and decoded, independent of any device.

use std::sync::Arc;

use crate::decode::decode;
use crate::decode::program::Program;

/// Why a module could not be loaded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The text is no PTX.
    #[error("ptx line {line}, column {column}: {message}")]
    Syntax {
        /// The line, from 1.
        line: u32,
        /// The column, from 1.
        column: u32,
        /// What was wrong and what would be right.
        message: String,
    },
    /// The machine does not model this instruction; the kernel may still be right on a GPU.
    #[error("ptx line {line}: `{text}` is not modelled{} (the coverage page lists what is)", .why.as_ref().map(|w| format!(": {w}")).unwrap_or_default())]
    Unsupported {
        /// The line, from 1.
        line: u32,
        /// The instruction or directive.
        text: String,
        /// What about it, where that is not plain.
        why: Option<String>,
    },
    /// The text reads as PTX but does not make sense.
    #[error("ptx line {line}: {message}, in `{text}`")]
    Invalid {
        /// The line, from 1.
        line: u32,
        /// The instruction or directive.
        text: String,
        /// What was wrong and what would be right.
        message: String,
    },
    /// A symbol that nothing defines.
    #[error("`{name}` is declared but nothing defines it; link the module that does")]
    Undefined {
        /// The symbol.
        name: String,
    },
}

/// A kernel's parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Param {
    /// Its name in the PTX.
    pub name: String,
    /// Its bytes.
    pub size: u32,
    /// What its offset is a multiple of.
    pub align: u32,
    /// Where it starts in the buffer of parameters.
    pub offset: u32,
}

/// A kernel of a module.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Kernel {
    /// Its name in the PTX.
    pub name: String,
    /// Its parameters, in order.
    pub params: Vec<Param>,
    /// Bytes of the buffer of parameters.
    pub param_bytes: u32,
    /// Bytes of static shared memory.
    pub static_shared: u32,
    /// Bytes of local memory that its own frame takes.
    pub local_bytes: u32,
    /// `.maxntid`, as a number of threads.
    pub max_threads: Option<u32>,
    /// `.reqntid`.
    pub required_threads: Option<[u32; 3]>,
    /// `.minnctapersm`.
    pub min_blocks: Option<u32>,
    /// `.reqnctapercluster`.
    pub cluster: Option<[u32; 3]>,
    /// An estimate of the 32-bit registers that a GPU's compiler would use: what is live at once.
    pub registers: u32,
    /// Why it cannot run here, if it or a function that it names holds what is not modelled. A launch gives this as
    /// [`LaunchError::Refused`](crate::LaunchError::Refused).
    pub refused: Option<LoadError>,
}

/// PTX that was read, checked and decoded. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Module {
    pub(crate) inner: Arc<Inner>,
}

#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) program: Program,
}

impl Module {
    /// Reads, checks and decodes PTX.
    ///
    /// A function that holds an instruction which is not modelled does not stop its module: the kernels that name it
    /// say so in [`Kernel::refused`], and the others run.
    ///
    /// # Errors
    /// Text that is no PTX, an instruction that a GPU's assembler would refuse, a symbol that nothing defines; with line
    /// and text.
    pub fn load(ptx: &str) -> Result<Self, LoadError> {
        Self::link(&[ptx])
    }

    /// Reads several modules as one, as `cuLink*` does: what one declares `.extern`, another may define.
    ///
    /// # Errors
    /// As [`Module::load`].
    pub fn link(ptx: &[&str]) -> Result<Self, LoadError> {
        let program = decode(ptx)?;
        Ok(Self {
            inner: Arc::new(Inner { program }),
        })
    }

    /// The kernels, in the order of the text.
    pub fn kernels(&self) -> impl Iterator<Item = &Kernel> {
        self.inner.program.kernels.iter().map(|(kernel, _)| kernel)
    }

    /// The number of the target that the text is for, as in 90 for sm_90; of several texts, the newest.
    pub fn target(&self) -> u32 {
        self.inner.program.target.map_or(0, |target| target.sm)
    }

    /// The PTX version of the text, if it is after [`NEWEST`](crate::ptx::NEWEST): what it holds may mean something else
    /// than is known here, and what is not known in it is refused kernel by kernel.
    pub fn newer_than_known(&self) -> Option<(u32, u32)> {
        self.inner.program.newer
    }

    /// The kernel of this name.
    pub fn kernel(&self, name: &str) -> Option<&Kernel> {
        self.kernels().find(|k| k.name == name)
    }
}
