//! `--device`: which backend runs the kernels.

use anyhow::{Context, Result, bail};
use lanewise::{Backend, Device};

/// Who is to run the kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Choice {
    /// A GPU if there is one, else the simulator
    Auto,
    /// The simulated GPU
    Sim,
    /// A GPU through NVIDIA's driver
    Cuda,
}

impl Choice {
    /// Opens the device that was chosen.
    pub(crate) fn open(self) -> Result<Device> {
        let forced = match self {
            Self::Auto => None,
            Self::Sim => Some("sim"),
            Self::Cuda => Some("cuda"),
        };
        if let Some(backend) = forced {
            // SAFETY: commands open the device first, while this is the process's only thread.
            unsafe { std::env::set_var("LANEWISE_DEVICE", backend) };
        }
        let device = Device::open().context("cannot open a device")?;
        if self == Self::Cuda && device.backend() == Backend::Sim {
            bail!("there is no GPU here: use `--device sim`, or `auto`, which takes what there is");
        }
        Ok(device)
    }
}
