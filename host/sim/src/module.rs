//! A loaded module: PTX that was read, checked and decoded, independent of any device.

use std::sync::Arc;

use crate::decode::{self, check, link, lower, parse};
use crate::kernel::Kernel;
use crate::load_error::LoadError;
use crate::machine::program::Program;

/// PTX that was read, checked and decoded. A clone shares the contents.
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
    /// A function with an instruction that is not modelled does not make the whole module fail.
    /// The kernels that refer to that function have the reason in [`Kernel::refused`], and the
    /// other kernels run.
    ///
    /// # Errors
    /// Text that is not PTX, an instruction that a GPU's assembler would refuse, or a symbol
    /// without a definition. The error contains the line and the text.
    pub fn load(ptx: &str) -> Result<Self, LoadError> {
        Self::link(&[ptx])
    }

    /// Reads several texts as one module, as `cuLink*` does. A symbol that one text declares
    /// `.extern` may be defined in another.
    ///
    /// # Errors
    /// The errors of [`Module::load`].
    pub fn link(ptx: &[&str]) -> Result<Self, LoadError> {
        let texts = ptx.iter().map(|text| parse(text));
        let mut modules = texts.collect::<Result<Vec<_>, _>>()?;
        let refusals = modules
            .iter_mut()
            .map(check)
            .collect::<Result<Vec<_>, _>>()?;
        let linked = link(&modules, ptx)?;
        let program = lower(linked, &refusals)?;
        Ok(Self {
            inner: Arc::new(Inner { program }),
        })
    }

    /// Returns the kernels, in the order of the text.
    pub fn kernels(&self) -> impl Iterator<Item = &Kernel> {
        self.inner.program.kernels.iter().map(|(kernel, _)| kernel)
    }

    /// Returns the number of the target of the text, such as 90 for sm_90. For several texts, it is
    /// the newest target.
    pub fn target(&self) -> u32 {
        self.inner.program.target.map_or(0, |target| target.sm)
    }

    /// Returns the PTX version of the text if it is newer than [`NEWEST`](crate::ptx::NEWEST). Such
    /// a text may have a meaning that this crate does not know. A kernel that contains something
    /// unknown is refused, and the others run.
    pub fn newer_than_known(&self) -> Option<(u32, u32)> {
        self.inner.program.newer
    }

    /// Returns the kernel of this name.
    pub fn kernel(&self, name: &str) -> Option<&Kernel> {
        self.kernels().find(|k| k.name == name)
    }
}

/// Returns the names that the decoder has for instructions that work on registers alone, and for
/// parts of other instructions. Text in parentheses after a name is not part of the instruction. It
/// distinguishes two instructions of the same name.
pub fn spellings() -> impl Iterator<Item = &'static str> {
    decode::table::keys()
}

/// Returns the functions that the machine provides to modules that only declare them, as
/// a driver does.
pub fn functions() -> impl Iterator<Item = &'static str> {
    decode::functions()
}
