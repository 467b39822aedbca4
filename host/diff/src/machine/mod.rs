//! The two sides of the comparison: the simulator, called directly, and the device that the driver
//! has.

mod array;
mod driver;
mod simulator;

pub use driver::Driver;
pub use simulator::{Loaded, Simulator};

use crate::image::Setup;

/// Why a machine did not run a kernel.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Failure {
    /// It does not take the module.
    #[error("{0}")]
    Refused(String),
    /// The kernel did not come to its end.
    #[error("{why}")]
    Faulted {
        /// CUDA's number for the error; 0 where it was no kernel's.
        code: u32,
        /// The report, as a user reads it.
        why: String,
    },
}

impl Failure {
    /// An error that no kernel made: of memory, of objects.
    fn other(error: &dyn std::error::Error) -> Self {
        Failure::Faulted {
            code: 0,
            why: whole(error),
        }
    }
}

/// One launch: its kernel, its input, how much comes back.
#[derive(Clone, Copy, Debug)]
pub struct Job<'a> {
    /// The name of the kernel in its module.
    pub kernel: &'a str,
    /// The operands that the threads read, as bytes.
    pub input: &'a [u8],
    /// Bytes of the threads' results.
    pub output: usize,
    /// Textures and surfaces, whose handles are the first words of the kernel's last parameter.
    pub images: &'a [Setup],
    /// The seed of the images' contents.
    pub seed: u64,
}

/// Something that runs PTX.
pub trait Machine {
    /// A module that is ready to run.
    type Module;

    /// Makes a module of the text.
    ///
    /// # Errors
    /// [`Failure::Refused`].
    fn load(&self, ptx: &str) -> Result<Self::Module, Failure>;

    /// Runs one kernel of a module on these operands and gives the bytes that it stored: threads'
    /// results, then the contents of surfaces.
    ///
    /// # Errors
    /// [`Failure::Faulted`], after which a machine may be of no more use.
    fn run(&self, module: &Self::Module, job: &Job<'_>) -> Result<Vec<u8>, Failure>;
}

/// An error with its causes in one line.
fn whole(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}

/// The last parameter: handles, then words that are only there to be loaded.
fn parameter(handles: &[u64]) -> [u64; 16] {
    let mut words = crate::kernel::parameter();
    for (word, handle) in words.iter_mut().zip(handles) {
        *word = *handle;
    }
    words
}
