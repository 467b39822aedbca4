//! "Driver Entry Point Access": from a name to the function of the newest version that the caller knows.

use super::{put, text};
use crate::abi::{c_char, c_int, c_uint, c_void};
use crate::api::ENTRY_POINTS;
use crate::entry::EntryPoint;
use crate::error::{Result, ensure, fail};

/// `CUdriverProcAddressQueryResult`.
const FOUND: c_uint = 0;
const SYMBOL_NOT_FOUND: c_uint = 1;
const VERSION_NOT_SUFFICIENT: c_uint = 2;

/// The newest version of the call `name` that CUDA `version` had.
pub(crate) fn find(name: &str, version: u32) -> std::result::Result<&'static EntryPoint, c_uint> {
    let named = || {
        ENTRY_POINTS
            .iter()
            .filter(|entry| entry.name() == name || entry.symbol == name)
    };
    let newest = named()
        .filter(|entry| entry.since <= version)
        .max_by_key(|entry| (entry.since, entry.symbol));
    match newest {
        Some(entry) => Ok(entry),
        None if named().next().is_some() => Err(VERSION_NOT_SUFFICIENT),
        None => Err(SYMBOL_NOT_FOUND),
    }
}

pub(crate) unsafe fn get(
    name: *const c_char,
    address: *mut *mut c_void,
    version: c_int,
    flags: u64,
) -> Result {
    // SAFETY: the caller's contract.
    unsafe { get_v2(name, address, version, flags, std::ptr::null_mut()) }
}

pub(crate) unsafe fn get_v2(
    name: *const c_char,
    address: *mut *mut c_void,
    version: c_int,
    flags: u64,
    status: *mut c_uint,
) -> Result {
    // SAFETY: the caller's contract.
    let name = unsafe { text(name, "symbol")? };
    ensure!(
        flags <= 2,
        ERROR_INVALID_VALUE,
        "{flags:#x} are no CUdriverProcAddress_flags (0 default, 1 legacy stream, 2 per-thread stream)"
    );
    let version = u32::try_from(version).unwrap_or(0);
    let (found, result) = match find(name, version) {
        Ok(entry) => ((entry.address)().cast_mut().cast(), FOUND),
        Err(result) => (std::ptr::null_mut(), result),
    };
    // SAFETY: the caller's contract; the reference lets the status be null.
    unsafe {
        put(address, found, "pfn")?;
        if !status.is_null() {
            status.write(result);
            // A caller that asks for the status is told by it.
            return Ok(());
        }
    }
    match result {
        FOUND => Ok(()),
        _ => fail!(
            ERROR_NOT_FOUND,
            "the driver has no `{name}` of CUDA {}.{} or before",
            version / 1000,
            version % 1000 / 10
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_version_that_the_caller_knows_is_found() {
        assert_eq!(
            find("cuCtxCreate", 3020).map(|entry| entry.symbol),
            Ok("cuCtxCreate_v2")
        );
        assert_eq!(
            find("cuCtxCreate", 11_080).map(|entry| entry.symbol),
            Ok("cuCtxCreate_v3")
        );
        assert_eq!(
            find("cuCtxCreate", 13_000).map(|entry| entry.symbol),
            Ok("cuCtxCreate_v4")
        );
        assert_eq!(
            find("cuInit", 13_000).map(|entry| entry.symbol),
            Ok("cuInit")
        );
    }

    #[test]
    fn what_is_missing_is_told_from_what_is_too_new() {
        assert_eq!(
            find("cuLaunchKernelEx", 11_000).map(|entry| entry.symbol),
            Err(VERSION_NOT_SUFFICIENT)
        );
        assert_eq!(
            find("cuTeleport", 13_000).map(|entry| entry.symbol),
            Err(SYMBOL_NOT_FOUND)
        );
    }
}
