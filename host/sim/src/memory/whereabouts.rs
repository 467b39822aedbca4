//! What an address belongs to, or what it lies next to, for reports.

use std::fmt;

use super::allocation::Allocation;
use super::window::Window;

/// The place of an address. `Display` prints it as a report does: "is 4 bytes past
/// allocation #2: ...".
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Whereabouts {
    /// In the first page, which has no memory: this many bytes past a null pointer.
    Null(u64),
    /// This many bytes into an allocation that is live.
    Inside(u64, Allocation),
    /// In the window of shared memory.
    Shared,
    /// In the window of local memory.
    Local,
    /// Among the kernel's parameters.
    Params,
    /// This many bytes into an allocation that was freed.
    Freed(u64, Allocation),
    /// This many bytes past the end of the nearest allocation.
    Past(u64, Allocation),
    /// This many bytes before the start of the nearest allocation.
    Before(u64, Allocation),
    /// In the host's own memory, which the device cannot access.
    Host,
    /// At no memory: the device has no allocation.
    Nowhere,
}

impl Whereabouts {
    /// Returns the allocation that the address lies in or next to.
    pub fn allocation(&self) -> Option<&Allocation> {
        match self {
            Self::Inside(_, it) | Self::Freed(_, it) | Self::Past(_, it) | Self::Before(_, it) => {
                Some(it)
            }
            _ => None,
        }
    }

    /// Returns the place of an address in a window of generic addresses, or `None`
    /// for global memory.
    pub(super) fn of_window(window: Window) -> Option<Self> {
        match window {
            Window::Shared => Some(Self::Shared),
            Window::Local => Some(Self::Local),
            Window::Param => Some(Self::Params),
            Window::Global => None,
        }
    }
}

impl fmt::Display for Whereabouts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null(0) => f.write_str("is a null pointer"),
            Self::Null(offset) => write!(f, "is {offset} bytes past a null pointer"),
            Self::Inside(offset, allocation) => write!(f, "is {offset} bytes into {allocation}"),
            Self::Shared => f.write_str("is an address in shared memory"),
            Self::Local => f.write_str("is an address in local memory"),
            Self::Params => f.write_str("is an address among the kernel's parameters"),
            Self::Freed(offset, old) => write!(f, "is {offset} bytes into freed {old}"),
            Self::Past(past, allocation) => write!(f, "is {} past {allocation}", bytes(*past)),
            Self::Before(short, allocation) => {
                write!(f, "is {} before {allocation}", bytes(*short))
            }
            Self::Host => f.write_str("is in the host's own memory"),
            Self::Nowhere => f.write_str("is in no allocation; the device has none"),
        }
    }
}

/// "1 byte", "2 bytes".
fn bytes(n: u64) -> String {
    format!("{n} byte{}", if n == 1 { "" } else { "s" })
}
