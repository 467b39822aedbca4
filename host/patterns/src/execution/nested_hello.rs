//! Nested hello: every level of a recursion prints a greeting and launches the next.

use std::io::Write;

use anyhow::Result;
use gpu::execution::nested_hello::nested_hello_world;
use lanewise::counters::Counters;
use lanewise::testing::{self, Agreement, Mismatch};
use lanewise::{Device, LaunchConfig, Stream};

use crate::{Case, Figure, Pattern, Setup, Size, Variant, Work, capture};

/// The pattern as `cargo xtask list` shows it and `cargo xtask run` runs it.
pub static PATTERN: Pattern = Pattern {
    name: "nested_hello",
    chapter: "execution",
    summary: "a kernel launches itself with half of the threads, until one is left",
    source: "Professional CUDA C Programming, chapter 3",
    size: Size {
        of: "threads, in one block",
        is_square: false,
        default: 8,
        bench: None,
    },
    variants: &[Variant::new("nested_hello_world", prepare).up_to(1024)],
};

struct Nested {
    /// `None` if there is no thread that could print.
    config: Option<LaunchConfig>,
    printed: Vec<String>,
}

fn prepare(_: &Device, setup: Setup) -> Result<Box<dyn Case>> {
    let threads = u32::try_from(setup.at_most(1024)?)?;
    let block = setup.block.unwrap_or(threads);
    let config = (threads > 0).then(|| LaunchConfig::new(threads.div_ceil(block), block));
    Ok(Box::new(Nested {
        config,
        printed: Vec::new(),
    }))
}

impl Case for Nested {
    fn launch(&mut self, stream: &Stream) -> Result<()> {
        let Some(config) = self.config else {
            return Ok(());
        };
        let (text, done) = capture::stdout_of(|| -> Result<()> {
            stream.launch(nested_hello_world, config, (0,))?;
            // The driver writes the printed text when the host waits. Waiting for the grid is
            // enough, because a grid ends after all levels below it.
            Ok(stream.synchronize()?)
        })?;
        done?;
        // The text goes to standard error, so that `--json` stays readable.
        std::io::stderr().write_all(text.as_bytes())?;
        self.printed = text.lines().map(str::to_owned).collect();
        Ok(())
    }

    fn check(&mut self) -> Result<Result<Agreement, Mismatch>> {
        let (blocks, threads) = self.config.map_or((0, 0), |it| (it.grid.x, it.block.x));
        // Levels may overlap, so the order of their lines is not fixed.
        let mut expected = lines(blocks, threads);
        expected.sort_unstable();
        self.printed.sort_unstable();
        Ok(testing::equal(&self.printed, &expected))
    }

    fn work(&self) -> Work {
        Work::Nothing
    }

    fn figures(&self, counters: Option<&Counters>) -> Result<Vec<Figure>> {
        let launches =
            counters.map(|counters| Figure::new("device launches", counters.device_launches));
        Ok(launches.into_iter().collect())
    }
}

// On the CPU.

/// Returns the lines of `blocks` blocks of `threads` threads and of all levels below,
/// level by level.
pub fn lines(blocks: u32, threads: u32) -> Vec<String> {
    let mut lines = Vec::new();
    let (mut threads, mut depth) = (threads, 0);
    while threads > 0 {
        for block in 0..blocks {
            // Below the first level, every grid has one block.
            let shown = if depth == 0 { block } else { 0 };
            lines.extend((0..threads).map(|thread| {
                format!("Recursion={depth}: Hello World from thread {thread} block {shown}")
            }));
            if threads > 1 {
                lines.push(format!("-------> nested execution depth: {}", depth + 1));
            }
        }
        (threads, depth) = (threads / 2, depth + 1);
    }
    lines
}
