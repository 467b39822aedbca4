//! Why a launch is refused: its shape, its parameters, or the kernel itself.

use crate::load_error::LoadError;
use crate::memory::MemoryError;

/// Why a launch was refused and nothing ran.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LaunchError {
    /// The module has no kernel of this name.
    #[error("no kernel `{name}` in the module; it has {}", list(.known))]
    UnknownKernel {
        /// The name in the launch.
        name: String,
        /// The names of the module's kernels.
        known: Vec<String>,
    },
    /// The kernel, or a function that it refers to, contains something that is not modelled.
    #[error("kernel `{kernel}` cannot run here")]
    Refused {
        /// The kernel's name.
        kernel: String,
        /// What is not modelled, with its line.
        source: Box<LoadError>,
    },
    /// The instance belongs to another device.
    #[error("the module was loaded on another device; load it on this one")]
    OtherDevice,
    /// A grid or block without threads, or one that is larger than the device allows.
    #[error("a {what} of ({}, {}, {}); each extent is from 1 to ({}, {}, {}){}",
        .asked[0], .asked[1], .asked[2], .limit[0], .limit[1], .limit[2], instead(what, *asked))]
    Extent {
        /// `grid` or `block`.
        what: &'static str,
        /// The extents that were requested.
        asked: [u32; 3],
        /// The device's limits.
        limit: [u32; 3],
    },
    /// More threads in a block than the device or the kernel allows.
    #[error(
        "a block of {asked} threads; {who} takes {limit} at most; use smaller blocks and more of them"
    )]
    Threads {
        /// The number of threads that was requested.
        asked: u64,
        /// The most that is allowed.
        limit: u32,
        /// What sets the limit: the device, or the kernel as it was compiled, by its launch bounds
        /// or by its registers.
        who: String,
    },
    /// A block whose shape is not the one that the kernel was compiled for.
    #[error(
        "a block of ({}, {}, {}) threads; the kernel was compiled for ({}, {}, {}) exactly (.reqntid)",
        .asked[0], .asked[1], .asked[2], .required[0], .required[1], .required[2]
    )]
    RequiredThreads {
        /// The shape that was requested.
        asked: [u32; 3],
        /// The shape that the kernel requires.
        required: [u32; 3],
    },
    /// More threads in a block than the registers allow.
    #[error(
        "a block of {asked} threads; with {registers} registers a thread it can have {limit} at most"
    )]
    Registers {
        /// The number of threads that was requested.
        asked: u32,
        /// The number of registers of a thread.
        registers: u32,
        /// The most that is allowed.
        limit: u32,
    },
    /// More shared memory than a block of the kernel may have.
    #[error(
        "{dynamic} bytes of dynamic shared memory and {fixed} static; {allowed} dynamic bytes are allowed{}",
        if .most > .allowed { format!(", and up to {most} after the kernel's attribute for it is set") } else { String::new() }
    )]
    Shared {
        /// Bytes of static shared memory that the kernel declares.
        fixed: u32,
        /// Bytes of dynamic shared memory that the launch requests.
        dynamic: u32,
        /// The limit of dynamic bytes that applies now.
        allowed: u32,
        /// The limit of dynamic bytes on the device, after the static bytes are subtracted.
        most: u32,
    },
    /// Too few bytes of parameters.
    #[error("{given} bytes of parameters; the kernel takes {wanted}")]
    Params {
        /// How many bytes were given.
        given: usize,
        /// How many bytes the kernel takes.
        wanted: usize,
    },
    /// A cluster whose extents do not divide the grid, or that is larger than the device allows.
    #[error("clusters of ({}, {}, {}) blocks in a grid of ({}, {}, {}); {reason}",
        .cluster[0], .cluster[1], .cluster[2], .grid[0], .grid[1], .grid[2])]
    Cluster {
        /// The cluster's extents.
        cluster: [u32; 3],
        /// The grid's extents.
        grid: [u32; 3],
        /// The reason for the refusal.
        reason: String,
    },
    /// More blocks in a cooperative launch than can be resident at once.
    #[error("a cooperative launch of {asked} blocks; {device} holds {limit} of them at once")]
    Cooperative {
        /// Blocks of the grid.
        asked: u64,
        /// The number of blocks that can be resident at once.
        limit: u64,
        /// The device model's name.
        device: String,
    },
    /// More local memory than the device has for a thread.
    #[error("the kernel needs {asked} bytes of local memory a thread; the device has {limit}")]
    Local {
        /// Bytes that the kernel needs for a thread.
        asked: u32,
        /// The most that is allowed.
        limit: u32,
    },
    /// The host has no memory left for the launch.
    #[error("no memory for the launch")]
    Memory(#[from] MemoryError),
}

/// Returns advice about an extent that the device does not allow.
fn instead(what: &str, asked: [u32; 3]) -> &'static str {
    match what {
        _ if asked.contains(&0) => "; use 1 where there is nothing to do",
        "block" => "; use smaller blocks and more of them",
        _ => "; use another dimension too",
    }
}

/// Formats names as "`a`, `b` and 3 more".
fn list(names: &[String]) -> String {
    match names {
        [] => "none".into(),
        names => {
            let shown: Vec<_> = names.iter().take(8).map(|n| format!("`{n}`")).collect();
            let more = names.len() - shown.len();
            shown.join(", ")
                + &if more > 0 {
                    format!(" and {more} more")
                } else {
                    String::new()
                }
        }
    }
}
