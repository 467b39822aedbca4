//! From a name and a CUDA version to the entry point that `cuda.h` of that version means.

use crate::api::ENTRY_POINTS;
use crate::entry::EntryPoint;

/// `CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM`.
pub(crate) const PER_THREAD: u64 = 2;

/// Why there is no entry point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Missing {
    /// No version of CUDA has a call of this name.
    Unknown,
    /// Only versions newer than the one that was named have it.
    TooNew,
}

/// The newest version of the call `name` that CUDA `version` had.
pub(crate) fn newest(name: &str, version: u32) -> Result<&'static EntryPoint, Missing> {
    let named = || {
        ENTRY_POINTS
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

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn is(name: &str, version: u32, symbol: &str) {
        let found = newest(name, version).map(|entry| entry.symbol);
        assert_eq!(found, Ok(symbol), "{name} of {version}");
    }

    #[test]
    fn the_newest_version_that_the_caller_knows_is_found() {
        for (version, symbol) in [
            (2000, "cuCtxCreate"),
            (3020, "cuCtxCreate_v2"),
            (11_080, "cuCtxCreate_v3"),
            (13_000, "cuCtxCreate_v4"),
        ] {
            is("cuCtxCreate", version, symbol);
        }
        is("cuInit", 13_000, "cuInit");
        is("cuLinkCreate", 5050, "cuLinkCreate");
        is("cuStreamBeginCapture", 10_000, "cuStreamBeginCapture");
        is("cuMemcpyBatchAsync", 12_080, "cuMemcpyBatchAsync");
        is("cuMemcpyBatchAsync", 13_000, "cuMemcpyBatchAsync_v2");
        is("cuGraphInstantiate", 10_000, "cuGraphInstantiate");
        is("cuGraphInstantiate", 11_080, "cuGraphInstantiate_v2");
        is("cuGraphInstantiate", 12_000, "cuGraphInstantiateWithFlags");
    }

    #[test]
    fn what_is_missing_is_told_from_what_is_too_new() {
        let error = |name, version| newest(name, version).map(|entry| entry.symbol);
        assert_eq!(error("cuLaunchKernelEx", 11_000), Err(Missing::TooNew));
        assert_eq!(error("cuTeleport", 13_000), Err(Missing::Unknown));
    }
}
