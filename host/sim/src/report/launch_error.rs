//! Why a launch is refused: its shape, its parameters, or the kernel itself.

use crate::load_error::LoadError;
use crate::memory::MemoryError;

/// Why a launch was refused and nothing ran.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LaunchError {
    /// The module has no such kernel.
    #[error("no kernel `{name}` in the module; it has {}", list(.known))]
    UnknownKernel {
        /// What was asked for.
        name: String,
        /// What there is.
        known: Vec<String>,
    },
    /// The kernel, or a function that it names, holds what is not modelled.
    #[error("kernel `{kernel}` cannot run here")]
    Refused {
        /// The kernel's name.
        kernel: String,
        /// What, with its line.
        source: Box<LoadError>,
    },
    /// The instance belongs to another device.
    #[error("the module was loaded on another device; load it on this one")]
    OtherDevice,
    /// A grid or block of no threads, or wider than the device takes.
    #[error("a {what} of ({}, {}, {}); each extent is from 1 to ({}, {}, {}){}",
        .asked[0], .asked[1], .asked[2], .limit[0], .limit[1], .limit[2], instead(what, *asked))]
    Extent {
        /// `grid` or `block`.
        what: &'static str,
        /// What was asked for.
        asked: [u32; 3],
        /// The device's limits.
        limit: [u32; 3],
    },
    /// More threads in a block than the device or the kernel takes.
    #[error(
        "a block of {asked} threads; {who} takes {limit} at most; use smaller blocks and more of them"
    )]
    Threads {
        /// What was asked for.
        asked: u64,
        /// The most that is allowed.
        limit: u32,
        /// Who sets it: the device, or the kernel as it was compiled: by its launch bounds, or by
        /// its registers.
        who: String,
    },
    /// A block whose shape is not the one that the kernel was compiled for.
    #[error(
        "a block of ({}, {}, {}) threads; the kernel was compiled for ({}, {}, {}) exactly (.reqntid)",
        .asked[0], .asked[1], .asked[2], .required[0], .required[1], .required[2]
    )]
    RequiredThreads {
        /// What was asked for.
        asked: [u32; 3],
        /// What the kernel requires.
        required: [u32; 3],
    },
    /// More threads in a block than there are registers for.
    #[error(
        "a block of {asked} threads; with {registers} registers a thread it can have {limit} at most"
    )]
    Registers {
        /// What was asked for.
        asked: u32,
        /// Registers of a thread.
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
        /// Bytes that the kernel declares.
        fixed: u32,
        /// Bytes that the launch asks for.
        dynamic: u32,
        /// The limit of dynamic bytes that holds.
        allowed: u32,
        /// The limit that the device has beside the static bytes.
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
    /// A cluster that the grid is no multiple of, or larger than the device takes.
    #[error("clusters of ({}, {}, {}) blocks in a grid of ({}, {}, {}); {reason}",
        .cluster[0], .cluster[1], .cluster[2], .grid[0], .grid[1], .grid[2])]
    Cluster {
        /// The cluster's extents.
        cluster: [u32; 3],
        /// The grid's extents.
        grid: [u32; 3],
        /// What is wrong.
        reason: String,
    },
    /// More blocks in a cooperative launch than are resident at once.
    #[error("a cooperative launch of {asked} blocks; {device} holds {limit} of them at once")]
    Cooperative {
        /// Blocks of the grid.
        asked: u64,
        /// Blocks that are resident.
        limit: u64,
        /// The device model's name.
        device: String,
    },
    /// More local memory than the device has for a thread.
    #[error("the kernel needs {asked} bytes of local memory a thread; the device has {limit}")]
    Local {
        /// What it needs.
        asked: u32,
        /// The most that is allowed.
        limit: u32,
    },
    /// The host has no memory for the launch.
    #[error("no memory for the launch")]
    Memory(#[from] MemoryError),
}

/// What to do about an extent that the device does not take.
fn instead(what: &str, asked: [u32; 3]) -> &'static str {
    match what {
        _ if asked.contains(&0) => "; use 1 where there is nothing to do",
        "block" => "; use smaller blocks and more of them",
        _ => "; use another dimension too",
    }
}

/// "`a`, `b` and 3 more".
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
