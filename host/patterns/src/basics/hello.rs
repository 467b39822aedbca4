//! Hello: every thread prints a line.
//!
//! The driver writes the text directly to the process's standard output. To compare the
//! text, the output is redirected to a file during the launch (see [`crate::capture`]),
//! and printed afterwards.

use std::io::Write;

use anyhow::Result;
use gpu::basics::hello::{check_index, hello_world};
use lanewise::testing::{self, Agreement, Mismatch};
use lanewise::{LaunchConfig, Stream};
use lanewise_std::kernel::SafeKernel;

use crate::{Case, Pattern, Setup, Size, Variant, Work, capture};

/// The pattern as `cargo xtask list` shows it and `cargo xtask run` runs it.
pub static PATTERN: Pattern = Pattern {
    name: "hello",
    chapter: "basics",
    summary: "each thread prints its block and its index",
    source: "Professional CUDA C Programming, chapter 2",
    size: Size {
        of: "threads, in blocks of 3",
        is_square: false,
        default: 6,
        bench: None,
    },
    variants: &[
        Variant::new("hello_world", |_, setup| {
            Hello::prepare(setup, hello_world, greetings)
        }),
        Variant::new("check_index", |_, setup| {
            Hello::prepare(setup, check_index, indices)
        }),
    ],
};

struct Hello<K> {
    kernel: K,
    blocks: u32,
    block: u32,
    expected: fn(u32, u32) -> Vec<String>,
    printed: Vec<String>,
}

impl<K: SafeKernel<Params = ()>> Hello<K> {
    fn prepare(
        setup: Setup,
        kernel: K,
        expected: fn(u32, u32) -> Vec<String>,
    ) -> Result<Box<dyn Case>> {
        // The driver keeps 1 MiB of printed text. Beyond that the oldest text is lost.
        let (threads, block) = (setup.at_most(3000)?, setup.block.unwrap_or(3));
        let blocks = LaunchConfig::cover_1d(threads, block).grid.x;
        Ok(Box::new(Self {
            kernel,
            blocks,
            block,
            expected,
            printed: Vec::new(),
        }))
    }
}

impl<K: SafeKernel<Params = ()>> Case for Hello<K> {
    fn launch(&mut self, stream: &Stream) -> Result<()> {
        let (text, done) = capture::stdout_of(|| -> Result<()> {
            stream.launch(self.kernel, LaunchConfig::new(self.blocks, self.block), ())?;
            // The driver writes the printed text when the host waits.
            Ok(stream.synchronize()?)
        })?;
        done?;
        // The text goes to standard error, so that `--json` stays readable.
        std::io::stderr().write_all(text.as_bytes())?;
        self.printed = text.lines().map(str::to_owned).collect();
        Ok(())
    }

    fn check(&mut self) -> Result<Result<Agreement, Mismatch>> {
        // Blocks run in any order.
        let mut expected = (self.expected)(self.blocks, self.block);
        expected.sort_unstable();
        self.printed.sort_unstable();
        Ok(testing::equal(&self.printed, &expected))
    }

    fn work(&self) -> Work {
        Work::Nothing
    }
}

// On the CPU.

/// Returns the lines that `hello_world` prints, block by block.
pub fn greetings(blocks: u32, block: u32) -> Vec<String> {
    let line = |(_, thread)| format!("Hello World from GPU thread {thread}!");
    threads(blocks, block).map(line).collect()
}

/// Returns the lines that `check_index` prints, block by block, for a 1-D grid of 1-D blocks.
pub fn indices(blocks: u32, block: u32) -> Vec<String> {
    let line = |(index, thread)| {
        format!(
            "threadIdx:({thread}, 0, 0) blockIdx:({index}, 0, 0) blockDim:({block}, 1, 1) gridDim:({blocks}, 1, 1)"
        )
    };
    threads(blocks, block).map(line).collect()
}

/// Returns the block and the thread index of every thread of a grid.
fn threads(blocks: u32, block: u32) -> impl Iterator<Item = (u32, u32)> {
    (0..blocks).flat_map(move |index| (0..block).map(move |thread| (index, thread)))
}
