//! Device models: the limits and sizes of a GPU, as data.
//!
//! Each model is a TOML file under `data/`, with one figure per line and its source beside it. The
//! machine, the driver's attributes, the counters' bank and sector sizes and the modelled time all
//! read these figures; no other file holds a number that belongs to a GPU.

mod occupancy;

pub use occupancy::{Allowance, Occupancy, Resource};
use serde::Deserialize;
use std::sync::OnceLock;

/// One GPU's limits, sizes and speeds.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct DeviceModel {
    /// The name that the driver gives, such as `NVIDIA H200`.
    pub name: String,
    /// NVIDIA's name of the generation, such as `Hopper`.
    pub architecture: String,
    /// Major and minor compute capability.
    pub compute_capability: [u32; 2],
    /// How many streaming multiprocessors there are.
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
    /// What one multiprocessor holds.
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
    /// Bytes of shared memory a block may have without asking.
    pub shared_per_block: u32,
    /// Bytes of shared memory a block may have when the kernel's attribute asks for it.
    pub shared_per_block_optin: u32,
    /// Bytes of shared memory that the system keeps in every block.
    pub shared_reserved: u32,
    /// Registers of a block.
    pub registers_per_block: u32,
    /// Bytes of constant memory of a module.
    pub constant: u32,
    /// Bytes of kernel parameters.
    pub parameters: u32,
    /// Blocks of a cluster without asking for a non-portable size; 1 where there are no clusters.
    pub cluster: u32,
    /// Bytes of local memory a thread may have.
    pub local_per_thread: u32,
    /// Bytes of the heap that `malloc` in a kernel takes from, unless it is set.
    pub heap: u64,
    /// Calls that may be open in one thread.
    pub call_depth: u32,
}

impl Limits {
    /// The most blocks of a cluster. With `non_portable`, of one that other devices with clusters
    /// need not take: Hopper and later allow twice as many then (CUDA C++ Programming Guide,
    /// "Thread Block Clusters": 16 on an H100).
    pub fn cluster_blocks(&self, non_portable: bool) -> u32 {
        match self.cluster {
            0 | 1 => 1,
            portable if non_portable => portable * 2,
            portable => portable,
        }
    }
}

/// What one multiprocessor holds, in the units in which it hands it out.
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
    /// Registers are given to a warp in multiples of this.
    pub register_unit: u32,
    /// The most registers a thread can have.
    pub registers_per_thread: u32,
    /// Bytes of shared memory.
    pub shared: u32,
    /// Shared memory is given to a block in multiples of this.
    pub shared_unit: u32,
    /// The sizes, in KiB, that the shared part of the L1 cache can have.
    pub shared_carveouts_kib: Vec<u32>,
    /// Schedulers, each with a part of the registers.
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
    /// Of a texture's base address.
    pub texture: u32,
    /// Of the rows of a texture in linear memory.
    pub texture_pitch: u32,
    /// What the driver rounds the rows of a pitched allocation up to.
    pub pitch: u32,
    /// Largest pitch of a copy.
    pub max_pitch: u32,
    /// Bytes of a sector, the least that L2 fetches.
    pub sector: u32,
    /// Bytes of a cache line.
    pub line: u32,
    /// Bytes that a global load through L1 fetches at the least: a sector, or a whole line.
    pub l1_fill: u32,
}

/// Rates that the modelled time is computed from: a stated roofline, no more.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Rates {
    /// Bytes a second that a kernel streams from and to device memory.
    pub memory: f64,
    /// Bytes a second from pinned host memory to the device.
    pub host_to_device: f64,
    /// Bytes a second from the device to pinned host memory.
    pub device_to_host: f64,
    /// Bytes a second from or to pageable host memory.
    pub pageable: f64,
    /// Bytes a second from one device to another that reaches it, in one direction.
    pub peer: f64,
    /// Seconds from a launch to its first instruction.
    pub launch: f64,
    /// How many copy engines there are.
    pub copy_engines: u32,
}

/// The models that are built in, by the short name that `LANEWISE_MODEL` takes.
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

/// A model with its short name, which is read from its text once.
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

/// Why there is no such model.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// No built-in model has this name.
    #[error("no device model is called `{name}`; there are {}", .known.join(", "))]
    Unknown {
        /// The name that was asked for.
        name: String,
        /// The names that there are.
        known: Vec<&'static str>,
    },
    /// A model's text does not hold a model.
    #[error("the device model does not read as one")]
    Parse(#[from] toml::de::Error),
}

impl DeviceModel {
    /// The short names of the built-in models.
    pub fn names() -> impl Iterator<Item = &'static str> {
        MODELS.iter().map(|built_in| built_in.name)
    }

    /// The built-in model of a short name such as `v100`.
    ///
    /// # Errors
    /// [`ModelError::Unknown`] when there is none.
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

    /// A model from the text of a file like those under `data/`.
    ///
    /// # Errors
    /// [`ModelError::Parse`] when a figure is missing, unknown or of the wrong type.
    pub fn parse(text: &str) -> Result<Self, ModelError> {
        Ok(toml::from_str(text)?)
    }

    /// NVIDIA H200, the default: most of its figures were measured.
    pub fn h200() -> Self {
        Self::built_in("h200")
    }

    /// The model of an NVIDIA B200.
    pub fn b200() -> Self {
        Self::built_in("b200")
    }

    /// NVIDIA GeForce RTX 4090.
    pub fn rtx4090() -> Self {
        Self::built_in("rtx4090")
    }

    /// The model of NVIDIA's Tesla V100, of compute capability 7.0.
    pub fn v100() -> Self {
        Self::built_in("v100")
    }

    /// NVIDIA Tesla K40, the GPU of the notes' older chapters.
    pub fn k40() -> Self {
        Self::built_in("k40")
    }

    fn built_in(name: &str) -> Self {
        // The text is part of this crate and a test reads every one.
        Self::named(name).expect("built-in models parse")
    }

    /// The compute capability as PTX writes targets: 90 for 9.0, 100 for 10.0.
    pub fn sm(&self) -> u32 {
        self.compute_capability[0] * 10 + self.compute_capability[1]
    }

    /// Warps that a multiprocessor holds.
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
