//! The kernels of a module: their parameters, and the resources that they need.

use crate::load_error::LoadError;

/// A parameter of a kernel: its name, size, alignment and offset.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Param {
    /// The parameter's name in the PTX.
    pub name: String,
    /// The size in bytes.
    pub size: u32,
    /// The alignment of the offset, in bytes.
    pub align: u32,
    /// The offset in the buffer of parameters, in bytes.
    pub offset: u32,
}

/// A kernel of a module.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Kernel {
    /// The name in the PTX.
    pub name: String,
    /// The parameters, in order.
    pub params: Vec<Param>,
    /// The size of the buffer of parameters, in bytes.
    pub param_bytes: u32,
    /// Bytes of static shared memory.
    pub static_shared: u32,
    /// Bytes of local memory of the kernel's own frame.
    pub local_bytes: u32,
    /// The value of `.maxntid`, as a number of threads.
    pub max_threads: Option<u32>,
    /// The block shape that `.reqntid` requires, if there is one.
    pub required_threads: Option<[u32; 3]>,
    /// The number of blocks per multiprocessor that `.minnctapersm` requests.
    pub min_blocks: Option<u32>,
    /// The cluster shape that `.reqnctapercluster` requires.
    pub cluster: Option<[u32; 3]>,
    /// An estimate of the 32-bit registers that a GPU's compiler would use: the most that are
    /// live at once.
    pub registers: u32,
    /// Whether the kernel, or a function that it calls, launches kernels.
    pub launches: bool,
    /// The reason why the kernel cannot run here, if there is one: the kernel or a
    /// function that it calls uses something that is not modelled. A launch then
    /// fails with [`LaunchError::Refused`](crate::LaunchError::Refused).
    pub refused: Option<LoadError>,
}
