//! Statics on the device, filled and read by the host through their symbols.

use anyhow::{Result, ensure};
use gpu::basics::device_globals::{
    POINTER, TABLE, TABLE_LENGTH, VALUE, bump_global, follow_device_pointer, read_constant_table,
};
use lanewise::testing::{self, Agreement, Mismatch};
use lanewise::{Device, DeviceBuffer, DeviceSymbol, LaunchConfig, Stream};

use crate::{Case, Pattern, Setup, Size, Variant, Work, capture, input};

/// The pattern as `cargo xtask list` shows it and `cargo xtask run` runs it.
pub static PATTERN: Pattern = Pattern {
    name: "device_globals",
    chapter: "basics",
    summary: "memory that belongs to the module: a value, a table, a pointer",
    source: "Professional CUDA C Programming, chapter 4; CUDA C++ Programming Guide, \"Device Memory\"",
    size: Size {
        of: "threads",
        is_square: false,
        default: 1000,
        bench: None,
    },
    variants: &[
        Variant::new("bump_global", Bump::prepare),
        Variant::new("read_constant_table", ReadTable::prepare),
        Variant::new("follow_device_pointer", Follow::prepare),
    ],
};

/// Every thread adds 2 to the value and prints what it found.
struct Bump {
    config: LaunchConfig,
    value: DeviceSymbol<f32>,
    printed: Vec<String>,
}

/// The value before the launch.
const START: f32 = 3.25;

impl Bump {
    fn prepare(device: &Device, setup: Setup) -> Result<Box<dyn Case>> {
        // The driver keeps 1 MiB of printed text. Beyond that the oldest text is lost.
        let threads = setup.at_most(3000)?;
        let block = setup.block.unwrap_or(LaunchConfig::DEFAULT_BLOCK);
        let value = device.symbol(VALUE)?;
        ensure!(value.size() == 4, "an f32 of {} bytes", value.size());
        Ok(Box::new(Self {
            config: LaunchConfig::cover_1d(threads, block),
            value,
            printed: Vec::new(),
        }))
    }

    fn threads(&self) -> u64 {
        self.config.grid.count() * self.config.block.count()
    }
}

impl Case for Bump {
    fn launch(&mut self, stream: &Stream) -> Result<()> {
        self.value.write(START)?;
        let (text, done) = capture::stdout_of(|| -> Result<()> {
            stream.launch(bump_global, self.config, ())?;
            // The driver writes the printed text when the host waits.
            Ok(stream.synchronize()?)
        })?;
        done?;
        self.printed = text.lines().map(str::to_owned).collect();
        Ok(())
    }

    fn check(&mut self) -> Result<Result<Agreement, Mismatch>> {
        // Threads run in any order, but each reads a different value, which is 2 more than the one
        // before. All values are exact in f32.
        let value = |thread: u64| START + 2.0 * thread as f32;
        let line = |found| format!("Device: the value of the global variable is {found:.6}");
        let mut expected: Vec<String> = (0..self.threads()).map(|t| line(value(t))).collect();
        expected.sort_unstable();
        self.printed.sort_unstable();
        let left = testing::equal(&[self.value.read()?], &[value(self.threads())]);
        Ok(left.and_then(|_| testing::equal(&self.printed, &expected)))
    }

    fn work(&self) -> Work {
        Work::Nothing
    }
}

/// A table in constant memory, repeated over the output.
struct ReadTable {
    config: LaunchConfig,
    expected: Vec<f32>,
    table: (DeviceSymbol<[f32; TABLE_LENGTH]>, [f32; TABLE_LENGTH]),
    output: DeviceBuffer<f32>,
}

impl ReadTable {
    fn prepare(device: &Device, setup: Setup) -> Result<Box<dyn Case>> {
        let n = setup.elements()?;
        let block = setup.block.unwrap_or(LaunchConfig::DEFAULT_BLOCK);
        let mut table = [0.0; TABLE_LENGTH];
        table.copy_from_slice(&input::floats(TABLE_LENGTH, setup.seed));
        Ok(Box::new(Self {
            config: LaunchConfig::cover_1d(n, block),
            expected: table.iter().copied().cycle().take(n).collect(),
            table: (device.symbol(TABLE)?, table),
            output: DeviceBuffer::zeroed(device, n)?,
        }))
    }
}

impl Case for ReadTable {
    fn launch(&mut self, stream: &Stream) -> Result<()> {
        self.table.0.write(self.table.1)?;
        let output = (&mut self.output,);
        Ok(stream.launch(read_constant_table, self.config, output)?)
    }

    fn check(&mut self) -> Result<Result<Agreement, Mismatch>> {
        let written = testing::equal(&self.table.0.read()?, &self.table.1);
        let output = self.output.to_vec()?;
        Ok(written.and_then(|_| testing::equal(&output, &self.expected)))
    }

    fn work(&self) -> Work {
        Work::Bytes(4 * self.expected.len() as u64)
    }
}

/// An array that the device finds through a pointer in a static.
struct Follow {
    config: LaunchConfig,
    expected: Vec<f32>,
    pointer: DeviceSymbol<*const f32>,
    array: DeviceBuffer<f32>,
    output: DeviceBuffer<f32>,
}

impl Follow {
    fn prepare(device: &Device, setup: Setup) -> Result<Box<dyn Case>> {
        let n = setup.elements()?;
        let block = setup.block.unwrap_or(LaunchConfig::DEFAULT_BLOCK);
        let expected = input::floats(n, setup.seed);
        Ok(Box::new(Self {
            config: LaunchConfig::cover_1d(n, block),
            pointer: device.symbol(POINTER)?,
            array: DeviceBuffer::from_slice(device, &expected)?,
            output: DeviceBuffer::zeroed(device, n)?,
            expected,
        }))
    }
}

impl Case for Follow {
    fn launch(&mut self, stream: &Stream) -> Result<()> {
        self.pointer.write(self.array.address() as *const f32)?;
        let output = (&mut self.output,);
        // SAFETY: the pointer is that of an array with the length of the output. The array lives as
        // long as `self` and is not written.
        unsafe {
            stream.launch_unchecked(follow_device_pointer, self.config, output)?;
        }
        // The result is read before another launch changes the pointer, because the whole process
        // shares the static.
        Ok(stream.synchronize()?)
    }

    fn check(&mut self) -> Result<Result<Agreement, Mismatch>> {
        Ok(testing::equal(&self.output.to_vec()?, &self.expected))
    }

    fn work(&self) -> Work {
        Work::Bytes(2 * 4 * self.expected.len() as u64)
    }
}
