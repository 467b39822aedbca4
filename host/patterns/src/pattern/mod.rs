//! What a pattern is, and what each of its variants can do.

pub mod capture;
pub(crate) mod case;
pub(crate) mod figure;
pub mod input;
pub(crate) mod matrix;
pub mod notes;

use anyhow::{Result, ensure};
use lanewise::compare::{Agreement, Mismatch};
use lanewise::counters::Counters;
use lanewise::{Device, Stream};

use crate::Figure;
use crate::nvidia::Job;

/// A row of the catalog.
#[derive(Debug)]
pub struct Pattern {
    /// Its name: also the name of the kernels' file, the tests and the book's page.
    pub name: &'static str,
    /// The chapter it belongs to: also the name of the folder.
    pub chapter: &'static str,
    /// What it does, in a line.
    pub summary: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// What its size means and which sizes to use.
    pub size: Size,
    /// The ways to do it.
    pub variants: &'static [Variant],
}

/// What a pattern's size means.
#[derive(Debug, Clone, Copy)]
pub struct Size {
    /// What is counted: `elements`, `rows and columns`.
    pub of: &'static str,
    /// Whether it is counted along both sides of a matrix: twice the size is then four times as
    /// much, or more.
    pub is_square: bool,
    /// The size when none is asked for: quick on the simulator.
    pub default: usize,
    /// The size at which it is measured on a GPU, where the benchmark has it.
    pub bench: Option<usize>,
}

/// One way to do what the pattern does.
#[derive(Debug, Clone, Copy)]
pub struct Variant {
    /// Its name: the kernel's symbol, unless `runs` is another.
    pub name: &'static str,
    /// The kernel that it runs; none where the host does it all.
    pub runs: Option<&'static str>,
    /// Whether its answer has to agree with the CPU's.
    pub expectation: Expectation,
    /// The largest size it can do: one block has this many threads and no more.
    pub most: Option<usize>,
    /// Makes the input of this setup, moves it to the device and gets everything ready to launch.
    pub prepare: fn(&Device, Setup) -> Result<Box<dyn Case>>,
    /// The same work by one of NVIDIA's libraries, where one of them does it: for a GPU, to be
    /// timed beside the variant.
    pub library: Option<PrepareJob>,
}

/// Gets a library's work ready to be queued.
pub(crate) type PrepareJob = fn(&Device, Setup) -> Result<Box<dyn Job>>;

impl Variant {
    /// A variant for every size, which has to agree with the CPU.
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

    /// The same, named after what the host does, with this kernel.
    pub const fn runs(self, runs: &'static str) -> Self {
        Self {
            runs: Some(runs),
            ..self
        }
    }

    /// A variant that is a program of the host, named after what it does.
    pub const fn on_the_host(
        name: &'static str,
        prepare: fn(&Device, Setup) -> Result<Box<dyn Case>>,
    ) -> Self {
        Self {
            runs: None,
            ..Self::new(name, prepare)
        }
    }

    /// The same, beside this job of NVIDIA's libraries.
    pub const fn beside(self, library: fn(&Device, Setup) -> Result<Box<dyn Job>>) -> Self {
        Self {
            library: Some(library),
            ..self
        }
    }

    /// The same for sizes up to `most`.
    pub const fn up_to(self, most: usize) -> Self {
        Self {
            most: Some(most),
            ..self
        }
    }

    /// The same, shown for what goes wrong.
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
    /// It is there to show what goes wrong, for this reason.
    ShowsTheTrap(&'static str),
}

/// What to run a variant on.
#[derive(Debug, Clone, Copy)]
pub struct Setup {
    /// How much: see the pattern's [`Size::of`]. Of a matrix, its columns.
    pub size: usize,
    /// Rows of a matrix, where they are not as many as its columns.
    pub rows: Option<usize>,
    /// The inner dimension of a product, where it is not `size`.
    pub inner: Option<usize>,
    /// How far, where the pattern has an offset or a stride.
    pub by: Option<u32>,
    /// Which pseudo-random input.
    pub seed: u64,
    /// Threads of a block, where the variant lets one choose.
    pub block: Option<u32>,
    /// Whether the CPU's answer is made and compared. At the sizes at which a GPU is measured that
    /// can take minutes.
    pub is_checked: bool,
}

impl Setup {
    /// The most elements a vector or matrix may have here: 4 GiB of 4-byte elements.
    pub const MAX_ELEMENTS: usize = 1 << 30;

    /// This size, this seed; square where it is a matrix; the variant's own block.
    pub fn new(size: usize, seed: u64) -> Self {
        Self {
            size,
            rows: None,
            inner: None,
            by: None,
            seed,
            block: None,
            is_checked: true,
        }
    }

    /// What the CPU makes of it; where nothing will be compared, nothing.
    pub(crate) fn expected<T: Default>(&self, compute: impl FnOnce() -> T) -> T {
        if self.is_checked {
            compute()
        } else {
            T::default()
        }
    }

    /// The size, as a count of elements.
    ///
    /// # Errors
    /// When it is above [`Self::MAX_ELEMENTS`].
    pub fn elements(&self) -> Result<usize> {
        self.at_most(Self::MAX_ELEMENTS)
    }

    /// The size, for a variant that stops at `most`.
    ///
    /// # Errors
    /// When it is above that.
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
    /// When it has more than [`Self::MAX_ELEMENTS`].
    pub fn matrix(&self) -> Result<(usize, usize)> {
        area(self.size, self.rows.unwrap_or(self.size))
    }

    /// `m`, `n` and `k` of a product of an `m` x `k` and a `k` x `n` matrix.
    ///
    /// # Errors
    /// When one of the three matrices has more than [`Self::MAX_ELEMENTS`].
    pub fn product(&self) -> Result<(usize, usize, usize)> {
        let (n, m) = self.matrix()?;
        let k = self.inner.unwrap_or(self.size);
        area(k, m)?;
        area(n, k)?;
        Ok((m, n, k))
    }
}

/// Both sides of a matrix, if it is not too large.
fn area(columns: usize, rows: usize) -> Result<(usize, usize)> {
    let most = Setup::MAX_ELEMENTS;
    let fits = columns
        .checked_mul(rows)
        .is_some_and(|elements| elements <= most);
    // An empty matrix may be as long as it likes in theory; a grid may not.
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
    /// When the driver refuses the launch.
    fn launch(&mut self, stream: &Stream) -> Result<()>;

    /// Whether what the first run left agrees with the CPU. To be asked before a second run: what
    /// works in place would then have started from other input.
    ///
    /// # Errors
    /// When the results cannot be fetched: a fault of the kernel surfaces here.
    fn check(&mut self) -> Result<Result<Agreement, Mismatch>>;

    /// What one run has to do.
    fn work(&self) -> Work;

    /// What the notes' tables print beside the time, from the launch and, where somebody counted,
    /// its counters.
    ///
    /// # Errors
    /// When the driver does not answer a question about the kernel.
    fn figures(&self, _counters: Option<&Counters>) -> Result<Vec<Figure>> {
        Ok(Vec::new())
    }
}

/// What one run of a kernel has to do at the least: what its throughput is counted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// Bytes that have to be read and written once.
    Bytes(u64),
    /// Floating-point operations; a fused multiply-add is two.
    Flops(u64),
    /// Nothing worth a rate.
    Nothing,
}
