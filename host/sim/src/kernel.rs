//! The kernels of a module: their parameters, and the resources that they need.

use crate::load_error::LoadError;

/// Where a parameter of a kernel lies, and what it is.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Param {
    /// Its name in the PTX.
    pub name: String,
    /// How many bytes it has.
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
    /// The block that `.reqntid` asks for, where it does.
    pub required_threads: Option<[u32; 3]>,
    /// The blocks of a multiprocessor that `.minnctapersm` asks for.
    pub min_blocks: Option<u32>,
    /// The cluster that `.reqnctapercluster` asks for.
    pub cluster: Option<[u32; 3]>,
    /// An estimate of the 32-bit registers that a GPU's compiler would use: what is live at once.
    pub registers: u32,
    /// Whether it, or a function that it names, launches kernels.
    pub launches: bool,
    /// Why it cannot run here, if it or a function that it names holds what is not modelled. A launch gives this as
    /// [`LaunchError::Refused`](crate::LaunchError::Refused).
    pub refused: Option<LoadError>,
}
