//! Hello: every thread prints a line.
//!
//! The text goes to the process's own standard output, straight from the driver. To compare it, that output is led through a
//! file for the time of the launch (see [`crate::capture`]), and printed afterwards.

use std::io::Write;

use anyhow::Result;
use gpu::basics::hello::{check_index, hello_world};
use gpu_std::kernel::SafeKernel;
use host::compare::{self, Agreement, Mismatch};
use host::{Device, LaunchConfig, Stream, reference};

use crate::{Case, Pattern, Setup, Size, Variant, Work, capture};

/// The pattern.
pub static PATTERN: Pattern = Pattern {
    name: "hello",
    chapter: "basics",
    summary: "threads print who they are",
    source: "notes 000, items 6 and 7",
    size: Size {
        of: "threads, in blocks of 3",
        default: 6,
        bench: None,
    },
    variants: &[
        Variant::new("hello_world", |device, setup| {
            Hello::prepare(device, setup, hello_world, reference::hello::greetings)
        }),
        Variant::new("check_index", |device, setup| {
            Hello::prepare(device, setup, check_index, reference::hello::indices)
        }),
    ],
};

struct Hello<K> {
    device: Device,
    kernel: K,
    blocks: u32,
    block: u32,
    expected: fn(u32, u32) -> Vec<String>,
    printed: Vec<String>,
}

impl<K: SafeKernel<Params = ()>> Hello<K> {
    fn prepare(
        device: &Device,
        setup: Setup,
        kernel: K,
        expected: fn(u32, u32) -> Vec<String>,
    ) -> Result<Box<dyn Case>> {
        // The driver keeps 1 MiB of printed text; past that the oldest is lost.
        let (threads, block) = (setup.at_most(3000)?, setup.block.unwrap_or(3));
        let blocks = LaunchConfig::cover_1d(threads, block).grid.x;
        Ok(Box::new(Self {
            device: device.clone(),
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
            self.device.launch(
                stream,
                self.kernel,
                LaunchConfig::new(self.blocks, self.block),
                (),
            )?;
            // The driver shows what was printed when somebody waits.
            Ok(stream.synchronize()?)
        })?;
        done?;
        // Standard error, so that `--json` stays readable.
        std::io::stderr().write_all(text.as_bytes())?;
        self.printed = text.lines().map(str::to_owned).collect();
        Ok(())
    }

    fn check(&mut self) -> Result<Result<Agreement, Mismatch>> {
        // Blocks run in any order.
        let mut expected = (self.expected)(self.blocks, self.block);
        expected.sort_unstable();
        self.printed.sort_unstable();
        Ok(compare::equal(&self.printed, &expected))
    }

    fn work(&self) -> Work {
        Work::Nothing
    }
}
