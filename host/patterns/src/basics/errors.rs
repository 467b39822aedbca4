//! Calls that fail: CUDA's own name and text, and the line that made the call.
//!
//! A fault in a kernel is reported later, by the next call that checks for it. The process then
//! loses its context, so faults are shown by a test and not by a variant here.

use anyhow::{Context, Result};
use gpu::basics::hello::check_index;
use lanewise::counters::Counters;
use lanewise::testing::{self, Agreement, Mismatch};
use lanewise::{DeviceBuffer, DriverError, LaunchConfig, Stream};

use crate::{Case, Figure, Pattern, Size, Variant, Work};

/// The pattern as `cargo xtask list` shows it and `cargo xtask run` runs it.
pub static PATTERN: Pattern = Pattern {
    name: "errors",
    chapter: "basics",
    summary: "the error of a failed call has CUDA's name and text, and the caller's line",
    source: "Professional CUDA C Programming, chapter 2, and Fengchen's introduction, chapter 2.3",
    size: Size {
        of: "nothing",
        is_square: false,
        default: 0,
        bench: None,
    },
    variants: &[
        Variant::on_the_host("error_invalid_value", |_, _| {
            Failing::prepare("CUDA_ERROR_INVALID_VALUE", "invalid argument", |stream| {
                let too_large = LaunchConfig::new(1, 1025);
                Ok(stream.launch(check_index, too_large, ())?)
            })
        }),
        Variant::on_the_host("error_out_of_memory", |_, _| {
            Failing::prepare("CUDA_ERROR_OUT_OF_MEMORY", "out of memory", |stream| {
                DeviceBuffer::<u8>::zeroed(stream.device(), 1 << 50)?;
                Ok(())
            })
        }),
        Variant::on_the_host("error_not_found", |_, _| {
            Failing::prepare("CUDA_ERROR_NOT_FOUND", "named symbol not found", |stream| {
                stream
                    .device()
                    .module::<gpu::Ptx>()?
                    .symbol_named("NOBODY")?;
                Ok(())
            })
        }),
    ],
};

/// A call that fails.
type Call = fn(&Stream) -> Result<()>;

struct Failing {
    call: Call,
    /// CUDA's name and text of the expected error.
    expected: [&'static str; 2],
    told: Option<DriverError>,
}

impl Failing {
    fn prepare(name: &'static str, text: &'static str, call: Call) -> Result<Box<dyn Case>> {
        Ok(Box::new(Self {
            call,
            expected: [name, text],
            told: None,
        }))
    }
}

impl Case for Failing {
    fn launch(&mut self, stream: &Stream) -> Result<()> {
        let error = (self.call)(stream).err().context("the call went well")?;
        // ANCHOR: asked
        let driver = error
            .chain()
            .find_map(|cause| cause.downcast_ref::<DriverError>());
        self.told = Some(driver.context("no answer of the driver's")?.clone());
        // ANCHOR_END: asked
        Ok(())
    }

    fn check(&mut self) -> Result<Result<Agreement, Mismatch>> {
        let told = self.told.as_ref().context("nothing was launched")?;
        let [name, text] = self.expected;
        // The location is in this file, because the calls are made here.
        let found = [told.name(), told.text(), told.location().file()];
        Ok(testing::equal(&found, &[name, text, file!()]))
    }

    fn work(&self) -> Work {
        Work::Nothing
    }

    fn figures(&self, _: Option<&Counters>) -> Result<Vec<Figure>> {
        let told = self.told.iter();
        Ok(told
            .map(|told| Figure::new("what is said", told.to_string()))
            .collect())
    }
}
