//! The calls of "Driver Entry Point Access": they return the function of a name in the newest
//! version that the caller supports.

use super::{put, text};
use crate::abi::{c_char, c_int, c_uint, c_void};
use crate::entry_point::lookup::{self, Missing};
use crate::error::{Result, ensure, fail};

/// The function was found (`CUdriverProcAddressQueryResult`).
const FOUND: c_uint = 0;
const SYMBOL_NOT_FOUND: c_uint = 1;
const VERSION_NOT_SUFFICIENT: c_uint = 2;

/// Returns the function of the call `name` in the newest version that CUDA `version` had. With the
/// flag for per-thread default streams, it returns the call's per-thread variant, if it has one.
fn find(name: &str, version: u32, flags: u64) -> std::result::Result<*const (), c_uint> {
    match lookup::newest(name, version) {
        Ok(entry) => Ok(match &entry.per_thread {
            Some(twin) if flags == lookup::PER_THREAD && twin.since <= version => (twin.address)(),
            _ => (entry.address)(),
        }),
        Err(Missing::TooNew) => Err(VERSION_NOT_SUFFICIENT),
        Err(Missing::Unknown) => Err(SYMBOL_NOT_FOUND),
    }
}

pub(crate) unsafe fn get(
    name: *const c_char,
    address: *mut *mut c_void,
    version: c_int,
    flags: u64,
) -> Result {
    // SAFETY: the caller keeps the contract.
    unsafe { get_v2(name, address, version, flags, std::ptr::null_mut()) }
}

pub(crate) unsafe fn get_v2(
    name: *const c_char,
    address: *mut *mut c_void,
    version: c_int,
    flags: u64,
    status: *mut c_uint,
) -> Result {
    // SAFETY: the caller keeps the contract.
    let name = unsafe { text(name, "symbol")? };
    ensure!(
        flags <= 2,
        ERROR_INVALID_VALUE,
        "{flags:#x} are no CUdriverProcAddress_flags (0 default, 1 legacy stream, 2 per-thread stream)"
    );
    let version = u32::try_from(version).unwrap_or(0);
    let (found, result) = match find(name, version, flags) {
        Ok(address) => (address.cast_mut().cast(), FOUND),
        Err(result) => (std::ptr::null_mut(), result),
    };
    // SAFETY: the caller keeps the contract. The reference permits the status to be null.
    unsafe {
        put(address, found, "pfn")?;
        if !status.is_null() {
            status.write(result);
            // A caller with a status argument gets the error there.
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
