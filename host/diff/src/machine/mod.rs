//! The two sides of the comparison: the simulator, called directly, and the device of the driver.

mod array;
mod driver;
mod simulator;

pub use driver::Driver;
pub use simulator::{Loaded, Simulator};

use crate::image::Setup;

/// The reason why a machine did not run a kernel.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Failure {
    /// The machine does not accept the module.
    #[error("{0}")]
    Refused(String),
    /// The kernel did not run to its end.
    #[error("{why}")]
    Faulted {
        /// CUDA's number for the error; 0 if the error was not caused by a kernel.
        code: u32,
        /// The report, as a user reads it.
        why: String,
    },
}

impl Failure {
    /// Makes an error that no kernel caused, such as one of memory or of objects.
    fn other(error: &dyn std::error::Error) -> Self {
        Failure::Faulted {
            code: 0,
            why: whole(error),
        }
    }
}

/// One launch: its kernel, its input, and the size of its output.
#[derive(Clone, Copy, Debug)]
pub struct Job<'a> {
    /// The name of the kernel in its module.
    pub kernel: &'a str,
    /// The operands that the threads read, as bytes.
    pub input: &'a [u8],
    /// The size of the threads' results in bytes.
    pub output: usize,
    /// Textures and surfaces, whose handles are the first words of the kernel's last parameter.
    pub images: &'a [Setup],
    /// The seed of the images' contents.
    pub seed: u64,
}

/// A machine that runs PTX.
pub trait Machine {
    /// A module that is ready to run.
    type Module;

    /// Makes a module from the text.
    ///
    /// # Errors
    /// Returns [`Failure::Refused`] if the machine does not accept the text.
    fn load(&self, ptx: &str) -> Result<Self::Module, Failure>;

    /// Runs one kernel of a module on these operands and returns the bytes that it stored: the
    /// threads' results, then the contents of surfaces.
    ///
    /// # Errors
    /// Returns [`Failure::Faulted`]. The machine may be unusable afterwards.
    fn run(&self, module: &Self::Module, job: &Job<'_>) -> Result<Vec<u8>, Failure>;
}

/// Returns an error with its causes in one line.
fn whole(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}

/// Returns the last parameter: handles, then words that only serve to be loaded.
fn parameter(handles: &[u64]) -> [u64; 16] {
    let mut words = crate::kernel::parameter();
    for (word, handle) in words.iter_mut().zip(handles) {
        *word = *handle;
    }
    words
}
