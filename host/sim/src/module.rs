//! A loaded module: PTX that was read, checked and decoded, independent of any device.

use std::sync::Arc;

use crate::decode::decode;
use crate::kernel::Kernel;
use crate::load_error::LoadError;
use crate::machine::program::Program;

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
    /// A function that holds an instruction which is not modelled does not stop its module: the
    /// kernels that name it say so in [`Kernel::refused`], and the others run.
    ///
    /// # Errors
    /// Text that is no PTX, an instruction that a GPU's assembler would refuse, a symbol that
    /// nothing defines; with line and text.
    pub fn load(ptx: &str) -> Result<Self, LoadError> {
        Self::link(&[ptx])
    }

    /// Reads several modules as one, as `cuLink*` does: what one declares `.extern`, another may
    /// define.
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

    /// The number of the target that the text is for, as in 90 for sm_90; of several texts, the
    /// newest.
    pub fn target(&self) -> u32 {
        self.inner.program.target.map_or(0, |target| target.sm)
    }

    /// The PTX version of the text, if it is after [`NEWEST`](crate::ptx::NEWEST): what it holds
    /// may mean something else than is known here, and what is not known in it is refused kernel by
    /// kernel.
    pub fn newer_than_known(&self) -> Option<(u32, u32)> {
        self.inner.program.newer
    }

    /// The kernel of this name.
    pub fn kernel(&self, name: &str) -> Option<&Kernel> {
        self.kernels().find(|k| k.name == name)
    }
}
