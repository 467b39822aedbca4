//! Device models: the limits and sizes of a GPU, as data.
//!
//! Each model is a TOML file under `data/`, with one figure per line and its source beside it. The
//! machine, the driver's attributes, the bank and sector sizes of the counters, and the modelled
//! time all use these figures. No other file contains a number that belongs to a GPU.

mod occupancy;

pub use occupancy::{Allowance, Occupancy, Resource};
use serde::Deserialize;
use std::sync::OnceLock;

/// One GPU's limits, sizes and speeds.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct DeviceModel {
    /// The name that the driver returns, such as `NVIDIA H200`.
    pub name: String,
    /// NVIDIA's name of the generation, such as `Hopper`.
    pub architecture: String,
    /// Major and minor compute capability.
    pub compute_capability: [u32; 2],
    /// The number of streaming multiprocessors.
    pub multiprocessors: u32,
    /// Bytes of device memory.
    pub memory: u64,
    /// Core clock in kHz.
    pub clock_khz: u32,
    /// Memory clock in kHz.
    pub memory_clock_khz: u32,
    /// Width of the memory bus in bits.
    pub bus_width: u32,
    /// Bytes of L2 cache.
    pub l2: u32,
    /// Threads of a warp. The machine is built for 32.
    pub warp_size: u32,
    /// Limits of one block and one grid.
    pub limits: Limits,
    /// The resources of one multiprocessor.
    pub multiprocessor: Multiprocessor,
    /// Alignments and granularities that programs see.
    pub alignment: Alignment,
    /// Rates that the modelled time is computed from.
    pub rates: Rates,
}

/// Limits of one block and one grid.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Limits {
    /// Threads of a block.
    pub threads_per_block: u32,
    /// Largest extents of a block.
    pub block: [u32; 3],
    /// Largest extents of a grid.
    pub grid: [u32; 3],
    /// Bytes of shared memory that a block may have by default.
    pub shared_per_block: u32,
    /// Bytes of shared memory that a block may have if the kernel's attribute is set.
    pub shared_per_block_optin: u32,
    /// Bytes of shared memory that the system reserves in every block.
    pub shared_reserved: u32,
    /// Registers of a block.
    pub registers_per_block: u32,
    /// Bytes of constant memory of a module.
    pub constant: u32,
    /// Bytes of kernel parameters.
    pub parameters: u32,
    /// The most blocks of a portable cluster; 1 if the device has no clusters.
    pub cluster: u32,
    /// Bytes of local memory a thread may have.
    pub local_per_thread: u32,
    /// The default size, in bytes, of the heap from which `malloc` in a kernel allocates.
    pub heap: u64,
    /// The largest depth of nested calls in one thread.
    pub call_depth: u32,
}

impl Limits {
    /// Returns the most blocks of a cluster. With `non_portable`, clusters are included that other
    /// devices with clusters need not support. Hopper and later then allow twice as many blocks
    /// (CUDA C++ Programming Guide, "Thread Block Clusters": 16 on an H100).
    pub fn cluster_blocks(&self, non_portable: bool) -> u32 {
        match self.cluster {
            0 | 1 => 1,
            portable if non_portable => portable * 2,
            portable => portable,
        }
    }
}

/// The resources of one multiprocessor, and the units in which it allocates them.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Multiprocessor {
    /// The most threads that are resident at once.
    pub threads: u32,
    /// The most blocks that are resident at once.
    pub blocks: u32,
    /// How many registers of 32 bits there are.
    pub registers: u32,
    /// The unit in which registers are allocated to a warp.
    pub register_unit: u32,
    /// The most registers a thread can have.
    pub registers_per_thread: u32,
    /// Bytes of shared memory.
    pub shared: u32,
    /// The unit, in bytes, in which shared memory is allocated to a block.
    pub shared_unit: u32,
    /// The sizes, in KiB, that the shared part of the L1 cache can have.
    pub shared_carveouts_kib: Vec<u32>,
    /// The number of schedulers. Each has a part of the registers.
    pub schedulers: u32,
    /// Banks of shared memory.
    pub banks: u32,
    /// The widths in bytes that a bank can be set to; the first is the default.
    pub bank_widths: Vec<u32>,
    /// f32 fused multiply-adds a clock.
    pub f32_per_clock: u32,
    /// f64 fused multiply-adds a clock.
    pub f64_per_clock: u32,
}

/// Alignments and granularities that programs see.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Alignment {
    /// The alignment of a texture's base address, in bytes.
    pub texture: u32,
    /// The alignment of the rows of a texture in linear memory, in bytes.
    pub texture_pitch: u32,
    /// The alignment of the rows of a pitched allocation, in bytes.
    pub pitch: u32,
    /// The largest pitch of a copy, in bytes.
    pub max_pitch: u32,
    /// Bytes of a sector, the smallest unit that L2 fetches.
    pub sector: u32,
    /// Bytes of a cache line.
    pub line: u32,
    /// The smallest number of bytes that a global load through L1 fetches: a sector, or
    /// a whole line.
    pub l1_fill: u32,
}

/// Rates for the modelled time. It is a roofline with stated figures, and nothing more.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Rates {
    /// Bytes per second that a kernel reads or writes when it streams device memory.
    pub memory: f64,
    /// Bytes per second from pinned host memory to the device.
    pub host_to_device: f64,
    /// Bytes per second from the device to pinned host memory.
    pub device_to_host: f64,
    /// Bytes per second from or to pageable host memory.
    pub pageable: f64,
    /// Bytes per second from one device to another that it can access, in one direction.
    pub peer: f64,
    /// Seconds from a launch to its first instruction.
    pub launch: f64,
    /// The number of copy engines.
    pub copy_engines: u32,
}

/// The built-in models, by the short name that `LANEWISE_MODEL` accepts.
static MODELS: [BuiltIn; 9] = [
    BuiltIn::new("h200", include_str!("data/h200.toml")),
    BuiltIn::new("b200", include_str!("data/b200.toml")),
    BuiltIn::new("gb300", include_str!("data/gb300.toml")),
    BuiltIn::new("rtx5090", include_str!("data/rtx5090.toml")),
    BuiltIn::new("gb10", include_str!("data/gb10.toml")),
    BuiltIn::new("thor", include_str!("data/thor.toml")),
    BuiltIn::new("rtx4090", include_str!("data/rtx4090.toml")),
    BuiltIn::new("v100", include_str!("data/v100.toml")),
    BuiltIn::new("k40", include_str!("data/k40.toml")),
];

/// A model with its short name. Its text is parsed once.
struct BuiltIn {
    name: &'static str,
    text: &'static str,
    model: OnceLock<DeviceModel>,
}

impl BuiltIn {
    const fn new(name: &'static str, text: &'static str) -> BuiltIn {
        BuiltIn {
            name,
            text,
            model: OnceLock::new(),
        }
    }

    fn model(&self) -> Result<DeviceModel, ModelError> {
        if let Some(model) = self.model.get() {
            return Ok(model.clone());
        }
        let model = DeviceModel::parse(self.text)?;
        Ok(self.model.get_or_init(|| model).clone())
    }
}

/// The reason why a model could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// No built-in model has this name.
    #[error("no device model is called `{name}`; there are {}", .known.join(", "))]
    Unknown {
        /// The name that the caller passed.
        name: String,
        /// The names of the built-in models.
        known: Vec<&'static str>,
    },
    /// The text is not a model.
    #[error("the device model does not read as one")]
    Parse(#[from] toml::de::Error),
}

impl DeviceModel {
    /// Returns the short names of the built-in models.
    pub fn names() -> impl Iterator<Item = &'static str> {
        MODELS.iter().map(|built_in| built_in.name)
    }

    /// Returns the built-in model of a short name such as `v100`.
    ///
    /// # Errors
    /// [`ModelError::Unknown`] if there is no such model.
    pub fn named(name: &str) -> Result<Self, ModelError> {
        let found = MODELS
            .iter()
            .find(|built_in| built_in.name.eq_ignore_ascii_case(name));
        let built_in = found.ok_or_else(|| ModelError::Unknown {
            name: name.into(),
            known: Self::names().collect(),
        })?;
        built_in.model()
    }

    /// Reads a model from the text of a file like those under `data/`.
    ///
    /// # Errors
    /// [`ModelError::Parse`] if a figure is missing, unknown or of the wrong type.
    pub fn parse(text: &str) -> Result<Self, ModelError> {
        Ok(toml::from_str(text)?)
    }

    /// Returns the model of an NVIDIA H200, the default. Most of its figures were measured.
    pub fn h200() -> Self {
        Self::built_in("h200")
    }

    /// Returns the model of an NVIDIA B200.
    pub fn b200() -> Self {
        Self::built_in("b200")
    }

    /// Returns the model of an NVIDIA GeForce RTX 4090.
    pub fn rtx4090() -> Self {
        Self::built_in("rtx4090")
    }

    /// Returns the model of NVIDIA's Tesla V100, of compute capability 7.0.
    pub fn v100() -> Self {
        Self::built_in("v100")
    }

    /// Returns the model of an NVIDIA Tesla K40, a GPU of the Kepler generation.
    pub fn k40() -> Self {
        Self::built_in("k40")
    }

    fn built_in(name: &str) -> Self {
        // The text is part of this crate, and a test parses each of them.
        Self::named(name).expect("built-in models parse")
    }

    /// Returns the compute capability in the form of PTX targets: 90 for 9.0, 100 for 10.0.
    pub fn sm(&self) -> u32 {
        self.compute_capability[0] * 10 + self.compute_capability[1]
    }

    /// Returns the number of warps that a multiprocessor holds.
    pub fn warps_per_multiprocessor(&self) -> u32 {
        self.multiprocessor.threads / self.warp_size
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_model_reads() {
        for name in DeviceModel::names() {
            let model =
                DeviceModel::named(name).unwrap_or_else(|error| panic!("{name}: {error:?}"));
            assert_eq!(model.warp_size, 32, "{name}");
            assert_eq!(model.multiprocessor.banks, 32, "{name}");
            assert!(
                model.multiprocessor.shared_carveouts_kib.is_sorted(),
                "{name}"
            );
        }
    }

    #[test]
    fn an_unknown_name_lists_the_known() {
        let error = DeviceModel::named("h100").unwrap_err().to_string();
        assert_eq!(
            error,
            "no device model is called `h100`; there are h200, b200, gb300, rtx5090, gb10, thor, rtx4090, v100, k40"
        );
    }
}
