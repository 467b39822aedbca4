//! Who runs the kernels.

use std::fmt;

/// A GPU through NVIDIA's driver, or the simulator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Backend {
    /// NVIDIA's driver. Times are measured.
    Cuda,
    /// The simulator. Times are modelled, counters are there, every access is checked.
    Sim,
}

impl Backend {
    /// How this backend comes by its times: `measured` or `modelled`.
    pub fn times(self) -> &'static str {
        match self {
            Self::Cuda => "measured",
            Self::Sim => "modelled",
        }
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Cuda => "GPU",
            Self::Sim => "simulator",
        })
    }
}

/// The backend that `cuInit` chose.
pub(crate) fn chosen() -> Backend {
    match lanewise_driver::backend() {
        Some(lanewise_driver::Backend::Cuda) => Backend::Cuda,
        Some(lanewise_driver::Backend::Sim) | None => Backend::Sim,
    }
}
