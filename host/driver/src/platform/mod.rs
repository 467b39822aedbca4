//! What the driver asks of the operating system beyond the standard library. Linux has all of it;
//! elsewhere some is missing, which callers hear as an error or `false`.
//!
//! | module | what it does |
//! | --- | --- |
//! | `library` | opens NVIDIA's driver |
//! | `pages` | protects pages, and catches accesses to them |
//! | `process` | code before `main`, at the end, after a fork; paths |
//! | `shared` | memory that processes share by a file |
//! | `threads` | what the threads of this process wait for |

/// What all systems have.
mod end;
#[cfg_attr(target_os = "linux", path = "linux/mod.rs")]
#[cfg_attr(target_os = "macos", path = "macos/mod.rs")]
#[cfg_attr(windows, path = "windows/mod.rs")]
mod system;
/// What Linux and macOS have.
#[cfg(unix)]
mod unix;
/// What macOS and Windows do not have, or not yet.
#[cfg(not(target_os = "linux"))]
mod without;

use std::io;

pub(crate) use system::{library, pages, process, shared, threads};

/// Bytes of a page. Nothing is protected on a host with pages of another size.
pub(crate) const PAGE: u64 = 4096;

/// What the host may still do with a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Allowed {
    Nothing,
    Reads,
}

/// How a thread waits for another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(
    not(target_os = "linux"),
    expect(dead_code, reason = "it is not known there")
)]
pub(crate) enum Waits {
    No,
    /// It goes on by itself after some time.
    ForATime,
    Forever,
}

/// Why a file of another process is not opened.
#[cfg_attr(
    not(target_os = "linux"),
    expect(dead_code, reason = "no file is shared there")
)]
pub(crate) enum NotOpened {
    /// The numbers are those of another file.
    Other,
    /// The process has closed it.
    GivenBack,
    Refused(io::Error),
}

/// Which faults are handled by the driver, and how.
#[derive(Clone, Copy)]
#[cfg_attr(
    not(target_os = "linux"),
    expect(dead_code, reason = "no fault is handled there")
)]
pub(crate) struct Claim {
    /// Whether an address is claimed. Runs on the signal stack, and allocates nothing.
    pub(crate) is_ours: fn(u64) -> bool,
    /// Makes the access possible; it is repeated afterwards. Takes the address, whether the access
    /// is a write (`None` if the processor does not say), and whether there is enough stack to
    /// walk the callers.
    pub(crate) on_access: fn(u64, Option<bool>, bool),
}
