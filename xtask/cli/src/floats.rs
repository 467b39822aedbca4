//! The options for how kernels compute with floats. They have the names and meaning
//! of nvcc's options.
//!
//! CUDA Compiler Driver documentation, "Options for Steering GPU Code Generation".

use std::path::PathBuf;

use anyhow::Result;
use clap::ValueEnum;
use lanewise_builder::manifest::Floats;

use crate::toolkit;

#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "Floats")]
#[group(id = "floats")]
pub(crate) struct Args {
    /// Approximations for functions and divisions of f32, and the four below for speed
    #[arg(long)]
    fast_math: bool,
    /// Whether `a * b + c` becomes one fused multiply-add; off makes results equal the host's bit
    /// for bit [default: on]
    #[arg(long, value_name = "on|off", hide_possible_values = true)]
    fmad: Option<Switch>,
    /// Whether denormal f32 count as zero [default: off]
    #[arg(long, value_name = "on|off", hide_possible_values = true)]
    ftz: Option<Switch>,
    /// Whether divisions of f32 are correctly rounded [default: on]
    #[arg(long, value_name = "on|off", hide_possible_values = true)]
    prec_div: Option<Switch>,
    /// Whether square roots of f32 are correctly rounded [default: on]
    #[arg(long, value_name = "on|off", hide_possible_values = true)]
    prec_sqrt: Option<Switch>,
    /// Take mathematical functions from NVIDIA's libdevice, not from Lanewise
    #[arg(long)]
    libdevice: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Switch {
    On,
    Off,
}

impl Args {
    /// Returns the sum of the options: each one overrides `--fast-math`.
    pub(crate) fn floats(&self) -> Floats {
        let base = if self.fast_math {
            Floats::FAST
        } else {
            Floats::default()
        };
        let or = |switch: Option<Switch>, base| switch.map_or(base, |switch| switch == Switch::On);
        Floats {
            fmad: or(self.fmad, base.fmad),
            ftz: or(self.ftz, base.ftz),
            prec_div: or(self.prec_div, base.prec_div),
            prec_sqrt: or(self.prec_sqrt, base.prec_sqrt),
            fast_math: self.fast_math,
        }
    }

    /// Returns libdevice's file, if it was requested.
    pub(crate) fn libdevice(&self) -> Result<Option<PathBuf>> {
        self.libdevice
            .then(|| toolkit::LIBDEVICE.require())
            .transpose()
    }
}
