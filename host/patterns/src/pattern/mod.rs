//! The definition of a pattern and of its variants.

pub mod capture;
pub(crate) mod case;
pub(crate) mod figure;
pub mod input;
pub(crate) mod matrix;
pub mod published;

use anyhow::{Result, ensure};
use lanewise::counters::Counters;
use lanewise::testing::{Agreement, Mismatch};
use lanewise::{Device, Stream};

use crate::Figure;
use crate::nvidia::Job;

/// A row of the catalog.
#[derive(Debug)]
pub struct Pattern {
    /// Its name: also the name of the kernels' file, the tests and the book's page.
    pub name: &'static str,
    /// The chapter that it belongs to: also the name of the folder.
    pub chapter: &'static str,
    /// One line on what it does.
    pub summary: &'static str,
    /// The source of the pattern.
    pub source: &'static str,
    /// The meaning of its size, and the sizes to use.
    pub size: Size,
    /// The ways to do it.
    pub variants: &'static [Variant],
}

/// What a pattern's size means.
#[derive(Debug, Clone, Copy)]
pub struct Size {
    /// The unit that is counted: `elements`, `rows and columns`.
    pub of: &'static str,
    /// Whether the size counts both sides of a matrix. Twice the size then means four times as many
    /// elements, or more.
    pub is_square: bool,
    /// The default size, which runs quickly on the simulator.
    pub default: usize,
    /// The size for measurements on a GPU, if the benchmark contains the pattern.
    pub bench: Option<usize>,
}

/// One way to do what the pattern does.
#[derive(Debug, Clone, Copy)]
pub struct Variant {
    /// Its name, which is the kernel's symbol unless `runs` names another kernel.
    pub name: &'static str,
    /// The kernel that it runs, or `None` if the host does all of the work.
    pub runs: Option<&'static str>,
    /// Whether its result has to agree with the CPU's.
    pub expectation: Expectation,
    /// The largest size that it supports, for example because one block has at most
    /// this many threads.
    pub most: Option<usize>,
    /// Makes the input of this setup, copies it to the device and prepares the launch.
    pub prepare: fn(&Device, Setup) -> Result<Box<dyn Case>>,
    /// The same work by one of NVIDIA's libraries, if there is one. On a GPU it is timed
    /// beside the variant.
    pub library: Option<PrepareJob>,
}

/// A function that prepares a library's work, so that it can be queued.
pub(crate) type PrepareJob = fn(&Device, Setup) -> Result<Box<dyn Job>>;

impl Variant {
    /// Makes a variant for every size, which has to agree with the CPU.
    pub const fn new(
        name: &'static str,
        prepare: fn(&Device, Setup) -> Result<Box<dyn Case>>,
    ) -> Self {
        Self {
            name,
            runs: Some(name),
            expectation: Expectation::Agrees,
            most: None,
            prepare,
            library: None,
        }
    }

    /// Sets the kernel of a variant that is named after the host's work.
    pub const fn runs(self, runs: &'static str) -> Self {
        Self {
            runs: Some(runs),
            ..self
        }
    }

    /// Makes a variant without a kernel of its own, which is named after the host's work.
    pub const fn on_the_host(
        name: &'static str,
        prepare: fn(&Device, Setup) -> Result<Box<dyn Case>>,
    ) -> Self {
        Self {
            runs: None,
            ..Self::new(name, prepare)
        }
    }

    /// Adds a job of one of NVIDIA's libraries, which is timed beside the variant.
    pub const fn beside(self, library: fn(&Device, Setup) -> Result<Box<dyn Job>>) -> Self {
        Self {
            library: Some(library),
            ..self
        }
    }

    /// Limits the size to `most`.
    pub const fn up_to(self, most: usize) -> Self {
        Self {
            most: Some(most),
            ..self
        }
    }

    /// Marks the variant as one that shows a mistake.
    pub const fn showing(self, trap: &'static str) -> Self {
        Self {
            expectation: Expectation::ShowsTheTrap(trap),
            ..self
        }
    }
}

/// Whether a variant has to agree with the CPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expectation {
    /// The variant has to agree with the CPU.
    Agrees,
    /// The variant shows a mistake, for this reason.
    ShowsTheTrap(&'static str),
}

/// The input and the shape with which a variant is run.
#[derive(Debug, Clone, Copy)]
pub struct Setup {
    /// The size; see the pattern's [`Size::of`]. For a matrix it is the number of columns.
    pub size: usize,
    /// The number of rows of a matrix, if it differs from the number of columns.
    pub rows: Option<usize>,
    /// The inner dimension of a product, if it differs from `size`.
    pub inner: Option<usize>,
    /// The offset or the stride, if the pattern has one.
    pub by: Option<u32>,
    /// The seed of the pseudo-random input.
    pub seed: u64,
    /// Threads of a block, if the variant allows a choice.
    pub block: Option<u32>,
    /// How often a measurement on a GPU is repeated, in turn with the library's.
    pub rounds: u32,
    /// Whether the CPU's result is computed and compared. At the sizes for measurements on a GPU
    /// that can take minutes.
    pub is_checked: bool,
}

impl Setup {
    /// The most elements a vector or matrix may have here: 4 GiB of 4-byte elements.
    pub const MAX_ELEMENTS: usize = 1 << 30;

    /// Makes a setup with this size and seed. A matrix is square, and the variant
    /// chooses its block.
    pub fn new(size: usize, seed: u64) -> Self {
        Self {
            size,
            rows: None,
            inner: None,
            by: None,
            seed,
            block: None,
            rounds: 1,
            is_checked: true,
        }
    }

    /// Returns the CPU's result, or the default value if nothing will be compared.
    pub(crate) fn expected<T: Default>(&self, compute: impl FnOnce() -> T) -> T {
        if self.is_checked {
            compute()
        } else {
            T::default()
        }
    }

    /// Returns the size as a number of elements.
    ///
    /// # Errors
    /// An error if it is above [`Self::MAX_ELEMENTS`].
    pub fn elements(&self) -> Result<usize> {
        self.at_most(Self::MAX_ELEMENTS)
    }

    /// Returns the size, for a variant that is limited to `most`.
    ///
    /// # Errors
    /// An error if it is above `most`.
    pub fn at_most(&self, most: usize) -> Result<usize> {
        ensure!(
            self.size <= most,
            "size {} is too large: this takes {most} at most",
            self.size
        );
        Ok(self.size)
    }

    /// Columns and rows of a matrix.
    ///
    /// # Errors
    /// An error if it has more than [`Self::MAX_ELEMENTS`].
    pub fn matrix(&self) -> Result<(usize, usize)> {
        area(self.size, self.rows.unwrap_or(self.size))
    }

    /// Returns `m`, `n` and `k` of a product of an `m` x `k` and a `k` x `n` matrix.
    ///
    /// # Errors
    /// An error if one of the three matrices has more than [`Self::MAX_ELEMENTS`].
    pub fn product(&self) -> Result<(usize, usize, usize)> {
        let (n, m) = self.matrix()?;
        let k = self.inner.unwrap_or(self.size);
        area(k, m)?;
        area(n, k)?;
        Ok((m, n, k))
    }
}

/// Returns both sides of a matrix, if it is not too large.
fn area(columns: usize, rows: usize) -> Result<(usize, usize)> {
    let most = Setup::MAX_ELEMENTS;
    let fits = columns
        .checked_mul(rows)
        .is_some_and(|elements| elements <= most);
    // In theory an empty matrix may have any length, but a grid may not.
    ensure!(
        fits && columns.max(rows) <= most,
        "{rows} x {columns} is too large: a matrix may have {most} elements here"
    );
    Ok((columns, rows))
}

/// A variant with its input on the device.
pub trait Case {
    /// Queues one run on `stream`.
    ///
    /// # Errors
    /// An error if the driver refuses the launch.
    fn launch(&mut self, stream: &Stream) -> Result<()>;

    /// Returns whether the result of the first run agrees with the CPU. Call it before a second
    /// run, because a variant that works in place would then start from other input.
    ///
    /// # Errors
    /// An error if the results cannot be copied to the host. A fault in the kernel
    /// is reported here.
    fn check(&mut self) -> Result<Result<Agreement, Mismatch>>;

    /// Returns the work of one run.
    fn work(&self) -> Work;

    /// Returns the figures that make the pattern's point, besides the time. They come from the
    /// launch and from its counters, if the run was counted.
    ///
    /// # Errors
    /// An error if the driver does not answer a query about the kernel.
    fn figures(&self, _counters: Option<&Counters>) -> Result<Vec<Figure>> {
        Ok(Vec::new())
    }
}

/// The least work of one run of a kernel, from which its throughput is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// The number of bytes that have to be read and written once.
    Bytes(u64),
    /// The number of floating-point operations. A fused multiply-add counts as two.
    Flops(u64),
    /// The number of keys that are sorted.
    Keys(u64),
    /// No work for which a rate makes sense.
    Nothing,
}
