//! Finds the entry point that a name means in `cuda.h` of a CUDA version.

use crate::entry_point::{self, EntryPoint};

/// The constant `CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM` of cuda.h.
pub(crate) const PER_THREAD: u64 = 2;

/// Why no entry point was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Missing {
    /// No version of CUDA has a call of this name.
    Unknown,
    /// Only versions newer than the given one have it.
    TooNew,
}

/// Returns the newest version of the call `name` that CUDA `version` had.
pub(crate) fn newest(name: &str, version: u32) -> Result<&'static EntryPoint, Missing> {
    let named = || {
        entry_point::all()
            .iter()
            .filter_map(|entry| Some((entry.means(name)?, entry)))
    };
    let newest = named()
        .filter(|(since, _)| *since <= version)
        .max_by_key(|(since, entry)| (*since, entry.symbol));
    match newest {
        Some((_, entry)) => Ok(entry),
        None if named().next().is_some() => Err(Missing::TooNew),
        None => Err(Missing::Unknown),
    }
}
